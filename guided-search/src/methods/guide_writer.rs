//! The door to a network that writes terms: what it is asked, and what it writes. A network implements it elsewhere.

use anyhow::Result;
use egraph::{TermBank, TermId};

/// How terms are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// From the likeliest tokens, of this probability together.
    pub nucleus: f64,
    /// How many terms, all different.
    pub terms: usize,
    /// Nodes of a term at most.
    pub max_size: u64,
    /// Seed of the draws.
    pub seed: u64,
}

/// A term that was written.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenTerm {
    /// The term.
    pub term: TermId,
    /// The probability of each node given those before it, in pre-order.
    pub node_probabilities: Vec<f32>,
}

/// A network that writes terms which may lie between two others.
pub trait GuideWriter: Send + Sync {
    /// Terms that may lie between `ends`, the likeliest first.
    ///
    /// # Errors
    /// The network can't be run, or is one of another language.
    fn write(
        &self,
        bank: &mut TermBank,
        ends: [TermId; 2],
        drawn: &Drawn,
    ) -> Result<Vec<WrittenTerm>>;

    /// Whether two terms are short enough for it.
    ///
    /// # Errors
    /// They are of another language.
    fn can_read(&self, bank: &TermBank, ends: [TermId; 2]) -> Result<bool>;
}
