//! Whether the rules that a proof rests on are proved themselves.

use crate::inputs::verdicts::{Proved, Verdicts};
use egraph::{Proof, System};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use support::{InputFile, counted_as, note};

/// How far the rules of a proof are proved, if that is known of the system in a file. Verdicts that can't be used are no reason
/// to do nothing: that is said.
pub fn rules_of(file: &InputFile, system: &System, proof: &Proof) -> Option<Proved> {
    let verdicts = Verdicts::of_system(file).unwrap_or_else(|error| {
        note(&format!("verdicts are not used: {error:#}"));
        None
    })?;
    Some(verdicts.about(system, proof.rules().into_iter().map(|rule| system.rule(rule))))
}

/// The same in a line; none where no rule is used.
pub fn line(about: &Proved) -> Option<String> {
    let Proved { proved, by, assuming, not_proved } = about;
    let listed = |all: &BTreeSet<String>| all.iter().cloned().collect::<Vec<_>>().join(", ");
    let rules = proved + not_proved.len() as u64;
    let assuming = match assuming.is_empty() {
        true => String::new(),
        false => format!(", assuming that {}", listed(assuming)),
    };
    match (rules, not_proved.is_empty()) {
        (0, _) => None,
        (1, true) => Some(format!("the rule used was proved by {}{assuming}", listed(by))),
        (_, true) => {
            Some(format!("all {rules} rules used were proved by {}{assuming}", listed(by)))
        }
        (_, false) => Some(format!(
            "of {} not proved: {}",
            counted_as(rules, "rule used", "rules used"),
            listed(not_proved)
        )),
    }
}

/// The same for programs.
pub fn object(about: &Proved) -> Value {
    let Proved { proved, by, assuming, not_proved } = about;
    json!({ "proved": proved, "by": by, "assuming": assuming, "not_proved": not_proved })
}
