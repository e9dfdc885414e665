//! Proofs of candidates with operators that a table says: all assignments are gone through.

use crate::language::Language;
use crate::language::meaning::Meaning;
use crate::rules::known::Known;
use crate::small::rewriting::side;
use crate::small::terms::Terms;
use egraph::{LiteralKind, Rule, SortId, Value, VarId};
use std::sync::atomic::{AtomicBool, Ordering};

/// More assignments are not gone through.
const MOST_ASSIGNMENTS: u64 = 1 << 24;
/// After so many somebody may want the end.
const A_WHILE: u64 = 1 << 12;

/// Under which values, each with its sort, a rule with such an operator is false.
pub fn refuting(
    language: &Language,
    rule: &Rule,
    asked: &AtomicBool,
) -> Option<Vec<(SortId, Value)>> {
    match asked_of_tables(language, rule, asked)? {
        Known::Refuted(values) => Some(rule.variables.sorts.iter().copied().zip(values).collect()),
        _ => None,
    }
}

/// What is known of a rule with such an operator; none if it has none. What refutes it are values by variable of the rule.
pub fn asked_of_tables(language: &Language, rule: &Rule, asked: &AtomicBool) -> Option<Known> {
    let mut terms = Terms::new(language);
    let left = side(language, &mut terms, &rule.lhs)?;
    let right = side(language, &mut terms, &rule.rhs)?;
    let operators = terms.operators_in((left, right));
    let is_table = |op: u8| {
        operators.has(op)
            && matches!(language.operators[usize::from(op)].meaning, Meaning::Table(_))
    };
    if !(0..language.operators.len()).any(|op| is_table(op as u8)) {
        return None;
    }
    let sorts = &rule.variables.sorts;
    let choices: Option<Vec<(LiteralKind, u64)>> =
        sorts.iter().map(|&sort| Some((language.kind(sort), language.count(sort)?))).collect();
    let all = choices.as_ref().and_then(|choices| {
        choices.iter().try_fold(1u64, |all, (_, count)| all.checked_mul(*count))
    });
    let (Some(choices), Some(all)) = (choices, all.filter(|all| *all <= MOST_ASSIGNMENTS)) else {
        let why = "it has an operator that a table says, and too many assignments to go through";
        return Some(Known::Unknown(why.to_owned()));
    };
    for number in 0..all {
        if number % A_WHILE == 0 && asked.load(Ordering::SeqCst) {
            return Some(Known::Unknown("stopped".to_owned()));
        }
        let mut rest = number;
        let mut values: Vec<Value> = Vec::new();
        for (kind, count) in &choices {
            values.extend(kind.of_bits(rest % count));
            rest /= count;
        }
        let literal = |VarId(var): VarId| Some(values[usize::from(var)]);
        let applies = rule.conditions.iter().all(|condition| condition.holds(&literal));
        let value = |side| terms.value(language, side, &values);
        if applies && value(left) != value(right) {
            return Some(Known::Refuted(values));
        }
    }
    Some(Known::Proved(match all {
        1 => "evaluation".to_owned(),
        _ => format!("all {all} assignments"),
    }))
}
