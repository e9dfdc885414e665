//! An e-graph of a question that goes on growing from where it stopped, so that no e-node is built twice.

use crate::search::stage::{Earlier, Ends, Stage, meeting, opposition};
use egraph::{Id, SaturationConfig, StopReason, System, TermBank, saturate};
use std::ops::ControlFlow;
use std::sync::Arc;

/// An e-graph of both terms of a question.
#[derive(Debug)]
pub struct Growing {
    /// The e-graph, as it is now.
    pub stage: Stage,
    /// Whether growing further is of no use.
    pub is_over: bool,
    /// E-nodes that were counted as work.
    counted: u64,
}

impl Growing {
    /// The e-graph of the terms alone.
    pub fn new(system: &Arc<System>, bank: &TermBank, ends: Ends<'_>) -> Growing {
        Growing { stage: Stage::of_terms(system, bank, ends), is_over: false, counted: 0 }
    }

    /// A copy, to be grown otherwise.
    pub fn fork(&self) -> Growing {
        Growing { stage: self.stage.fork(), ..*self }
    }

    /// E-nodes that it has built.
    pub fn built(&self) -> u64 {
        self.stage.egraph.built()
    }

    /// E-nodes that it has built and that were not counted as work so far.
    pub fn count(&mut self) -> u64 {
        let new = self.built() - self.counted;
        self.counted = self.built();
        new
    }

    /// Grows until the terms meet, or equal different literals, or after the iteration that has built `mark` e-nodes in
    /// all, or as `config` says. What it was an iteration before is kept on request.
    pub fn go_on(
        &mut self,
        bank: &TermBank,
        config: SaturationConfig,
        mark: u64,
        keep_before: bool,
    ) {
        let stage = &mut self.stage;
        let ids = |terms: &[_]| -> Vec<Id> {
            terms.iter().filter_map(|&term| stage.egraph.lookup(bank, term)).collect()
        };
        let sides = [ids(&stage.starts), ids(&stage.targets)];
        let config = SaturationConfig { go_on: true, sides: sides.clone(), ..config };
        let mut past = Earlier::new(&config, keep_before);
        let built = stage.egraph.built();
        let [starts, targets] = &sides;
        let report = saturate(&mut stage.egraph, &config, &mut |egraph, _| {
            let over = meeting(egraph, starts, targets).is_some()
                || opposition(egraph, starts, targets).is_some();
            past.see(egraph, over);
            match over || egraph.built() >= mark {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        stage.stop = report.stop;
        // Two different literals became equal: nothing in this e-graph says anything.
        if stage.stop != StopReason::Conflict {
            let terms = |(s, t): (usize, usize)| (stage.starts[s], stage.targets[t]);
            stage.met = meeting(&stage.egraph, starts, targets).map(terms);
            stage.opposed = opposition(&stage.egraph, starts, targets).map(terms);
        }
        stage.before = past.of(&stage.egraph);
        self.is_over = match stage.stop {
            StopReason::Goal => false,
            StopReason::Nodes | StopReason::Memory => stage.egraph.built() == built,
            // Its classes have more combinations than can be gone through, again in each turn.
            _ => true,
        };
    }
}
