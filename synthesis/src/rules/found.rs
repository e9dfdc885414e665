//! A rule that was found, with where it comes from.

use crate::language::Language;
use crate::small::terms::{Node, Term, Terms};
use crate::values::conditions::Guarded;
use egraph::System;
use serde::{Deserialize, Serialize};

/// A rule that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The left-hand side.
    pub left: String,
    /// The right-hand side.
    pub right: String,
    /// The condition, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Whether it is a rule in both directions.
    pub both: bool,
    /// Whether it is proved.
    pub proved: bool,
    /// Where it comes from, and how it is proved.
    pub origin: String,
}

impl Found {
    /// The rule that two terms with equal values make, under a condition or none; none if neither side has all variables
    /// of the other, and of the condition.
    pub fn of(
        language: &Language,
        terms: &Terms,
        (larger, smaller): (Term, Term),
        guarded: Option<&Guarded>,
    ) -> Option<Found> {
        let variables = |term| terms.shape(term).variables;
        let read: u32 = guarded.iter().flat_map(|guarded| &guarded.variables).map(|v| 1 << v).sum();
        let applies = |left, right| {
            matches!(terms.node(left), Node::Apply(..))
                && (variables(right) | read) & !variables(left) == 0
        };
        let side = |term| terms.text(language, term, "?");
        let ways = [applies(larger, smaller), applies(smaller, larger)];
        let when = guarded.map(|guarded| guarded.text(language));
        Found::between(&language.text, [side(larger), side(smaller)], ways, when)
    }

    /// The rule behind a rules file that two sides make, if it may go from the first to the second, back, or both ways.
    pub fn between(
        text: &str,
        [larger, smaller]: [String; 2],
        [forth, back]: [bool; 2],
        when: Option<String>,
    ) -> Option<Found> {
        let (left, right) = if forth { (larger, smaller) } else { (smaller, larger) };
        let found = Found { left, right, when, both: false, proved: false, origin: String::new() };
        let both = forth && back && !found.is_its_own_reverse(text);
        (forth || back).then_some(Found { both, ..found })
    }

    /// Whether its two directions are one rule, up to the names of variables.
    fn is_its_own_reverse(&self, text: &str) -> bool {
        let both = Found { both: true, ..self.clone() };
        let text = format!("{text}{}", both.line("new-rule"));
        System::parse(&text).is_ok_and(|system| match &system.rules[..] {
            [.., forth, back] => forth.content(&system.language) == back.content(&system.language),
            _ => false,
        })
    }

    /// As it stands in a rules file.
    pub fn line(&self, name: &str) -> String {
        let Found { left, right, when, both, .. } = self;
        let form = if *both { "birewrite" } else { "rewrite" };
        let when = when.as_ref().map_or_else(String::new, |when| format!(" :when ({when})"));
        format!("({form} {left} {right}{when} :name {name})\n")
    }
}

/// A rules file with rules behind it, each below a comment with where it comes from.
pub fn with_rules<'f>(text: &str, rules: impl IntoIterator<Item = &'f (String, Found)>) -> String {
    let mut text = text.to_owned();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    for (name, found) in rules {
        text += &format!("; {}\n{}", found.origin, found.line(name));
    }
    text
}
