//! The way of a plan: a sequence of sketches, each of which an e-graph of its own reaches.

use crate::search::prove::Search;
use crate::search::stage::{Ends, Stage};
use anyhow::Result;
use egraph::{Sketch, StopReason, TermId, extract_sketch};

/// Where an e-graph of a plan ends.
#[derive(Clone, Copy)]
enum Stop<'a> {
    Term(TermId),
    /// A term of this shape.
    Shape(&'a Sketch),
}

impl Search<'_> {
    /// Goes the way of a plan: each e-graph is grown from the term before it, and ends in the
    /// iteration where its sketch first holds.
    pub fn follow_plan(&mut self) -> Result<()> {
        let [mut at, target] = self.question;
        let plan = self.source.plan().to_vec();
        for sketch in &plan {
            // Rules that only lead away from a term need it in the e-graph.
            let to = match sketch.to_term(self.bank) {
                Some(term) => Stop::Term(term),
                None => Stop::Shape(sketch),
            };
            let Some(reached) = self.reach(at, to)? else { return Ok(()) };
            at = reached;
        }
        if !plan.is_empty() {
            self.reach(at, Stop::Term(target))?;
        }
        Ok(())
    }

    /// Grows an e-graph from a term until it has reached another one, or one of a shape, which it
    /// answers with.
    fn reach(&mut self, from: TermId, to: Stop<'_>) -> Result<Option<TermId>> {
        let (first, other) = self.settings.budget.scheduler.in_turn();
        for scheduler in [Some(first), other].into_iter().flatten() {
            if self.is_over() {
                return Ok(None);
            }
            let config = self.saturation(scheduler, self.settings.budget.cap);
            let ends = match &to {
                Stop::Term(to) => {
                    Ends { targets: std::slice::from_ref(to), ..Ends::alone(&from, None) }
                }
                Stop::Shape(sketch) => Ends::alone(&from, Some(sketch)),
            };
            let stage = Stage::grow(self.system, self.bank, ends, &config, false);
            self.book(&stage);
            if stage.stop == StopReason::Conflict {
                return Ok(None);
            }
            let class = stage.egraph.lookup(self.bank, from);
            let term = match to {
                Stop::Term(to) => stage.met.map(|_| to),
                Stop::Shape(sketch) => {
                    class.and_then(|c| extract_sketch(&stage.egraph, self.bank, c, sketch))
                }
            };
            if let Some(term) = term {
                self.known.connect(stage.explain(self.bank, from, term)?);
                return Ok(Some(term));
            }
        }
        Ok(None)
    }
}
