//! What is asked of a search, and what it answers: one checked proof, or why there is none.

use crate::search::budget::{Budget, Cap, Ledger};
use anyhow::{Result, ensure};
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
}

/// The settings of a search, the same for all methods of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchSettings {
    /// Cap, total work and scheduler.
    pub budget: Budget,
    /// Guides a side that are asked for at a time (K).
    pub guides: usize,
    /// The cap on the e-graph of an expansion.
    pub expansion: Cap,
    /// E-graphs after which a walk from pair to pair ends and another one begins.
    pub walk: usize,
    /// How many nodes larger than the smallest term of its side a frontier term may be.
    pub slack: u64,
    /// Of how many frontier terms a side the best are taken, where they are ranked.
    pub drawn: usize,
    /// What a model writes is drawn from its likeliest tokens, of this probability together.
    pub nucleus: f64,
    /// A subtree whose root a model gives less than this probability is left open where a guide is
    /// not reached.
    pub certain: f64,
    /// Seed of the random choices.
    pub seed: u64,
}

/// More guides, draws or e-graphs of a walk than a search has any use for.
const MOST: usize = 1_000;

impl SearchSettings {
    /// The settings that are best on average, within a budget.
    pub fn within(budget: Budget, seed: u64) -> SearchSettings {
        let expansion = budget.cap.of_expansion();
        SearchSettings {
            budget,
            guides: 10,
            expansion,
            walk: 32,
            slack: 4,
            drawn: 100,
            nucleus: 0.95,
            certain: 0.5,
            seed,
        }
    }

    /// # Errors
    /// A number is out of its range, which is named.
    pub fn check(&self) -> Result<()> {
        self.budget.check()?;
        let SearchSettings { guides, walk, drawn, .. } = *self;
        for (name, number) in [("guides", guides), ("walk", walk), ("drawn", drawn)] {
            check_number(name, number)?;
        }
        for (name, part) in [("nucleus", self.nucleus), ("certain", self.certain)] {
            ensure!((0.0..=1.0).contains(&part), "{name} {part}: expected 0 to 1");
        }
        Ok(())
    }
}

/// How many guides, draws or e-graphs of a walk there are at a time.
///
/// # Errors
/// Fewer than 1, or more than a search has any use for.
pub fn check_number(name: &str, number: usize) -> Result<()> {
    ensure!((1..=MOST).contains(&number), "{name} {number}: expected 1 to {MOST}");
    Ok(())
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
