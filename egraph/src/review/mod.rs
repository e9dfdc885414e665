//! What is wrong, or likely to be wrong, with a rules file: all mistakes at once; rules that do nothing,
//! or too much; rules that are false where their operators can be evaluated; rules that contradict each
//! other.

mod assignments;
mod conflicts;
pub(crate) mod finding;
pub(crate) mod one_way;
mod shape;
mod sound;
mod values;

use crate::review::finding::{Evaluated, Finding, Severity};
use crate::rules::read::read_all;
use crate::rules::system::System;
use crate::text::forms::Form;
use crate::text::sexpr::Place;
use std::sync::Arc;

/// More mistakes are not looked for.
const MOST_MISTAKES: usize = 100;

/// What was found, in the order of the text.
#[derive(Clone, Debug)]
pub struct Review {
    /// All findings; the mistakes only, where there are any that keep the text from being understood.
    pub findings: Vec<Finding>,
    /// The system, if the text can be understood.
    pub system: Option<System>,
    /// Where the rules of the system stand, in their order.
    pub rules: Vec<Place>,
    /// What was evaluated.
    pub evaluated: Evaluated,
}

/// By rule of a rules file, in the order of its system: in which of its forms it stands. No rules of a text that is refused.
pub fn forms_of_rules(text: &str, forms: &[Form]) -> Vec<Option<usize>> {
    let places = read_all(text, 1).map_or_else(|_| Vec::new(), |(_, places)| places.rules);
    let form_at =
        |place: &Place| forms.iter().position(|form| form.place == (place.line, place.column));
    places.iter().map(form_at).collect()
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
                rules: Vec::new(),
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
    Review { findings, system: Some(system), rules: places.rules, evaluated }
}
