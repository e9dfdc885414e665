//! Whether a part of a schedule came to its goal, and whether it changed anything.

use crate::extract::satisfied::sketch_satisfied;
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::rules::schedule::Goal;
use crate::term::bank::{TermBank, TermId};
use crate::term::sketch::Sketch;

/// How often a run has changed something. What a part of it has changed is the difference.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    /// Iterations that changed the e-graph.
    pub changes: u64,
    /// Fresh e-graphs.
    pub rebases: u64,
    /// Those of them that begin with a better term.
    pub better: u64,
}

impl Done {
    /// Whether something changed since then. Where an e-graph was started over, what happened in it is gone: what counts
    /// is the terms.
    pub fn changed_since(self, before: Done) -> bool {
        match self.rebases > before.rebases {
            true => self.better > before.better,
            false => self.changes > before.changes,
        }
    }
}

/// A goal, as it is looked for.
pub(super) enum Sought {
    /// Terms of a bank.
    Equal(TermBank, [TermId; 2]),
    /// Of the first class that the e-graph was grown from.
    Satisfied(Sketch),
}

impl Sought {
    pub fn new(goal: &Goal, egraph: &EGraph) -> Option<Sought> {
        match goal {
            Goal::Equal([left, right]) => {
                let mut bank = TermBank::new(egraph.system().language.clone());
                let terms = [left.to_term(&mut bank)?, right.to_term(&mut bank)?];
                Some(Sought::Equal(bank, terms))
            }
            Goal::Satisfied(sketch) => Some(Sought::Satisfied(sketch.clone())),
        }
    }

    pub fn holds(&self, egraph: &EGraph, sides: &[Vec<Id>; 2]) -> bool {
        match self {
            Sought::Equal(bank, terms) => {
                let [left, right] = terms.map(|term| egraph.lookup(bank, term));
                left.is_some() && left == right
            }
            Sought::Satisfied(sketch) => {
                let class = sides.iter().flatten().next();
                class.is_some_and(|&class| sketch_satisfied(egraph, egraph.find(class), sketch))
            }
        }
    }
}
