//! Tasks in parts: an item is an attempt at a far chain. How many attempts are needed depends on what comes of those of all
//! parts. So a part makes its share of the tasks and some more, and merging takes the attempts in their order, as one
//! process does.

use crate::options::tasks::ChainSettings;
use crate::tasks::gather::{Attempt, Attempts, gather, origin};
use crate::tasks::origin::{HeldOutFrom, TaskOrigin};
use crate::tasks::task_set::TaskSet;
use anyhow::{Context, Result, ensure};
use egraph::{System, TermBank};
use jobs::{Job, Outcome, Parts, Shard};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use support::Progress;
use support::hash::of_parts;
use terms::Seed;

/// What the parts become.
pub const TASKS_PART: &str = "tasks";

/// What all parts of tasks depend on.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TasksSettings {
    version: String,
    origin: TaskOrigin,
    count: usize,
    memory: usize,
    seeds: usize,
    /// SHA-256 of their ids and texts.
    seeds_hash: String,
}

/// How many tasks a part makes of `count`: its share, and as many more as chance may put into the attempts before the
/// last one that is needed.
fn share(count: usize, parts: u32) -> usize {
    let share = count.div_ceil(parts as usize);
    share.saturating_add(16 + 6 * share.isqrt())
}

/// Makes one part of the attempts at far chains from seeds, on as many threads as the current rayon pool has.
///
/// # Errors
/// As [`Job::part`].
pub fn tasks_part(
    system: &Arc<System>,
    (bank, seeds): (&TermBank, &[Seed]),
    settings: &ChainSettings,
    held_out_from: Vec<HeldOutFrom>,
    place: (Shard, &Path),
    quiet: bool,
) -> Result<Outcome> {
    let origin = TaskOrigin { held_out_from, ..origin(system, settings) };
    let texts = seeds.iter().map(|seed| format!("{}\n{}\n", seed.id, bank.text(seed.term)));
    let described = TasksSettings {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        origin,
        count: settings.count,
        memory: settings.memory,
        seeds: seeds.len(),
        seeds_hash: of_parts(texts),
    };
    let attempts = Attempts::new(system, bank, seeds, settings);
    let job = Job {
        kind: TASKS_PART,
        items: ("chains", attempts.count()),
        settings: described,
        told: None,
        beside: None,
        work: |number| {
            let mut attempt = attempts.make(number);
            if let Attempt::Made(task) = &mut attempt {
                task.family = Some(attempts.family(number));
            }
            Ok(attempt)
        },
    };
    let enough = share(settings.count, place.0.count);
    job.part(place, Some((enough, &|attempt| matches!(attempt, Attempt::Made(_)))), quiet)
}

/// Makes the task file `out` of all parts of its attempts; with it how many tasks were wanted.
///
/// # Errors
/// No task at all, a part that ended too early, as [`jobs::Parts::find`], or what the file system says.
pub fn merge_tasks(parts: &Parts, out: &Path, quiet: bool) -> Result<(TaskSet, usize)> {
    TaskSet::output(out)?;
    let TasksSettings { origin, count, seeds, .. } = parts.settings()?;
    let too_early = |item| {
        format!(
            "{} had its share of {count} tasks before attempt {item}, which is needed here: the seeds that \
             chains come from are spread too unevenly over so many parts; expected parts of another number",
            parts.of(item).display()
        )
    };
    let attempts =
        (0..parts.items()).map(|item| parts.find(item)?.with_context(|| too_early(item)));
    let progress = Progress::new("tasks", count as u64, quiet);
    let gathered = gather(origin, seeds, count, attempts, &progress);
    progress.finish();
    let (set, _) = gathered?;
    ensure!(!set.tasks.is_empty(), "no chain came about: {} has no task", parts.first().display());
    set.save(out)?;
    Ok((set, count))
}
