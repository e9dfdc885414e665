//! Guided search: from a start to a target through small, fresh e-graphs, with one checked proof.
//!
//! A question is first put to one e-graph under the cap. If that fails, the guide source is
//! asked. Guides that the e-graph had reached already are true waypoints, and the search goes on
//! from them, one by one or united; the others are hypotheses, for which both halves are
//! questions of their own. All of it shares one budget of work.

use crate::search::budget::{Budget, Ledger};
use crate::search::reached::{Candidates, Hypothesis, Reached, explain_equal};
use crate::search::stage::Stage;
use crate::sources::guide_source::{GuideRequest, GuideSource, Waypoint};
use anyhow::Result;
use egraph::{Proof, Sketch, StopReason, System, TermBank, TermId, check, extract_sketch};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use support::errors::Internal;

/// A search that goes from stage to stage deeper than this gives up: a safe bound for the stack.
const MAX_NESTING: u32 = 200;

/// How waypoints that are known to be equal to the start (or the target) are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tactic {
    /// One after the other, the most promising first.
    Each,
    /// All together in one next e-graph.
    United,
}

/// The settings of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchSettings {
    /// Cap, total work and scheduler.
    pub budget: Budget,
    /// Guides asked for at a time (K).
    pub guides: usize,
    /// Guides tried for one question.
    pub attempts: usize,
    /// How often a question may be halved at an unproved guide.
    pub depth: u32,
    /// How proved waypoints are used.
    pub tactic: Tactic,
    /// Guides may have at most this many nodes.
    pub max_size: u64,
}

/// Why a search ended without a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Failure {
    /// All of the work was spent.
    Work,
    /// An e-graph under the cap did not suffice and no guide was left to try.
    Guides,
    /// The e-graph of the question saturated: the rules do not connect the two terms.
    Saturated,
    /// The schedule of the rewrite system ended before the limits were reached.
    Schedule,
    /// Two different literals became equal: the rewrite system is not sound.
    Conflict,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Failure::Work => "work",
            Failure::Guides => "guides",
            Failure::Saturated => "saturated",
            Failure::Schedule => "schedule",
            Failure::Conflict => "conflict",
        })
    }
}

/// What a search found, and what it cost.
#[derive(Clone, Debug)]
pub struct Answer {
    /// One proof from the start to the target, accepted by the checker; or why there is none.
    pub result: Result<Proof, Failure>,
    /// The waypoints that the proof goes through, in order.
    pub waypoints: Vec<TermId>,
    /// What was spent.
    pub ledger: Ledger,
}

/// Proves that `start` equals `target`, with the guides of `source`.
///
/// # Errors
/// A fault of the source, or [`Internal`] when a proof is refused by the checker.
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
    let path = search.solve(&[start], &[target], place)?;
    let within = search.ledger.work <= settings.budget.work;
    let (ledger, first_stop) = (search.ledger, search.first_stop);
    let (result, waypoints) = match path {
        Some(path) if within => {
            let waypoints = path[1..].iter().map(Proof::start).collect();
            (Ok(checked(system, bank, path, [start, target])?), waypoints)
        }
        _ => (Err(reason(first_stop, &ledger, settings)), Vec::new()),
    };
    Ok(Answer { result, waypoints, ledger })
}

/// Chains the parts of a proof, which meet, and has the whole accepted by the checker as a proof
/// that the two `ends` are equal.
///
/// # Errors
/// [`Internal`], when the checker refuses it, or it is a proof of something else.
pub fn checked(
    system: &System,
    bank: &TermBank,
    parts: Vec<Proof>,
    ends: [TermId; 2],
) -> Result<Proof> {
    let proof = Proof::chain(parts);
    let shown = |[start, end]: [TermId; 2]| {
        format!("{} = {}", bank.display_part(start, 200), bank.display_part(end, 200))
    };
    let proved = [proof.start(), proof.end()];
    if proved != ends {
        let message = format!("asked for {}, found a proof of {}", shown(ends), shown(proved));
        return Err(Internal::new(message).into());
    }
    match check(system, bank, &proof) {
        Ok(()) => Ok(proof),
        Err(error) => {
            Err(Internal::new(format!("the proof of {} was refused: {error}", shown(ends))).into())
        }
    }
}

fn reason(first: Option<StopReason>, ledger: &Ledger, settings: &SearchSettings) -> Failure {
    match first {
        Some(StopReason::Saturated) => Failure::Saturated,
        Some(StopReason::Conflict) => Failure::Conflict,
        // What is left would not fill another e-graph.
        _ if ledger.work.saturating_add(settings.budget.cap.expected_nodes())
            > settings.budget.work =>
        {
            Failure::Work
        }
        _ => Failure::Guides,
    }
}

/// Proofs that follow each other, from a term of one side to a term of the other.
type Path = Vec<Proof>;

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
    /// A path from one of `starts` to one of `targets`.
    fn solve(
        &mut self,
        starts: &[TermId],
        targets: &[TermId],
        place: Place,
    ) -> Result<Option<Path>> {
        if let Some(&same) = starts.iter().find(|s| targets.contains(s)) {
            return Ok(Some(vec![Proof::reflexive(same)]));
        }
        let single = match (starts, targets) {
            ([start], [target]) => Some((*start, *target)),
            _ => None,
        };
        if let Some(path) = single.and_then(|pair| self.proved.get(&pair)) {
            return Ok(Some(path.clone()));
        }
        if self.ledger.work >= place.until || place.nesting > MAX_NESTING {
            return Ok(None);
        }
        // From here on it is tried; a question without work left may come again with some.
        if !self.tried.insert((starts.to_vec(), targets.to_vec())) {
            return Ok(None);
        }
        let path = self.solve_new(starts, targets, place)?;
        if let (Some(path), Some(pair)) = (&path, single) {
            self.proved.insert(pair, path.clone());
        }
        Ok(path)
    }

    fn solve_new(
        &mut self,
        starts: &[TermId],
        targets: &[TermId],
        place: Place,
    ) -> Result<Option<Path>> {
        let config = self.settings.budget.saturation(self.ledger.work, place.until);
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
            "stage: {}",
            stage.stop
        );
        if let Some((start, target)) = stage.met {
            return Ok(Some(vec![explain_equal(&stage, self.bank, start, target)?]));
        }
        let hopeless = matches!(stage.stop, StopReason::Saturated | StopReason::Conflict);
        if hopeless || self.ledger.work >= place.until {
            return Ok(None);
        }
        let candidates = self.ask(&stage, place)?;
        // The e-graph is not needed further down, where others are grown.
        drop(stage);
        let path = match self.settings.tactic {
            Tactic::Each => self.try_each(starts, targets, &candidates, place)?,
            Tactic::United => self.try_united(starts, targets, &candidates, place)?,
        };
        if path.is_some() {
            return Ok(path);
        }
        if !candidates.hypotheses.is_empty() {
            return self.try_hypotheses(starts, targets, &candidates.hypotheses, place);
        }
        // Nothing else is left to try on a stretch that begins or ends at a waypoint: the whole cap for its
        // start's side, which rules that only lead from there to the target may need.
        match targets {
            [target] if candidates.is_empty() && place.nesting > 0 => {
                let sketch = Sketch::from_term(self.bank, *target);
                self.reach(starts, &sketch, place.until)
            }
            _ => Ok(None),
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
    ) -> Result<Option<Path>> {
        for (from, to) in candidates.pairs(self.settings.attempts) {
            let left = from.map_or(starts, |reached| std::slice::from_ref(&reached.term));
            let right = to.map_or(targets, |reached| std::slice::from_ref(&reached.term));
            if let Some(middle) = self.solve(left, right, place.below(place.until))? {
                let mut path: Path = from.map(|r| r.proof.clone()).into_iter().collect();
                path.extend(middle);
                path.extend(to.map(|r| r.proof.clone()));
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// Goes on from all proved waypoints at once.
    fn try_united(
        &mut self,
        starts: &[TermId],
        targets: &[TermId],
        candidates: &Candidates,
        place: Place,
    ) -> Result<Option<Path>> {
        let terms = |reached: &[Reached], otherwise: &[TermId]| match reached {
            [] => otherwise.to_vec(),
            _ => reached.iter().map(|r| r.term).collect(),
        };
        let left = terms(&candidates.from_start, starts);
        let right = terms(&candidates.from_target, targets);
        let Some(middle) = self.solve(&left, &right, place.below(place.until))? else {
            return Ok(None);
        };
        let (Some(first), Some(last)) = (middle.first(), middle.last()) else { return Ok(None) };
        let proof = |reached: &[Reached], end: TermId| {
            reached.iter().find(|r| r.term == end).map(|r| r.proof.clone())
        };
        let mut path: Path = proof(&candidates.from_start, first.start()).into_iter().collect();
        let tail = proof(&candidates.from_target, last.end());
        path.extend(middle);
        path.extend(tail);
        Ok(Some(path))
    }

    /// Halves the question at guides that nothing is known about yet, within shares of the work.
    fn try_hypotheses(
        &mut self,
        starts: &[TermId],
        targets: &[TermId],
        hypotheses: &[Hypothesis],
        place: Place,
    ) -> Result<Option<Path>> {
        let left = place.until.saturating_sub(self.ledger.work);
        // Fewer attempts where the share of each would not pay for its two halves.
        let affordable = left / self.settings.budget.cap.expected_nodes().max(1).saturating_mul(4);
        let wanted = self.settings.attempts.min(hypotheses.len()) as u64;
        let attempts = affordable.max(1).min(wanted);
        for (tried, hypothesis) in (0..attempts).zip(hypotheses) {
            let left = place.until.saturating_sub(self.ledger.work);
            let until = self.ledger.work + left / (attempts - tried);
            let inner = Place { level: place.level + 1, ..place.below(until) };
            if let Some(path) = self.follow(starts, targets, hypothesis, inner)? {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// Proves a hypothetical way, stretch by stretch.
    fn follow(
        &mut self,
        starts: &[TermId],
        targets: &[TermId],
        hypothesis: &Hypothesis,
        place: Place,
    ) -> Result<Option<Path>> {
        if place.level > self.settings.depth {
            return Ok(None);
        }
        let mut path = Path::new();
        let mut at = starts.to_vec();
        let mut open = hypothesis.waypoints.len() as u64 + 1;
        for (i, waypoint) in hypothesis.waypoints.iter().enumerate() {
            let left = place.until.saturating_sub(self.ledger.work);
            let until = self.ledger.work + left / open;
            let stretch = match (&hypothesis.head, waypoint) {
                (Some(head), _) if i == 0 => Some(vec![head.clone()]),
                (_, Waypoint::Term(term)) => self.solve(&at, &[*term], Place { until, ..place })?,
                (_, Waypoint::Sketch(sketch)) => self.reach(&at, sketch, until)?,
            };
            let Some(stretch) = stretch else { return Ok(None) };
            path.extend(stretch);
            at = path.last().map(|proof| vec![proof.end()]).unwrap_or(at);
            open -= 1;
        }
        let last = match &hypothesis.tail {
            Some(tail) if at == [tail.start()] => Some(vec![tail.clone()]),
            _ => self.solve(&at, targets, place)?,
        };
        Ok(last.map(|last| {
            path.extend(last);
            path
        }))
    }

    /// Grows an e-graph from `starts` alone until a term satisfies the sketch.
    fn reach(&mut self, starts: &[TermId], sketch: &Sketch, until: u64) -> Result<Option<Path>> {
        if self.ledger.work >= until {
            return Ok(None);
        }
        let config = self.settings.budget.saturation(self.ledger.work, until);
        let stage = Stage::grow_to_sketch(self.system, self.bank, starts, sketch, &config);
        self.ledger.book(stage.egraph.built());
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
        Ok(None)
    }
}
