//! Rules on terms, without an e-graph: where a side of one matches, and what the other becomes.

use crate::building::term_function::Instance;
use crate::rules::expression::value_fits;
use crate::rules::pattern::Pattern;
use crate::rules::rule::Rule;
use crate::rules::variables::VarId;
use crate::term::bank::{TermBank, TermId};
use crate::term::language::{Language, Leaf, LeafValue};
use crate::term::leaves::Node;
use smallvec::SmallVec;

/// What the variables of a rule stand for where this side of it matches the root of a term and its conditions
/// hold; `None` as well where the side does not have all of them.
pub(crate) fn matched(
    bank: &TermBank,
    rule: &Rule,
    side: &Pattern,
    t: TermId,
) -> Option<SmallVec<[TermId; 8]>> {
    let mut bound: SmallVec<[Option<TermId>; 8]> =
        SmallVec::from_elem(None, rule.variables.names.len());
    if !is_match(bank, side, t, &mut bound) {
        return None;
    }
    let bound: SmallVec<[TermId; 8]> = bound.into_iter().collect::<Option<_>>()?;
    let literal = |var: VarId| bank.literal(bound[usize::from(var.0)]);
    rule.conditions.iter().all(|condition| condition.holds(&literal)).then_some(bound)
}

fn is_match(bank: &TermBank, pattern: &Pattern, t: TermId, bound: &mut [Option<TermId>]) -> bool {
    match pattern {
        Pattern::Var(var) => *bound[usize::from(var.0)].get_or_insert(t) == t,
        Pattern::Leaf(leaf) => bank.node(t) == Node::Leaf(leaf),
        Pattern::Op(op, args) => {
            bank.head(t) == (*op).into()
                && args.iter().zip(bank.children(t)).all(|(arg, &c)| is_match(bank, arg, c, bound))
        }
        // Which literal it must be, the variables say.
        Pattern::Compute(_, sort) => bank.literal(t).is_some() && bank.sort(t) == *sort,
        Pattern::Function(..) => false,
    }
}

/// The term that a pattern becomes; `None` where a computation or a function has no value.
pub(crate) fn instance(bank: &mut TermBank, pattern: &Pattern, bound: &[TermId]) -> Option<TermId> {
    match pattern {
        Pattern::Var(var) => Some(bound[usize::from(var.0)]),
        Pattern::Leaf(leaf) => Some(bank.leaf(leaf)),
        Pattern::Op(op, args) => {
            let mut children = SmallVec::<[TermId; 6]>::new();
            for arg in args {
                children.push(instance(bank, arg, bound)?);
            }
            Some(bank.apply(*op, &children))
        }
        Pattern::Compute(expr, sort) => {
            let value = expr.eval(&|var: VarId| bank.literal(bound[usize::from(var.0)]))?;
            let leaf = Leaf { sort: *sort, value: LeafValue::Literal(value) };
            let fits = value_fits(bank.language().literal_kind(*sort)?, value);
            fits.then(|| bank.leaf(&leaf))
        }
        Pattern::Function(..) => Some(Instance::of(bank, pattern, bound)?.enter(bank)),
    }
}

/// The literal that an operator over literals folds to, if the language folds.
pub(crate) fn folded(language: &Language, bank: &mut TermBank, t: TermId) -> Option<TermId> {
    let Node::Op(op) = bank.node(t) else { return None };
    let (builtin, sort) = (language.folds(op)?, language.op(op).result);
    let values = bank.children(t).iter().map(|&c| bank.literal(c));
    let value = builtin.eval(&values.collect::<Option<SmallVec<[_; 2]>>>()?)?;
    Some(bank.leaf(&Leaf { sort, value: LeafValue::Literal(value) }))
}
