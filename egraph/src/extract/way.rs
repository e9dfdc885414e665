//! Ways to extract: what the best term of a class is, by how its parts are counted. Whoever has one needs to know neither
//! how it is found nor which others there are.

use crate::extract::best::extract_best;
use crate::extract::dag::of_class::DagSearch;
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::rules::costs::function::{Cost, CostFunction};
use crate::term::bank::{TermBank, TermId};
use crate::term::sketch::Sketch;
use std::time::Duration;

/// Ways and places that the search for a DAG may look at, for each e-node that was built: extracting
/// should not take much longer than growing did.
const VISITS_PER_NODE: u64 = 512;

/// How the best term of a class is extracted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extraction {
    /// A part counts as often as it occurs. Exact.
    #[default]
    Tree,
    /// Equal parts count once.
    Shared {
        /// How long to try to prove that nothing in the class costs less. Not reproducible.
        exact_time: Option<Duration>,
    },
}

/// The best term of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extracted {
    /// The term.
    pub term: TermId,
    /// What it costs.
    pub cost: Cost,
    /// Whether it is certain that nothing in its class costs less.
    pub least: bool,
}

impl Extraction {
    /// The one in which equal parts count once if they are `shared`.
    ///
    /// # Errors
    /// A message: a proof is asked for that is not needed.
    pub fn new(shared: bool, exact_time: Option<Duration>) -> Result<Extraction, String> {
        match (shared, exact_time) {
            (true, exact_time) => Ok(Extraction::Shared { exact_time }),
            (false, None) => Ok(Extraction::Tree),
            (false, Some(_)) => {
                Err("exact_time: the best term is certain where equal parts count \
                                     each time: expected shared"
                    .to_owned())
            }
        }
    }

    /// Whether equal parts count once.
    pub fn is_shared(self) -> bool {
        matches!(self, Extraction::Shared { .. })
    }

    /// The same, with no proof that nothing costs less where that takes time.
    pub fn unproved(self) -> Extraction {
        match self {
            Extraction::Tree => Extraction::Tree,
            Extraction::Shared { .. } => Extraction::Shared { exact_time: None },
        }
    }

    /// Whether it goes with a cost.
    ///
    /// # Errors
    /// A message: it does not.
    pub fn check(self, cost: &CostFunction) -> Result<(), String> {
        match self.is_shared() && !cost.is_sum() {
            true => Err("depth is no cost where equal parts count once: expected sums".to_owned()),
            false => Ok(()),
        }
    }

    /// What a term costs, if that is known.
    pub fn cost_of(self, cost: &CostFunction, bank: &TermBank, term: TermId) -> Option<Cost> {
        match self {
            Extraction::Tree => cost.of_term(bank, term),
            Extraction::Shared { .. } => cost.of_dag(bank, term),
        }
    }

    /// The best term of a class that satisfies the sketch, if one has a known cost.
    pub fn best(
        self,
        egraph: &EGraph,
        bank: &mut TermBank,
        class: Id,
        sketch: &Sketch,
        cost: &CostFunction,
    ) -> Option<Extracted> {
        match self {
            Extraction::Tree => {
                let (term, cost) = extract_best(egraph, bank, class, sketch, cost)?;
                Some(Extracted { term, cost, least: true })
            }
            Extraction::Shared { exact_time } => {
                let mut search = DagSearch::new(egraph, class, sketch, cost)?;
                search.improve(egraph.built().saturating_mul(VISITS_PER_NODE));
                // Parts that satisfy different parts of a sketch are counted apart, though they may be equal.
                let exact_time = exact_time.filter(|_| *sketch == Sketch::Any);
                let least = exact_time.is_some_and(|time| search.prove(time));
                let (term, cost) = search.best(bank);
                Some(Extracted { term, cost, least })
            }
        }
    }
}
