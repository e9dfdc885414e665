//! A stage: one fresh e-graph grown from both sides of a question, until they meet.

use egraph::{
    EGraph, History, Id, Past, SaturationConfig, Sketch, StopReason, System, TermBank, TermId,
    saturate, sketch_satisfied,
};
use std::ops::ControlFlow;
use std::sync::Arc;

/// An e-graph that was grown from two sides. All terms of a side are known to be equal.
#[derive(Debug)]
pub struct Stage {
    /// The e-graph at the end.
    pub egraph: EGraph,
    /// What the e-graph was one iteration earlier, if asked for and if there was one.
    pub before: Option<Past>,
    /// The terms of the start's side.
    pub starts: Vec<TermId>,
    /// The terms of the target's side; may be empty.
    pub targets: Vec<TermId>,
    /// A term of each side, equal in the e-graph.
    pub met: Option<(TermId, TermId)>,
    /// Why growth ended.
    pub stop: StopReason,
}

/// The two sides of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The side of the start.
    Start,
    /// The side of the target.
    Target,
}

impl Stage {
    /// Grows a fresh e-graph from the terms of both sides until a term of one equals a term of
    /// the other, or `config` ends it. What it was an iteration before is kept on request.
    pub fn grow(
        system: &Arc<System>,
        bank: &TermBank,
        starts: &[TermId],
        targets: &[TermId],
        config: &SaturationConfig,
        keep_before: bool,
    ) -> Stage {
        let mut egraph = EGraph::new(system.clone());
        let start_ids: Vec<Id> = starts.iter().map(|&t| egraph.add_term(bank, t)).collect();
        let target_ids: Vec<Id> = targets.iter().map(|&t| egraph.add_term(bank, t)).collect();
        egraph.rebuild();
        let mut history = History::new(1);
        let report = saturate(&mut egraph, config, &mut |egraph, _| {
            if meeting(egraph, &start_ids, &target_ids).is_some() {
                return ControlFlow::Break(());
            }
            if keep_before {
                history.record(egraph);
            }
            ControlFlow::Continue(())
        });
        // Two different literals became equal: nothing in this e-graph says anything.
        let met = match report.stop {
            StopReason::Conflict => None,
            _ => meeting(&egraph, &start_ids, &target_ids).map(|(s, t)| (starts[s], targets[t])),
        };
        let before = history.earlier().map(|snapshot| Past::new(&egraph, snapshot));
        Stage {
            egraph,
            before,
            starts: starts.to_vec(),
            targets: targets.to_vec(),
            met,
            stop: report.stop,
        }
    }

    /// Grows a fresh e-graph from `starts` until a term equal to one of them satisfies `sketch`,
    /// or `config` ends it.
    pub fn grow_to_sketch(
        system: &Arc<System>,
        bank: &TermBank,
        starts: &[TermId],
        sketch: &Sketch,
        config: &SaturationConfig,
    ) -> Stage {
        let mut egraph = EGraph::new(system.clone());
        let ids: Vec<Id> = starts.iter().map(|&t| egraph.add_term(bank, t)).collect();
        let report = saturate(&mut egraph, config, &mut |egraph, _| {
            if ids.iter().any(|&id| sketch_satisfied(egraph, egraph.find(id), sketch)) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        Stage {
            egraph,
            before: None,
            starts: starts.to_vec(),
            targets: Vec::new(),
            met: None,
            stop: report.stop,
        }
    }

    /// The classes of a side, ascending and distinct.
    pub fn classes(&self, bank: &TermBank, side: Side) -> Vec<Id> {
        let class = |&term: &TermId| self.egraph.lookup(bank, term);
        let mut classes: Vec<Id> = self.terms(side).iter().filter_map(class).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }

    /// The terms of a side.
    pub fn terms(&self, side: Side) -> &[TermId] {
        match side {
            Side::Start => &self.starts,
            Side::Target => &self.targets,
        }
    }

    /// The term of `side` that `term` equals in this e-graph, if any.
    pub fn equal_to(&self, bank: &TermBank, side: Side, term: TermId) -> Option<TermId> {
        let class = self.egraph.lookup(bank, term)?;
        self.terms(side).iter().copied().find(|&t| self.egraph.lookup(bank, t) == Some(class))
    }

    /// Whether the last iteration of this stage found `term`: the e-graph before it did not
    /// represent the term on that side.
    pub fn is_frontier(&self, bank: &TermBank, side: Side, term: TermId) -> bool {
        self.before.as_ref().is_some_and(|before| {
            let class = |term| before.lookup(&self.egraph, bank, term);
            let found = class(term);
            found.is_none() || self.terms(side).iter().all(|&term| class(term) != found)
        })
    }
}

fn meeting(egraph: &EGraph, starts: &[Id], targets: &[Id]) -> Option<(usize, usize)> {
    starts.iter().enumerate().find_map(|(s, &start)| {
        let class = egraph.find(start);
        let t = targets.iter().position(|&target| egraph.find(target) == class)?;
        Some((s, t))
    })
}
