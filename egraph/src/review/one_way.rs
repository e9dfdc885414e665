//! Which rules have no rule that leads back. Where there are such, terms may be equal that are not
//! derived from each other, so that a saturated e-graph need not have all that equals its terms.

use crate::{Rule, System, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Debug;

/// By rule whether there is one that is the same read from right to left, up to the names of variables.
pub fn rules_with_a_way_back(system: &System) -> Vec<bool> {
    let known: FxHashSet<String> = system.rules.iter().map(|rule| key(rule, false)).collect();
    system.rules.iter().map(|rule| known.contains(&key(rule, true))).collect()
}

/// The number of rules without a way back.
pub fn one_way_rules(system: &System) -> usize {
    rules_with_a_way_back(system).into_iter().filter(|back| !back).count()
}

/// A text that two rules share if they are the same up to the names of variables; of the `reversed`
/// rule, if so.
fn key(rule: &Rule, reversed: bool) -> String {
    let (from, to) = if reversed { (&rule.rhs, &rule.lhs) } else { (&rule.lhs, &rule.rhs) };
    let mut numbers = FxHashMap::default();
    let sides = [from, to].map(|side| numbered(rule, side, &mut numbers));
    let mut conditions: Vec<String> =
        rule.conditions.iter().map(|c| numbered(rule, c, &mut numbers)).collect();
    conditions.sort();
    format!("{sides:?} {conditions:?}")
}

/// The text of a part of a rule in which variables have numbers in the order in which they come.
fn numbered(rule: &Rule, part: &impl Debug, numbers: &mut FxHashMap<u16, usize>) -> String {
    const VARIABLE: &str = "VarId(";
    let text = format!("{part:?}");
    let mut pieces = text.split(VARIABLE);
    let mut result = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (digits, rest) = piece.split_once(')').unwrap_or((piece, ""));
        let var = VarId(digits.parse().unwrap_or(u16::MAX));
        let fact = rule.variables.fact(var).map(|fact| fact.analysis);
        let next = numbers.len();
        let number = numbers.entry(rule.variables.pattern_of(var).0).or_insert(next);
        result += &format!("?{number} {fact:?}{rest}");
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(rules: &str) -> usize {
        let language = "(sort I) (literal i64 I) (op + (I I) I) (op * (I I) I)";
        one_way_rules(&System::parse(&format!("{language} {rules}")).unwrap())
    }

    #[test]
    fn a_rule_and_its_reverse_are_two_ways_whatever_their_variables_are_called() {
        assert_eq!(count("(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))"), 0);
        assert_eq!(count("(rewrite (+ ?a ?b) (+ ?b ?a))"), 0);
        assert_eq!(count("(rewrite (+ ?a ?a) (* ?a 2))\n(rewrite (* ?b 2) (+ ?b ?b))"), 0);
        assert_eq!(count("(rewrite (+ ?a 0) ?a)\n(rewrite (+ ?a ?b) (+ ?b ?a))"), 1);
        assert_eq!(count("(rewrite (+ ?a (* ?b ?c)) (* ?a (+ ?b ?c)))"), 1);
    }

    #[test]
    fn conditions_are_part_of_a_rule() {
        let both = ":when ((!= ?a 0)))";
        assert_eq!(count(&format!("(birewrite (* ?a ?b) (+ ?a ?b) {both}")), 0);
        let one = format!("(rewrite (* ?a 2) (+ ?a ?a) {both}\n(rewrite (+ ?a ?a) (* ?a 2))");
        assert_eq!(count(&one), 2);
    }
}
