//! A term of a file, a value of MLIR or LLVM IR, or a function of C, and the best one that equals it.

use crate::shown::proof::Shown;
use anyhow::{Result, ensure};
use egraph::{System, TermBank, TermId, proof_to_json};
use guided_search::{Ended, Objective, OptimiseSettings, optimise};
use std::sync::Arc;
use support::counted;

/// Nodes of a term that are shown.
const SHOWN: u64 = 40;

/// What became of a term.
pub struct Optimised {
    pub best: TermId,
    /// What is said of it.
    pub told: String,
    pub proof: Option<String>,
}

/// Looks for the best term that equals one.
///
/// # Errors
/// A rule that is not sound, or an internal fault.
pub fn optimised(
    system: &Arc<System>,
    bank: &mut TermBank,
    term: TermId,
    objective: &Objective,
    settings: &OptimiseSettings,
) -> Result<Optimised> {
    let outcome = optimise(system, bank, term, objective, settings)?;
    ensure!(
        outcome.ended != Ended::Conflict,
        "two different literals became equal: a rule of the system is not sound"
    );
    let shown = |bank: &TermBank, term| bank.display_part(term, SHOWN).to_string();
    let unchanged = |why: String| Optimised { best: term, told: why, proof: None };
    let (Some(first), Some(last), Some(proof)) =
        (outcome.curve.first(), outcome.best(), &outcome.proof)
    else {
        return Ok(unchanged(format!("{}: its cost is not known", shown(bank, term))));
    };
    let cost = |best: &guided_search::Best| objective.cost.text(&best.cost);
    if last.term == term {
        let (term, cost) = (shown(bank, term), cost(last));
        let told = format!("{term}, cost {cost}, is the best found ({})", outcome.ended);
        return Ok(unchanged(told));
    }
    let proof = Shown::new(system, bank, proof, true)?;
    let steps =
        proof.steps().map_or(String::new(), |steps| format!(" in {}", counted(steps, "step")));
    let told = format!(
        "{}, cost {}, equals {}, cost {}; proved{steps}",
        shown(bank, term),
        cost(first),
        shown(bank, last.term),
        cost(last)
    );
    let json = proof_to_json(system, bank, &proof.proof);
    Ok(Optimised { best: last.term, told, proof: Some(json) })
}
