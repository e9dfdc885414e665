//! How a ranker is learned, and what a model is given to learn from.

use crate::options::budget::{Budget, Cap};
use crate::options::schedulers::Schedulers;
use crate::options::{COST, MOST, within};
use anyhow::{Result, ensure};
use serde::Deserialize;

/// The limit of an e-graph.
const CAP: Cap = Cap::Nodes(4_000);
/// Training seeds of a round.
const BATCH: usize = 200;
/// Rounds of fit and search, and more of them than anybody has time for.
const ROUNDS: u32 = 4;
const MOST_ROUNDS: u32 = 100;
/// How often each fit goes through the examples.
const EPOCHS: u32 = 5;
const MOST_EPOCHS: u32 = 1_000;
/// Examples of each system that a ranker for any is fitted to, most of what `learn` writes down; about 150 bytes each.
const EXAMPLES: usize = 1_000_000;

/// How to learn a ranker; what is not given has its default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields, default)]
pub struct LearnOptions {
    /// What terms cost, with --seeds: size, depth, or a cost of the system; several with commas between [default: cost]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAMES"))]
    pub cost: Option<String>,
    /// Limit of an e-graph, in e-nodes (4000) or memory (64MiB) [default: 4000]
    #[cfg_attr(feature = "clap", arg(long, value_name = "CAP"))]
    pub cap: Option<Cap>,
    /// E-nodes that may be built for a seed, over all of its e-graphs [default: 10 times what the cap allows]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub work: Option<u64>,
    /// Training seeds of a round: the smallest first; a seed with which a round gets no further makes room for the
    /// next one [default: 200]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub batch: Option<usize>,
    /// Rounds of fit and search [default: 4]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub rounds: Option<u32>,
    /// How often each fit goes through the examples [default: 5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub epochs: Option<u32>,
}

/// How rankers are learned.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnSettings {
    /// The costs.
    pub cost: String,
    /// The cap on an e-graph, and the work on a seed.
    pub budget: Budget,
    /// Training seeds of a round.
    pub batch: usize,
    /// Rounds of fit and search.
    pub rounds: u32,
    /// How often each fit goes through the examples.
    pub epochs: u32,
}

impl LearnOptions {
    /// The settings, from seeds or from tasks.
    ///
    /// # Errors
    /// A value is out of its bounds, or is for seeds, and there are none.
    pub fn settle(&self, from_seeds: bool) -> Result<LearnSettings> {
        let for_seeds = [
            ("cost", self.cost.is_some()),
            ("work", self.work.is_some()),
            ("batch", self.batch.is_some()),
        ];
        for (name, given) in for_seeds {
            ensure!(from_seeds || !given, "{name}: it is for seeds, and tasks are given");
        }
        let cap = self.cap.unwrap_or(CAP);
        let settings = LearnSettings {
            cost: self.cost.clone().unwrap_or_else(|| COST.to_owned()),
            budget: Budget::of_optimisation(cap, self.work, Schedulers::BestFirst),
            batch: self.batch.unwrap_or(BATCH),
            rounds: self.rounds.unwrap_or(ROUNDS),
            epochs: self.epochs.unwrap_or(EPOCHS),
        };
        settings.budget.check()?;
        ensure!(settings.batch > 0, "batch: expected at least 1 seed");
        within("rounds", settings.rounds, 1..=MOST_ROUNDS)?;
        within("epochs", settings.epochs, 1..=MOST_EPOCHS)?;
        Ok(settings)
    }
}

/// How a ranker for any system is fitted; what is not given has its default.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct AnyOptions {
    /// At most so many examples of each system, evenly spread [default: 1000000]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub examples: Option<usize>,
    /// How often the fit goes through the examples [default: 5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub epochs: Option<u32>,
}

/// How rankers for any system are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnySettings {
    /// Examples of each system, at most.
    pub examples: usize,
    /// How often the fit goes through them.
    pub epochs: u32,
}

impl AnyOptions {
    /// # Errors
    /// A value is out of its bounds.
    pub fn settle(&self) -> Result<AnySettings> {
        let settings = AnySettings {
            examples: self.examples.unwrap_or(EXAMPLES),
            epochs: self.epochs.unwrap_or(EPOCHS),
        };
        ensure!(settings.examples > 0, "examples: expected at least 1");
        within("epochs", settings.epochs, 1..=MOST_EPOCHS)?;
        Ok(settings)
    }
}

/// What is kept of ways to goals, for a model that plans.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields, default)]
pub struct PlanOptions {
    /// Steps from a term to the one that the model is to write
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = PlanOptions::default().ahead))]
    pub ahead: usize,
    /// The share of starts and goals that is kept to watch the learning
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE", default_value_t = PlanOptions::default().validation))]
    pub validation: f64,
    /// Leave out proofs with more steps
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = PlanOptions::default().max_steps))]
    pub max_steps: usize,
}

impl Default for PlanOptions {
    fn default() -> PlanOptions {
        PlanOptions { ahead: 4, validation: 0.05, max_steps: 1_000 }
    }
}

impl PlanOptions {
    /// # Errors
    /// A value is out of its bounds.
    pub fn check(&self) -> Result<()> {
        within("ahead", self.ahead, 2..=MOST)
    }
}

/// Which normal forms are kept, for a model that guesses.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields, default)]
pub struct GuessOptions {
    /// Leave out normal forms with more nodes
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = GuessOptions::default().max_size))]
    pub max_size: u64,
    /// The share of normal forms that is kept to watch the learning
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE", default_value_t = GuessOptions::default().validation))]
    pub validation: f64,
}

impl Default for GuessOptions {
    fn default() -> GuessOptions {
        GuessOptions { max_size: 100, validation: 0.02 }
    }
}
