//! Guided search: from a start to a target through small, fresh e-graphs, with one checked proof.
//!
//! A plan, if the source has one, is followed first. Then the question is put to one e-graph under
//! the cap. If that fails, an any-time search goes on under one account of work: what is known to equal
//! the start is one pool of terms, what equals the target the other. Each expansion is one fresh
//! e-graph grown from a term of each. The source of guides then says which terms of the e-graph should
//! join the pools, and the best pairs of them are expanded next. What it proposes without knowing whether
//! it can be reached is looked up in every e-graph, and joins a pool where it is found.
//!
//! After some pairs several walks from pair to pair go on in turn. The e-graph of the next pair of each, and what the source
//! says of it, is work [ahead](crate::search::walking::ahead): it was chosen before the other walks' last e-graphs were seen, so
//! all can be done at once.
//!
//! Where both sides turn out to equal literals, and different ones, that is said, with both proofs.

use crate::options::budget::{Budget, Cap};
use crate::options::prove::SearchSettings;
use crate::search::advice::{Advice, Asking};
use crate::search::answer::{Answer, Failure, Question, checked};
use crate::search::budget::Ledger;
use crate::search::guide_source::{GuideSource, Proposal, Waypoint};
use crate::search::known::Known;
use crate::search::randomness::stream;
use crate::search::stage::{Ends, Stage, bounded};
use crate::search::walking::agenda::{Agenda, Pair, ranked};
use crate::search::walking::ahead::Crew;
use crate::search::walking::begun::{Expansion, Walks};
use anyhow::Result;
use egraph::{
    Cancel, Id, MatchOrder, Proof, SaturationConfig, Scheduler, Sketch, StopReason, System,
    TermBank, TermId, extract_sketch, extract_smallest,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::Instant;

/// Pairs that the first walk expands before another one begins beside it.
const ALONE: usize = 8;

/// Proves that the two ends of a question are equal, with the guides of `source`.
///
/// # Errors
/// A fault of the source, or [`Internal`](support::Internal) when a proof is refused by the checker.
pub fn prove(
    system: &Arc<System>,
    bank: &mut TermBank,
    question: Question<'_>,
    source: &mut dyn GuideSource,
    settings: &SearchSettings,
) -> Result<Answer> {
    let mut search = Search::new(system, bank, question, source, settings);
    let bounds = settings.budget.bounds(question.deadline, question.cancel);
    let ended = bounded(&bounds, || {
        search.follow_plan()?;
        while !search.is_over() && search.step()? {}
        Ok(())
    })?;
    search.answer(ended.err())
}

/// The size that guides may have: as the waypoints of a far chain, twice the start's, and never less
/// than the target's.
pub(super) fn guide_size(start: u64, target: u64) -> u64 {
    start.saturating_mul(2).max(target)
}

/// A search, an e-graph at a time.
pub(in crate::search) struct Search<'a> {
    pub(super) system: &'a Arc<System>,
    pub(super) bank: &'a mut TermBank,
    pub(super) source: &'a mut dyn GuideSource,
    pub(super) settings: &'a SearchSettings,
    pub(super) question: Pair,
    /// Tells its random choices from those of other questions.
    number: u64,
    deadline: Option<Instant>,
    cancel: Option<&'a Cancel>,
    max_size: u64,
    pub(super) known: Known,
    pub(super) smallest: [u64; 2],
    /// The literals that the sides are known to equal.
    pub(super) literals: [Option<TermId>; 2],
    /// What was proposed and is no term: looked up in every e-graph.
    sketches: Vec<Sketch>,
    /// Which matches are promising to the source.
    order: Option<Arc<dyn MatchOrder>>,
    pub(super) crew: Crew,
    pub(super) agenda: Agenda<Pair>,
    pub(super) walks: Walks<Expansion>,
    /// Pairs that had an e-graph of their own, in that order.
    pub(super) expanded: Vec<Pair>,
    /// The cap on the e-graph of an expansion.
    expansion: Cap,
    pub ledger: Ledger,
    pub(super) first_stop: Option<StopReason>,
    pub(super) next: Next,
}

/// What a search does next, an e-graph at a time.
#[derive(Debug)]
pub(super) enum Next {
    /// It puts the question to an e-graph grown as this scheduler says, and then the other one.
    Question(Scheduler, Option<Scheduler>),
    /// It expands a pair of the agenda.
    Pair,
    /// The last that can be done, when nothing is left to expand: the whole cap for either term of a pair, which what
    /// leads from the one to the other may need.
    Alone {
        /// Those that are left, the next one last, each with the other one of its pair.
        left: Vec<Pair>,
        /// Those that had it.
        grown: FxHashSet<TermId>,
    },
}

impl<'a> Search<'a> {
    /// A search that has done nothing yet.
    pub fn new(
        system: &'a Arc<System>,
        bank: &'a mut TermBank,
        question: Question<'a>,
        source: &'a mut dyn GuideSource,
        settings: &'a SearchSettings,
    ) -> Search<'a> {
        let mut known = Known::default();
        known.add(question.ends[0]);
        known.add(question.ends[1]);
        let [start, target] = question.ends.map(|end| bank.size(end));
        let (first, other) = settings.budget.scheduler.in_turn();
        let rng = stream(settings.seed, question.number, 0, u64::MAX - 1);
        Search {
            system,
            bank,
            order: source.order(),
            source,
            settings,
            question: question.ends,
            number: question.number,
            deadline: question.deadline,
            cancel: question.cancel,
            max_size: guide_size(start, target),
            known,
            smallest: [u64::MAX; 2],
            literals: [None; 2],
            sketches: Vec::new(),
            crew: Crew::new(
                settings.budget.bounds(question.deadline, question.cancel),
                question.threads,
            ),
            agenda: Agenda::new(settings.walk, rng),
            walks: Walks::default(),
            expanded: Vec::new(),
            expansion: settings.expansion,
            ledger: Ledger::default(),
            first_stop: None,
            next: Next::Question(first, other),
        }
    }

    /// Grows the next e-graph; false if nothing is left to do.
    pub fn step(&mut self) -> Result<bool> {
        match &mut self.next {
            &mut Next::Question(scheduler, other) => {
                let stage = self.expand(self.question, scheduler)?;
                // A saturated e-graph would be the same under any scheduler.
                self.next = match other.filter(|_| stage.stop != StopReason::Saturated) {
                    Some(other) => Next::Question(other, None),
                    None => Next::Pair,
                };
                if matches!(self.next, Next::Pair) {
                    self.ask(&stage, self.question, 0)?;
                }
                Ok(true)
            }
            Next::Pair => self.next_pair(),
            Next::Alone { left, grown } => {
                let Some([end, other]) = left.pop() else { return Ok(false) };
                if !self.known.connected(end, other) && grown.insert(end) {
                    self.grow_alone(end)?;
                }
                Ok(true)
            }
        }
    }

    /// Expands the best pair of the agenda.
    fn next_pair(&mut self) -> Result<bool> {
        // A search that is short comes farther in one walk.
        if self.agenda.has_begun_anew() || self.expanded.len() >= ALONE {
            return self.next_of_walks();
        }
        let Some(pair) = self.agenda.pop(0) else { return Ok(self.begin_again()) };
        if self.is_open(pair) {
            self.expanded.push(pair);
            let stage = self.expand(pair, self.in_turn(1))?;
            self.ask(&stage, pair, 0)?;
        }
        Ok(true)
    }

    /// Whether a pair was not expanded, and may be of use.
    pub(super) fn is_open(&self, pair: Pair) -> bool {
        !self.known.connected(pair[0], pair[1]) && !self.expanded.contains(&pair)
    }

    /// How the next e-graph is grown, where so many in a row are grown alike.
    pub(super) fn in_turn(&self, row: u64) -> Scheduler {
        let (first, other) = self.settings.budget.scheduler.in_turn();
        let turn = other.filter(|_| !(self.ledger.e_graphs / row).is_multiple_of(2));
        turn.unwrap_or(first)
    }

    /// When nothing is left to expand: what was expanded once more; whether anything is left to do.
    pub(super) fn begin_again(&mut self) -> bool {
        let again: Vec<Pair> = self.expanded.drain(..).rev().collect();
        if self.expansion != self.settings.budget.cap {
            // Those whose e-graphs had a part of the cap only, the last ones first.
            self.expansion = self.settings.budget.cap;
            self.agenda.push(0, again);
        } else {
            let ends =
                again.iter().rev().flat_map(|&[start, target]| [[target, start], [start, target]]);
            self.next = Next::Alone { left: ends.collect(), grown: FxHashSet::default() };
        }
        true
    }

    /// Grows the e-graph of one term to the whole cap.
    fn grow_alone(&mut self, end: TermId) -> Result<()> {
        let (first, _) = self.settings.budget.scheduler.in_turn();
        let config = self.saturation(first, self.settings.budget.cap);
        let ends = Ends::alone(&end, None);
        let stage = Stage::grow(self.system, self.bank, ends, &config, false);
        self.book(&stage);
        self.learn_from(&stage)
    }

    /// Grows the e-graph of a pair, and keeps what it says.
    pub(super) fn expand(&mut self, pair: Pair, scheduler: Scheduler) -> Result<Stage> {
        let config = self.saturation(scheduler, self.cap_of(pair));
        let stage = Stage::grow(self.system, self.bank, Ends::of(&pair), &config, true);
        self.see(&stage)?;
        Ok(stage)
    }

    /// Books the e-graph of a pair, and keeps what it says.
    pub(super) fn see(&mut self, stage: &Stage) -> Result<()> {
        self.book(stage);
        tracing::debug!(
            known = self.known.terms().len(),
            start = self.bank.size(stage.starts[0]),
            target = self.bank.size(stage.targets[0]),
            e_nodes = stage.egraph.node_count(),
            work = self.ledger.work,
            "stage: {}",
            stage.stop
        );
        self.learn_from(stage)
    }

    /// Keeps what an e-graph says, if that is anything.
    pub fn learn_from(&mut self, stage: &Stage) -> Result<()> {
        if stage.stop != StopReason::Conflict {
            self.learn(stage)?;
        }
        Ok(())
    }

    /// The terms of the search.
    pub fn bank(&mut self) -> &mut TermBank {
        self.bank
    }

    /// Whether its e-graphs are grown in an order that was learned.
    pub fn is_ranked(&self) -> bool {
        self.order.is_some()
    }

    /// The cap on each e-graph.
    pub fn cap(&self) -> Cap {
        self.settings.budget.cap
    }

    /// The work that is left, without that of e-graphs that were begun and not seen.
    pub fn left(&self) -> u64 {
        self.settings.budget.left(&self.ledger).saturating_sub(self.walks.kept())
    }

    /// Books an e-graph.
    pub(super) fn book(&mut self, stage: &Stage) {
        self.ledger.book(&stage.egraph);
        self.first_stop.get_or_insert(stage.stop);
    }

    /// What the e-graph of a pair may take: where one of its terms belongs to no pool yet, as much
    /// as that of the whole question, which is all that is known of how far it is.
    pub(super) fn cap_of(&self, pair: Pair) -> Cap {
        let cap = self.settings.budget.cap;
        let whole = pair == self.question || (0..2).any(|i| !self.is_in_pool(i, pair[i]));
        if whole { cap } else { self.expansion }
    }

    /// How to grow the next e-graph.
    pub fn saturation(&self, scheduler: Scheduler, cap: Cap) -> SaturationConfig {
        let left = self.left();
        let config = self.settings.budget.saturation(cap, scheduler, left, self.deadline);
        let cancel = self.cancel.cloned();
        SaturationConfig { order: self.order.clone(), cancel, ..config }
    }

    /// Whether a term is known to equal the start (0) or the target (1).
    pub(super) fn is_in_pool(&self, side: usize, term: TermId) -> bool {
        self.known.connected(self.question[side], term)
    }

    /// Keeps what an e-graph says of the terms that are known, of sketches, and of literals.
    fn learn(&mut self, stage: &Stage) -> Result<()> {
        if let Some((start, target)) = stage.met {
            self.known.connect(stage.explain(self.bank, start, target)?);
        }
        let ends: Vec<TermId> = stage.starts.iter().chain(&stage.targets).copied().collect();
        let class = |&end: &TermId| stage.egraph.lookup(self.bank, end);
        let classes: Vec<Option<Id>> = ends.iter().map(class).collect();
        for term in self.known.terms().to_vec() {
            let class = stage.egraph.lookup(self.bank, term);
            let side = (0..ends.len()).find(|&i| class.is_some() && class == classes[i]);
            if let Some(i) = side.filter(|&i| !self.known.connected(term, ends[i])) {
                self.known.connect(stage.explain(self.bank, ends[i], term)?);
                self.ledger.reached += 1;
            }
        }
        for (end, class) in ends.into_iter().zip(classes) {
            let Some(class) = class else { continue };
            let held = |sketch: &Sketch| extract_sketch(&stage.egraph, self.bank, class, sketch);
            let found: Vec<TermId> = self.sketches.iter().filter_map(held).collect();
            for term in found {
                self.known.connect(stage.explain(self.bank, end, term)?);
                self.ledger.reached += 1;
            }
            let pools = (0..2).filter(|&side| self.is_in_pool(side, end));
            for side in pools.collect::<Vec<_>>() {
                let small = extract_smallest(&stage.egraph, self.bank, class);
                self.smallest[side] = self.smallest[side].min(self.bank.size(small));
                if self.literals[side].is_none() && stage.egraph.literal(class).is_some() {
                    let proof = stage.explain_literal(self.bank, end)?;
                    self.literals[side] = Some(proof.end());
                    self.known.connect(proof);
                }
            }
        }
        Ok(())
    }

    /// Asks the source what should be expanded next, after the e-graph of a pair of a walk.
    pub(super) fn ask(&mut self, stage: &Stage, pair: Pair, walk: usize) -> Result<()> {
        if self.is_over() || stage.stop == StopReason::Conflict {
            return Ok(());
        }
        let asking = self.asking(self.ledger.requests);
        let advice = asking.advice(self.source, stage, self.bank)?;
        self.take(advice, stage, pair, walk)
    }

    /// What a request of this number says of the search.
    pub(super) fn asking(&self, number: u64) -> Asking {
        Asking {
            settings: *self.settings,
            question: self.number,
            number,
            max_size: self.max_size,
            smallest: self.smallest,
        }
    }

    /// Does what a source says of the e-graph of a pair of a walk.
    pub(super) fn take(
        &mut self,
        advice: Advice,
        stage: &Stage,
        pair: Pair,
        walk: usize,
    ) -> Result<()> {
        let Advice { guides: found, proofs } = advice;
        self.ledger.requests += 1;
        self.ledger.model_seconds += found.model_seconds;
        self.ledger.proposed += found.proposals.len() as u64;
        if found.proposals.is_empty() && found.reached.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let mut lists = [vec![pair[0]], vec![pair[1]]];
        for (i, (mut list, proofs)) in found.reached.into_iter().zip(proofs).enumerate() {
            list.retain(|&term| term != pair[i]);
            proofs.into_iter().for_each(|proof| self.known.connect(proof));
            // A side that has become a literal stays that: nothing is smaller.
            let literal = self.literals[i].filter(|_| self.is_in_pool(i, pair[i]));
            match literal {
                Some(literal) => lists[i] = vec![literal],
                None if list.is_empty() => {}
                None => lists[i] = list,
            }
        }
        let [starts, targets] = &lists;
        let mut next = ranked(starts, targets);
        next.retain(|next| *next != pair);
        self.agenda.push(walk, next);
        let proposed = !found.proposals.is_empty();
        for Proposal { waypoint, expand } in found.proposals {
            match waypoint {
                Waypoint::Sketch(sketch) => self.sketches.push(sketch),
                Waypoint::Term(term) => {
                    self.known.add(term);
                    if expand {
                        self.agenda.push(walk, vec![[pair[0], term], [term, pair[1]]]);
                    }
                }
            }
        }
        if proposed {
            // Some of it may stand here already.
            self.learn(stage)?;
        }
        // Each is looked up in every e-graph, whose size that takes as time.
        let old = self.sketches.len().saturating_sub(self.settings.guides);
        self.sketches.drain(..old);
        Ok(())
    }

    /// Whether there is an answer, or no work left, or no time.
    pub fn is_over(&self) -> bool {
        self.is_answered()
            || self.ledger.work >= self.settings.budget.work
            || self.deadline.is_some_and(|at| Instant::now() >= at)
            || self.is_cancelled()
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(Cancel::is_asked)
    }

    fn is_answered(&self) -> bool {
        let [start, target] = self.question;
        self.known.connected(start, target) || self.opposed().is_some()
    }

    /// The literals of the sides, where they differ.
    fn opposed(&self) -> Option<[TermId; 2]> {
        let [start, target] = self.literals;
        Some([start?, target?]).filter(|[start, target]| start != target)
    }

    /// The answer; `bound` is what ended the search early.
    pub fn answer(self, bound: Option<StopReason>) -> Result<Answer> {
        let [start, target] = self.question;
        let within = self.ledger.work <= self.settings.budget.work;
        let failure = bound.map_or_else(|| self.failure(), Failure::at);
        let proof = |from: TermId, to: TermId| {
            let path = self.known.path(from, to).unwrap_or_default();
            let waypoints: Vec<TermId> = path.iter().skip(1).map(Proof::start).collect();
            let path = if path.is_empty() { vec![Proof::reflexive(from)] } else { path };
            checked(self.system, self.bank, path, [from, to]).map(|proof| (proof, waypoints))
        };
        let smallest = self.question.map(|end| {
            let pool = self.known.terms().iter().filter(|&&term| self.known.connected(term, end));
            pool.copied().min_by_key(|&term| self.bank.size(term)).unwrap_or(end)
        });
        let ledger = self.ledger;
        let failed = |failure| Answer {
            result: Err(failure),
            opposed: None,
            waypoints: vec![],
            smallest,
            ledger,
        };
        if within && self.known.connected(start, target) {
            let (proof, waypoints) = proof(start, target)?;
            return Ok(Answer { result: Ok(proof), opposed: None, waypoints, smallest, ledger });
        }
        Ok(match self.opposed() {
            Some(literals) if within => {
                let sides = [proof(start, literals[0])?.0, proof(target, literals[1])?.0];
                Answer { opposed: Some(sides), ..failed(Failure::Opposed) }
            }
            _ => failed(failure),
        })
    }

    /// Why there is no proof.
    fn failure(&self) -> Failure {
        let Budget { cap, work, .. } = self.settings.budget;
        match self.first_stop {
            _ if self.is_cancelled() => Failure::Cancelled,
            _ if self.deadline.is_some_and(|at| Instant::now() >= at) => Failure::Time,
            Some(StopReason::Saturated) => Failure::Saturated,
            Some(StopReason::Conflict) => Failure::Conflict,
            // What is left would not fill another e-graph.
            _ if self.ledger.work.saturating_add(cap.expected_nodes()) > work => Failure::Work,
            _ => Failure::Guides,
        }
    }
}
