//! Several walks at a time: the next e-graph of each is chosen before the others' last ones were seen, so all can grow at once.

use crate::search::prove::Search;
use crate::search::stage::{Ends, Stage};
use crate::search::walking::agenda::WALKS;
use crate::search::walking::begun::{Expansion, Grown, ToGrow};
use anyhow::Result;
use egraph::{SaturationConfig, StopReason, TermBank};

impl Search<'_> {
    /// Sees the e-graph of the walk whose turn it is, and begins that of its next pair.
    pub fn next_of_walks(&mut self) -> Result<bool> {
        (0..WALKS).for_each(|walk| self.walk_on(walk));
        let Some((walk, expansion)) = self.walks.take() else {
            return Ok(self.begin_again());
        };
        let Expansion { pair, grown, asking, of_question, .. } = expansion;
        let Grown { stage, advice } = grown.take()??;
        self.see(&stage)?;
        if !self.is_over() && stage.stop != StopReason::Conflict {
            let advice = match advice {
                Some((advice, bank)) => advice.import(self.bank, &bank),
                None => {
                    let asking = asking.after(&stage, self.bank, of_question);
                    asking.advice(self.source, &stage, self.bank)?
                }
            };
            self.take(advice, &stage, pair, walk)?;
            self.walk_on(walk);
        }
        Ok(true)
    }

    /// Begins the e-graph of the next pair of a walk that has none, if there are a pair and work.
    fn walk_on(&mut self, walk: usize) {
        while self.walks.is_free(walk) && self.left() > 0 {
            let Some(pair) = self.agenda.pop(walk) else { return };
            if !self.is_open(pair) {
                continue;
            }
            self.expanded.push(pair);
            let cap = self.cap_of(pair);
            let mut bank = TermBank::new(self.system.language.clone());
            let terms = pair.map(|term| bank.import(self.bank, term));
            let stage = Stage::of_terms(self.system, &bank, Ends::of(&terms));
            let config = self.saturation(self.in_turn(WALKS as u64), cap);
            let config = SaturationConfig { sides: stage.sides(&bank), ..config };
            let asking = self.asking(self.ledger.requests + self.walks.count());
            let of_question = [0, 1].map(|i| self.is_in_pool(i, pair[i]));
            let kept = self.left().min(cap.expected_nodes());
            let source = self.source.apart();
            let to_grow = ToGrow { stage, bank, pair, config, source, asking, of_question };
            let grown = self.crew.begin(|cancel| to_grow.grow(cancel));
            self.walks.begin(walk, Expansion { pair, grown, asking, of_question }, kept);
        }
    }
}
