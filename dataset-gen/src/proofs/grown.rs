//! An e-graph grown from one term, and what it was some iterations earlier.

use crate::config::Config;
use egraph::{EGraph, History, Id, Past, StopReason, System, TermBank, TermId, saturate_until};
use std::sync::Arc;

/// The e-graph of a seed, or of a link of a chain.
pub struct Grown {
    /// Rebuilt.
    pub egraph: EGraph,
    /// The e-node of the term.
    pub root: Id,
    /// As it was some iterations earlier, if that was asked for and it had that many.
    pub earlier: Option<Past>,
    /// Why it stopped growing. After a conflict it must not be used.
    pub stop: StopReason,
    /// Iterations.
    pub iterations: u64,
}

impl Grown {
    /// Grows the e-graph of `term`.
    pub fn grow(system: &Arc<System>, bank: &TermBank, term: TermId, config: &Config) -> Grown {
        let mut egraph = EGraph::new(system.clone());
        let root = egraph.add_term(bank, term);
        let wanted = config.sampling.frontier > 0 || config.chains.count > 0;
        let mut history = History::new(config.sampling.frontier_iterations as usize);
        let course = saturate_until(&mut egraph, &config.saturation.config(), |egraph| {
            if wanted {
                history.record(egraph);
            }
            false
        });
        let iterations = course.iterations;
        let conflict = egraph.conflict().is_some();
        let snapshot = history.earlier().filter(|_| !conflict);
        let earlier = snapshot.map(|snapshot| Past::new(&egraph, snapshot));
        let stop = if conflict { StopReason::Conflict } else { course.stop };
        Grown { egraph, root, earlier, stop, iterations }
    }
}
