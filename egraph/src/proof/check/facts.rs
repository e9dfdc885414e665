//! Facts: what an analysis says of a term, from what the steps before prove.

use super::before::Before;
use super::problem::Problem;
use crate::proof::dag::{FactBy, Step};
use crate::rules::analysis::TransferOf;
use crate::rules::system::System;
use crate::rules::variables::VarId;
use crate::term::bank::{TermBank, TermId};
use crate::term::language::AnalysisId;
use crate::term::leaves::Node;
use crate::term::literal::Value;

/// Accepts that an analysis has the value `step.to` at `step.from`, or says what is wrong.
pub(super) fn check_fact(
    system: &System,
    bank: &TermBank,
    before: &Before<'_>,
    analysis: AnalysisId,
    by: FactBy<'_>,
    step: Step<'_>,
) -> Result<(), Problem> {
    if usize::from(analysis.0) >= system.language.analyses.len() {
        return Err(Problem::BadFact);
    }
    let value_of = |t: TermId| {
        let sort = system.language.analysis(analysis).values;
        bank.literal(t).filter(|_| bank.sort(t) == sort).ok_or(Problem::BadFact)
    };
    let value = value_of(step.to)?;
    let follows = |expected: Option<Value>| {
        if expected == Some(value) { Ok(()) } else { Err(Problem::BadFact) }
    };
    match (by, step.because) {
        (FactBy::Equality, &[equal, fact]) => {
            let (from, to) = before.equality(equal)?;
            if from != step.from || before.fact(fact, analysis, to)? != step.to {
                return Err(Problem::FactMismatch);
            }
            Ok(())
        }
        (FactBy::Merge, &[old, new]) => {
            let old = value_of(before.fact(old, analysis, step.from)?)?;
            let new = value_of(before.fact(new, analysis, step.from)?)?;
            follows(Some(system.analyses.merge(analysis, old, new)))
        }
        (FactBy::Equality | FactBy::Merge, _) => Err(Problem::BadFact),
        (FactBy::Transfer(id, substitution), because) => {
            let transfer = system.analyses.transfer(id).ok_or(Problem::BadFact)?;
            if transfer.analysis != analysis
                || substitution.len() != transfer.variables.names.len()
                || substitution.iter().any(|t| t.0 as usize >= bank.len())
            {
                return Err(Problem::BadSubstitution);
            }
            let args = &substitution[..transfer.variables.patterns()];
            let applies = match (transfer.of, bank.node(step.from)) {
                (TransferOf::Operator(op), Node::Op(found)) => {
                    op == found && bank.children(step.from) == args
                }
                (TransferOf::Literals | TransferOf::Variables, Node::Leaf(leaf)) => {
                    let sort = system.language.analysis(analysis).sort;
                    if args != [step.from] || leaf.sort != sort {
                        return Err(Problem::LeftMismatch);
                    }
                    return follows(transfer.at_leaf(&system.language, leaf));
                }
                _ => false,
            };
            if !applies {
                return Err(Problem::LeftMismatch);
            }
            before.facts(&transfer.variables.facts, substitution, because)?;
            let literal = |VarId(var): VarId| bank.literal(substitution[usize::from(var)]);
            follows(transfer.value.eval(&literal))
        }
    }
}
