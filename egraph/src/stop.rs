//! Why growing an e-graph stops: limits, the time, or because somebody asks.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Why saturation stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")] // so it is printed, too
pub enum StopReason {
    /// No rule changes anything.
    Saturated,
    /// The system's schedule came to its end, and rules might change more.
    Schedule,
    /// The next match might have taken the e-graph over the memory limit.
    Memory,
    /// The next match might have taken the e-graph over the limit on e-nodes.
    Nodes,
    /// The limit on e-nodes tried while searching, see [`crate::Limits::visits`].
    Visits,
    /// The limit on iterations.
    Iterations,
    /// The time limit.
    Time,
    /// [`crate::SaturationConfig::cancel`].
    Cancelled,
    /// The observer was satisfied.
    Goal,
    /// A strategy did not come to the goal from which it goes on.
    Lost,
    /// Two distinct literals were found equal; see [`crate::EGraph::conflict`].
    Conflict,
}

impl StopReason {
    /// All of them.
    pub const ALL: [StopReason; 11] = [
        StopReason::Saturated,
        StopReason::Schedule,
        StopReason::Memory,
        StopReason::Nodes,
        StopReason::Visits,
        StopReason::Iterations,
        StopReason::Time,
        StopReason::Cancelled,
        StopReason::Goal,
        StopReason::Lost,
        StopReason::Conflict,
    ];

    /// What it means, in one sentence for people.
    pub fn meaning(self) -> &'static str {
        match self {
            StopReason::Saturated => "No rule changes anything any more.",
            StopReason::Schedule => {
                "The system's schedule came to its end, and its rules might change more."
            }
            StopReason::Memory => "The e-graph and its matches fill the memory that it may take.",
            StopReason::Nodes => "The e-graph has as many e-nodes as it may have.",
            StopReason::Visits => {
                "The search for matches would have had to try more e-nodes than the limit on memory \
                 or e-nodes allows: classes of many equal e-nodes have more combinations than can \
                 be gone through."
            }
            StopReason::Iterations => "All iterations that were allowed have been done.",
            StopReason::Time => "The time that was allowed is over.",
            StopReason::Cancelled => "Somebody asked to stop.",
            StopReason::Goal => "What was looked for has been found.",
            StopReason::Lost => {
                "A phase of the strategy did not come to its goal, or no cost is known of its terms."
            }
            StopReason::Conflict => {
                "Two different literals became equal, so a rule of the system is not sound."
            }
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Asks work to end soon. Clones are one flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    asked: Arc<AtomicBool>,
    look: Option<fn() -> bool>,
    above: Option<Arc<Cancel>>,
}

impl Cancel {
    /// One that the work asks itself, too: it calls `look` now and then, on its own threads, and ends if that says so.
    pub fn looking(look: fn() -> bool) -> Cancel {
        Cancel { look: Some(look), ..Cancel::default() }
    }

    /// One that is asked when this one is, too; of part of the work.
    pub fn below(&self) -> Cancel {
        Cancel { above: Some(Arc::new(self.clone())), ..Cancel::default() }
    }

    /// Asks for the end.
    pub fn ask(&self) {
        self.asked.store(true, Relaxed);
    }

    /// Whether somebody has asked.
    pub fn is_asked(&self) -> bool {
        let is_asked = || {
            self.look.is_some_and(|look| look())
                || self.above.as_ref().is_some_and(|above| above.is_asked())
        };
        if !self.asked.load(Relaxed) && is_asked() {
            self.ask();
        }
        self.asked.load(Relaxed)
    }
}

/// When to stop, each `None` for never. Only `time` is not reproducible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the e-graph, see [`crate::EGraph::heap_bytes`]. Holds inside an iteration.
    pub memory: Option<usize>,
    /// Canonical e-nodes. Holds inside an iteration.
    pub nodes: Option<usize>,
    /// Bytes of the matches that wait to be applied: of one iteration, or of all with best-first. What there is no room for
    /// is left out, which ends the run. By default 128 for each e-node of the limit on e-nodes.
    pub matches: Option<usize>,
    /// E-nodes tried while searching for matches in one iteration: a class of many equal e-nodes
    /// can have more combinations than could ever be gone through. By default one for every byte
    /// of the limit on memory, or 128 for each e-node of the limit on e-nodes. All iterations
    /// together may try four times as many, so that a run whose e-graph hardly grows ends too;
    /// towards that the e-nodes count that each iteration goes through to rebuild.
    pub visits: Option<usize>,
    /// Iterations.
    pub iterations: Option<u64>,
    /// E-nodes that may be built in all e-graphs together that a strategy grows, each time it starts over.
    pub work: Option<u64>,
    /// Wall-clock time, looked at now and then inside an iteration.
    pub time: Option<Duration>,
}

impl Limits {
    /// The tighter ones of these, which bind a run, and of those of a part of it that begins after so many iterations.
    /// Time is the clock's to tell.
    pub(crate) fn and(&self, part: &Limits, iterations: u64) -> Limits {
        fn least<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
            a.into_iter().chain(b).min()
        }
        let last = part.iterations.map(|more| iterations.saturating_add(more));
        Limits {
            memory: least(self.memory, part.memory),
            nodes: least(self.nodes, part.nodes),
            matches: least(self.matches, part.matches),
            visits: least(self.visits, part.visits),
            iterations: least(self.iterations, last),
            work: least(self.work, part.work),
            time: self.time,
        }
    }

    /// Whether a stop for this reason may be due to these limits and not to looser ones.
    pub(crate) fn explain(&self, stop: StopReason, looser: &Limits) -> bool {
        match stop {
            StopReason::Iterations => self.iterations != looser.iterations,
            // Where there are limits on both, either is what leaves no room.
            StopReason::Memory | StopReason::Nodes | StopReason::Visits => {
                let of =
                    |limits: &Limits| (limits.memory, limits.nodes, limits.matches, limits.visits);
                of(self) != of(looser)
            }
            _ => false,
        }
    }
}

/// A deadline and a flag, looked at now and then.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    deadline: Option<Instant>,
    cancel: Option<Cancel>,
}

impl Watch {
    /// Begins now.
    pub fn new(time: Option<Duration>, cancel: Option<Cancel>) -> Watch {
        // A limit beyond what the clock can express is none.
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Watch { deadline, cancel }
    }

    /// The same, if so much time from now on is not over before.
    pub fn within(&self, time: Option<Duration>) -> Watch {
        let Watch { deadline, .. } = Watch::new(time, None);
        let deadline = self.deadline.into_iter().chain(deadline).min();
        Watch { deadline, cancel: self.cancel.clone() }
    }

    /// Why to stop now, if one has to.
    pub fn expired(&self) -> Option<StopReason> {
        if self.cancel.as_ref().is_some_and(Cancel::is_asked) {
            return Some(StopReason::Cancelled);
        }
        self.deadline.is_some_and(|at| Instant::now() >= at).then_some(StopReason::Time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_reason_has_a_meaning_of_one_sentence() {
        for reason in StopReason::ALL {
            let meaning = reason.meaning();
            assert!(meaning.starts_with(char::is_uppercase) && meaning.ends_with('.'), "{meaning}");
            assert_eq!(meaning.matches('.').count(), 1, "{meaning}");
        }
        let different: BTreeSet<_> = StopReason::ALL.map(StopReason::meaning).into();
        let named: BTreeSet<_> = StopReason::ALL.map(|reason| reason.to_string()).into();
        assert_eq!((different.len(), named.len()), (StopReason::ALL.len(), StopReason::ALL.len()));
    }
}
