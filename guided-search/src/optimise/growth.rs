//! What an optimiser grows, one e-graph after the other, with the proofs that connect what they held and an
//! account of what was spent.

use crate::optimise::answer::{Best, Ended, Objective, OptimiseSettings, Outcome, Used};
use crate::optimise::begun::Step;
use crate::options::budget::Cap;
use crate::options::schedulers::Schedulers;
use crate::search::answer::checked;
use crate::search::budget::Ledger;
use crate::search::known::Known;
use crate::search::stage::{Ends, Stage};
use crate::search::walking::begun::Walks;
use anyhow::Result;
use egraph::{
    Cancel, Chosen, Cost, Proof, SaturationConfig, Scheduler, System, TermBank, TermId, normalise,
    used_matches,
};
use std::sync::Arc;
use std::time::Instant;
use support::Internal;

/// What was grown so far, and what came of it.
pub struct Growth<'a> {
    system: &'a Arc<System>,
    pub bank: &'a mut TermBank,
    settings: &'a OptimiseSettings,
    known: Known,
    /// The best terms so far, each better than the one before.
    pub curve: Vec<Best>,
    used: Vec<Used>,
    /// E-nodes of the start.
    start: u64,
    /// Work from which patience counts, if it is not that which found the best term.
    ready: u64,
    /// What walks have begun, for which work is kept.
    pub walks: Walks<Step>,
    pub ledger: Ledger,
}

impl<'a> Growth<'a> {
    pub fn new(
        system: &'a Arc<System>,
        bank: &'a mut TermBank,
        start: TermId,
        settings: &'a OptimiseSettings,
    ) -> Growth<'a> {
        let mut known = Known::default();
        known.add(start);
        let ledger = Ledger::default();
        let (curve, used) = (Vec::new(), Vec::new());
        let walks = Walks::default();
        let start = bank.subterms(start).len() as u64;
        Growth { system, bank, settings, known, curve, used, start, ready: 0, walks, ledger }
    }

    /// How to grow the next e-graph.
    pub fn config(&self, cap: Cap, scheduler: Scheduler) -> SaturationConfig {
        let OptimiseSettings { limits, deadline, cancel, pool, order, keep_chosen, .. } =
            self.settings;
        let left = self.left_to_grow();
        let config = limits.budget.saturation(cap, scheduler, left, *deadline);
        let (cancel, pool, order) = (cancel.clone(), pool.clone(), order.clone());
        SaturationConfig { cancel, pool, order, keep_chosen: *keep_chosen, ..config }
    }

    /// Grows a fresh e-graph from its ends until these or `config` end it, and books it.
    pub fn grow(&mut self, ends: Ends<'_>, config: &SaturationConfig) -> Stage {
        let stage = Stage::grow(self.system, self.bank, ends, config, true);
        self.book(&stage, self.bank.size(ends.starts[0]));
        stage
    }

    /// Books an e-graph of a term of so many nodes.
    pub fn book(&mut self, stage: &Stage, from: u64) {
        stage.rebased.iter().for_each(|before| self.ledger.book_rebased(before));
        self.ledger.book(&stage.egraph);
        let (e_nodes, work) = (stage.egraph.node_count(), self.ledger.work);
        tracing::debug!(from, e_nodes, work, "e-graph: {}", stage.stop);
    }

    /// Patience counts from now on: what was spent so far, on a normal form and guesses, was not spent on looking for
    /// better terms than these led to.
    pub fn be_patient(&mut self) {
        self.ready = self.ledger.work;
    }

    /// The work at which patience is over. It lasts for ever while there is no best term, and a strategy says itself
    /// when it is done.
    fn patient_until(&self) -> u64 {
        let OptimiseSettings { limits, strategy, .. } = self.settings;
        match self.curve.last() {
            Some(best) if strategy.is_none() => {
                limits.patience.end(best.work.max(self.ready), self.start)
            }
            _ => u64::MAX,
        }
    }

    /// The work that is left for e-graphs: what goes on for longer than patience lasts is not waited for.
    pub fn left_to_grow(&self) -> u64 {
        let patient = self.patient_until().saturating_sub(self.ledger.work);
        self.left().min(patient.saturating_sub(self.walks.kept()))
    }

    /// The work that is left, without that of e-graphs that were begun and not seen.
    pub fn left(&self) -> u64 {
        self.settings.limits.budget.left(&self.ledger).saturating_sub(self.walks.kept())
    }

    /// Keeps the proof that a stage has of a term being equal to another one.
    pub fn connect(&mut self, stage: &Stage, from: TermId, term: TermId) -> Result<()> {
        if !self.known.connected(from, term) {
            self.known.connect(stage.explain(self.bank, from, term)?);
        }
        Ok(())
    }

    /// Whether a term is known to equal the start.
    pub fn is_known(&self, term: TermId) -> bool {
        self.known.connected(self.known.terms()[0], term)
    }

    /// Keeps a proof between terms.
    pub fn connect_proof(&mut self, proof: Proof) {
        self.known.connect(proof);
    }

    /// The cap on each e-graph.
    pub fn cap(&self) -> Cap {
        self.settings.limits.budget.cap
    }

    /// The schedulers that have turns.
    pub fn schedulers(&self) -> Schedulers {
        self.settings.limits.budget.scheduler
    }

    /// The one that has the first turn.
    pub fn scheduler(&self) -> Scheduler {
        self.schedulers().in_turn().0
    }

    /// Writes down which of the matches that a stage chose the proof of a better term uses.
    pub fn learn_from(&mut self, stage: &Stage, from: TermId, term: TermId) -> Result<()> {
        if self.settings.keep_chosen && !stage.chosen.is_empty() {
            let used = used_matches(
                &stage.egraph,
                self.bank,
                stage.chosen.iter().map(Chosen::matched),
                from,
                term,
            )
            .ok_or_else(|| Internal::new("no explanation of what the e-graph holds"))?;
            self.used.push(stage.chosen.iter().cloned().zip(used).collect());
        }
        Ok(())
    }

    /// The normal form of a term, if the system has one and it is found, with the proof; each step of it is as
    /// much work as an e-node.
    pub fn normal_form(&mut self, term: TermId) -> Option<TermId> {
        let found = normalise(self.system, self.bank, term, self.left())?;
        self.ledger.work += found.steps;
        if !found.complete {
            return None;
        }
        if !self.known.connected(term, found.term) {
            self.known.connect(found.proof);
        }
        Some(found.term)
    }

    /// Writes down the best term.
    pub fn note(&mut self, term: TermId, cost: Cost) {
        let Ledger { work, e_graphs, .. } = self.ledger;
        self.curve.push(Best { work, e_graphs, term, cost });
    }

    /// Writes down a term if it is better than the best one; whether it is.
    pub fn note_if_better(&mut self, objective: &Objective, term: TermId) -> bool {
        let before = self.curve.last();
        let cost = objective.of_term(self.bank, term);
        let better = cost.filter(|cost| before.is_none_or(|best| *cost < best.cost));
        better.map(|cost| self.note(term, cost)).is_some()
    }

    /// Whether an e-graph has no room for more than the start, and nothing better was found.
    pub fn is_too_large(&self) -> bool {
        let no_room = matches!(self.cap(), Cap::Nodes(nodes) if self.start >= nodes as u64);
        no_room && self.curve.len() < 2
    }

    /// Why nothing more may be grown.
    pub fn over(&self) -> Option<Ended> {
        if self.settings.cancel.as_ref().is_some_and(Cancel::is_asked) {
            return Some(Ended::Cancelled);
        }
        if self.settings.deadline.is_some_and(|at| Instant::now() >= at) {
            return Some(Ended::Time);
        }
        if self.ledger.work >= self.settings.limits.budget.work {
            return Some(Ended::Work);
        }
        (self.ledger.work >= self.patient_until()).then_some(Ended::Patience)
    }

    /// The answer, with its proof.
    pub fn outcome(self, start: TermId, ended: Ended) -> Result<Outcome> {
        let proof = match self.curve.last() {
            None => None,
            Some(best) => {
                let mut path = self.known.path(start, best.term).unwrap_or_default();
                if path.is_empty() {
                    path.push(Proof::reflexive(start));
                }
                Some(checked(self.system, self.bank, path, [start, best.term])?)
            }
        };
        let Growth { curve, used, ledger, .. } = self;
        Ok(Outcome { curve, proof, ended, ledger, used })
    }
}
