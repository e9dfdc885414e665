//! The frontier terms of the start that look most like the target.

use crate::sources::guide_source::{GuideRequest, GuideSet, GuideSource, Waypoint};
use crate::sources::random::frontier_guides;
use crate::sources::randomness::stream;
use crate::sources::tree_distance::tree_distance;
use anyhow::Result;
use egraph::TermBank;

/// Of how many frontier terms the nearest are taken.
const DRAWN: usize = 1_000;

/// Draws many frontier terms of the start's own e-graph, which counts as work, and answers with
/// the K of them that are nearest to the target by tree distance.
#[derive(Clone, Copy, Debug)]
pub struct NearestGuides {
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of the task.
    pub task: u64,
}

impl GuideSource for NearestGuides {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let mut rng = stream(self.seed, self.task, request.number, 2);
        let mut set = frontier_guides(request, bank, DRAWN, &mut rng)?;
        let target = request.target();
        set.guides.sort_by_cached_key(|guide| match guide.waypoints[..] {
            [Waypoint::Term(term)] => tree_distance(bank, term, target),
            _ => u64::MAX,
        });
        set.guides.truncate(request.guides);
        Ok(set)
    }
}
