//! The unguided baseline in its best form: one e-graph that may use all of the work at once.

use crate::search::answer::{Answer, Failure, checked, opposed_proofs};
use crate::search::budget::{Budget, Ledger, node_limits};
use crate::search::reached::explain_equal;
use crate::search::stage::Stage;
use anyhow::Result;
use egraph::{SaturationConfig, Scheduler, StopReason, System, TermBank, TermId};
use std::sync::Arc;

/// One e-graph with both terms, grown until they meet or the work is spent, with the simple and,
/// if that fails, with the back-off scheduler; the better counts, and only its work. The cap does
/// not apply.
///
/// # Errors
/// An internal fault, when a proof is refused by the checker.
pub fn all_work(
    system: &Arc<System>,
    bank: &mut TermBank,
    [start, target]: [TermId; 2],
    budget: &Budget,
) -> Result<Answer> {
    let simple = one_egraph(system, bank, start, target, budget.work, Scheduler::Simple)?;
    // A saturated e-graph would be the same under any scheduler.
    if simple.result.is_ok() || matches!(simple.result, Err(Failure::Saturated | Failure::Opposed))
    {
        return Ok(simple);
    }
    let backoff = one_egraph(system, bank, start, target, budget.work, Scheduler::Backoff)?;
    Ok(if backoff.result.is_ok() { backoff } else { simple })
}

fn one_egraph(
    system: &Arc<System>,
    bank: &mut TermBank,
    start: TermId,
    target: TermId,
    work: u64,
    scheduler: Scheduler,
) -> Result<Answer> {
    let limits = node_limits(usize::try_from(work).unwrap_or(usize::MAX));
    let config = SaturationConfig { limits, scheduler, ..SaturationConfig::default() };
    let stage = Stage::grow(system, bank, &[start], &[target], &config, false);
    let mut ledger = Ledger::default();
    ledger.book(&stage.egraph);
    let result = match (stage.met, stage.stop) {
        (Some(_), _) if ledger.work <= work => {
            let proof = explain_equal(&stage, bank, start, target)?;
            Ok(checked(system, bank, vec![proof], [start, target])?)
        }
        _ if stage.opposed.is_some() => Err(Failure::Opposed),
        (_, StopReason::Saturated) => Err(Failure::Saturated),
        (_, StopReason::Schedule) => Err(Failure::Schedule),
        (_, StopReason::Conflict) => Err(Failure::Conflict),
        _ => Err(Failure::Work),
    };
    let opposed = opposed_proofs(system, bank, &stage)?;
    Ok(Answer { result, opposed, waypoints: Vec::new(), smallest: [start, target], ledger })
}
