//! Which schedulers the e-graphs of a search are grown with, in turn.

use egraph::Scheduler;
use serde::de::{IntoDeserializer, value::Error as Unknown};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which schedulers e-graphs are grown with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")] // so it is read and printed, too
pub enum Schedulers {
    /// [`Scheduler::Simple`].
    #[default]
    Simple,
    /// [`Scheduler::Backoff`].
    Backoff,
    /// [`Scheduler::BestFirst`].
    BestFirst,
    /// [`Scheduler::Simple`] and [`Scheduler::Backoff`] in turn: each proves what the other does not.
    Auto,
    /// [`Scheduler::BestFirst`] and [`Scheduler::Simple`] in turn: what is found deep, and what is found
    /// broad.
    Mixed,
}

impl Schedulers {
    /// That of the first e-graph, and that of another one for the same question, if there is one.
    pub fn in_turn(self) -> (Scheduler, Option<Scheduler>) {
        match self {
            Schedulers::Simple => (Scheduler::Simple, None),
            Schedulers::Backoff => (Scheduler::Backoff, None),
            Schedulers::BestFirst => (Scheduler::BestFirst, None),
            Schedulers::Mixed => (Scheduler::BestFirst, Some(Scheduler::Simple)),
            Schedulers::Auto => (Scheduler::Simple, Some(Scheduler::Backoff)),
        }
    }

    /// Whether this scheduler has turns.
    pub fn has(self, scheduler: Scheduler) -> bool {
        let (first, other) = self.in_turn();
        [Some(first), other].contains(&Some(scheduler))
    }
}

impl From<Scheduler> for Schedulers {
    fn from(scheduler: Scheduler) -> Schedulers {
        match scheduler {
            Scheduler::Simple => Schedulers::Simple,
            Scheduler::Backoff => Schedulers::Backoff,
            Scheduler::BestFirst => Schedulers::BestFirst,
        }
    }
}

impl fmt::Display for Schedulers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl FromStr for Schedulers {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let schedulers: Result<_, Unknown> = Schedulers::deserialize(text.into_deserializer());
        schedulers.map_err(|_| {
            format!("expected auto, mixed, simple, backoff or best-first, found '{text}'")
        })
    }
}
