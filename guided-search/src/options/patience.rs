//! When the best term is taken for the answer. Most are found with the first hundredth of the work, and what has
//! not been improved on for several times the work that found it hardly ever is (docs/decisions/037-patience.md).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// What the best term counts as found with, at least, in e-nodes: the start itself takes no work, and a few e-nodes
/// say little about what comes later.
const LEAST: u64 = 8_192;
/// How a patience is written that does not end.
const OFF: &str = "off";

/// After how many times the work that found the best term the optimiser ends, if no better one came; or that it
/// does not end so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PatienceText", into = "String")]
pub struct Patience(Option<NonZeroU32>);

impl Patience {
    /// All of the work is spent.
    pub const OFF: Patience = Patience(None);

    /// The work at which it is over, if the best term was found after `found`. The e-nodes of the start itself, which each e-graph
    /// of it has before any rule is applied, count as work that finds the best term.
    pub fn end(self, found: u64, start: u64) -> u64 {
        let least = LEAST.max(start);
        let more = |times: NonZeroU32| found.max(least).saturating_mul(u64::from(times.get()));
        self.0.map_or(u64::MAX, |times| found.saturating_add(more(times)))
    }
}

impl Default for Patience {
    fn default() -> Patience {
        Patience(NonZeroU32::new(5))
    }
}

impl fmt::Display for Patience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(times) => write!(f, "{times}"),
            None => f.write_str(OFF),
        }
    }
}

impl FromStr for Patience {
    type Err = String;

    fn from_str(text: &str) -> Result<Patience, String> {
        match text {
            OFF => Ok(Patience::OFF),
            _ => text.parse().map(|times| Patience(Some(times))).map_err(|_| {
                format!("expected a whole number from 1 to {}, or {OFF}, found '{text}'", u32::MAX)
            }),
        }
    }
}

/// It may be given as a number or as a text.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a whole number from 1 on, or off")]
enum PatienceText {
    Times(u64),
    Text(String),
}

impl TryFrom<PatienceText> for Patience {
    type Error = String;

    fn try_from(text: PatienceText) -> Result<Patience, String> {
        match text {
            PatienceText::Times(times) => times.to_string().parse(),
            PatienceText::Text(text) => text.parse(),
        }
    }
}

impl From<Patience> for String {
    fn from(patience: Patience) -> String {
        patience.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_times_the_work_that_found_the_best_term_or_a_least_work() {
        let patience: Patience = "3".parse().unwrap();
        assert_eq!(patience.end(10_000, 5), 40_000);
        assert_eq!((patience.end(0, 5), patience.end(8, LEAST)), (3 * LEAST, 3 * LEAST + 8));
        assert_eq!((patience.end(0, 50_000), patience.end(60_000, 50_000)), (150_000, 240_000));
        assert_eq!(patience.end(u64::MAX, 5), u64::MAX);
        assert_eq!(Patience::OFF.end(0, 5), u64::MAX);
    }

    #[test]
    fn it_is_written_as_it_is_read() {
        for text in ["1", "20", "off"] {
            assert_eq!(text.parse::<Patience>().unwrap().to_string(), text);
        }
        for wrong in ["0", "-1", "1.5", "", "none", "5000000000"] {
            assert!(wrong.parse::<Patience>().unwrap_err().contains(wrong), "{wrong}");
        }
    }
}
