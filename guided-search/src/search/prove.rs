//! Guided search: from a start to a target through small, fresh e-graphs, with one checked proof.
//!
//! A plan, if the source has one, is followed first. Then the question is put to one e-graph under
//! the cap. If that fails, the guide source is asked. Guides that the e-graph had reached already are true waypoints, and the search goes on
//! from them, one by one or united; the others are hypotheses, for which both halves are
//! questions of their own. While there is work left, the source is asked again. All of it shares
//! one budget of work.
//!
//! Where both sides turn out to equal literals, and different ones, that is said, with both proofs.

use crate::search::answer::{Answer, Failure, SearchSettings, Tactic, checked, opposed_proofs};
use crate::search::budget::{Budget, Ledger};
use crate::search::reached::{Candidates, Hypothesis, Reached, explain_equal};
use crate::search::stage::Stage;
use crate::sources::guide_source::{GuideRequest, GuideSource, Waypoint};
use anyhow::Result;
use egraph::{
    Proof, SaturationConfig, Scheduler, Sketch, StopReason, System, TermBank, TermId,
    extract_sketch,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::time::Instant;

/// A search that goes from stage to stage deeper than this gives up: a safe bound for the stack.
const MAX_NESTING: u32 = 200;

/// The source is asked again for the whole question until this many answers in a row led to no new
/// e-graph.
const IDLE_ANSWERS: u32 = 3;

/// Proves that `start` equals `target`, with the guides of `source`.
///
/// # Errors
/// A fault of the source, or [`Internal`](support::errors::Internal) when a proof is refused by the checker.
pub fn prove(
    system: &Arc<System>,
    bank: &mut TermBank,
    start: TermId,
    target: TermId,
    source: &mut dyn GuideSource,
    settings: &SearchSettings,
) -> Result<Answer> {
    let mut search = Search {
        system,
        bank,
        source,
        settings,
        ledger: Ledger::default(),
        proved: FxHashMap::default(),
        tried: FxHashSet::default(),
        first_stop: None,
    };
    let place = Place { level: 0, nesting: 0, until: settings.budget.work };
    let plan = search.source.plan().to_vec();
    let mut outcome = match plan.is_empty() {
        true => Outcome::Open,
        false => search.follow_plan(start, target, &plan, place)?,
    };
    if matches!(outcome, Outcome::Open) {
        outcome = search.solve(&[start], &[target], place)?;
    }
    let within = search.ledger.work <= settings.budget.work;
    let failure = search.failure();
    let ledger = search.ledger;
    let failed =
        |failure| Answer { result: Err(failure), opposed: None, waypoints: vec![], ledger };
    Ok(match outcome {
        Outcome::Path(path) if within => {
            let waypoints = path[1..].iter().map(Proof::start).collect();
            let proof = checked(system, bank, path, [start, target])?;
            Answer { result: Ok(proof), opposed: None, waypoints, ledger }
        }
        Outcome::Opposed(sides) if within => {
            let [from_start, from_target] = *sides;
            let side = |path: Path, term: TermId| {
                let end = path.last().map_or(term, Proof::end);
                checked(system, bank, path, [term, end])
            };
            let opposed = Some([side(from_start, start)?, side(from_target, target)?]);
            Answer { opposed, ..failed(Failure::Opposed) }
        }
        _ => failed(failure),
    })
}

/// Proofs that follow each other, from a term of one side to a term of the other.
type Path = Vec<Proof>;

/// What came of a question.
#[derive(Clone)]
enum Outcome {
    /// A path from a start to a target.
    Path(Path),
    /// Paths from a start and from a target to different literals.
    Opposed(Box<[Path; 2]>),
    /// Nothing is known.
    Open,
}

impl Outcome {
    /// The same for a question whose start leads by `head` to that of this one, and whose target is
    /// led to by `tail`.
    fn between(self, head: Path, tail: Path) -> Outcome {
        match self {
            Outcome::Path(path) => Outcome::Path([head, path, tail].concat()),
            Outcome::Opposed(sides) => {
                let [start, target] = *sides;
                let back: Path = tail.into_iter().rev().map(Proof::reversed).collect();
                Outcome::Opposed(Box::new([[head, start].concat(), [back, target].concat()]))
            }
            Outcome::Open => Outcome::Open,
        }
    }
}

/// Where in the search a question stands.
#[derive(Clone, Copy)]
struct Place {
    /// Hypothetical waypoints above it.
    level: u32,
    /// Stages above it.
    nesting: u32,
    /// The total work at which it must give up.
    until: u64,
}

impl Place {
    fn below(self, until: u64) -> Place {
        Place { nesting: self.nesting + 1, until, ..self }
    }
}

struct Search<'a> {
    system: &'a Arc<System>,
    bank: &'a mut TermBank,
    source: &'a mut dyn GuideSource,
    settings: &'a SearchSettings,
    ledger: Ledger,
    proved: FxHashMap<(TermId, TermId), Path>,
    /// Questions that were asked and did not end in a proof (yet): not asked again.
    tried: FxHashSet<(Vec<TermId>, Vec<TermId>)>,
    first_stop: Option<StopReason>,
}

impl Search<'_> {
    /// An outcome for one of `starts` and one of `targets`.
    fn solve(&mut self, starts: &[TermId], targets: &[TermId], place: Place) -> Result<Outcome> {
        if let Some(&same) = starts.iter().find(|s| targets.contains(s)) {
            return Ok(Outcome::Path(vec![Proof::reflexive(same)]));
        }
        let single = match (starts, targets) {
            ([start], [target]) => Some((*start, *target)),
            _ => None,
        };
        if let Some(path) = single.and_then(|pair| self.proved.get(&pair)) {
            return Ok(Outcome::Path(path.clone()));
        }
        if self.is_over(place.until) || place.nesting > MAX_NESTING {
            return Ok(Outcome::Open);
        }
        // From here on it is tried; a question without work left may come again with some.
        if !self.tried.insert((starts.to_vec(), targets.to_vec())) {
            return Ok(Outcome::Open);
        }
        let outcome = self.solve_new(starts, targets, place)?;
        if let (Outcome::Path(path), Some(pair)) = (&outcome, single) {
            self.proved.insert(pair, path.clone());
        }
        Ok(outcome)
    }

    fn solve_new(
        &mut self,
        starts: &[TermId],
        targets: &[TermId],
        place: Place,
    ) -> Result<Outcome> {
        let (scheduler, other) = self.schedulers(place);
        let mut stage = self.grow(starts, targets, place, scheduler);
        if let Some(other) = other
            && stage.met.is_none()
            && stage.opposed.is_none()
            && !matches!(stage.stop, StopReason::Saturated | StopReason::Conflict)
            && !self.is_over(place.until)
        {
            // One e-graph at a time: there is no memory for two.
            drop(stage);
            stage = self.grow(starts, targets, place, other);
        }
        if let Some((start, target)) = stage.met {
            return Ok(Outcome::Path(vec![explain_equal(&stage, self.bank, start, target)?]));
        }
        if let Some(sides) = opposed_proofs(self.system, self.bank, &stage)? {
            return Ok(Outcome::Opposed(Box::new(sides.map(|side| vec![side]))));
        }
        // A waypoint whose e-graph saturates is given up; the whole question may have other guides.
        let saturated = stage.stop == StopReason::Saturated && place.nesting > 0;
        if saturated || stage.stop == StopReason::Conflict {
            return Ok(Outcome::Open);
        }
        // Only the whole question is asked for again. Further down the e-graph is not needed once
        // there are guides, and others are grown.
        let mut stage = Some(stage);
        let mut idle = 0;
        while let Some(asked) = stage.take().filter(|_| !self.is_over(place.until)) {
            let candidates = self.ask(&asked, place)?;
            stage = (place.nesting == 0).then_some(asked);
            let before = self.ledger.work;
            let outcome = self.try_candidates(starts, targets, &candidates, place)?;
            if !matches!(outcome, Outcome::Open) {
                return Ok(outcome);
            }
            idle = if self.ledger.work == before { idle + 1 } else { 0 };
            if idle == IDLE_ANSWERS {
                break;
            }
        }
        Ok(Outcome::Open)
    }

    /// Grows the e-graph of a question.
    fn grow(
        &mut self,
        starts: &[TermId],
        targets: &[TermId],
        place: Place,
        scheduler: Scheduler,
    ) -> Stage {
        let config = self.saturation(place.until, scheduler);
        let stage = Stage::grow(self.system, self.bank, starts, targets, &config, true);
        self.ledger.book(stage.egraph.built());
        self.first_stop.get_or_insert(stage.stop);
        tracing::debug!(
            level = place.level,
            nesting = place.nesting,
            starts = starts.len(),
            targets = targets.len(),
            e_nodes = stage.egraph.node_count(),
            work = self.ledger.work,
            "stage ({scheduler}): {}",
            stage.stop
        );
        stage
    }

    /// How to grow the next e-graph.
    fn saturation(&self, until: u64, scheduler: Scheduler) -> SaturationConfig {
        let mut config = self.settings.budget.saturation(self.ledger.work, until);
        let left = |at: Instant| at.saturating_duration_since(Instant::now());
        config.limits.time = self.settings.deadline.map(left);
        SaturationConfig { scheduler, ..config }
    }

    /// The schedulers for a question: both for the whole one, further down one or the other.
    fn schedulers(&self, place: Place) -> (Scheduler, Option<Scheduler>) {
        match self.settings.budget.scheduler.in_turn() {
            (first, Some(other)) if place.nesting > 0 => {
                (if place.nesting.is_multiple_of(2) { first } else { other }, None)
            }
            schedulers => schedulers,
        }
    }

    /// Whether there is no work left, or no time.
    fn is_over(&self, until: u64) -> bool {
        self.ledger.work >= until || self.settings.deadline.is_some_and(|at| Instant::now() >= at)
    }

    /// Why there is no proof.
    fn failure(&self) -> Failure {
        let Budget { cap, work, .. } = self.settings.budget;
        match self.first_stop {
            _ if self.settings.deadline.is_some_and(|at| Instant::now() >= at) => Failure::Time,
            Some(StopReason::Saturated) => Failure::Saturated,
            Some(StopReason::Conflict) => Failure::Conflict,
            // What is left would not fill another e-graph.
            _ if self.ledger.work.saturating_add(cap.expected_nodes()) > work => Failure::Work,
            _ => Failure::Guides,
        }
    }

    /// Goes on from what the source said.
    fn try_candidates(
        &mut self,
        starts: &[TermId],
        targets: &[TermId],
        candidates: &Candidates,
        place: Place,
    ) -> Result<Outcome> {
        let outcome = match self.settings.tactic {
            Tactic::Each => self.try_each(starts, targets, candidates, place)?,
            Tactic::United => self.try_united(starts, targets, candidates, place)?,
        };
        if !matches!(outcome, Outcome::Open) {
            return Ok(outcome);
        }
        if !candidates.hypotheses.is_empty() {
            return self.try_hypotheses(starts, targets, &candidates.hypotheses, place);
        }
        // Nothing else is left to try on a stretch that begins or ends at a waypoint: the whole cap for its
        // start's side, which rules that only lead from there to the target may need.
        match targets {
            [target] if candidates.is_empty() && place.nesting > 0 => {
                let sketch = Sketch::from_term(self.bank, *target);
                let path = self.reach(starts, &sketch, place.until)?;
                Ok(path.map_or(Outcome::Open, Outcome::Path))
            }
            _ => Ok(Outcome::Open),
        }
    }

    fn ask(&mut self, stage: &Stage, place: Place) -> Result<Candidates> {
        let request = GuideRequest {
            system: self.system,
            stage,
            guides: self.settings.guides,
            max_size: self.settings.max_size,
            budget: &self.settings.budget,
            work_left: place.until - self.ledger.work,
            number: self.ledger.requests,
            level: place.level,
        };
        let found = self.source.guides(&request, self.bank)?;
        self.ledger.requests += 1;
        self.ledger.model_seconds += found.model_seconds;
        found.built.iter().for_each(|&built| self.ledger.book(built));
        Candidates::sort(stage, self.bank, found.guides)
    }

    /// Goes on from proved waypoints, one pair after the other.
    fn try_each(
        &mut self,
        starts: &[TermId],
        targets: &[TermId],
        candidates: &Candidates,
        place: Place,
    ) -> Result<Outcome> {
        for (from, to) in candidates.pairs(self.settings.attempts) {
            let left = from.map_or(starts, |reached| std::slice::from_ref(&reached.term));
            let right = to.map_or(targets, |reached| std::slice::from_ref(&reached.term));
            let middle = self.solve(left, right, place.below(place.until))?;
            if !matches!(middle, Outcome::Open) {
                let proof = |reached: Option<&Reached>| reached.map(|r| r.proof.clone());
                return Ok(middle.between(Vec::from_iter(proof(from)), Vec::from_iter(proof(to))));
            }
        }
        Ok(Outcome::Open)
    }

    /// Goes on from all proved waypoints at once.
    fn try_united(
        &mut self,
        starts: &[TermId],
        targets: &[TermId],
        candidates: &Candidates,
        place: Place,
    ) -> Result<Outcome> {
        let terms = |reached: &[Reached], otherwise: &[TermId]| match reached {
            [] => otherwise.to_vec(),
            _ => reached.iter().map(|r| r.term).collect(),
        };
        let left = terms(&candidates.from_start, starts);
        let right = terms(&candidates.from_target, targets);
        let middle = self.solve(&left, &right, place.below(place.until))?;
        let ends = match &middle {
            Outcome::Path(path) => [path.first().map(Proof::start), path.last().map(Proof::end)],
            Outcome::Opposed(sides) => sides.each_ref().map(|side| side.first().map(Proof::start)),
            Outcome::Open => return Ok(Outcome::Open),
        };
        let proof = |reached: &[Reached], end: Option<TermId>| {
            let of_end = reached.iter().find(|r| Some(r.term) == end);
            Vec::from_iter(of_end.map(|r| r.proof.clone()))
        };
        let [first, last] = ends;
        Ok(middle
            .between(proof(&candidates.from_start, first), proof(&candidates.from_target, last)))
    }

    /// Halves the question at guides that nothing is known about yet, within shares of the work.
    fn try_hypotheses(
        &mut self,
        starts: &[TermId],
        targets: &[TermId],
        hypotheses: &[Hypothesis],
        place: Place,
    ) -> Result<Outcome> {
        let left = place.until.saturating_sub(self.ledger.work);
        // Fewer attempts where the share of each would not pay for its two halves.
        let affordable = left / self.settings.budget.cap.expected_nodes().max(1).saturating_mul(4);
        let wanted = self.settings.attempts.min(hypotheses.len()) as u64;
        let attempts = affordable.max(1).min(wanted);
        for (tried, hypothesis) in (0..attempts).zip(hypotheses) {
            let left = place.until.saturating_sub(self.ledger.work);
            let until = self.ledger.work + left / (attempts - tried);
            let inner = Place { level: place.level + 1, ..place.below(until) };
            let outcome = self.follow(starts, targets, hypothesis, inner)?;
            if !matches!(outcome, Outcome::Open) {
                return Ok(outcome);
            }
        }
        Ok(Outcome::Open)
    }

    /// Proves a hypothetical way, stretch by stretch.
    fn follow(
        &mut self,
        starts: &[TermId],
        targets: &[TermId],
        hypothesis: &Hypothesis,
        place: Place,
    ) -> Result<Outcome> {
        if place.level > self.settings.depth {
            return Ok(Outcome::Open);
        }
        let mut path = Path::new();
        let mut at = starts.to_vec();
        let mut open = hypothesis.waypoints.len() as u64 + 1;
        for (i, waypoint) in hypothesis.waypoints.iter().enumerate() {
            let left = place.until.saturating_sub(self.ledger.work);
            let until = self.ledger.work + left / open;
            let stretch = match (&hypothesis.head, waypoint) {
                (Some(head), _) if i == 0 => Some(vec![head.clone()]),
                (_, Waypoint::Term(term)) => {
                    match self.solve(&at, &[*term], Place { until, ..place })? {
                        Outcome::Path(path) => Some(path),
                        // That it is no waypoint says nothing about the question.
                        Outcome::Opposed(_) | Outcome::Open => None,
                    }
                }
                (_, Waypoint::Sketch(sketch)) => self.reach(&at, sketch, until)?,
            };
            let Some(stretch) = stretch else { return Ok(Outcome::Open) };
            path.extend(stretch);
            at = path.last().map(|proof| vec![proof.end()]).unwrap_or(at);
            open -= 1;
        }
        let last = match &hypothesis.tail {
            Some(tail) if at == [tail.start()] => Outcome::Path(vec![tail.clone()]),
            _ => self.solve(&at, targets, place)?,
        };
        Ok(last.between(path, Path::new()))
    }

    /// Goes the way of a plan: each e-graph is grown from the term before it, and ends in the
    /// iteration where its sketch first holds.
    fn follow_plan(
        &mut self,
        start: TermId,
        target: TermId,
        plan: &[Sketch],
        place: Place,
    ) -> Result<Outcome> {
        let mut path = Path::new();
        let mut at = start;
        for sketch in plan {
            let stretch = match sketch.to_term(self.bank) {
                // Rules that only lead away from a term need it in the e-graph.
                Some(term) => match self.solve(&[at], &[term], place.below(place.until))? {
                    Outcome::Path(path) => Some(path),
                    Outcome::Opposed(_) | Outcome::Open => None,
                },
                None => self.reach(&[at], sketch, place.until)?,
            };
            let Some(stretch) = stretch else { return Ok(Outcome::Open) };
            at = stretch.last().map_or(at, Proof::end);
            path.extend(stretch);
        }
        let last = self.solve(&[at], &[target], place.below(place.until))?;
        Ok(last.between(path, Path::new()))
    }

    /// Grows an e-graph from `starts` alone until a term satisfies the sketch.
    fn reach(&mut self, starts: &[TermId], sketch: &Sketch, until: u64) -> Result<Option<Path>> {
        let (first, other) = self.settings.budget.scheduler.in_turn();
        for scheduler in [Some(first), other].into_iter().flatten() {
            if self.is_over(until) {
                return Ok(None);
            }
            let config = self.saturation(until, scheduler);
            let stage = Stage::grow_to_sketch(self.system, self.bank, starts, sketch, &config);
            self.ledger.book(stage.egraph.built());
            self.first_stop.get_or_insert(stage.stop);
            if stage.stop == StopReason::Conflict {
                return Ok(None);
            }
            for &start in starts {
                let class = stage.egraph.lookup(self.bank, start);
                let term = class.and_then(|c| extract_sketch(&stage.egraph, self.bank, c, sketch));
                if let Some(term) = term {
                    return Ok(Some(vec![explain_equal(&stage, self.bank, start, term)?]));
                }
            }
        }
        Ok(None)
    }
}
