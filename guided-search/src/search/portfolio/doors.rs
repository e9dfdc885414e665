//! What those who work beside a search do to it.

use crate::search::prove::{Next, Search};
use crate::search::stage::Stage;
use crate::search::walking::agenda::Pair;
use anyhow::Result;
use egraph::{Proof, StopReason};

impl Search<'_> {
    /// Books what an e-graph of the question that goes on growing has built since it was booked last, if it ever was.
    pub fn book_growth(&mut self, stage: &Stage, built: u64, is_new: bool) {
        self.ledger.work += built;
        self.ledger.e_graphs += u64::from(is_new);
        self.ledger.peak_bytes = self.ledger.peak_bytes.max(stage.egraph.heap_bytes() as u64);
        if matches!(stage.stop, StopReason::Saturated | StopReason::Conflict) {
            self.first_stop = Some(stage.stop);
        }
    }

    /// Takes the e-graph that somebody else grew for that of the question, and asks for what comes next.
    pub fn ask_question(&mut self, stage: &Stage) -> Result<()> {
        self.next = Next::Pair;
        self.ask(stage, self.question, 0)
    }

    /// Keeps a proof from a side to another term.
    pub fn know(&mut self, side: usize, proof: Proof) {
        let end = proof.end();
        self.smallest[side] = self.smallest[side].min(self.bank.size(end));
        if self.bank.literal(end).is_some() {
            self.literals[side].get_or_insert(end);
        }
        self.known.connect(proof);
    }

    /// Expands a pair now, and then asks what comes next.
    pub fn expand_first(&mut self, pair: Pair) -> Result<()> {
        let (first, other) = self.settings.budget.scheduler.in_turn();
        if self.is_over() || self.expanded.contains(&pair) {
            return Ok(());
        }
        self.expanded.push(pair);
        let stop = self.first_stop;
        let mut stage = self.expand(pair, first)?;
        if let Some(other) = other.filter(|_| !self.is_over()) {
            stage = self.expand(pair, other)?;
        }
        // How far it comes says nothing of the e-graph of the question, but for a conflict.
        let conflict = self.first_stop.filter(|&stop| stop == StopReason::Conflict);
        self.first_stop = stop.or(conflict);
        self.ask(&stage, pair, 0)
    }
}
