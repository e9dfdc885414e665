//! What a ranker is learned on: tasks with a target, or seeds with a cost.

use anyhow::Result;
use dataset_gen::SeenSeeds;
use egraph::{Chosen, MatchOrder};
use model::ranking::fit::Example;
use model::ranking::numbers::numbers;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The order of a round's matches; smallest first without.
pub type Order = Option<Arc<dyn MatchOrder>>;

/// What a ranker is learned on.
pub trait Practice: Sync {
    /// What the ranker will have seen.
    ///
    /// # Errors
    /// Something is no term of the system.
    fn seen(&self) -> Result<SeenSeeds>;

    /// A round's searches that are learned from. `before` has what was found in each round before.
    ///
    /// # Errors
    /// An internal fault.
    fn train(&self, order: &Order, before: &[Vec<Found>], quiet: bool) -> Result<Trained>;

    /// A round's searches by which rounds are compared.
    ///
    /// # Errors
    /// An internal fault.
    fn validate(&self, order: &Order, quiet: bool) -> Result<Validated>;
}

/// What a search of a round found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// The number of the task or seed.
    pub number: u32,
    /// Whether there is a proof, or something better than the seed.
    pub improved: bool,
    /// What the best term costs, by measure.
    pub cost: Vec<u64>,
}

impl Found {
    /// Of a task.
    pub fn task(number: u32, proved: bool) -> Found {
        Found { number, improved: proved, cost: Vec::new() }
    }
}

/// What came of the searches of a round.
#[derive(Debug, Default)]
pub struct Trained {
    /// By search.
    pub found: Vec<Found>,
    /// What was chosen, by e-graph whose proof is learned from.
    pub examples: Vec<Vec<Example>>,
}

/// How good a round is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Validated {
    /// Tasks that were proved, or seeds for which something better was found.
    pub proved: u64,
    /// E-nodes built.
    pub work: u64,
    /// What is left of the cost of a seed: the geometric mean.
    pub left: Option<f64>,
}

/// A match that was chosen, and whether the proof used it; the number of the e-graph is still missing.
pub fn example((chosen, used): (&Chosen, bool)) -> Example {
    Example { e_graph: 0, used, seen: numbers(&chosen.seen) }
}
