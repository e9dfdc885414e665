//! What a stage knows about the guides: which of them it has reached already, and from where.
//!
//! A guide that stands in the class of the start (or of the target) in the e-graph that just
//! failed is a true waypoint, found at no further cost. The others are hypotheses.

use crate::search::stage::{Side, Stage};
use crate::sources::guide_source::{Guide, Waypoint};
use anyhow::Result;
use egraph::{Leaf, LeafValue, Proof, TermBank, TermId, explain, extract_sketch};
use support::errors::Internal;

/// A term that is proved equal to a term of one side.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The term.
    pub term: TermId,
    /// On the start's side a proof from a start to the term, on the target's side a proof from
    /// the term to a target.
    pub proof: Proof,
}

/// The guides of one request, sorted by what the stage knows about them.
#[derive(Debug, Default)]
pub struct Candidates {
    /// Single waypoints equal to the start, those that the stage found last first.
    pub from_start: Vec<Reached>,
    /// Single waypoints equal to the target, those that the stage found last first.
    pub from_target: Vec<Reached>,
    /// Guides that lead over unproved ground, in the order of the source.
    pub hypotheses: Vec<Hypothesis>,
}

/// A guide with what is known of its two ends.
#[derive(Clone, Debug)]
pub struct Hypothesis {
    /// The stops, at least one.
    pub waypoints: Vec<Waypoint>,
    /// A proof from the start's side to the first waypoint.
    pub head: Option<Proof>,
    /// A proof from the last waypoint to the target's side.
    pub tail: Option<Proof>,
}

impl Candidates {
    /// Looks every guide up in the stage.
    ///
    /// # Errors
    /// [`Internal`], when the e-graph can't explain an equality that it holds.
    pub fn sort(stage: &Stage, bank: &mut TermBank, guides: Vec<Guide>) -> Result<Candidates> {
        let mut candidates = Candidates::default();
        for guide in guides {
            let mut waypoints = guide.waypoints;
            let head = match guide.reached {
                Some(proof) => {
                    let first =
                        matches!(waypoints.first(), Some(Waypoint::Term(t)) if *t == proof.end());
                    if !first || !stage.starts.contains(&proof.start()) {
                        let message = "a source of guides has a proof of another first waypoint";
                        return Err(Internal::new(message).into());
                    }
                    Some(proof)
                }
                None => match waypoints.first_mut() {
                    Some(first) => reach(stage, bank, Side::Start, first)?,
                    None => continue,
                },
            };
            // The first waypoint may be the last one too, and is known already then.
            let settled = head.is_some() && waypoints.len() == 1;
            let tail = match waypoints.last_mut() {
                Some(last) if !settled => reach(stage, bank, Side::Target, last)?,
                _ => None,
            };
            match (waypoints.as_slice(), head, tail) {
                ([Waypoint::Term(term)], Some(proof), _) => {
                    insert(&mut candidates.from_start, stage, Side::Start, *term, proof);
                }
                ([Waypoint::Term(term)], None, Some(proof)) => {
                    insert(&mut candidates.from_target, stage, Side::Target, *term, proof);
                }
                (_, head, tail) => {
                    candidates.hypotheses.push(Hypothesis { waypoints, head, tail });
                }
            }
        }
        newest_first(&mut candidates.from_start, stage, bank, Side::Start);
        newest_first(&mut candidates.from_target, stage, bank, Side::Target);
        Ok(candidates)
    }

    /// Whether nothing came of the guides.
    pub fn is_empty(&self) -> bool {
        self.from_start.is_empty() && self.from_target.is_empty() && self.hypotheses.is_empty()
    }

    /// Pairs of proved waypoints, the best ranks first; where a side has none, its ends stay.
    pub fn pairs(&self, attempts: usize) -> Vec<(Option<&Reached>, Option<&Reached>)> {
        let some = |all: &[Reached]| all.len().min(attempts);
        let (starts, targets) = (some(&self.from_start), some(&self.from_target));
        let mut pairs = match (starts, targets) {
            (0, 0) => Vec::new(),
            (_, 0) => (0..starts).map(|s| (s, None, Some(s))).collect(),
            (0, _) => (0..targets).map(|t| (t, Some(t), None)).collect(),
            _ => (0..starts)
                .flat_map(|s| (0..targets).map(move |t| (s + t, Some(t), Some(s))))
                .collect::<Vec<_>>(),
        };
        pairs.sort_by_key(|&(rank, ..)| rank);
        pairs.truncate(attempts);
        pairs
            .into_iter()
            .map(|(_, t, s)| (s.map(|s| &self.from_start[s]), t.map(|t| &self.from_target[t])))
            .collect()
    }
}

/// Finds a waypoint on a side of the stage. A sketch becomes the smallest term that satisfies it.
fn reach(
    stage: &Stage,
    bank: &mut TermBank,
    side: Side,
    waypoint: &mut Waypoint,
) -> Result<Option<Proof>> {
    let (term, root) = match waypoint {
        Waypoint::Term(term) => match stage.equal_to(bank, side, *term) {
            Some(root) => (*term, root),
            None => return Ok(None),
        },
        Waypoint::Sketch(sketch) => {
            let found = stage
                .classes(bank, side)
                .into_iter()
                .find_map(|class| extract_sketch(&stage.egraph, bank, class, sketch));
            let Some(term) = found else { return Ok(None) };
            let root = stage.equal_to(bank, side, term).ok_or_else(|| {
                Internal::new("a term that was extracted from a class is not in it")
            })?;
            *waypoint = Waypoint::Term(term);
            (term, root)
        }
    };
    let (from, to) = match side {
        Side::Start => (root, term),
        Side::Target => (term, root),
    };
    Ok(Some(explain_equal(stage, bank, from, to)?))
}

/// The proof of an equality that the stage holds.
///
/// # Errors
/// [`Internal`], when there is no explanation.
pub fn explain_equal(
    stage: &Stage,
    bank: &mut TermBank,
    from: TermId,
    to: TermId,
) -> Result<Proof> {
    explain(&stage.egraph, bank, from, to).ok_or_else(|| {
        let (from, to) = (bank.display(from), bank.display(to));
        Internal::new(format!("no explanation for {from} = {to}, which the e-graph holds")).into()
    })
}

/// The proof that a term equals the literal of its class.
///
/// # Errors
/// [`Internal`], when there is none.
pub fn explain_literal(stage: &Stage, bank: &mut TermBank, term: TermId) -> Result<Proof> {
    let class = stage.egraph.lookup(bank, term);
    let value = class.and_then(|class| stage.egraph.literal(class));
    let value = value.ok_or_else(|| Internal::new("a class that had a literal has none"))?;
    let literal = bank.leaf(&Leaf { sort: bank.sort(term), value: LeafValue::Literal(value) });
    explain_equal(stage, bank, term, literal)
}

fn insert(reached: &mut Vec<Reached>, stage: &Stage, side: Side, term: TermId, proof: Proof) {
    let known = stage.terms(side).contains(&term) || reached.iter().any(|r| r.term == term);
    if !known {
        reached.push(Reached { term, proof });
    }
}

/// Terms that only the last iteration found lead further than those that were there before it.
fn newest_first(reached: &mut [Reached], stage: &Stage, bank: &TermBank, side: Side) {
    reached.sort_by_cached_key(|r| !stage.is_frontier(bank, side, r.term));
}
