//! An e-graph grown from one term, and the same some iterations earlier.

use crate::config::Config;
use egraph::{EGraph, Report, SaturationConfig, StopReason, System, TermBank, TermId, saturate};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The e-graph of a seed, or of a link of a chain.
pub struct Stage {
    /// Rebuilt.
    pub egraph: EGraph,
    /// As it was some iterations earlier, if that was asked for and there were so many.
    pub earlier: Option<EGraph>,
    /// Why it stopped growing. After a conflict it must not be used.
    pub stop: StopReason,
    /// Iterations.
    pub iterations: u64,
}

impl Stage {
    /// Grows the e-graph of `term`.
    pub fn grow(system: &Arc<System>, bank: &TermBank, term: TermId, config: &Config) -> Stage {
        let saturation = config.saturation.config();
        let (egraph, course) = grow(system, bank, term, &saturation);
        let iterations = course.iterations.last().map_or(0, |last| last.iteration);
        let conflict = egraph.conflict().is_some();
        let wanted = config.sampling.frontier > 0 || config.chains.count > 0;
        // Grown anew, for a copy of each e-graph on the way would take more than the time that
        // its last iteration takes again.
        let earlier = iterations.checked_sub(config.sampling.frontier_iterations);
        let earlier = earlier.filter(|_| wanted && !conflict).map(|iterations| {
            let mut saturation = saturation.clone();
            saturation.limits.iterations = Some(iterations);
            grow(system, bank, term, &saturation).0
        });
        let stop = if conflict { StopReason::Conflict } else { course.stop };
        Stage { egraph, earlier, stop, iterations }
    }
}

fn grow(
    system: &Arc<System>,
    bank: &TermBank,
    term: TermId,
    config: &SaturationConfig,
) -> (EGraph, Report) {
    let mut egraph = EGraph::new(system.clone());
    egraph.add_term(bank, term);
    let course = saturate(&mut egraph, config, &mut |_, _| ControlFlow::Continue(()));
    (egraph, course)
}
