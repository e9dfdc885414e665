//! An optimisation that is a strategy of the rules file, or of the command line, and nothing else.

use crate::optimise::answer::{Ended, Objective};
use crate::optimise::growth::Growth;
use crate::search::stage::Ends;
use anyhow::Result;
use egraph::{Extracted, Schedule, Sketch, StopReason, TermId};
use std::sync::Arc;

/// Follows a strategy, which is the schedule of `system`, until a term satisfies the objective's sketch, if there is one.
/// Every term that it starts over from, and the best one of its last e-graph, is an answer; the best of them counts.
///
/// # Errors
/// [`Internal`](support::Internal), when an equality that an e-graph holds has no explanation.
pub(in crate::optimise) fn follow_strategy(
    run: &mut Growth<'_>,
    strategy: &Arc<Schedule>,
    start: TermId,
    objective: &Objective,
) -> Result<Ended> {
    let mut config = run.config(run.cap(), run.scheduler());
    config.limits.work = Some(run.left());
    config.schedule = Some(strategy.clone());
    config.cost = Some(objective.cost.clone());
    let sketch = &objective.sketch;
    let until = (*sketch != Sketch::Any).then_some(sketch);
    let stage = run.grow(Ends::alone(&start, until), &config);
    for before in &stage.rebased {
        let proof = before.proofs[0][0].clone();
        let term = proof.end();
        run.connect_proof(proof);
        run.note_if_better(objective, term);
    }
    if stage.stop == StopReason::Conflict {
        return Ok(Ended::Conflict);
    }
    if let Some(Extracted { term, .. }) = objective.extract(&stage, run.bank, false) {
        run.connect(&stage, stage.starts[0], term)?;
        run.note_if_better(objective, term);
    }
    Ok(match stage.stop {
        StopReason::Schedule | StopReason::Saturated => Ended::Strategy,
        StopReason::Goal => Ended::Reached,
        StopReason::Lost => Ended::Lost,
        _ => run.over().unwrap_or(Ended::Cap),
    })
}
