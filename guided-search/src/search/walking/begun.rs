//! What the walks of a search have begun and the search has not seen.

use crate::search::advice::{Advice, Asking};
use crate::search::guide_source::GuideSource;
use crate::search::stage::Stage;
use crate::search::walking::agenda::{Pair, WALKS};
use crate::search::walking::ahead::Ahead;
use anyhow::Result;
use egraph::{Cancel, SaturationConfig, StopReason, TermBank};

/// The walks of a search.
pub struct Walks<E> {
    /// Whose turn it is.
    next: usize,
    /// By walk: the e-graph that was begun and not seen, and the work that is kept for it.
    growing: [Option<(E, u64)>; WALKS],
}

impl<E> Default for Walks<E> {
    fn default() -> Walks<E> {
        Walks { next: 0, growing: std::array::from_fn(|_| None) }
    }
}

impl<E> Walks<E> {
    /// Work that is kept for what was begun.
    pub fn kept(&self) -> u64 {
        self.growing.iter().flatten().map(|&(_, kept)| kept).sum()
    }

    /// Whether a walk has nothing that was begun.
    pub fn is_free(&self, walk: usize) -> bool {
        self.growing[walk].is_none()
    }

    /// How many e-graphs were begun and not seen.
    pub fn count(&self) -> u64 {
        self.growing.iter().flatten().count() as u64
    }

    /// Keeps what a walk has begun, and the work for it.
    pub fn begin(&mut self, walk: usize, begun: E, kept: u64) {
        self.growing[walk] = Some((begun, kept));
    }

    /// The walk whose e-graph is seen next, and that.
    pub fn take(&mut self) -> Option<(usize, E)> {
        let mut turns = (0..WALKS).map(|i| (self.next + i) % WALKS);
        let walk = turns.find(|&walk| self.growing[walk].is_some())?;
        self.next = (walk + 1) % WALKS;
        Some((walk, self.growing[walk].take()?.0))
    }
}

/// The e-graph of a pair, which somebody may be growing.
pub struct Expansion {
    /// The pair.
    pub pair: Pair,
    /// Its e-graph, and what is said of it.
    pub grown: Ahead<Result<Grown>>,
    /// What a request says.
    pub asking: Asking,
    /// Whether each of its terms was known to equal that end of the question.
    pub of_question: [bool; 2],
}

/// What became of a pair.
pub struct Grown {
    /// Its e-graph.
    pub stage: Stage,
    /// What the source says of it, of terms of this bank, if it could be asked there.
    pub advice: Option<(Advice, TermBank)>,
}

/// How the e-graph of a pair grows, and who is asked of it. What comes of it depends on nothing else.
pub struct ToGrow {
    /// The e-graph of the pair alone.
    pub stage: Stage,
    /// The terms that the stage names.
    pub bank: TermBank,
    /// The pair, of terms of the search.
    pub pair: Pair,
    /// How it grows.
    pub config: SaturationConfig,
    /// Who is asked, if that can be done apart from the search.
    pub source: Option<Box<dyn GuideSource + Send>>,
    /// What a request says.
    pub asking: Asking,
    /// Whether each term of the pair is known to equal that end of the question.
    pub of_question: [bool; 2],
}

impl ToGrow {
    /// Grows it and asks, unless that ends the search.
    ///
    /// # Errors
    /// Those of the source.
    pub fn grow(self, cancel: Cancel) -> Result<Grown> {
        let ToGrow { mut stage, mut bank, pair, config, source, asking, of_question } = self;
        stage.go_on(&SaturationConfig { cancel: Some(cancel), ..config }, u64::MAX, true);
        let is_open = stage.met.is_none() && stage.opposed.is_none();
        let is_asked = is_open && stage.stop != StopReason::Conflict;
        let advice = match source.filter(|_| is_asked) {
            Some(mut source) => {
                let asking = asking.after(&stage, &mut bank, of_question);
                Some((asking.advice(source.as_mut(), &stage, &mut bank)?, bank))
            }
            None => None,
        };
        Ok(Grown { stage: stage.of_pair(pair), advice })
    }
}
