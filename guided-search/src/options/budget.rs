//! What a search may spend: the cap on each e-graph, and the total work over all of them.

use crate::options::schedulers::Schedulers;
use anyhow::{Result, ensure};
use egraph::ByteSize;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

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
    /// A rough count of the e-nodes under the cap, for sharing out work between e-graphs.
    pub fn expected_nodes(self) -> u64 {
        match self {
            Cap::Nodes(nodes) => nodes as u64,
            // About what an e-node takes with its explanation.
            Cap::Memory(bytes) => bytes as u64 / 100,
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
}

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

    /// For a term that is optimised with this cap: where nothing else is said, the work of ten e-graphs at the cap.
    pub fn of_optimisation(cap: Cap, work: Option<u64>, scheduler: Schedulers) -> Budget {
        let ten = cap.expected_nodes().saturating_mul(10);
        Budget { cap, work: work.unwrap_or(ten), scheduler }
    }

    /// # Errors
    /// There is nothing to spend.
    pub fn check(&self) -> Result<()> {
        ensure!(self.work > 0, "work: expected at least 1 e-node");
        ensure!(self.cap.expected_nodes() > 0, "cap: expected room for at least 1 e-node");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let most = Cap::Nodes(usize::MAX);
        let schedulers = Schedulers::Auto;
        assert_eq!(Budget::of_question(Some(most), None, schedulers).work, u64::MAX);
        assert_eq!(Budget::of_optimisation(most, None, schedulers).work, u64::MAX);
        assert_eq!(Budget::of_question(None, None, schedulers).work, 80_000);
        assert!(Budget::of_question(None, Some(0), schedulers).check().is_err());
    }
}
