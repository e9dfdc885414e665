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
    /// Both in turn: each proves what the other does not.
    Auto,
}

impl Schedulers {
    /// That of the first e-graph, and that of another one for the same question, if there is one.
    pub fn in_turn(self) -> (Scheduler, Option<Scheduler>) {
        match self {
            Schedulers::Simple => (Scheduler::Simple, None),
            Schedulers::Backoff => (Scheduler::Backoff, None),
            Schedulers::Auto => (Scheduler::Simple, Some(Scheduler::Backoff)),
        }
    }
}

impl fmt::Display for Schedulers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedulers::Auto => f.write_str("auto"),
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
            Err(_) if text == "auto" => Ok(Schedulers::Auto),
            Err(_) => Err(format!("expected auto, simple or backoff, found '{text}'")),
        }
    }
}
