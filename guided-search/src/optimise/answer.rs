//! What is asked of an optimiser, and what it answers: the best term found, with one checked proof.

use crate::optimise::guided::planner::Planner;
use crate::options::optimise::{OptimiseAim, OptimiseLimits};
use crate::search::budget::Ledger;
use crate::search::stage::Stage;
use anyhow::{Error, Result};
use egraph::{
    Cancel, Chosen, Cost, CostFunction, Extracted, Extraction, MatchOrder, Proof, Schedule, Sketch,
    TermBank, TermId,
};
use rayon::ThreadPool;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// What the best term is.
#[derive(Clone, Debug)]
pub struct Objective {
    /// What a term costs.
    pub cost: CostFunction,
    /// How its parts are counted.
    pub way: Extraction,
    /// What the term must satisfy.
    pub sketch: Sketch,
}

impl Objective {
    /// The least cost of a tree that satisfies a sketch.
    pub fn tree(cost: CostFunction, sketch: Sketch) -> Objective {
        Objective { cost, way: Extraction::Tree, sketch }
    }

    /// What an aim comes to, with the cost and the goal that it names.
    ///
    /// # Errors
    /// They do not go together.
    pub fn new(aim: &OptimiseAim, cost: CostFunction, sketch: Sketch) -> Result<Objective> {
        let way = aim.extraction()?;
        way.check(&cost).map_err(Error::msg)?;
        Ok(Objective { cost, way, sketch })
    }

    /// What a term costs that satisfies the sketch, as far as that can be told by the term alone.
    pub fn of_term(&self, bank: &TermBank, term: TermId) -> Option<Cost> {
        match self.sketch.accepts(bank, term) {
            true => self.way.cost_of(&self.cost, bank, term),
            false => None,
        }
    }

    /// The best term of a stage that equals its start, if there is one. Of a stage that is the `whole` it is
    /// proved to be the best, if it can be and was asked for.
    pub fn extract(&self, stage: &Stage, bank: &mut TermBank, whole: bool) -> Option<Extracted> {
        let class = stage.egraph.lookup(bank, stage.starts[0])?;
        let way = if whole { self.way } else { self.way.unproved() };
        way.best(&stage.egraph, bank, class, &self.sketch, &self.cost)
    }
}

/// The settings of an optimiser.
#[derive(Clone, Debug)]
pub struct OptimiseSettings {
    /// When it ends.
    pub limits: OptimiseLimits,
    /// When to end, whatever is left of the work. Not reproducible.
    pub deadline: Option<Instant>,
    /// Ends it soon, as the deadline does.
    pub cancel: Option<Cancel>,
    /// Seed of the random choices.
    pub seed: u64,
    /// Threads to grow with; the result is the same without.
    pub pool: Option<Arc<ThreadPool>>,
    /// How e-graphs that are grown best-first order their matches; smallest first without.
    pub order: Option<Arc<dyn MatchOrder>>,
    /// Who says which terms may lead to the goal, where it is a term or `(contains t)`; or which terms may have the
    /// start's normal form, where there is no goal.
    pub planner: Option<Arc<dyn Planner>>,
    /// A strategy, which is all that is done then.
    pub strategy: Option<Arc<Schedule>>,
    /// Keep what best-first chose in each e-graph that held a better term: [`Outcome::used`].
    pub keep_chosen: bool,
}

impl OptimiseSettings {
    /// Within a budget or other limits, and nothing else.
    pub fn within(limits: impl Into<OptimiseLimits>, seed: u64) -> OptimiseSettings {
        OptimiseSettings {
            limits: limits.into(),
            deadline: None,
            cancel: None,
            seed,
            pool: None,
            order: None,
            planner: None,
            strategy: None,
            keep_chosen: false,
        }
    }
}

/// What best-first chose in an e-graph that held a better term, and whether the proof of it uses each.
pub type Used = Vec<(Chosen, bool)>;

/// Why an optimiser ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The first e-graph has all that the rules derive from the start: nothing they derive costs less,
    /// if the cost is that of a tree.
    Saturated,
    /// The same where equal parts count once, with a proof that nothing costs less.
    Proved,
    /// No term whatever costs less.
    Least,
    /// No smaller term has the values of the start, and the cost counts nodes.
    Smallest {
        /// How many classes of smaller terms were looked through.
        classes: u64,
        /// Whether terms of all operators of the sort were: if not, those that the start has, and those that say what an
        /// argument must be.
        of_all_operators: bool,
    },
    /// Nothing is left to start over from.
    Settled,
    /// The start alone has as many e-nodes as an e-graph may have, so no rule could add to it.
    Large,
    /// No better term came for so many times the work that found the best one.
    Patience,
    /// All of the work was spent.
    Work,
    /// The time was over.
    Time,
    /// Somebody asked to stop.
    Cancelled,
    /// Two different literals became equal: the rewrite system is not sound.
    Conflict,
    /// The first term that satisfies the sketch was all that was wanted, or ended a strategy.
    Reached,
    /// The strategy came to its end.
    Strategy,
    /// The strategy did not come to the goal of a phase, or no cost is known there.
    Lost,
    /// An e-graph of the strategy came to the cap, which ends it; or a proof to the memory that it may take beside an e-graph
    /// under the cap.
    Cap,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ended::Saturated => "saturated",
            Ended::Proved => "proved",
            Ended::Least => "least",
            Ended::Smallest { .. } => "smallest",
            Ended::Settled => "settled",
            Ended::Large => "large",
            Ended::Patience => "patience",
            Ended::Work => "work",
            Ended::Time => "time",
            Ended::Cancelled => "cancelled",
            Ended::Conflict => "conflict",
            Ended::Reached => "reached",
            Ended::Strategy => "strategy",
            Ended::Lost => "lost",
            Ended::Cap => "cap",
        })
    }
}

/// The best term at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Best {
    /// Work that was spent before it was found.
    pub work: u64,
    /// E-graphs that were grown before it was found.
    pub e_graphs: u64,
    /// The term.
    pub term: TermId,
    /// What it costs.
    pub cost: Cost,
}

/// What an optimiser found, and what it cost.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best terms, each better than the one before. The first is the start, if it satisfies the sketch and its cost
    /// is known.
    pub curve: Vec<Best>,
    /// One proof from the start to the last of them, accepted by the checker; none without any.
    pub proof: Option<Proof>,
    /// Why it ended.
    pub ended: Ended,
    /// What was spent.
    pub ledger: Ledger,
    /// By e-graph that held a better term: what was chosen, if it was to be kept.
    pub used: Vec<Used>,
}

impl Outcome {
    /// The best term.
    pub fn best(&self) -> Option<&Best> {
        self.curve.last()
    }
}
