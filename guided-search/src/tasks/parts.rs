//! Tasks in parts: an item is an attempt at a far chain. How many attempts are needed depends on what comes of those of all
//! parts. So a part makes its share of the tasks and some more, and merging takes the attempts in their order, as one
//! process does.

use crate::options::tasks::ChainSettings;
use crate::options::tasks::Family;
use crate::tasks::chains::chain;
use crate::tasks::gather::{Attempt, BATCH, gather, origin};
use crate::tasks::origin::{HeldOutFrom, TaskOrigin};
use crate::tasks::task_set::TaskSet;
use anyhow::{Context, Result, ensure};
use dataset_gen::Seed;
use egraph::{System, TermBank};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::hash::of_parts;
use support::{Outcome, Part, Parts, Progress, Shard, make_part};

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
/// As [`make_part`].
pub fn tasks_part(
    system: &Arc<System>,
    (bank, seeds): (&TermBank, &[Seed]),
    settings: &ChainSettings,
    held_out_from: Vec<HeldOutFrom>,
    (shard, out): (Shard, &Path),
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
    let items = seeds.len() as u64 * u64::from(settings.rounds);
    let part = Part::new(TASKS_PART, shard, items, &described)?;
    make_part(&part, None, out, |making| {
        let enough = share(settings.count, shard.count);
        let progress = Progress::new("chains", enough as u64, quiet);
        let own: Vec<u64> = shard.of(items).collect();
        let made = AtomicUsize::new(0);
        let count = |attempt: &Attempt| {
            made.fetch_add(usize::from(matches!(attempt, Attempt::Made(_))), Ordering::Relaxed);
        };
        for batch in own.chunks(BATCH) {
            if made.load(Ordering::Relaxed) >= enough {
                break;
            }
            for &item in batch {
                making.found::<Attempt>(item)?.iter().for_each(count);
            }
            making.each(batch, rayon::current_num_threads(), &progress, |item| {
                let attempt = attempt(system, bank, seeds, settings, item);
                count(&attempt);
                Ok(attempt)
            })?;
        }
        progress.finish();
        Ok(())
    })
}

fn attempt(
    system: &Arc<System>,
    bank: &TermBank,
    seeds: &[Seed],
    settings: &ChainSettings,
    item: u64,
) -> Attempt {
    let (round, number) = ((item / seeds.len() as u64) as u32, item as usize % seeds.len());
    let seed = &seeds[number];
    let family = || Family::of_seed(system, bank, seed.term, settings.family_limits());
    if settings.family.is_some_and(|wanted| family() != wanted) {
        return Attempt::Other;
    }
    match chain(system, bank, seed, number, round, settings) {
        Ok(mut task) => {
            task.family = Some(settings.family.unwrap_or_else(family));
            Attempt::Made(task)
        }
        Err(reason) => Attempt::Failed(reason.to_owned()),
    }
}

/// Makes the task file `out` of all parts of its attempts; with it how many tasks were wanted.
///
/// # Errors
/// No task at all, a part that ended too early, as [`Parts::find`], or what the file system says.
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
