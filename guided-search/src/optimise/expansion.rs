//! The e-graph of one term: what of it is better, and where a walk may go on. It is grown apart from everything else, so
//! that somebody may do it ahead.

use crate::optimise::answer::Objective;
use crate::options::prove::SLACK;
use crate::search::frontier_terms;
use crate::search::randomness::stream;
use crate::search::stage::{Ends, Side, Stage};
use egraph::{
    Cancel, Cost, Extracted, SaturationConfig, StopReason, System, TermBank, TermId,
    extract_smallest,
};
use std::sync::Arc;

/// Frontier terms that an e-graph is asked for.
const DRAWN: usize = 10;

/// What is grown from a term, and what is asked of it. What comes of it depends on nothing else.
pub struct ToExpand {
    pub system: Arc<System>,
    pub objective: Arc<Objective>,
    /// The term, of the optimiser's bank.
    pub at: TermId,
    /// The same one in a bank of its own.
    pub apart: (TermBank, TermId),
    pub config: SaturationConfig,
    /// Whether a term that satisfies the goal ends growth.
    pub until_goal: bool,
    /// Whether all that can be derived from this term can be derived from the start: it is that.
    pub is_start: bool,
    /// Where to go on from it if it holds nothing that costs less than this, if that is asked.
    pub leaving: Option<(Leaving, Option<Cost>)>,
}

/// What became of a term.
pub struct Expanded {
    /// The term, of the optimiser's bank.
    pub at: TermId,
    /// Its e-graph. The start, and all else, is of a bank of its own.
    pub stage: Stage,
    /// Whether it has all that the rules derive from the start.
    pub is_whole: bool,
    /// The best of what it holds.
    pub best: Option<Extracted>,
    /// Where to go on, if that was asked and it holds nothing better.
    pub left: Option<Left>,
    pub bank: TermBank,
}

/// Terms that an e-graph leaves, and the size of its smallest one.
pub struct Left {
    pub terms: Vec<TermId>,
    pub smallest: u64,
}

/// Which frontier terms are left.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// Nodes of the start.
    pub start: u64,
    /// Of the best term, if there is one.
    pub best: Option<u64>,
    /// Of the smallest term found.
    pub smallest: u64,
    /// What a term that satisfies the goal has at least.
    pub least: u64,
    /// Tells this e-graph from others.
    pub number: u64,
    pub seed: u64,
}

impl ToExpand {
    /// Grows the e-graph, and looks at what it holds.
    pub fn expand(self, cancel: Cancel) -> Expanded {
        let ToExpand { system, objective, at, apart: (mut bank, term), config, .. } = self;
        let config = SaturationConfig { cancel: Some(cancel), ..config };
        let ends = Ends::alone(&term, self.until_goal.then_some(&objective.sketch));
        let stage = Stage::grow(&system, &mut bank, ends, &config, true);
        let is_whole = self.is_start && stage.stop == StopReason::Saturated;
        let is_sound = stage.stop != StopReason::Conflict;
        let best = if is_sound { objective.extract(&stage, &mut bank, is_whole) } else { None };
        let is_better = |than: &Option<Cost>| {
            best.as_ref().is_some_and(|best| than.as_ref().is_none_or(|than| best.cost < *than))
        };
        let leaving = self.leaving.filter(|(_, than)| is_sound && !is_whole && !is_better(than));
        let left = leaving.map(|(leaving, _)| leaving.draw(&stage, &mut bank));
        Expanded { at, stage, is_whole, best, left, bank }
    }
}

impl Leaving {
    /// Draws frontier terms of a stage.
    pub fn draw(mut self, stage: &Stage, bank: &mut TermBank) -> Left {
        if let Some(class) = stage.egraph.lookup(bank, stage.starts[0]) {
            let smallest = extract_smallest(&stage.egraph, bank, class);
            self.smallest = self.smallest.min(bank.size(smallest));
        }
        let mut rng = stream(self.seed, 0, self.number, 3);
        let limits = self.limits();
        let terms = frontier_terms::sample_first(stage, bank, Side::Start, limits, DRAWN, &mut rng);
        Left { terms, smallest: self.smallest }
    }

    /// Nodes of the terms, and of larger ones if there are none.
    fn limits(&self) -> [u64; 3] {
        let &Leaving { start, best, smallest, least, number, .. } = self;
        // As trees, terms that share their parts may be larger than can be counted.
        let (more, twice) = (u64::saturating_add, |size: u64| size.saturating_mul(2));
        match best {
            Some(best) => {
                let near = best.max(smallest);
                [more(near, SLACK), more(near, 5 * SLACK), twice(near.max(start))]
            }
            // The way to a goal may lead through small terms or through large ones.
            None if !number.is_multiple_of(2) => {
                [more(smallest, SLACK), more(smallest, 5 * SLACK), twice(start)]
            }
            None => {
                let near = least.max(start);
                [more(near, 5 * SLACK), twice(near), twice(twice(near))]
            }
        }
    }
}
