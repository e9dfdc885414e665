//! Something to be told about a rules file, and how far its rules could be evaluated.

use crate::rules::read::Places;
use crate::text::sexpr::Place;

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

impl Finding {
    pub(crate) fn new(severity: Severity, place: Place, message: impl Into<String>) -> Finding {
        Finding { severity, place, message: message.into(), notes: Vec::new() }
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Finding {
        self.notes.push(note.into());
        self
    }
}

/// Where a rule stands.
pub(crate) fn rule_place(places: &Places, rule: usize) -> Place {
    places.rules[rule]
}
