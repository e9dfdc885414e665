//! Proofs without guides: one e-graph, grown from both terms of a question until they meet.

use crate::options::schedulers::Schedulers;
use crate::search::answer::{Answer, Failure, Question, checked};
use crate::search::budget::{Ledger, bounds, node_limits};
use crate::search::stage::{Ends, Side, Stage, bounded};
use crate::search::turns::Turns;
use anyhow::Result;
use egraph::{Bounds, Proof, SaturationConfig, Scheduler, StopReason, System, TermBank, TermId};
use std::sync::Arc;
use std::time::Instant;

/// E-nodes of the first turn of [`prove_in_turn`].
const FIRST_TURN: usize = 4_096;

/// One e-graph of at most `work` e-nodes.
///
/// # Errors
/// An internal fault, when a proof is refused by the checker.
pub fn one_egraph(
    system: &Arc<System>,
    bank: &mut TermBank,
    question: Question<'_>,
    work: u64,
    scheduler: Scheduler,
) -> Result<Answer> {
    let [start, target] = question.ends;
    let mut limits = node_limits(usize::try_from(work).unwrap_or(usize::MAX));
    limits.time = question.deadline.map(|at| at.saturating_duration_since(Instant::now()));
    let cancel = question.cancel.cloned();
    let config = SaturationConfig { limits, scheduler, cancel, ..SaturationConfig::default() };
    let stage = Stage::grow(system, bank, Ends::of(&question.ends), &config, false);
    let mut ledger = Ledger::default();
    ledger.book(&stage.egraph);
    let result = match (stage.met, stage.stop) {
        (Some(_), _) if ledger.work <= work => {
            let bounds = bounds(work, question.deadline, question.cancel);
            let proof = bounded(&bounds, || stage.explain(bank, start, target))?;
            match proof {
                Ok(proof) => Ok(checked(system, bank, vec![proof], question.ends)?),
                Err(bound) => Err(Failure::at(bound)),
            }
        }
        _ if stage.opposed.is_some() => Err(Failure::Opposed),
        (_, StopReason::Saturated) => Err(Failure::Saturated),
        (_, StopReason::Schedule) => Err(Failure::Schedule),
        (_, StopReason::Conflict) => Err(Failure::Conflict),
        (_, StopReason::Time) => Err(Failure::Time),
        (_, StopReason::Cancelled) => Err(Failure::Cancelled),
        _ => Err(Failure::Work),
    };
    let opposed = opposed_proofs(system, bank, &stage)?;
    Ok(Answer { result, opposed, waypoints: Vec::new(), smallest: question.ends, ledger })
}

/// What the e-graphs of [`prove_in_turn`] came to.
#[derive(Clone, Debug)]
pub struct InTurn {
    /// The proof, accepted by the checker, if the terms met.
    pub proof: Option<Proof>,
    /// Proofs, accepted by the checker, from the start and from the target to different literals, if they
    /// equal such.
    pub opposed: Option<[Proof; 2]>,
    /// Why the last e-graph ended.
    pub stop: StopReason,
    /// E-nodes of the largest e-graph.
    pub e_nodes: usize,
}

/// E-graphs with the schedulers in turn, each with four times as many e-nodes as in the turn before, until
/// the terms meet or none of them can grow further. With one scheduler it is one e-graph.
///
/// # Errors
/// An internal fault, when a proof is refused by the checker.
pub fn prove_in_turn(
    system: &Arc<System>,
    bank: &mut TermBank,
    ends: [TermId; 2],
    config: &SaturationConfig,
    schedulers: Schedulers,
) -> Result<InTurn> {
    let began = Instant::now();
    let most = config.limits.nodes.unwrap_or(usize::MAX);
    let first_turn = if schedulers.in_turn().1.is_some() { FIRST_TURN } else { most };
    let mut turns = Turns::new(schedulers, first_turn);
    let mut found = InTurn { proof: None, opposed: None, stop: StopReason::Nodes, e_nodes: 0 };
    // One e-graph at a time: there is no memory for two.
    while let Some((scheduler, nodes)) = turns.next() {
        let mut config = SaturationConfig { scheduler, ..config.clone() };
        config.limits.nodes = Some(nodes.min(most)).filter(|&nodes| nodes < usize::MAX);
        config.limits.time = config.limits.time.map(|t| t.saturating_sub(began.elapsed()));
        let stage = Stage::grow(system, bank, Ends::of(&ends), &config, false);
        found.e_nodes = found.e_nodes.max(stage.egraph.node_count());
        found.stop = stage.stop;
        found.opposed = opposed_proofs(system, bank, &stage)?;
        if let (Some(_), [start], [target]) = (stage.met, &stage.starts[..], &stage.targets[..]) {
            let mut parts: Vec<Proof> = stage.legs(Side::Start, 0).cloned().collect();
            let deadline = config.limits.time.and_then(|time| Instant::now().checked_add(time));
            let bounds = Bounds { deadline, cancel: config.cancel.clone(), ..Bounds::default() };
            match bounded(&bounds, || stage.explain(bank, *start, *target))? {
                Ok(proof) => parts.push(proof),
                Err(bound) => {
                    found.stop = bound;
                    break;
                }
            }
            parts.extend(stage.legs(Side::Target, 0).rev().cloned().map(Proof::reversed));
            found.proof = Some(checked(system, bank, parts, ends)?);
        }
        if found.proof.is_some() || found.opposed.is_some() || stage.stop == StopReason::Time {
            break;
        }
        turns.ended(scheduler, stage.stop, most);
    }
    Ok(found)
}

/// Proofs, accepted by the checker, from a term of each side of a stage to different literals, if
/// the stage found that.
fn opposed_proofs(
    system: &System,
    bank: &mut TermBank,
    stage: &Stage,
) -> Result<Option<[Proof; 2]>> {
    let Some((start, target)) = stage.opposed else { return Ok(None) };
    let mut proof = |side: Side, term: TermId| -> Result<Proof> {
        let mut parts: Vec<Proof> = stage.legs(side, 0).cloned().collect();
        parts.push(stage.explain_literal(bank, term)?);
        let ends = [parts[0].start(), parts[parts.len() - 1].end()];
        checked(system, bank, parts, ends)
    };
    Ok(Some([proof(Side::Start, start)?, proof(Side::Target, target)?]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::Limits;

    #[test]
    fn what_is_said_of_turns_that_failed_is_the_size_of_the_largest_e_graph() {
        let system = "(sort I) (variable I) (op + (I I) I) (rewrite (+ ?a ?b) (+ ?b ?a))
            (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))";
        let system = Arc::new(System::parse(system).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let sum = "(+ a (+ b (+ c (+ d (+ e (+ f (+ g (+ h (+ i j)))))))))";
        let ends = [sum, "k"].map(|text| bank.parse(text, None).unwrap());
        let limits = Limits { iterations: Some(6), ..Limits::default() };
        let config = SaturationConfig { limits, ..SaturationConfig::default() };
        let mut e_nodes = |schedulers| {
            let found = prove_in_turn(&system, &mut bank, ends, &config, schedulers).unwrap();
            assert!(found.proof.is_none());
            found.e_nodes
        };
        let (simple, backoff) = (e_nodes(Schedulers::Simple), e_nodes(Schedulers::Backoff));
        assert!(backoff < simple, "{backoff} {simple}");
        assert!(simple > FIRST_TURN);
        assert_eq!(e_nodes(Schedulers::Auto), simple);
    }
}
