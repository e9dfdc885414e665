//! Verdicts on rules, as they are shown.

use crate::inputs::verdicts::{Known, Word};
use egraph::{Finding, Place, Rule, Severity, System};
use interop::assumption;
use std::collections::{BTreeMap, BTreeSet};
use support::{counted, counted_as};

/// Rules that are false, each at its place.
pub fn refuted(system: &System, places: &[Place], known: &[Known]) -> Vec<Finding> {
    let findings = system.rules.iter().zip(places).zip(known);
    let findings = findings.filter(|(_, known)| known.verdict == Word::Refuted);
    let finding = |((rule, place), known): ((&Rule, &Place), &Known)| Finding {
        severity: Severity::Error,
        place: *place,
        message: format!("rule '{}' is refuted", rule.name),
        notes: vec![known.why.clone(), format!("found by {}", known.by)],
    };
    findings.map(finding).collect()
}

/// How many rules have which verdict, and those that are not proved, with the reason.
pub fn summary(system: &System, known: &[Known]) -> String {
    let mut text = String::new();
    let mut by: BTreeMap<&str, u64> = BTreeMap::new();
    let mut assuming: BTreeMap<String, u64> = BTreeMap::new();
    for (rule, known) in system.rules.iter().zip(known) {
        if known.verdict == Word::Proved {
            *by.entry(known.prover()).or_default() += 1;
            if let Some(assumed) = assumption(system, rule) {
                *assuming.entry(assumed).or_default() += 1;
            }
        }
    }
    for (by, rules) in by {
        text += &format!("{} proved by {by}\n", counted(rules, "rule"));
    }
    for (assumed, rules) in assuming {
        text += &format!("{} of them on the assumption that {assumed}\n", counted(rules, "rule"));
    }
    for word in [Word::Refuted, Word::Unknown, Word::NotExpressible] {
        let all: Vec<&Known> = known.iter().filter(|known| known.verdict == word).collect();
        if !all.is_empty() {
            text += &format!("{} {}:\n", counted(all.len() as u64, "rule"), word.text());
            for known in all {
                text += &format!("  {}: {}\n", known.rule, known.why);
            }
        }
    }
    text + &at_widths(known)
}

/// How many rules over words hold at other widths, and which are not known to.
fn at_widths(known: &[Known]) -> String {
    let mut held: BTreeMap<u32, u64> = BTreeMap::new();
    let mut others: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for known in known {
        for (&word, width) in
            known.widths.iter().flat_map(|(word, all)| all.iter().map(move |width| (word, *width)))
        {
            match word {
                Word::Proved => *held.entry(width).or_default() += 1,
                other => {
                    let name = format!("{} ({})", known.rule, other.text());
                    others.entry(width).or_default().push(name);
                }
            }
        }
    }
    let all: BTreeSet<u32> = held.keys().chain(others.keys()).copied().collect();
    let line = |width: u32| {
        let rules = counted_as(held.get(&width).copied().unwrap_or(0), "rule", "rules");
        let but = match others.get(&width) {
            Some(names) => format!("; not there: {}", names.join(", ")),
            None => String::new(),
        };
        format!("at {}: {rules} proved{but}\n", counted(width.into(), "bit"))
    };
    all.into_iter().map(line).collect()
}
