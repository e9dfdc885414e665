//! The kernel: replays a proof on terms alone.
//!
//! Nothing here knows of e-graphs or shares code with matching: a rule step is accepted when
//! both of its terms are, node by node, the instances of the rule's two sides under the stated
//! substitution, and its conditions hold on the literals and facts substituted. A fact is accepted
//! when a transfer gives it, or the merge of two, or when an equal term has it ([`facts`]). Terms are
//! hash-consed, so equality of terms is equality of ids. What functions on terms give is computed by
//! [`substitution`].
//!
//! What is believed: that the rules of the system are true, and its transfers and merges; and that
//! [`crate::term::builtin`] computes what it says.

mod before;
mod facts;
mod problem;
mod substitution;

pub use problem::{CheckError, Problem};

use crate::proof::dag::{FlatProof, How, Justification, Proof, Step, StepRef, Steps};
use crate::rules::pattern::Pattern;
use crate::rules::rule::RuleId;
use crate::rules::system::System;
use crate::rules::variables::VarId;
use crate::term::bank::{TermBank, TermId};
use crate::term::leaves::Node;
use crate::term::literal::Value;
use before::Before;
use substitution::Loose;

/// Accepts a proof, or says which step is wrong.
///
/// The caller compares [`Proof::start`] and [`Proof::end`] with the terms it asked about.
///
/// # Errors
/// The first step that does not follow.
pub fn check(system: &System, bank: &TermBank, proof: &Proof) -> Result<(), CheckError> {
    let mut loose = Loose::default();
    for (i, step) in proof.steps.iter().enumerate() {
        check_step(system, bank, &mut loose, &proof.steps, i, step)
            .map_err(|problem| CheckError { step: i, problem })?;
    }
    let all = Before { steps: &proof.steps, index: proof.steps.len() };
    let refuse = |problem| CheckError { step: proof.steps.len(), problem };
    all.equality(proof.root).map(|_| ()).map_err(refuse)
}

fn check_step(
    system: &System,
    bank: &TermBank,
    loose: &mut Loose,
    steps: &Steps,
    index: usize,
    step: Step<'_>,
) -> Result<(), Problem> {
    let exists = |t: TermId| (t.0 as usize) < bank.len();
    if !exists(step.from) || !exists(step.to) {
        return Err(Problem::BadTerm);
    }
    let before = Before { steps, index };
    let ends = |r: StepRef| before.equality(r);
    match step.how {
        How::Rule(rule, substitution) => {
            check_rule(system, bank, loose, rule, substitution, (step.from, step.to))?;
            let facts = &system.rule(rule).variables.facts;
            before.facts(facts, substitution, step.because)
        }
        How::Fact(analysis, by) => facts::check_fact(system, bank, &before, analysis, by, step),
        How::Fold => check_fold(system, bank, step.from, step.to),
        How::Congruence(proofs) => {
            let (from, to) = (bank.children(step.from), bank.children(step.to));
            let same_head = bank.head(step.from) == bank.head(step.to);
            if !same_head || from.len() != to.len() || from.len() != proofs.len() {
                return Err(Problem::DifferentOperators);
            }
            for (i, proof) in proofs.iter().enumerate() {
                let proved = match proof {
                    Some(proof) => ends(*proof)? == (from[i], to[i]),
                    None => from[i] == to[i],
                };
                if !proved {
                    return Err(Problem::ChildMismatch(i));
                }
            }
            Ok(())
        }
        How::Chain(parts) => {
            let mut at = step.from;
            for part in parts {
                let (from, to) = ends(*part)?;
                if from != at {
                    return Err(Problem::BrokenChain);
                }
                at = to;
            }
            if at == step.to { Ok(()) } else { Err(Problem::BrokenChain) }
        }
    }
}

fn check_rule(
    system: &System,
    bank: &TermBank,
    loose: &mut Loose,
    rule: RuleId,
    substitution: &[TermId],
    (left, right): (TermId, TermId),
) -> Result<(), Problem> {
    let rule = system.rules.get(rule.0 as usize).ok_or(Problem::UnknownRule)?;
    let sorts = &rule.variables.sorts;
    let fits = |(t, sort)| bank.sort(t) == sort;
    if substitution.iter().any(|t| t.0 as usize >= bank.len()) {
        return Err(Problem::BadTerm);
    }
    if substitution.len() != sorts.len()
        || !substitution.iter().copied().zip(sorts.iter().copied()).all(fits)
    {
        return Err(Problem::BadSubstitution);
    }
    if !is_instance(bank, loose, &rule.lhs, substitution, left) {
        return Err(Problem::LeftMismatch);
    }
    let literal = |var: VarId| bank.literal(substitution[usize::from(var.0)]);
    for (i, condition) in rule.conditions.iter().enumerate() {
        if !condition.holds(&literal) {
            return Err(Problem::ConditionFails(i));
        }
    }
    if !is_instance(bank, loose, &rule.rhs, substitution, right) {
        return Err(Problem::RightMismatch);
    }
    Ok(())
}

/// Whether `t` is `pattern` with its variables replaced, a computation being its value.
fn is_instance(
    bank: &TermBank,
    loose: &mut Loose,
    pattern: &Pattern,
    substitution: &[TermId],
    t: TermId,
) -> bool {
    match pattern {
        Pattern::Var(var) => substitution[usize::from(var.0)] == t,
        Pattern::Leaf(leaf) => bank.node(t) == Node::Leaf(leaf),
        Pattern::Op(op, args) => {
            let children = bank.children(t);
            bank.node(t) == Node::Op(*op)
                && args.len() == children.len()
                && args
                    .iter()
                    .zip(children)
                    .all(|(arg, c)| is_instance(bank, loose, arg, substitution, *c))
        }
        Pattern::Function(function, args) => {
            substitution::value(bank, loose, (*function, args), substitution) == Some(t)
        }
        Pattern::Compute(expr, sort) => {
            let literal = |var: VarId| bank.literal(substitution[usize::from(var.0)]);
            let value = expr.eval(&literal);
            value.is_some() && bank.literal(t) == value && bank.sort(t) == *sort
        }
    }
}

fn check_fold(system: &System, bank: &TermBank, from: TermId, to: TermId) -> Result<(), Problem> {
    let Node::Op(op) = bank.node(from) else { return Err(Problem::BadFold) };
    let operator = system.language.op(op);
    let values: Option<Vec<Value>> = bank.children(from).iter().map(|&c| bank.literal(c)).collect();
    let value = operator.builtin.zip(values).and_then(|(builtin, values)| builtin.eval(&values));
    let right = system.language.constant_folding
        && value.is_some()
        && bank.literal(to) == value
        && bank.sort(to) == operator.result;
    if right { Ok(()) } else { Err(Problem::BadFold) }
}

/// Accepts a flat proof, or says which step is wrong.
///
/// # Errors
/// The first step that does not follow.
pub fn check_flat(system: &System, bank: &TermBank, proof: &FlatProof) -> Result<(), CheckError> {
    if proof.terms.len() != proof.steps.len() + 1 {
        return Err(CheckError { step: proof.steps.len(), problem: Problem::BadPosition });
    }
    let mut loose = Loose::default();
    for (i, fact) in proof.facts.iter().enumerate() {
        check_step(system, bank, &mut loose, &proof.facts, i, fact)
            .map_err(|problem| CheckError { step: i, problem: Problem::InFacts(problem.into()) })?;
    }
    let facts = Before { steps: &proof.facts, index: proof.facts.len() };
    for (i, step) in proof.steps.iter().enumerate() {
        let refuse = |problem| CheckError { step: i, problem };
        let mut sides = (proof.terms[i], proof.terms[i + 1]);
        if [sides.0, sides.1].iter().any(|t| t.0 as usize >= bank.len()) {
            return Err(refuse(Problem::BadTerm));
        }
        for &child in &step.path {
            sides = descend(bank, sides, child as usize).map_err(refuse)?;
        }
        let (left, right) = if step.forward { sides } else { (sides.1, sides.0) };
        match step.rule {
            Justification::Fold => check_fold(system, bank, left, right),
            Justification::Rule(rule) => {
                let ends = (left, right);
                check_rule(system, bank, &mut loose, rule, &step.substitution, ends).and_then(
                    |()| {
                        let of = &system.rule(rule).variables.facts;
                        facts.facts(of, &step.substitution, &step.because)
                    },
                )
            }
        }
        .map_err(refuse)?;
    }
    Ok(())
}

/// The children number `child` of two terms that are the same but for these.
fn descend(
    bank: &TermBank,
    (a, b): (TermId, TermId),
    child: usize,
) -> Result<(TermId, TermId), Problem> {
    let (of_a, of_b) = (bank.children(a), bank.children(b));
    if child >= of_a.len() || child >= of_b.len() {
        return Err(Problem::BadPosition);
    }
    let same = bank.head(a) == bank.head(b)
        && of_a.len() == of_b.len()
        && (0..of_a.len()).all(|i| i == child || of_a[i] == of_b[i]);
    if same { Ok((of_a[child], of_b[child])) } else { Err(Problem::DifferElsewhere) }
}
