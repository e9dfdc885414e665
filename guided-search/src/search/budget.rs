//! What a search may spend: the cap on each e-graph, and the total work over all of them.

use crate::search::schedulers::Schedulers;
use anyhow::{Result, ensure};
use egraph::{Bounds, ByteSize, Cancel, EGraph, Limits, Rebased, SaturationConfig, Scheduler};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::Instant;

/// The cap on one e-graph: e-nodes (`4000`) or bytes (`64MiB`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "CapText", into = "String")]
pub enum Cap {
    /// At most this many e-nodes.
    Nodes(usize),
    /// At most this many bytes on the heap.
    Memory(usize),
}

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

    /// The cap on an e-graph that is one of many, if nothing else is said: more of them find more than
    /// large ones, as long as each finds something.
    pub fn of_expansion(self) -> Cap {
        match self {
            Cap::Nodes(nodes) => Cap::Nodes((nodes / 2).clamp(1, 40_000)),
            Cap::Memory(bytes) => Cap::Memory((bytes / 2).clamp(1, 4 << 20)),
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

    /// A rough count of the e-nodes under the cap, for sharing out work between e-graphs.
    pub fn expected_nodes(self) -> u64 {
        match self {
            Cap::Nodes(nodes) => nodes as u64,
            // About what an e-node takes with its explanation.
            Cap::Memory(bytes) => bytes as u64 / 100,
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

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cap::Nodes(nodes) => write!(f, "{nodes}"),
            Cap::Memory(bytes) => ByteSize(*bytes).fmt(f),
        }
    }
}

impl FromStr for Cap {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if !text.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(format!(
                "expected a number of e-nodes (4000) or a size (64MiB), found '{text}'"
            ));
        }
        if !text.bytes().all(|b| b.is_ascii_digit()) {
            return text.parse::<ByteSize>().map(|size| Cap::Memory(size.0));
        }
        match text.parse() {
            Ok(0) => Err("'0' is too small: expected at least 1 e-node".to_owned()),
            Ok(nodes) => Ok(Cap::Nodes(nodes)),
            Err(_) => Err(format!("'{text}' is too large: expected less than 2^64 e-nodes")),
        }
    }
}

/// A cap in a configuration file may be an integer or a text.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a number of e-nodes (4000) or a size in quotes (\"64MiB\")"
)]
enum CapText {
    Nodes(usize),
    Text(String),
}

impl TryFrom<CapText> for Cap {
    type Error = String;

    fn try_from(text: CapText) -> std::result::Result<Self, String> {
        match text {
            CapText::Nodes(nodes) => nodes.to_string().parse(),
            CapText::Text(text) => text.parse(),
        }
    }
}

impl From<Cap> for String {
    fn from(cap: Cap) -> String {
        cap.to_string()
    }
}

/// The limits that every method of a comparison shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// The cap on each e-graph.
    pub cap: Cap,
    /// E-nodes ever built, summed over all e-graphs.
    pub work: u64,
    /// How e-graphs are grown.
    pub scheduler: Schedulers,
}

impl Budget {
    /// For a question, where nothing else is said: e-graphs of 4,000 e-nodes, and work 80,000, or that of two e-graphs at
    /// the cap where that is more.
    pub fn of_question(cap: Option<Cap>, work: Option<u64>, scheduler: Schedulers) -> Budget {
        let cap = cap.unwrap_or(Cap::Nodes(4_000));
        let two = cap.expected_nodes().saturating_mul(2);
        Budget { cap, work: work.unwrap_or(two.max(80_000)), scheduler }
    }

    /// For a term that is optimised, where nothing else is said: e-graphs of 40,000 e-nodes, and the work of ten at the cap.
    pub fn of_optimisation(cap: Option<Cap>, work: Option<u64>, scheduler: Schedulers) -> Budget {
        let cap = cap.unwrap_or(Cap::Nodes(40_000));
        let ten = cap.expected_nodes().saturating_mul(10);
        Budget { cap, work: work.unwrap_or(ten), scheduler }
    }

    /// As [`bounds`], of this work.
    pub fn bounds(&self, deadline: Option<Instant>, cancel: Option<&Cancel>) -> Bounds {
        bounds(self.work, deadline, cancel)
    }

    /// # Errors
    /// There is nothing to spend.
    pub fn check(&self) -> Result<()> {
        ensure!(self.work > 0, "work: expected at least 1 e-node");
        ensure!(self.cap.expected_nodes() > 0, "cap: expected room for at least 1 e-node");
        Ok(())
    }

    /// How to grow the next e-graph after what was spent, at most to `cap` and until the deadline.
    pub fn saturation(
        &self,
        cap: Cap,
        scheduler: Scheduler,
        spent: &Ledger,
        deadline: Option<Instant>,
    ) -> SaturationConfig {
        let mut limits = cap.of_scheduler(scheduler).limits(self.work.saturating_sub(spent.work));
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
    fn a_cap_is_e_nodes_or_bytes() {
        assert_eq!("4000".parse(), Ok(Cap::Nodes(4000)));
        assert_eq!("64MiB".parse(), Ok(Cap::Memory(64 << 20)));
        assert_eq!("64MiB".parse::<Cap>().unwrap().to_string(), "64MiB");
        for wrong in ["0", "0MiB", "+5", "+5MiB", "-1", "", "5 MiB", "99999999999999999999"] {
            assert!(wrong.parse::<Cap>().is_err(), "{wrong}");
        }
        assert!("99999999999GiB".parse::<Cap>().unwrap_err().contains("too large"));
        assert!("many".parse::<Cap>().unwrap_err().contains("'many'"));
    }

    #[test]
    fn the_largest_cap_has_a_default_of_work() {
        let most = Some(Cap::Nodes(usize::MAX));
        let schedulers = Schedulers::Auto;
        assert_eq!(Budget::of_question(most, None, schedulers).work, u64::MAX);
        assert_eq!(Budget::of_optimisation(most, None, schedulers).work, u64::MAX);
        assert_eq!(Budget::of_question(None, None, schedulers).work, 80_000);
        assert!(Budget::of_question(None, Some(0), schedulers).check().is_err());
    }

    #[test]
    fn the_work_that_is_left_limits_an_e_graph_too() {
        assert_eq!(Cap::Nodes(4000).limits(100).nodes, Some(100));
        assert_eq!(Cap::Memory(1 << 20).limits(100).nodes, Some(100));
    }
}
