//! Chance: random frontier terms of both sides, none much larger than the smallest term found so far.

use crate::search::frontier_terms;
use crate::search::stage::Side;
use crate::sources::guide_source::{GuideRequest, GuideSet, GuideSource};
use crate::sources::randomness::stream;
use crate::sources::smallest::smallest_terms;
use anyhow::Result;
use egraph::{TermBank, TermId};
use rand_chacha::ChaCha8Rng;

/// Draws K frontier terms of either side, uniformly from those within the limit of size.
#[derive(Clone, Copy, Debug)]
pub struct DescendGuides {
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of the task.
    pub task: u64,
    /// How many nodes larger than the smallest term of its side a term may be.
    pub slack: u64,
}

impl GuideSource for DescendGuides {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let mut rng = stream(self.seed, self.task, request.number, 1);
        let reached = draw(request, bank, request.guides, self.slack, &mut rng);
        Ok(GuideSet { reached, ..GuideSet::default() })
    }
}

/// The size that terms of either side may have.
pub fn limits(request: &GuideRequest<'_>, slack: u64) -> [u64; 2] {
    request.smallest.map(|smallest| smallest.saturating_add(slack).min(request.max_size))
}

/// At most `wanted` frontier terms of either side, none larger than the smallest term known of it
/// and `slack` nodes, or as many more as it takes to find some; the smallest term where there are
/// none at all.
pub fn draw(
    request: &GuideRequest<'_>,
    bank: &mut TermBank,
    wanted: usize,
    slack: u64,
    rng: &mut ChaCha8Rng,
) -> [Vec<TermId>; 2] {
    let mut draw = |side, limit: u64| {
        let larger = limit.saturating_add(slack.saturating_mul(4)).min(request.max_size);
        let limits = [limit, larger, request.max_size];
        let terms = frontier_terms::sample_first(request.stage, bank, side, limits, wanted, rng);
        if terms.is_empty() { smallest_terms(request.stage, bank, side) } else { terms }
    };
    let [start, target] = limits(request, slack);
    [draw(Side::Start, start), draw(Side::Target, target)]
}
