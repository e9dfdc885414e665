//! Chance: random frontier terms of an e-graph grown from the start alone.

use crate::search::frontier;
use crate::search::reached::explain_equal;
use crate::search::stage::{Side, Stage};
use crate::sources::guide_source::{Guide, GuideRequest, GuideSet, GuideSource, Waypoint};
use crate::sources::randomness::stream;
use anyhow::{Result, bail};
use egraph::{StopReason, TermBank};
use rand_chacha::ChaCha8Rng;

/// Draws K frontier terms of the start's own e-graph under the cap, which counts as work.
#[derive(Clone, Copy, Debug)]
pub struct RandomGuides {
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of the task.
    pub task: u64,
}

impl GuideSource for RandomGuides {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let mut rng = stream(self.seed, self.task, request.number, 0);
        frontier_guides(request, bank, request.guides, &mut rng)
    }
}

/// Frontier terms of an e-graph that is grown from the start alone, each with its proof.
///
/// # Errors
/// An internal fault, when the e-graph can't explain an equality that it holds.
pub fn frontier_guides(
    request: &GuideRequest<'_>,
    bank: &mut TermBank,
    wanted: usize,
    rng: &mut ChaCha8Rng,
) -> Result<GuideSet> {
    let mut set = GuideSet::default();
    let config = request.budget.saturation(0, request.work_left);
    let starts = &request.stage.starts;
    let own = Stage::grow(request.system, bank, starts, &[], &config, true);
    set.built.push(own.egraph.built());
    if own.stop == StopReason::Conflict {
        return Ok(set);
    }
    let mut terms = frontier::sample(&own, bank, Side::Start, request.max_size, wanted, rng);
    // This e-graph may have got to the target itself.
    let targets = &request.stage.targets;
    let met = targets.iter().find(|&&t| own.equal_to(bank, Side::Start, t).is_some());
    terms.splice(0..0, met.copied());
    for term in terms {
        let Some(start) = own.equal_to(bank, Side::Start, term) else {
            bail!(support::errors::Internal::new("a term drawn from a class is not in it"));
        };
        let reached = Some(explain_equal(&own, bank, start, term)?);
        set.guides.push(Guide { waypoints: vec![Waypoint::Term(term)], reached });
    }
    Ok(set)
}
