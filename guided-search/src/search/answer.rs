//! What is asked of a search, and what it answers: one checked proof, or why there is none.

use crate::search::budget::Ledger;
use anyhow::Result;
use egraph::{Cancel, Proof, StopReason, System, TermBank, TermId, check};
use serde::{Deserialize, Serialize};
use std::time::Instant;
use support::Internal;

/// A question to a search.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The start and the target.
    pub ends: [TermId; 2],
    /// Tells the random choices of one question from those of another.
    pub number: u64,
    /// When to give up, whatever is left of the work. Not reproducible.
    pub deadline: Option<Instant>,
    /// Ends the search soon, as the deadline does.
    pub cancel: Option<&'a Cancel>,
    /// How many threads may work on it; the answer does not depend on it.
    pub threads: usize,
}

/// Why a search ended without a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")] // so it is printed, too
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
    /// Somebody asked to stop.
    Cancelled,
}

impl Failure {
    /// Of a search that ended at its bounds.
    pub fn at(bound: StopReason) -> Failure {
        match bound {
            StopReason::Cancelled => Failure::Cancelled,
            StopReason::Time => Failure::Time,
            _ => Failure::Work,
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
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
    /// The smallest terms that were proved equal to the start, and to the target: how far the search
    /// came.
    pub smallest: [TermId; 2],
    /// What was spent.
    pub ledger: Ledger,
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
