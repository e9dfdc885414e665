//! The optimisers that are compared: a row each.

use crate::options::schedulers::Schedulers;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// How e-graphs are grown on the way to the best term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Optimiser {
    /// What it is called.
    pub name: &'static str,
    /// The schedulers of its e-graphs, in turn.
    pub scheduler: Schedulers,
    /// Whether a ranker orders the matches of best-first.
    pub ranked: bool,
    /// In charts.
    pub colour: &'static str,
    /// In lists.
    pub what: &'static str,
}

const TABLE: [Optimiser; 6] = [
    Optimiser {
        name: "simple",
        scheduler: Schedulers::Simple,
        ranked: false,
        colour: "#586078",
        what: "all matches in every iteration",
    },
    Optimiser {
        name: "backoff",
        scheduler: Schedulers::Backoff,
        ranked: false,
        colour: "#a89068",
        what: "not those of rules that match too often",
    },
    Optimiser {
        name: "auto",
        scheduler: Schedulers::Auto,
        ranked: false,
        colour: "#989800",
        what: "simple and backoff in turn",
    },
    Optimiser {
        name: "best-first",
        scheduler: Schedulers::BestFirst,
        ranked: false,
        colour: "#d87800",
        what: "what leads to the smallest terms first",
    },
    Optimiser {
        name: "mixed",
        scheduler: Schedulers::Mixed,
        ranked: false,
        colour: "#00a8a8",
        what: "best-first and simple in turn",
    },
    Optimiser {
        name: "ranked",
        scheduler: Schedulers::Mixed,
        ranked: true,
        colour: "#2060c0",
        what: "as mixed, the order of matches learned from proofs (needs a ranker)",
    },
];

impl Optimiser {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Optimiser> {
        TABLE.into_iter()
    }

    /// A line for each.
    pub fn list() -> String {
        Optimiser::all().map(|o| format!("  {:<10} {}\n", o.name, o.what)).collect()
    }
}

impl fmt::Display for Optimiser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl FromStr for Optimiser {
    type Err = String;

    fn from_str(text: &str) -> Result<Optimiser, String> {
        Optimiser::all().find(|optimiser| optimiser.name == text).ok_or_else(|| {
            let names: Vec<&str> = Optimiser::all().map(|optimiser| optimiser.name).collect();
            format!("expected one of {}, found '{text}'", names.join(", "))
        })
    }
}

impl Serialize for Optimiser {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for Optimiser {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Optimiser, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
