//! Starting over: a fresh e-graph, grown from the best term of each class that the old one was grown from, with the
//! proof that nothing else was changed (Thomas et al., *Automatic Generation of Vectorizing Compilers for Customizable
//! Digital Signal Processors*, ASPLOS 2024, prunes so; Koehler et al., *Guided Equality Saturation*, POPL 2024, goes from
//! sketch to sketch so).

use crate::extract::best::extract_best;
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::proof::dag::Proof;
use crate::proof::explain::explain;
use crate::rules::costs::declared::DEFAULT;
use crate::rules::costs::function::{Cost, CostFunction};
use crate::rules::schedule::Rebase;
use crate::saturation::report::Rebased;
use crate::saturation::run::{Run, Waits};
use crate::saturation::scheduler::Bans;
use crate::stop::StopReason;
use crate::term::bank::{TermBank, TermId};
use crate::term::sketch::Sketch;
use std::ops::ControlFlow;

/// A term of a class, and why it equals the one that the class was grown from.
struct Moved {
    term: TermId,
    proof: Proof,
    cost: Cost,
    /// Whether it is better.
    better: bool,
}

impl Run<'_> {
    /// Starts over.
    pub(super) fn rebase(&mut self, rebase: &Rebase) -> ControlFlow<StopReason, Waits> {
        match self.try_rebase(rebase) {
            Some(()) => ControlFlow::Continue(None),
            None => ControlFlow::Break(StopReason::Lost),
        }
    }

    fn try_rebase(&mut self, rebase: &Rebase) -> Option<()> {
        let (bank, terms) = self.from.as_mut()?;
        let named = |names: &str| CostFunction::named(&self.system, names).ok();
        let cost = match (&rebase.cost, &self.config.cost) {
            (Some(names), _) => named(names)?,
            (None, Some(cost)) => cost.clone(),
            (None, None) => named(DEFAULT)?,
        };
        let mut fresh = EGraph::new(self.egraph.system().clone());
        let mut sides = [Vec::new(), Vec::new()];
        let mut proofs = [Vec::new(), Vec::new()];
        let (mut first, mut better) = (None, false);
        for side in 0..2 {
            for (&root, term) in self.sides[side].iter().zip(&mut terms[side]) {
                let goal = if first.is_none() { &rebase.goal } else { &Sketch::Any };
                let moved = best(self.egraph, bank, (root, *term), goal, &cost)?;
                *term = moved.term;
                better |= moved.better;
                sides[side].push(fresh.add_term(bank, moved.term));
                proofs[side].push(moved.proof);
                first.get_or_insert(moved.cost);
            }
        }
        let (built, bytes) = (self.egraph.built(), self.egraph.heap_bytes());
        self.rebased.push(Rebased { proofs, cost: first?, built, bytes });
        self.sides = sides;
        *self.egraph = fresh;
        self.forget_matches();
        self.bans.iter_mut().for_each(Bans::forget);
        self.unsettled = true;
        self.done.rebases += 1;
        if better {
            self.done.better += 1;
            self.visits = 0;
        }
        self.egraph.rebuild();
        Some(())
    }
}

/// The best term of the class of a root that satisfies a sketch; the one it was grown from where nothing is better.
fn best(
    egraph: &EGraph,
    bank: &mut TermBank,
    (root, start): (Id, TermId),
    goal: &Sketch,
    cost: &CostFunction,
) -> Option<Moved> {
    let (term, least) = extract_best(egraph, bank, egraph.find(root), goal, cost)?;
    let before = cost.of_term(bank, start).filter(|_| goal.accepts(bank, start));
    let better = before.is_none_or(|before| least < before);
    let term = if better { term } else { start };
    let proof = explain(egraph, bank, start, term)?;
    Some(Moved { term, proof, cost: least, better })
}
