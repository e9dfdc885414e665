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

const fn row(
    name: &'static str,
    scheduler: Schedulers,
    colour: &'static str,
    what: &'static str,
) -> Optimiser {
    Optimiser { name, scheduler, ranked: false, colour, what }
}

const TABLE: [Optimiser; 6] = [
    row("simple", Schedulers::Simple, "#586078", "all matches in every iteration"),
    row("backoff", Schedulers::Backoff, "#a89068", "not those of rules that match too often"),
    row("auto", Schedulers::Auto, "#989800", "simple and backoff in turn"),
    row("best-first", Schedulers::BestFirst, "#d87800", "what leads to the smallest terms first"),
    row("mixed", Schedulers::Mixed, "#00a8a8", "best-first and simple in turn"),
    Optimiser {
        ranked: true,
        ..row(
            "ranked",
            Schedulers::Mixed,
            "#2060c0",
            "as mixed, the order of matches learned from proofs (needs a ranker)",
        )
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
