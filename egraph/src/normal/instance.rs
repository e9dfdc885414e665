//! Patterns on terms: whether one matches, and what it becomes.

use crate::rules::pattern::Pattern;
use crate::rules::rule::Rule;
use crate::rules::variables::VarId;
use crate::term::bank::{TermBank, TermId};
use crate::term::language::{Leaf, LeafValue};
use crate::term::leaves::Node;

/// What the variables of a rule stand for where its left side matches the root of a term and its conditions
/// hold.
pub(super) fn matches(bank: &TermBank, rule: &Rule, t: TermId) -> Option<Vec<TermId>> {
    let mut bound = vec![None; rule.variables.sorts.len()];
    if !is_match(bank, &rule.lhs, t, &mut bound) {
        return None;
    }
    // Every variable stands on the left side.
    let bound: Vec<TermId> = bound.into_iter().collect::<Option<_>>()?;
    let literal = |var: VarId| bank.literal(bound[usize::from(var.0)]);
    rule.conditions.iter().all(|condition| condition.holds(&literal)).then_some(bound)
}

fn is_match(bank: &TermBank, pattern: &Pattern, t: TermId, bound: &mut [Option<TermId>]) -> bool {
    match pattern {
        Pattern::Var(var) => *bound[usize::from(var.0)].get_or_insert(t) == t,
        Pattern::Leaf(leaf) => bank.node(t) == Node::Leaf(leaf),
        Pattern::Op(op, args) => {
            bank.node(t) == Node::Op(*op)
                && args.iter().zip(bank.children(t)).all(|(arg, &c)| is_match(bank, arg, c, bound))
        }
        // They stand on right sides only.
        Pattern::Compute(..) | Pattern::Function(..) => false,
    }
}

/// The term that a pattern becomes; none where a computation has no value.
pub(super) fn instance(bank: &mut TermBank, pattern: &Pattern, bound: &[TermId]) -> Option<TermId> {
    match pattern {
        Pattern::Var(var) => Some(bound[usize::from(var.0)]),
        Pattern::Leaf(leaf) => Some(bank.leaf(leaf)),
        Pattern::Op(op, args) => {
            let args = args.iter().map(|arg| instance(bank, arg, bound));
            let args: Vec<TermId> = args.collect::<Option<_>>()?;
            Some(bank.apply(*op, &args))
        }
        Pattern::Compute(expr, sort) => {
            let value = expr.eval(&|var: VarId| bank.literal(bound[usize::from(var.0)]))?;
            Some(bank.leaf(&Leaf { sort: *sort, value: LeafValue::Literal(value) }))
        }
        Pattern::Function(..) => None,
    }
}
