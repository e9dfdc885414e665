//! Whether the rules that a proof rests on are proved themselves.

use crate::inputs::verdicts::{Proved, Verdicts};
use egraph::{How, Proof, System};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use support::{InputFile, counted, counted_as, note};

/// What is known of a system's rules. A file of verdicts that can't be used is no reason to do nothing: that is said.
pub fn verdicts_of(file: &InputFile) -> Option<Verdicts> {
    Verdicts::of_system(file).unwrap_or_else(|error| {
        note(&format!("verdicts are not used: {error:#}"));
        None
    })
}

/// How far the rules of a proof are proved.
pub fn rules_of(verdicts: &Verdicts, system: &System, proof: &Proof) -> Proved {
    let mut used = BTreeSet::new();
    for step in proof.steps.iter() {
        if let How::Rule(rule, _) = step.how {
            used.insert(rule);
        }
    }
    verdicts.about(system, used.into_iter().map(|rule| system.rule(rule)))
}

/// The same in a line; none where no rule is used.
pub fn line(about: &Proved) -> Option<String> {
    let Proved { proved, by, not_proved } = about;
    let by: Vec<&str> = by.iter().map(String::as_str).collect();
    let names: Vec<&str> = not_proved.iter().map(String::as_str).collect();
    let all = *proved + names.len() as u64;
    match (proved, &names[..]) {
        (0, []) => None,
        (1, []) => Some(format!("the rule used was proved by {}", by.join(", "))),
        (_, []) => {
            Some(format!("all {} used were proved by {}", counted(all, "rule"), by.join(", ")))
        }
        (_, names) => Some(format!(
            "of {} not proved: {}",
            counted_as(all, "rule used", "rules used"),
            names.join(", ")
        )),
    }
}

/// The same for programs.
pub fn object(about: &Proved) -> Value {
    json!({ "proved": about.proved, "by": about.by, "not_proved": about.not_proved })
}
