//! Why growing an e-graph stops, and when it has to because of the time, or because somebody asks.

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
    /// Two distinct literals were found equal; see [`crate::EGraph::conflict`].
    Conflict,
}

impl StopReason {
    /// All of them.
    pub const ALL: [StopReason; 10] = [
        StopReason::Saturated,
        StopReason::Schedule,
        StopReason::Memory,
        StopReason::Nodes,
        StopReason::Visits,
        StopReason::Iterations,
        StopReason::Time,
        StopReason::Cancelled,
        StopReason::Goal,
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
}

impl Cancel {
    /// One that the work asks itself, too: it calls `look` now and then, on its own threads, and ends if that says so.
    pub fn looking(look: fn() -> bool) -> Cancel {
        Cancel { look: Some(look), ..Cancel::default() }
    }

    /// Asks for the end.
    pub fn ask(&self) {
        self.asked.store(true, Relaxed);
    }

    /// Whether somebody has asked.
    pub fn is_asked(&self) -> bool {
        if !self.asked.load(Relaxed) && self.look.is_some_and(|look| look()) {
            self.ask();
        }
        self.asked.load(Relaxed)
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
