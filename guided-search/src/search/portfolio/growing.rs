//! An e-graph of a question that goes on growing from where it stopped, so that no e-node is built twice.

use crate::search::stage::{Ends, Stage};
use egraph::{Cancel, SaturationConfig, StopReason, System, TermBank};
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

/// How an e-graph grows next. What comes of it depends on nothing else.
#[derive(Debug)]
pub struct Turn {
    config: SaturationConfig,
    mark: u64,
    keep_before: bool,
}

impl Turn {
    /// The same, and ended early when this asks.
    pub fn with_cancel(mut self, cancel: Cancel) -> Turn {
        self.config.cancel = Some(cancel);
        self
    }
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

    /// A turn: as `config` says, until the iteration that has built `mark` e-nodes in all. What it was an iteration before is
    /// kept on request.
    pub fn turn(
        &self,
        bank: &TermBank,
        config: SaturationConfig,
        mark: u64,
        keep_before: bool,
    ) -> Turn {
        let config = SaturationConfig { go_on: true, sides: self.stage.sides(bank), ..config };
        Turn { config, mark, keep_before }
    }

    /// Grows until the terms meet, or equal different literals, or the turn is over.
    pub fn go_on(mut self, turn: Turn) -> Growing {
        let Turn { config, mark, keep_before } = turn;
        let built = self.built();
        self.stage.go_on(&config, mark, keep_before);
        self.is_over = match self.stage.stop {
            StopReason::Goal => false,
            StopReason::Nodes | StopReason::Memory => self.built() == built,
            // Its classes have more combinations than can be gone through, again in each turn.
            _ => true,
        };
        self
    }
}
