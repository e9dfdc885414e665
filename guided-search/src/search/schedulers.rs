//! Which schedulers the e-graphs of a search are grown with, in turn.

use egraph::Scheduler;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which schedulers e-graphs are grown with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedulers {
    /// [`Scheduler::Simple`].
    #[default]
    Simple,
    /// [`Scheduler::Backoff`].
    Backoff,
    /// [`Scheduler::BestFirst`].
    #[serde(rename = "best-first")]
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
}

impl fmt::Display for Schedulers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedulers::Auto => f.write_str("auto"),
            Schedulers::Mixed => f.write_str("mixed"),
            one => one.in_turn().0.fmt(f),
        }
    }
}

impl FromStr for Schedulers {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.parse() {
            Ok(Scheduler::Simple) => Ok(Schedulers::Simple),
            Ok(Scheduler::Backoff) => Ok(Schedulers::Backoff),
            Ok(Scheduler::BestFirst) => Ok(Schedulers::BestFirst),
            Err(_) if text == "auto" => Ok(Schedulers::Auto),
            Err(_) if text == "mixed" => Ok(Schedulers::Mixed),
            Err(_) => {
                Err(format!("expected auto, mixed, simple, backoff or best-first, found '{text}'"))
            }
        }
    }
}
