//! How to look for the best term that equals a given one.

use crate::options::budget::{Budget, Cap};
use crate::options::patience::Patience;
use crate::options::schedulers::Schedulers;
use crate::options::seconds::Seconds;
use crate::options::{COST, MOST, within};
use anyhow::{Error, Result, ensure};
use egraph::{Extraction, Scheduler};
use serde::{Deserialize, Serialize};

/// The cap on an e-graph.
const CAP: Cap = Cap::Nodes(40_000);
/// Terms that are written at a time.
const GUIDES: usize = 8;

/// How to optimise; what is not given has its default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields, default)]
pub struct OptimiseOptions {
    /// What a term costs: size, depth, or a cost of the system; several with commas between [default: cost]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAMES"))]
    pub cost: Option<String>,
    /// Equal parts of a term count once, and are shown once, in lines (let name part)
    #[cfg_attr(feature = "clap", arg(long))]
    pub shared: bool,
    /// With --shared, where all that the rules derive is in one e-graph: try so long to prove that
    /// nothing costs less, or to find it (not reproducible)
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS", alias = "exact"))]
    pub exact_time: Option<Seconds>,
    /// The sketch that the best term must satisfy
    #[cfg_attr(feature = "clap", arg(long, value_name = "SKETCH", allow_negative_numbers = true))]
    pub goal: Option<String>,
    /// End with the first term that satisfies the goal
    #[cfg_attr(feature = "clap", arg(long))]
    pub first: bool,
    /// Terms that the model writes at a time [default: 8]
    #[cfg_attr(feature = "clap", arg(long, value_name = "K"))]
    pub guides: Option<usize>,
    /// Follow a strategy and do nothing else: one of the rules file, or as it would stand there, such as
    /// '(until-stable (phase (limit :nodes 4000 (until-stable (run)))))'
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME|TEXT"))]
    pub strategy: Option<String>,
    /// Cap on each e-graph, in e-nodes (40000) or memory (64MiB) [default: 40000]
    #[cfg_attr(feature = "clap", arg(long, value_name = "CAP"))]
    pub cap: Option<Cap>,
    /// E-nodes that may be built, over all e-graphs [default: 10 times what the cap allows]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub work: Option<u64>,
    /// End when no better term came for N times the work that found the best one (work below 8,192, or
    /// below the e-nodes of the start, counts as so much); off goes on until the work is spent [default: 5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub patience: Option<Patience>,
    /// How matches are chosen: simple (all), backoff (not of rules that match too often), best-first (a
    /// few promising ones an iteration), auto for the first two in turn, or mixed for best-first and simple
    /// [default: auto; mixed with a ranker that is given]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub scheduler: Option<Schedulers>,
}

/// What else is given, on which it depends what an option means.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside {
    /// A ranker.
    pub ranker: bool,
    /// A model, or a function, that writes terms.
    pub writer: bool,
    /// A goal for each term.
    pub goals: bool,
    /// Whether the rewrite system has a normal form.
    pub normal_form: bool,
}

/// What is looked for and within which limits, as it is written down beside the results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptimiseAim {
    /// The costs, as they were asked for.
    pub cost: String,
    /// Whether equal parts count once.
    pub shared: bool,
    /// Where they do: for how long a proof is looked for that nothing costs less.
    #[serde(skip)]
    pub exact_time: Option<Seconds>,
    /// The sketch that the best terms satisfy, if one was asked for.
    pub goal: Option<String>,
    /// When the search for one ends.
    #[serde(flatten)]
    pub limits: OptimiseLimits,
    /// The strategy that is followed, if one is, as it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
}

/// When an optimiser ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptimiseLimits {
    /// The cap on each e-graph, the total work, and the schedulers.
    pub budget: Budget,
    /// When the best term is taken for the answer, whatever is left of the work; what was made before there was
    /// such a choice had none.
    #[serde(default = "off")]
    pub patience: Patience,
    /// With the first term that satisfies the sketch.
    pub first: bool,
}

fn off() -> Patience {
    Patience::OFF
}

impl From<Budget> for OptimiseLimits {
    fn from(budget: Budget) -> OptimiseLimits {
        OptimiseLimits { budget, patience: Patience::OFF, first: false }
    }
}

impl OptimiseAim {
    /// The least cost of a tree, within limits.
    pub fn tree(cost: String, limits: OptimiseLimits) -> OptimiseAim {
        let (shared, exact_time, goal, strategy) = (false, None, None, None);
        OptimiseAim { cost, shared, exact_time, goal, limits, strategy }
    }

    /// How the best terms are extracted.
    ///
    /// # Errors
    /// A proof is asked for that is not needed.
    pub fn extraction(&self) -> Result<Extraction> {
        Extraction::new(self.shared, self.exact_time.map(|seconds| seconds.0)).map_err(Error::msg)
    }
}

impl OptimiseOptions {
    /// What is looked for, and within which limits.
    ///
    /// # Errors
    /// A value is out of its bounds, or means nothing with what else is given.
    pub fn settle(&self, beside: Beside) -> Result<OptimiseAim> {
        self.check(beside)?;
        let default = if beside.ranker { Schedulers::Mixed } else { Schedulers::Auto };
        let scheduler = self.scheduler.unwrap_or(default);
        ensure!(
            scheduler.has(Scheduler::BestFirst) || !beside.ranker,
            "ranker: it orders the matches of best-first: expected scheduler mixed or best-first"
        );
        let cap = self.cap.unwrap_or(CAP);
        let budget = Budget::of_optimisation(cap, self.work, scheduler);
        budget.check()?;
        let patience = self.patience.unwrap_or_default();
        Ok(OptimiseAim {
            cost: self.cost.clone().unwrap_or_else(|| COST.to_owned()),
            shared: self.shared,
            exact_time: self.exact_time,
            goal: self.goal.clone(),
            limits: OptimiseLimits { budget, patience, first: self.first },
            strategy: self.strategy.clone(),
        })
    }

    /// Terms that are written at a time.
    pub fn guides(&self) -> usize {
        self.guides.unwrap_or(GUIDES)
    }

    fn check(&self, beside: Beside) -> Result<()> {
        let Beside { writer, goals, normal_form, .. } = beside;
        let goal = self.goal.is_some() || goals;
        within("guides", self.guides(), 1..=MOST)?;
        ensure!(writer || self.guides.is_none(), "guides: expected a model, which writes them");
        ensure!(
            self.exact_time.is_none() || (self.shared && !goal),
            "exact_time: expected shared, and no goal"
        );
        ensure!(
            !self.first || goal,
            "first: it ends with the first term that satisfies a goal: expected a goal"
        );
        ensure!(
            !writer || goal || normal_form,
            "model: it plans the way to a goal, or guesses what a normal form may become: expected a goal, or a system \
             with a normal form"
        );
        let alone = self.exact_time.is_none() && self.patience.is_none() && !self.first && !writer;
        ensure!(
            self.strategy.is_none() || alone,
            "strategy: it is all that is done: expected neither model, patience, first nor exact_time"
        );
        Ok(())
    }
}
