//! What a search may spend as limits of its e-graphs, and the account of what it spent.

use crate::options::budget::{Budget, Cap};
use egraph::{Bounds, Cancel, EGraph, Limits, Rebased, SaturationConfig, Scheduler};
use std::time::Instant;

impl Cap {
    /// The limits of an e-graph under this cap that may also build no more than `left` e-nodes.
    pub fn limits(self, left: u64) -> Limits {
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        match self {
            Cap::Nodes(nodes) => node_limits(nodes.min(left)),
            Cap::Memory(bytes) => {
                Limits { nodes: Some(left), memory: Some(bytes), ..Limits::default() }
            }
        }
    }

    /// The cap on an e-graph that is grown as `scheduler` says: best-first goes deep, and what it does not
    /// find early it hardly finds later (docs/results.md).
    pub fn of_scheduler(self, scheduler: Scheduler) -> Cap {
        match scheduler {
            Scheduler::BestFirst if self.expected_nodes() > MOST_OF_BEST_FIRST as u64 => {
                Cap::Nodes(MOST_OF_BEST_FIRST)
            }
            _ => self,
        }
    }
}

/// E-nodes of an e-graph of a search that is grown best-first.
const MOST_OF_BEST_FIRST: usize = 20_000;

/// Limits on e-nodes alone would leave the matches of one iteration unbounded, and with them its
/// time: of a class with a thousand sums associativity finds a million. So they may take
/// [`BYTES_PER_NODE`] for each e-node that is allowed, an order of magnitude more than it takes.
pub fn node_limits(nodes: usize) -> Limits {
    let memory = nodes.saturating_mul(BYTES_PER_NODE).max(1 << 20);
    Limits { nodes: Some(nodes), memory: Some(memory), ..Limits::default() }
}

/// Bytes of e-graph and matches per e-node of a limit on e-nodes.
const BYTES_PER_NODE: usize = 1_024;

impl Budget {
    /// As [`bounds`], of this work.
    pub fn bounds(&self, deadline: Option<Instant>, cancel: Option<&Cancel>) -> Bounds {
        bounds(self.work, deadline, cancel)
    }

    /// The work that is left after what was spent.
    pub fn left(&self, spent: &Ledger) -> u64 {
        self.work.saturating_sub(spent.work)
    }

    /// How to grow the next e-graph with the work that is left, at most to `cap` and until the deadline.
    pub fn saturation(
        &self,
        cap: Cap,
        scheduler: Scheduler,
        left: u64,
        deadline: Option<Instant>,
    ) -> SaturationConfig {
        let mut limits = cap.of_scheduler(scheduler).limits(left);
        limits.time = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        SaturationConfig { limits, scheduler, ..SaturationConfig::default() }
    }
}

/// What all may take that a search does beside growing e-graphs: explaining, extracting, counting, drawing. Far more than
/// it takes, so that whatever goes wrong there ends.
pub fn bounds(work: u64, deadline: Option<Instant>, cancel: Option<&Cancel>) -> Bounds {
    let steps = work.saturating_mul(STEPS_PER_NODE).saturating_add(LEAST_STEPS);
    Bounds { deadline, cancel: cancel.cloned(), memory: None, steps: Some(steps) }
}

/// Steps for each e-node of the work.
const STEPS_PER_NODE: u64 = 4_096;
/// And in the smallest search.
const LEAST_STEPS: u64 = 1 << 28;

/// What a search has spent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ledger {
    /// E-nodes ever built, over all e-graphs.
    pub work: u64,
    /// E-graphs grown.
    pub e_graphs: u64,
    /// Bytes of the largest e-graph.
    pub peak_bytes: u64,
    /// Times the guide source was asked.
    pub requests: u64,
    /// Waypoints that it proposed without knowing whether they can be reached.
    pub proposed: u64,
    /// Times that an e-graph reached one of these, or a term of the other side.
    pub reached: u64,
    /// Seconds in the model.
    pub model_seconds: f64,
}

impl Ledger {
    /// Books one e-graph.
    pub fn book(&mut self, egraph: &EGraph) {
        self.work += egraph.built();
        self.e_graphs += 1;
        self.peak_bytes = self.peak_bytes.max(egraph.heap_bytes() as u64);
    }

    /// Books one that was left for another.
    pub fn book_rebased(&mut self, before: &Rebased) {
        self.work += before.built;
        self.e_graphs += 1;
        self.peak_bytes = self.peak_bytes.max(before.bytes as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_first_stays_small_whatever_the_cap() {
        let best_first = |cap: Cap| cap.of_scheduler(Scheduler::BestFirst);
        assert_eq!(best_first(Cap::Nodes(4_000)), Cap::Nodes(4_000));
        assert_eq!(best_first(Cap::Nodes(1_000_000)), Cap::Nodes(20_000));
        assert_eq!(best_first(Cap::Memory(64 << 20)), Cap::Nodes(20_000));
        let simple = Cap::Memory(64 << 20).of_scheduler(Scheduler::Simple);
        assert_eq!(simple, Cap::Memory(64 << 20));
    }

    #[test]
    fn the_work_that_is_left_limits_an_e_graph_too() {
        assert_eq!(Cap::Nodes(4000).limits(100).nodes, Some(100));
        assert_eq!(Cap::Memory(1 << 20).limits(100).nodes, Some(100));
    }
}
