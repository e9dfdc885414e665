//! Why growing an e-graph stops, and when it has to because of the time, or because somebody asks.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Why saturation stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopReason {
    /// No rule changes anything.
    Saturated,
    /// The system's schedule came to its end, and rules might change more.
    Schedule,
    /// The next match might have taken the e-graph over the memory limit.
    Memory,
    /// The next match might have taken the e-graph over the limit on e-nodes.
    Nodes,
    /// The limit on e-nodes tried while searching.
    Visits,
    /// The limit on iterations.
    Iterations,
    /// The time limit.
    Time,
    /// [`crate::SaturationConfig::cancel`].
    Cancelled,
    /// The observer was satisfied.
    Goal,
    /// Two distinct literals were found equal; see [`crate::EGraph::conflict`].
    Conflict,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Saturated => "saturated",
            StopReason::Schedule => "schedule",
            StopReason::Memory => "memory",
            StopReason::Nodes => "nodes",
            StopReason::Visits => "visits",
            StopReason::Iterations => "iterations",
            StopReason::Time => "time",
            StopReason::Cancelled => "cancelled",
            StopReason::Goal => "goal",
            StopReason::Conflict => "conflict",
        })
    }
}

/// A deadline and a flag, looked at now and then.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    deadline: Option<Instant>,
    cancel: Option<Arc<AtomicBool>>,
}

impl Watch {
    /// Begins now.
    pub fn new(time: Option<Duration>, cancel: Option<Arc<AtomicBool>>) -> Watch {
        // A limit beyond what the clock can express is none.
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Watch { deadline, cancel }
    }

    /// Why to stop now, if one has to.
    pub fn expired(&self) -> Option<StopReason> {
        if self.cancel.as_ref().is_some_and(|flag| flag.load(Relaxed)) {
            return Some(StopReason::Cancelled);
        }
        self.deadline.is_some_and(|at| Instant::now() >= at).then_some(StopReason::Time)
    }
}
