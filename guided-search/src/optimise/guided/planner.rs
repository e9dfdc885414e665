//! Who says which terms may come next on the way to a goal, and the goals that it can be asked for.

use anyhow::Result;
use egraph::{Sketch, TermBank, TermId};
use std::fmt;

/// Says which terms may come next. It is not trusted: what no e-graph reaches is not gone to.
pub trait Planner: Send + Sync + fmt::Debug {
    /// Terms of at most `most` nodes that may come next on the way from a term to another, or that it may become
    /// at once where both are the same; the most promising first, which counts where they look equally near to the goal.
    /// Other ones, perhaps, for another `number`.
    ///
    /// # Errors
    /// A fault of the planner; to have no answer is none.
    fn next(
        &self,
        bank: &mut TermBank,
        from: TermId,
        to: TermId,
        most: u64,
        number: u64,
    ) -> Result<Vec<TermId>>;
}

/// A term to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The term.
    pub term: TermId,
    /// Whether a term that contains it is enough.
    pub inside: bool,
}

impl Goal {
    /// What a planner can be asked for: a term, or `(contains t)` with a term. `None` for other sketches.
    pub fn of(sketch: &Sketch, bank: &mut TermBank) -> Option<Goal> {
        match sketch {
            Sketch::Contains(inner) => inner.to_term(bank).map(|term| Goal { term, inside: true }),
            _ => sketch.to_term(bank).map(|term| Goal { term, inside: false }),
        }
    }

    /// The sketch of a term that is as good as the goal.
    pub fn sketch(self, bank: &TermBank, term: TermId) -> Sketch {
        let exact = Sketch::from_term(bank, term);
        if self.inside { Sketch::Contains(Box::new(exact)) } else { exact }
    }
}
