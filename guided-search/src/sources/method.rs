//! The methods that an evaluation compares, by name.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A way to prove a task. All get the same cap, total work, guides per request and attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Method {
    /// One e-graph at the cap.
    Cap,
    /// One e-graph that may use all of the work at once.
    AllWork,
    /// Random frontier terms of both sides.
    Random,
    /// The same, none much larger than the smallest term found.
    Descend,
    /// The smallest terms of both sides.
    Smallest,
    /// The frontier terms of both sides that are nearest to the other side.
    Nearest,
    /// The frontier terms of both sides that share most with themselves and the other side.
    Shared,
    /// The same, in e-graphs grown best-first and simply in turn.
    Deep,
    /// As [`Method::Deep`], with a learned order of matches.
    Ranked,
    /// The decoder's guides.
    Model,
    /// Frontier terms of both sides, those nearest to the decoder's guides.
    Select,
    /// The true waypoints of the chain.
    Oracle,
}

impl Method {
    /// All methods, in the order of a report: baselines first, the ceiling last.
    pub const ALL: [Method; 12] = [
        Method::Cap,
        Method::AllWork,
        Method::Random,
        Method::Descend,
        Method::Smallest,
        Method::Nearest,
        Method::Shared,
        Method::Deep,
        Method::Ranked,
        Method::Model,
        Method::Select,
        Method::Oracle,
    ];

    /// The name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Method::Cap => "cap",
            Method::AllWork => "all-work",
            Method::Random => "random",
            Method::Descend => "descend",
            Method::Smallest => "smallest",
            Method::Nearest => "nearest",
            Method::Shared => "shared",
            Method::Deep => "deep",
            Method::Ranked => "ranked",
            Method::Model => "model",
            Method::Select => "select",
            Method::Oracle => "oracle",
        }
    }

    /// What it is, for a table.
    pub fn description(self) -> &'static str {
        match self {
            Method::Cap => "one e-graph at the cap",
            Method::AllWork => "one e-graph with all the work, the better of simple and back-off",
            Method::Random => "random frontier terms of both sides",
            Method::Descend => {
                "random frontier terms of both sides, none much larger than the smallest found"
            }
            Method::Smallest => "the smallest terms of both sides, until nothing changes",
            Method::Nearest => "frontier terms of both sides, nearest to the other side",
            Method::Shared => {
                "frontier terms with the fewest distinct subterms, together with the other side's"
            }
            Method::Deep => "as shared, in e-graphs grown best-first and simply in turn",
            Method::Ranked => "as deep, the matches ordered by a learned ranker",
            Method::Model => "the model's guides, and chance where they are not reached",
            Method::Select => "frontier terms of both sides, nearest to the model's guides",
            Method::Oracle => "the true waypoints: the ceiling",
        }
    }

    /// Whether it needs a trained model.
    pub fn needs_model(self) -> bool {
        matches!(self, Method::Model | Method::Select)
    }

    /// Whether it needs a ranker.
    pub fn needs_ranker(self) -> bool {
        self == Method::Ranked
    }

    /// Refuses a method whose model or ranker is not there.
    ///
    /// # Errors
    /// It needs one that there is not; the option that gives it is named.
    pub fn expect(self, model: bool, ranker: bool) -> Result<()> {
        ensure!(
            model || !self.needs_model(),
            "method '{self}' needs a model: give its directory with --model"
        );
        ensure!(
            ranker || !self.needs_ranker(),
            "method '{self}' needs a ranker: give its file with --ranker"
        );
        Ok(())
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(name: &str) -> std::result::Result<Self, String> {
        Method::ALL.into_iter().find(|m| m.name() == name).ok_or_else(|| {
            let names: Vec<_> = Method::ALL.iter().map(|m| m.name()).collect();
            format!("unknown method '{name}': expected one of {}", names.join(", "))
        })
    }
}

impl TryFrom<String> for Method {
    type Error = String;

    fn try_from(name: String) -> std::result::Result<Self, String> {
        name.parse()
    }
}

impl From<Method> for String {
    fn from(method: Method) -> String {
        method.name().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        for method in Method::ALL {
            assert_eq!(method.name().parse(), Ok(method));
        }
        assert!("magic".parse::<Method>().unwrap_err().contains("smallest"));
    }
}
