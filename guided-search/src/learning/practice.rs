//! What a ranker is learned on: tasks with a target, or seeds with a cost.

use anyhow::Result;
use egraph::{Chosen, MatchOrder};
use ranking::Example;
use ranking::numbers::numbers;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use terms::SeenSeeds;

/// The order of a round's matches; smallest first without.
pub type Order = Option<Arc<dyn MatchOrder>>;

/// What a ranker is learned on: searches, each of which depends on nothing but its number and the order.
pub trait Practice: Sync {
    /// What the ranker will have seen.
    ///
    /// # Errors
    /// Something is no term of the system.
    fn seen(&self) -> Result<SeenSeeds>;

    /// The numbers of the searches that a round learns from. `before` has what was found in each round before.
    fn training(&self, before: &[Vec<Found>]) -> Vec<u32>;

    /// A search that is learned from.
    ///
    /// # Errors
    /// An internal fault.
    fn train(&self, number: u32, order: &Order) -> Result<Searched>;

    /// How many searches rounds are compared by.
    fn validation(&self) -> u32;

    /// A search by which rounds are compared.
    ///
    /// # Errors
    /// An internal fault.
    fn validate(&self, number: u32, order: &Order) -> Result<Searched>;
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

/// What came of a search.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Searched {
    /// What was found.
    pub found: Found,
    /// What a seed costs, in the first measure.
    pub cost_before: Option<u64>,
    /// E-nodes built.
    pub work: u64,
    /// What was chosen, by e-graph whose proof is learned from.
    pub examples: Vec<Vec<Example>>,
}

/// A match that was chosen, and whether the proof used it; the number of the e-graph is still missing.
pub fn example((chosen, used): (&Chosen, bool)) -> Example {
    Example { e_graph: 0, used, seen: numbers(&chosen.seen) }
}
