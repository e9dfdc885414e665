//! Starting over from what e-graphs left: one walk, or several that go on in turn, so that their e-graphs can grow at the same
//! time.

use crate::optimise::expansion::{Expanded, Left};
use crate::optimise::in_turns::leave_matches_out;
use crate::optimise::run::{Found, Optimiser};
use crate::search::walking::agenda::WALKS;
use anyhow::Result;
use egraph::{Import, TermId};

/// E-graphs of the first walk before others begin beside it: a search that is short comes farther in one walk.
const ALONE: u64 = 8;

impl Optimiser<'_> {
    /// Starts over from one term after the other that e-graphs left, until one leads to a better one.
    pub(super) fn walk(&mut self) -> Result<Found> {
        loop {
            if let Some(ended) = self.run.over() {
                return Ok(Found::Over(ended));
            }
            let is_alone = self.walked < ALONE && !self.agenda.has_begun_anew();
            let walks = if is_alone { 1 } else { WALKS };
            (0..walks).for_each(|walk| self.walk_on(walk, walks));
            let Some((walk, step)) = self.run.walks.take() else { return Ok(Found::Nothing) };
            let expanded = step.take()?;
            let found = self.see(&expanded)?;
            if !matches!(found, Found::Nothing) {
                return Ok(found);
            }
            self.leave(walk, &expanded)?;
        }
    }

    /// Begins the e-graph of the next term of a walk that has none, if there are a term and work; of so many walks.
    fn walk_on(&mut self, walk: usize, walks: usize) {
        let cap = self.run.cap().of_expansion();
        let (first, other) = self.settings.limits.budget.scheduler.in_turn();
        while self.run.walks.is_free(walk) && self.run.left_to_grow() > 0 {
            let Some(at) = self.agenda.pop(walk) else { return };
            if !self.expanded.insert(at) {
                continue;
            }
            let e_graphs = self.run.ledger.e_graphs;
            let is_first = (e_graphs / walks as u64).is_multiple_of(2);
            let turn = if is_first { None } else { other };
            let mut config = self.run.config(cap, turn.unwrap_or(first));
            leave_matches_out(&mut config);
            self.share_threads(&mut config, walks == 1);
            let kept = self.run.left_to_grow().min(cap.expected_nodes());
            let number = e_graphs + self.run.walks.count() + 1;
            let step = self.begin(at, config, Some(number));
            self.walked += 1;
            self.run.walks.begin(walk, step, kept);
        }
    }

    /// Keeps what an e-graph of a walk left, to go on from.
    pub(super) fn leave(&mut self, walk: usize, expanded: &Expanded) -> Result<()> {
        let Some(Left { terms, smallest }) = &expanded.left else { return Ok(()) };
        self.smallest = self.smallest.min(*smallest);
        let mut import = Import::new(&expanded.bank);
        let mut next: Vec<TermId> =
            terms.iter().map(|&term| import.term(self.run.bank, term)).collect();
        next.retain(|term| !self.expanded.contains(term));
        for &term in &next {
            // The proof is found now: the e-graph will be gone.
            self.run.connect(&expanded.stage, expanded.at, term)?;
        }
        self.left |= !next.is_empty();
        self.agenda.push(walk, next);
        Ok(())
    }
}
