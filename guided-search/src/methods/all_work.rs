//! The unguided baseline in its best form: one e-graph that may use all of the work at once.

use crate::methods::asked::Asked;
use crate::search::answer::{Answer, Failure};
use crate::search::one_egraph::one_egraph;
use anyhow::Result;
use egraph::Scheduler;

/// One e-graph with both terms, grown until they meet or the work is spent, with the simple and,
/// if that fails, with the back-off scheduler; the better counts, and only its work. The cap does
/// not apply.
///
/// # Errors
/// An internal fault, when a proof is refused by the checker.
pub fn all_work(asked: &mut Asked<'_>) -> Result<Answer> {
    let (question, work) = (asked.question, asked.settings.budget.work);
    let mut grow = |scheduler| one_egraph(asked.system, asked.bank, question, work, scheduler);
    let simple = grow(Scheduler::Simple)?;
    // A saturated e-graph would be the same under any scheduler.
    if simple.result.is_ok()
        || matches!(simple.result, Err(Failure::Saturated | Failure::Opposed | Failure::Cancelled))
    {
        return Ok(simple);
    }
    let backoff = grow(Scheduler::Backoff)?;
    Ok(if backoff.result.is_ok() { backoff } else { simple })
}
