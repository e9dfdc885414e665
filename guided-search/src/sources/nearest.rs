//! The frontier terms of either side that look most like the other side.

use crate::sources::descend::draw;
use crate::sources::guide_source::{GuideRequest, GuideSet, GuideSource};
use crate::sources::randomness::stream;
use crate::sources::tree_distance::tree_distance;
use anyhow::Result;
use egraph::TermBank;

/// Draws many frontier terms of both sides, and answers with the K of each that are nearest to the
/// other side's term by tree distance.
#[derive(Clone, Copy, Debug)]
pub struct NearestGuides {
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of the task.
    pub task: u64,
    /// How many nodes larger than the smallest term of its side a term may be.
    pub slack: u64,
    /// Of how many frontier terms a side the nearest are taken.
    pub drawn: usize,
}

impl GuideSource for NearestGuides {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let mut rng = stream(self.seed, self.task, request.number, 2);
        let mut reached = draw(request, bank, self.drawn, self.slack, &mut rng);
        for (terms, goal) in reached.iter_mut().zip([request.target(), request.start()]) {
            terms.sort_by_cached_key(|&term| tree_distance(bank, term, goal));
            terms.truncate(request.guides);
        }
        Ok(GuideSet { reached, ..GuideSet::default() })
    }
}
