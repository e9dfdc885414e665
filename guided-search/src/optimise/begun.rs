//! E-graphs that an optimiser has begun and not seen.

use crate::optimise::expansion::Expanded;
use crate::search::walking::ahead::Ahead;
use egraph::{Limits, Scheduler, TermId};

/// The e-graph of a term that a walk came to, which somebody may be growing.
pub type Step = Ahead<Expanded>;

/// An e-graph of a term: all that it depends on, but for the clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The term.
    pub at: TermId,
    /// How it grows.
    pub scheduler: Scheduler,
    /// And how far.
    pub limits: Limits,
    /// Whether a term that satisfies the goal ends growth.
    pub until_goal: bool,
}

/// E-graphs that were begun before their turn.
#[derive(Default)]
pub struct Early(Vec<(Turn, Ahead<Expanded>)>);

impl Early {
    /// Forgets all but those of these turns.
    pub fn keep_to<T>(&mut self, turns: &[(Turn, T)]) {
        self.0.retain(|(begun, _)| turns.iter().any(|(turn, _)| turn == begun));
    }

    /// Keeps one.
    pub fn keep(&mut self, turn: Turn, begun: Ahead<Expanded>) {
        self.0.push((turn, begun));
    }

    /// Whether an e-graph was begun.
    pub fn has(&self, turn: &Turn) -> bool {
        self.0.iter().any(|(begun, _)| begun == turn)
    }

    /// Takes it, if it was.
    pub fn take(&mut self, turn: &Turn) -> Option<Ahead<Expanded>> {
        let place = self.0.iter().position(|(begun, _)| begun == turn)?;
        Some(self.0.remove(place).1)
    }
}
