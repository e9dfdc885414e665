//! The way of a plan: a sequence of sketches, each of which an e-graph of its own reaches.

use crate::search::prove::Search;
use crate::search::stage::{Ends, Stage};
use anyhow::Result;
use egraph::{Sketch, StopReason, TermId, extract_sketch};

impl Search<'_> {
    /// Goes the way of a plan: each e-graph is grown from the term before it, and ends in the
    /// iteration where its sketch first holds.
    pub fn follow_plan(&mut self) -> Result<()> {
        let [mut at, target] = self.question;
        let plan = self.source.plan().to_vec();
        for sketch in &plan {
            // Rules that only lead away from a term need it in the e-graph.
            let term = sketch.to_term(self.bank);
            let Some(reached) = self.reach(at, term, sketch)? else { return Ok(()) };
            at = reached;
        }
        if !plan.is_empty() {
            self.reach(at, Some(target), &Sketch::from_term(self.bank, target))?;
        }
        Ok(())
    }

    /// Grows an e-graph from a term until it has reached another one, or one of a shape, which it
    /// answers with.
    fn reach(
        &mut self,
        from: TermId,
        to: Option<TermId>,
        sketch: &Sketch,
    ) -> Result<Option<TermId>> {
        let (first, other) = self.settings.budget.scheduler.in_turn();
        for scheduler in [Some(first), other].into_iter().flatten() {
            if self.is_over() {
                return Ok(None);
            }
            let config = self.saturation(scheduler, self.settings.budget.cap);
            let until = if to.is_none() { Some(sketch) } else { None };
            let ends = Ends { targets: to.as_slice(), ..Ends::alone(&from, until) };
            let stage = Stage::grow(self.system, self.bank, ends, &config, false);
            self.book(&stage);
            if stage.stop == StopReason::Conflict {
                return Ok(None);
            }
            let class = stage.egraph.lookup(self.bank, from);
            let term = match to {
                Some(to) => stage.met.map(|_| to),
                None => class.and_then(|c| extract_sketch(&stage.egraph, self.bank, c, sketch)),
            };
            if let Some(term) = term {
                self.known.connect(stage.explain(self.bank, from, term)?);
                return Ok(Some(term));
            }
        }
        Ok(None)
    }
}
