//! The proofs that a stage has of what it reached.

use crate::search::stage::Stage;
use anyhow::Result;
use egraph::{Leaf, LeafValue, Proof, TermBank, TermId, explain};
use support::errors::Internal;

/// The proof of an equality that the stage holds.
///
/// # Errors
/// [`Internal`], when there is no explanation.
pub fn explain_equal(
    stage: &Stage,
    bank: &mut TermBank,
    from: TermId,
    to: TermId,
) -> Result<Proof> {
    explain(&stage.egraph, bank, from, to).ok_or_else(|| {
        let (from, to) = (bank.display(from), bank.display(to));
        Internal::new(format!("no explanation for {from} = {to}, which the e-graph holds")).into()
    })
}

/// The proof that a term equals the literal of its class.
///
/// # Errors
/// [`Internal`], when there is none.
pub fn explain_literal(stage: &Stage, bank: &mut TermBank, term: TermId) -> Result<Proof> {
    let class = stage.egraph.lookup(bank, term);
    let value = class.and_then(|class| stage.egraph.literal(class));
    let value = value.ok_or_else(|| Internal::new("a class that had a literal has none"))?;
    let literal = bank.leaf(&Leaf { sort: bank.sort(term), value: LeafValue::Literal(value) });
    explain_equal(stage, bank, term, literal)
}
