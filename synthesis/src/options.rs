//! How rules are looked for: the options, with their names, sentences, bounds and defaults.

use crate::rules::following::Reach;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

const SIZE: u16 = 5;
const VARIABLES: usize = 3;
const INPUTS: usize = 200;
const ITERATIONS: u64 = 3;
const NODES: usize = 2_000;
const QUERY_TIME: f64 = 10.0;
/// Larger terms are more than can be gone through.
const MOST_NODES: u16 = 15;
/// A variable has a bit in a set, and stands in a table.
const MOST_VARIABLES: usize = 5;
/// More time than anybody has.
const MOST_SECONDS: f64 = 1e9;

/// How to look for rules; what is not given has its default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields, default)]
pub struct FindOptions {
    /// Largest number of nodes of a side, with any operators [default: 5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub size: Option<u16>,
    /// Largest number of nodes of a side, with three operators at a time; there are many sets of three [default: 0, for none]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub triple_size: Option<u16>,
    /// Largest number of nodes of a side, with at most two operators [default: as --size]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub pair_size: Option<u16>,
    /// Largest number of nodes of a side, with one operator [default: as --pair-size]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub one_size: Option<u16>,
    /// Look for rules with a condition, up to so many nodes of a side [default: 0, for none]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub condition_size: Option<u16>,
    /// Variables of each sort [default: 3]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub variables: Option<usize>,
    /// Literals in terms, separated by spaces; each is one of every sort that has it [default: 0 1]
    #[cfg_attr(feature = "clap", arg(long, value_name = "LITERALS", allow_hyphen_values = true))]
    pub literals: Option<String>,
    /// Inputs at which terms are compared [default: 200]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub inputs: Option<usize>,
    /// What follows from other rules in so many iterations is left out [default: 3]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub iterations: Option<u64>,
    /// And in an e-graph of at most so many e-nodes [default: 2000]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub nodes: Option<usize>,
    /// Keep rules that nobody could prove or refute, and say so of each
    #[cfg_attr(feature = "clap", arg(long))]
    pub unproved: bool,
    /// Seconds for a query to a solver [default: 10]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS"))]
    pub query_time: Option<f64>,
    /// End after so many terms, with what was found by then
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub work: Option<u64>,
    /// End after so many seconds, with what was found by then (not reproducible)
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS"))]
    pub time: Option<f64>,
}

/// Largest numbers of nodes of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// With one operator.
    pub one: u16,
    /// With two operators.
    pub two: u16,
    /// With three operators; 0 where these are not looked at by themselves.
    pub three: u16,
    /// With any operators.
    pub all: u16,
    /// With any, of rules that have a condition; 0 for none.
    pub conditional: u16,
}

/// What is looked for, as it is written down beside the rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindAim {
    /// Largest numbers of nodes of a side.
    pub sizes: Sizes,
    /// Variables of each sort.
    pub variables: usize,
    /// The literals, if not 0 and 1.
    pub literals: Option<Vec<String>>,
    /// Inputs at which terms are compared.
    pub inputs: usize,
    /// What follows within this is left out.
    pub reach: Reach,
    /// Whether rules are kept that are not proved.
    pub unproved: bool,
    /// Seconds for a query.
    pub query_time: f64,
}

/// When it ends before all is gone through.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ends {
    /// After so many terms.
    pub work: Option<u64>,
    /// After so long.
    pub time: Option<Duration>,
}

impl FindOptions {
    /// What is looked for, and when to end.
    ///
    /// # Errors
    /// A value is out of its bounds.
    pub fn settle(&self) -> Result<(FindAim, Ends)> {
        let size = self.size.unwrap_or(SIZE);
        let pair_size = self.pair_size.unwrap_or(size);
        let one_size = self.one_size.unwrap_or(pair_size);
        let condition_size = self.condition_size.unwrap_or(0);
        within("size", size, 2..=MOST_NODES)?;
        within("pair_size", pair_size, 2..=MOST_NODES)?;
        within("one_size", one_size, 2..=MOST_NODES)?;
        let triple_size = self.triple_size.unwrap_or(0);
        within("triple_size", triple_size, 0..=MOST_NODES)?;
        within("condition_size", condition_size, 0..=MOST_NODES)?;
        let variables = self.variables.unwrap_or(VARIABLES);
        within("variables", variables, 1..=MOST_VARIABLES)?;
        let inputs = self.inputs.unwrap_or(INPUTS);
        within("inputs", inputs, 8..=100_000)?;
        let reach = Reach {
            iterations: self.iterations.unwrap_or(ITERATIONS),
            nodes: self.nodes.unwrap_or(NODES),
        };
        within("iterations", reach.iterations, 1..=1_000)?;
        within("nodes", reach.nodes, 10..=10_000_000)?;
        let query_time = self.query_time.unwrap_or(QUERY_TIME);
        within("query_time", query_time, 0.001..=MOST_SECONDS)?;
        if let Some(time) = self.time {
            within("time", time, 0.0..=MOST_SECONDS)?;
        }
        let literals =
            self.literals.as_ref().map(|text| text.split_whitespace().map(str::to_owned).collect());
        let aim = FindAim {
            sizes: Sizes {
                one: one_size,
                two: pair_size,
                three: triple_size,
                all: size,
                conditional: condition_size,
            },
            variables,
            literals,
            inputs,
            reach,
            unproved: self.unproved,
            query_time,
        };
        Ok((aim, Ends { work: self.work, time: self.time.map(Duration::from_secs_f64) }))
    }
}

/// How it is tried which rules are not needed; what is not given has its default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields, default)]
pub struct PruneOptions {
    /// Iterations within which a rule has to follow from the others [default: 5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub iterations: Option<u64>,
    /// E-nodes within which it has to follow [default: 20000]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub nodes: Option<usize>,
    /// Choices of literals at which a rule that reads some has to follow; with 0 none is tried [default: 16]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub instances: Option<usize>,
}

/// How it is tried which rules are not needed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PruneAim {
    /// How far rules are followed.
    pub reach: Reach,
    /// Choices of literals at which a rule that reads some has to follow.
    pub instances: usize,
}

impl PruneOptions {
    /// How it is tried.
    ///
    /// # Errors
    /// A value is out of its bounds.
    pub fn settle(&self) -> Result<PruneAim> {
        let reach =
            Reach { iterations: self.iterations.unwrap_or(5), nodes: self.nodes.unwrap_or(20_000) };
        within("iterations", reach.iterations, 1..=1_000)?;
        within("nodes", reach.nodes, 10..=100_000_000)?;
        let instances = self.instances.unwrap_or(16);
        within("instances", instances, 0..=10_000)?;
        Ok(PruneAim { reach, instances })
    }
}

/// How rules are looked for that tasks lack; what is not given has its default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields, default)]
pub struct MissingOptions {
    /// Most rules of a round [default: 50]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub rules: Option<usize>,
    /// Most nodes of both sides of a rule together [default: 20]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub rule_size: Option<u64>,
    /// Iterations in which a failed task's e-graph is grown, and in which what follows from other rules is left out [default: 5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub iterations: Option<u64>,
    /// E-nodes of these e-graphs [default: 2000]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub nodes: Option<usize>,
    /// Seconds for a query to a solver [default: 5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS"))]
    pub query_time: Option<f64>,
}

/// How rules are looked for that tasks lack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MissingAim {
    /// Most rules.
    pub rules: usize,
    /// Most nodes of both sides of a rule together.
    pub size: u64,
    /// How far e-graphs are grown.
    pub reach: Reach,
    /// For a query.
    pub query_time: Duration,
}

impl MissingOptions {
    /// How rules are looked for.
    ///
    /// # Errors
    /// A value is out of its bounds.
    pub fn settle(&self) -> Result<MissingAim> {
        let rules = self.rules.unwrap_or(50);
        within("rules", rules, 1..=100_000)?;
        let size = self.rule_size.unwrap_or(20);
        within("rule_size", size, 2..=1_000)?;
        let reach =
            Reach { iterations: self.iterations.unwrap_or(5), nodes: self.nodes.unwrap_or(NODES) };
        within("iterations", reach.iterations, 1..=1_000)?;
        within("nodes", reach.nodes, 10..=100_000_000)?;
        let query_time = self.query_time.unwrap_or(5.0);
        within("query_time", query_time, 0.001..=MOST_SECONDS)?;
        Ok(MissingAim { rules, size, reach, query_time: Duration::from_secs_f64(query_time) })
    }
}

/// Refuses the value of an option that is out of its bounds.
fn within<T: PartialOrd + Display>(name: &str, value: T, bounds: RangeInclusive<T>) -> Result<()> {
    let (least, most) = (bounds.start(), bounds.end());
    ensure!(bounds.contains(&value), "{name} {value}: expected {least} to {most}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_one_another_and_bounds_are_kept() {
        let sizes = |options: FindOptions| options.settle().map(|(aim, _)| aim.sizes);
        let same = Sizes { one: 5, two: 5, three: 0, all: 5, conditional: 0 };
        assert_eq!(sizes(FindOptions::default()).unwrap(), same);
        let larger = FindOptions { pair_size: Some(7), ..FindOptions::default() };
        assert_eq!(sizes(larger).unwrap(), Sizes { one: 7, two: 7, ..same });
        let wrong = FindOptions { variables: Some(9), ..FindOptions::default() };
        let error = wrong.settle().unwrap_err().to_string();
        assert_eq!(error, "variables 9: expected 1 to 5");
    }
}
