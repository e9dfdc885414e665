//! The methods that an evaluation compares, by name.

use crate::search::answer::Tactic;
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
    /// Random frontier terms of an e-graph grown from the start alone.
    Random(Tactic),
    /// Random frontier terms of both sides.
    BothSides(Tactic),
    /// The frontier terms of the start that are nearest to the target.
    Nearest(Tactic),
    /// The decoder's guides.
    Model(Tactic),
    /// Frontier terms of both sides, those nearest to the decoder's guides.
    Select(Tactic),
    /// The true waypoints of the chain.
    Oracle,
}

impl Method {
    /// All methods, in the order of a report: baselines first, the ceiling last.
    pub const ALL: [Method; 13] = [
        Method::Cap,
        Method::AllWork,
        Method::Random(Tactic::Each),
        Method::Random(Tactic::United),
        Method::BothSides(Tactic::Each),
        Method::BothSides(Tactic::United),
        Method::Nearest(Tactic::Each),
        Method::Nearest(Tactic::United),
        Method::Model(Tactic::Each),
        Method::Model(Tactic::United),
        Method::Select(Tactic::Each),
        Method::Select(Tactic::United),
        Method::Oracle,
    ];

    /// The name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Method::Cap => "cap",
            Method::AllWork => "all-work",
            Method::Random(Tactic::Each) => "random",
            Method::Random(Tactic::United) => "random-united",
            Method::BothSides(Tactic::Each) => "both-sides",
            Method::BothSides(Tactic::United) => "both-sides-united",
            Method::Nearest(Tactic::Each) => "nearest",
            Method::Nearest(Tactic::United) => "nearest-united",
            Method::Model(Tactic::Each) => "model",
            Method::Model(Tactic::United) => "model-united",
            Method::Select(Tactic::Each) => "select",
            Method::Select(Tactic::United) => "select-united",
            Method::Oracle => "oracle",
        }
    }

    /// What it is, for a table.
    pub fn description(self) -> &'static str {
        match self {
            Method::Cap => "one e-graph at the cap",
            Method::AllWork => "one e-graph with all the work, the better of simple and back-off",
            Method::Random(Tactic::Each) => "random guides from the start, one by one",
            Method::Random(Tactic::United) => "random guides from the start, united",
            Method::BothSides(Tactic::Each) => "random guides from both sides, one by one",
            Method::BothSides(Tactic::United) => "random guides from both sides, united",
            Method::Nearest(Tactic::Each) => "guides nearest to the target, one by one",
            Method::Nearest(Tactic::United) => "guides nearest to the target, united",
            Method::Model(Tactic::Each) => "the model's guides, one by one",
            Method::Model(Tactic::United) => "the model's guides, those reached united",
            Method::Select(Tactic::Each) => {
                "both frontiers, nearest to the model's guides, one by one"
            }
            Method::Select(Tactic::United) => {
                "both frontiers, nearest to the model's guides, united"
            }
            Method::Oracle => "the true waypoints: the ceiling",
        }
    }

    /// How proved waypoints are used.
    pub fn tactic(self) -> Tactic {
        match self {
            Method::Cap | Method::AllWork | Method::Oracle => Tactic::Each,
            Method::Random(tactic)
            | Method::BothSides(tactic)
            | Method::Nearest(tactic)
            | Method::Model(tactic)
            | Method::Select(tactic) => tactic,
        }
    }

    /// Whether it needs a trained model.
    pub fn needs_model(self) -> bool {
        matches!(self, Method::Model(_) | Method::Select(_))
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Method::ALL.into_iter().find(|m| m.name() == name).ok_or_else(|| {
            let names: Vec<_> = Method::ALL.iter().map(|m| m.name()).collect();
            format!("unknown method '{name}': expected one of {}", names.join(", "))
        })
    }
}

impl TryFrom<String> for Method {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
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
        assert!("magic".parse::<Method>().unwrap_err().contains("both-sides-united"));
    }
}
