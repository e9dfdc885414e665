//! Chance from both sides: random frontier terms of the start and of the target.

use crate::search::frontier;
use crate::search::stage::Side;
use crate::sources::guide_source::{Guide, GuideRequest, GuideSet, GuideSource};
use crate::sources::randomness::stream;
use anyhow::Result;
use egraph::TermBank;

/// Draws K frontier terms of either side from the e-graph that just failed, at no further work.
#[derive(Clone, Copy, Debug)]
pub struct BothSides {
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of the task.
    pub task: u64,
}

impl GuideSource for BothSides {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let mut rng = stream(self.seed, self.task, request.number, 1);
        let mut terms = Vec::new();
        for side in [Side::Start, Side::Target] {
            let (size, wanted) = (request.max_size, request.guides);
            terms.extend(frontier::sample(request.stage, bank, side, size, wanted, &mut rng));
        }
        Ok(GuideSet { guides: terms.into_iter().map(Guide::term).collect(), ..GuideSet::default() })
    }
}
