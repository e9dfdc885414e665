//! What is asked of a search, and what it answers: one checked proof, or why there is none.

use crate::search::budget::{Budget, Ledger};
use crate::search::reached::explain_literal;
use crate::search::stage::Stage;
use anyhow::Result;
use egraph::{Proof, System, TermBank, TermId, check};
use serde::{Deserialize, Serialize};
use std::time::Instant;
use support::errors::Internal;

/// How waypoints that are known to be equal to the start (or the target) are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tactic {
    /// One after the other, the most promising first.
    Each,
    /// All together in one next e-graph.
    United,
}

/// The settings of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchSettings {
    /// Cap, total work and scheduler.
    pub budget: Budget,
    /// Guides asked for at a time (K).
    pub guides: usize,
    /// Guides tried for one question.
    pub attempts: usize,
    /// How often a question may be halved at an unproved guide.
    pub depth: u32,
    /// How proved waypoints are used.
    pub tactic: Tactic,
    /// Guides may have at most this many nodes.
    pub max_size: u64,
    /// When to give up, whatever is left of the work. Not reproducible.
    pub deadline: Option<Instant>,
}

/// Why a search ended without a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Failure {
    /// All of the work was spent.
    Work,
    /// An e-graph under the cap did not suffice and no guide was left to try.
    Guides,
    /// The e-graph of the question saturated, and guides did not help. Whether the rules connect the
    /// terms is not known: a one-way rule may lead to both from a third term.
    Saturated,
    /// The schedule of the rewrite system ended before the limits were reached.
    Schedule,
    /// Two different literals became equal: the rewrite system is not sound.
    Conflict,
    /// The two terms were proved equal to two different literals.
    Opposed,
    /// The time was over.
    Time,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Failure::Work => "work",
            Failure::Guides => "guides",
            Failure::Saturated => "saturated",
            Failure::Schedule => "schedule",
            Failure::Conflict => "conflict",
            Failure::Opposed => "opposed",
            Failure::Time => "time",
        })
    }
}

/// What a search found, and what it cost.
#[derive(Clone, Debug)]
pub struct Answer {
    /// One proof from the start to the target, accepted by the checker; or why there is none.
    pub result: Result<Proof, Failure>,
    /// After [`Failure::Opposed`]: proofs, accepted by the checker, from the start and from the
    /// target to different literals.
    pub opposed: Option<[Proof; 2]>,
    /// The waypoints that the proof goes through, in order.
    pub waypoints: Vec<TermId>,
    /// What was spent.
    pub ledger: Ledger,
}

/// Proofs, accepted by the checker, from a term of each side of a stage to different literals, if
/// the stage found that.
///
/// # Errors
/// [`Internal`], when there is no explanation, or the checker refuses it.
pub fn opposed_proofs(
    system: &System,
    bank: &mut TermBank,
    stage: &Stage,
) -> Result<Option<[Proof; 2]>> {
    let Some((start, target)) = stage.opposed else { return Ok(None) };
    let mut side = |term: TermId| -> Result<Proof> {
        let proof = explain_literal(stage, bank, term)?;
        let end = proof.end();
        checked(system, bank, vec![proof], [term, end])
    };
    Ok(Some([side(start)?, side(target)?]))
}

/// Chains the parts of a proof, which meet, and has the whole accepted by the checker as a proof
/// that the two `ends` are equal.
///
/// # Errors
/// [`Internal`], when the checker refuses it, or it is a proof of something else.
pub fn checked(
    system: &System,
    bank: &TermBank,
    parts: Vec<Proof>,
    ends: [TermId; 2],
) -> Result<Proof> {
    let proof = Proof::chain(parts);
    let shown = |[start, end]: [TermId; 2]| {
        format!("{} = {}", bank.display_part(start, 200), bank.display_part(end, 200))
    };
    let proved = [proof.start(), proof.end()];
    if proved != ends {
        let message = format!("asked for {}, found a proof of {}", shown(ends), shown(proved));
        return Err(Internal::new(message).into());
    }
    match check(system, bank, &proof) {
        Ok(()) => Ok(proof),
        Err(error) => {
            Err(Internal::new(format!("the proof of {} was refused: {error}", shown(ends))).into())
        }
    }
}
