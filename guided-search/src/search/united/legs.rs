//! Legs from many guides at once: each e-graph is grown from several terms of either side, which are known
//! to be equal and are made one class, where [`crate::search::prove`] takes a pair of terms at a time.
//!
//! A walk begins at the question. The guides for its e-graph are what the next one is grown from, and so on; after as
//! many legs as a walk may have, or where nothing new is left, another one begins with other guides for the first
//! e-graph.

use crate::options::prove::SearchSettings;
use crate::search::answer::{Answer, Failure, Question, checked};
use crate::search::budget::Ledger;
use crate::search::guide_source::{GuideRequest, GuideSource};
use crate::search::prove::guide_size;
use crate::search::stage::{Ends, SIDES, Stage, bounded};
use crate::search::united::given::{Given, Reached};
use anyhow::Result;
use egraph::{
    Cancel, Explainer, MatchOrder, Proof, SaturationConfig, Scheduler, StopReason, System,
    TermBank, TermId, extract_smallest,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::Instant;
use support::Internal;

/// What a leg is grown from: terms of the start's side, and of the target's.
type Sides = [Vec<TermId>; 2];

/// Proves that the two ends of a question are equal, with all guides of a request in one e-graph.
///
/// # Errors
/// A fault of the source, or [`Internal`] when a proof is refused by the checker.
pub fn united(
    system: &Arc<System>,
    bank: &mut TermBank,
    question: Question<'_>,
    source: &mut dyn GuideSource,
    settings: &SearchSettings,
) -> Result<Answer> {
    let [start, target] = question.ends.map(|end| bank.size(end));
    let mut legs = Legs {
        system,
        given: Given { system },
        order: Given { system }.first(source.order()),
        bank,
        question,
        source,
        settings,
        max_size: guide_size(start, target),
        smallest: [start, target],
        grown: FxHashSet::default(),
        ledger: Ledger::default(),
    };
    let bounds = settings.budget.bounds(question.deadline, question.cancel);
    let found = bounded(&bounds, || legs.search())?;
    let found = found.unwrap_or_else(|bound| Found::Nothing(Failure::at(bound)));
    let ledger = legs.ledger;
    let nothing = |failure, opposed| Answer {
        result: Err(failure),
        opposed,
        waypoints: Vec::new(),
        smallest: question.ends,
        ledger,
    };
    Ok(match found {
        Found::Equal(proof, waypoints) => {
            Answer { result: Ok(proof), waypoints, ..nothing(Failure::Guides, None) }
        }
        Found::Opposed(proofs) => nothing(Failure::Opposed, Some(proofs)),
        Found::Nothing(failure) => nothing(failure, None),
    })
}

/// What a search comes to.
enum Found {
    /// A proof, and the terms that it goes through from leg to leg.
    Equal(Proof, Vec<TermId>),
    /// Proofs that the ends equal different literals.
    Opposed([Proof; 2]),
    Nothing(Failure),
}

struct Legs<'a> {
    system: &'a Arc<System>,
    given: Given<'a>,
    bank: &'a mut TermBank,
    question: Question<'a>,
    source: &'a mut dyn GuideSource,
    order: Arc<dyn MatchOrder>,
    settings: &'a SearchSettings,
    max_size: u64,
    /// Nodes of the smallest term that is known of either side.
    smallest: [u64; 2],
    /// What had an e-graph.
    grown: FxHashSet<Sides>,
    ledger: Ledger,
}

impl Legs<'_> {
    /// Walks until the question is answered, or nothing new is left, or a limit is reached.
    fn search(&mut self) -> Result<Found> {
        let (first, other) = self.settings.budget.scheduler.in_turn();
        let question = self.question.ends.map(|end| vec![end]);
        let begin = self.leg(&question, first)?;
        if let Some(found) = self.found(&begin, &[])? {
            return Ok(found);
        }
        loop {
            // By leg.
            let mut reached: Vec<Reached> = Vec::new();
            let mut sides = self.draw(&begin, &mut reached)?;
            while reached.len() < self.settings.walk && self.grown.insert(sides.clone()) {
                let turn = if reached.len().is_multiple_of(2) { None } else { other };
                let stage = self.leg(&sides, turn.unwrap_or(first))?;
                if let Some(found) = self.found(&stage, &reached)? {
                    return Ok(found);
                }
                sides = self.draw(&stage, &mut reached)?;
            }
            if reached.len() == 1 {
                return Ok(Found::Nothing(match begin.stop {
                    StopReason::Saturated => Failure::Saturated,
                    _ => Failure::Guides,
                }));
            }
        }
    }

    /// Grows the e-graph of the terms of both sides, those of a side in one class.
    fn leg(&mut self, sides: &Sides, scheduler: Scheduler) -> Result<Stage> {
        let system = self.given.equal(self.bank, sides)?;
        let budget = &self.settings.budget;
        let left = budget.left(&self.ledger);
        let config = budget.saturation(budget.cap, scheduler, left, self.question.deadline);
        let (order, cancel) = (Some(self.order.clone()), self.question.cancel.cloned());
        let config = SaturationConfig { order, cancel, ..config };
        let [starts, targets] = sides;
        let ends = Ends { starts, targets, until: None };
        let stage = Stage::grow(&system, self.bank, ends, &config, true);
        self.ledger.book(&stage.egraph);
        tracing::debug!(
            guides = starts.len() + targets.len(),
            e_nodes = stage.egraph.node_count(),
            work = self.ledger.work,
            "leg ({scheduler}): {}",
            stage.stop
        );
        Ok(stage)
    }

    /// The end of the search, if a leg or a limit is one.
    fn found(&mut self, stage: &Stage, reached: &[Reached]) -> Result<Option<Found>> {
        let [from, to] = self.question.ends;
        let budget = &self.settings.budget;
        let within = self.ledger.work <= budget.work;
        if let Some((start, target)) = stage.met.filter(|_| within) {
            let there = stage.explain(self.bank, start, target)?;
            let there = self.given.discharged(&there, reached);
            let back = self.given.discharged(&Proof::reflexive(target), reached);
            let proof = checked(self.system, self.bank, vec![there, back.reversed()], [from, to])?;
            return Ok(Some(Found::Equal(proof, waypoints([start, target], reached))));
        }
        if let Some((start, target)) = stage.opposed.filter(|_| within) {
            let mut side = |term, end| {
                let proof =
                    self.given.discharged(&stage.explain_literal(self.bank, term)?, reached);
                let literal = proof.end();
                checked(self.system, self.bank, vec![proof], [end, literal])
            };
            return Ok(Some(Found::Opposed([side(start, from)?, side(target, to)?])));
        }
        let cancelled = || self.question.cancel.is_some_and(Cancel::is_asked);
        let failure = match () {
            () if cancelled() => Failure::Cancelled,
            () if self.question.deadline.is_some_and(|at| Instant::now() >= at) => Failure::Time,
            () if stage.stop == StopReason::Conflict => Failure::Conflict,
            () if self.ledger.work >= budget.work => Failure::Work,
            () => return Ok(None),
        };
        Ok(Some(Found::Nothing(failure)))
    }

    /// Draws what the next leg is grown from, with its proofs.
    fn draw(&mut self, stage: &Stage, reached: &mut Vec<Reached>) -> Result<[Vec<TermId>; 2]> {
        for side in SIDES {
            for class in stage.classes(self.bank, side) {
                let small = extract_smallest(&stage.egraph, self.bank, class);
                let least = &mut self.smallest[side as usize];
                *least = self.bank.size(small).min(*least);
            }
        }
        let request = GuideRequest {
            stage,
            settings: self.settings,
            question: self.question.number,
            number: self.ledger.requests,
            max_size: self.max_size,
            smallest: self.smallest,
        };
        self.ledger.requests += 1;
        let sides = self.source.guides(&request, self.bank)?.reached;
        let mut proofs = Reached::default();
        let mut explainer = Explainer::new(&stage.egraph);
        for (side, terms) in SIDES.into_iter().zip(&sides) {
            for &term in terms {
                // Not always the first: a leg can end before all are one class.
                let from = stage.equal_to(self.bank, side, term);
                let proof = from.and_then(|from| explainer.explain(self.bank, from, term));
                let proof = proof.ok_or_else(|| Internal::new("a frontier term has no proof"))?;
                proofs.insert(term, proof);
            }
        }
        reached.push(proofs);
        Ok(sides)
    }
}

/// The terms of each leg that a proof goes through which ends with these terms of the last one.
fn waypoints(met: [TermId; 2], reached: &[Reached]) -> Vec<TermId> {
    let way = |mut term: TermId| {
        let mut terms = Vec::new();
        for reached in reached.iter().rev() {
            terms.push(term);
            term = reached[&term].start();
        }
        terms
    };
    let [mut start, target] = met.map(way);
    start.reverse();
    start.extend(target);
    start.dedup();
    start
}
