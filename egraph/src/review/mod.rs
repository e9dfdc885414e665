//! What is wrong, or likely to be wrong, with a rules file: all mistakes at once; rules that do nothing,
//! or too much; rules that are false where their operators can be evaluated; rules that contradict each
//! other.

mod assignments;
mod conflicts;
pub(crate) mod one_way;
mod shape;
mod sound;
mod values;

use crate::rules::read::{Places, read_all};
use crate::rules::system::System;
use crate::text::sexpr::Place;
use std::sync::Arc;

/// More mistakes are not looked for.
const MOST_MISTAKES: usize = 100;

/// Something to be told about a rules file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The declaration, or the part of it, that is meant.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// More about it, a line each.
    pub notes: Vec<String>,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file can't be used, or a rule is false.
    Error,
    /// Nothing that is false, but most likely not what was meant.
    Warning,
}

/// What was found, in the order of the text.
#[derive(Clone, Debug)]
pub struct Review {
    /// All findings; the mistakes only, where there are any that keep the text from being understood.
    pub findings: Vec<Finding>,
    /// The system, if the text can be understood.
    pub system: Option<System>,
    /// What was evaluated.
    pub evaluated: Evaluated,
}

/// How far rules could be evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evaluated {
    /// Rules all of whose operators have a meaning.
    pub rules: usize,
    /// Assignments on which the two sides of these were compared.
    pub assignments: u64,
    /// The operators of rules that have none.
    pub without_meaning: Vec<String>,
}

/// Reviews the text of a rules file. The same text gives the same findings.
pub fn review(text: &str) -> Review {
    let (system, places) = match read_all(text, MOST_MISTAKES) {
        Ok(read) => read,
        Err(mistakes) => {
            let finding = |mistake: crate::text::sexpr::ParseError| {
                Finding::new(Severity::Error, mistake.place, mistake.message)
            };
            return Review {
                findings: mistakes.into_iter().map(finding).collect(),
                system: None,
                evaluated: Evaluated::default(),
            };
        }
    };
    let mut findings = shape::findings(&system, &places);
    let evaluated = sound::findings(&system, &places, &mut findings);
    let system = Arc::new(system);
    // A rule that is false by itself contradicts others, too.
    if !findings.iter().any(|finding| finding.severity == Severity::Error) {
        findings.extend(conflicts::finding(&system, &places));
    }
    let system = Arc::unwrap_or_clone(system);
    findings.sort_by_key(|f| (f.place.line, f.place.column, f.severity));
    Review { findings, system: Some(system), evaluated }
}

impl Finding {
    fn new(severity: Severity, place: Place, message: impl Into<String>) -> Finding {
        Finding { severity, place, message: message.into(), notes: Vec::new() }
    }

    fn note(mut self, note: impl Into<String>) -> Finding {
        self.notes.push(note.into());
        self
    }
}

fn rule_place(places: &Places, rule: usize) -> Place {
    places.rules[rule]
}
