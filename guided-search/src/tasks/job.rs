//! Tasks as a job: an item is an attempt at a far chain. How many attempts are needed depends on what comes of them. So a
//! part makes its share of the tasks and some more, and merging takes the attempts of all in their order, as one process
//! does.

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

/// What tasks are made of, and how.
pub struct TaskInputs<'a> {
    /// The rewrite system.
    pub system: &'a Arc<System>,
    /// The terms of the seeds.
    pub bank: &'a TermBank,
    /// The seeds.
    pub seeds: &'a [Seed],
    /// How chains are made of them.
    pub settings: &'a ChainSettings,
    /// Where other tasks and data sets lie, whose seeds are left out.
    pub held_out_from: &'a [HeldOutFrom],
}

impl TaskInputs<'_> {
    fn settings(&self) -> TasksSettings {
        let TaskInputs { system, bank, seeds, settings, held_out_from } = *self;
        let texts = seeds.iter().map(|seed| format!("{}\n{}\n", seed.id, bank.text(seed.term)));
        let origin = origin(system, settings);
        TasksSettings {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            origin: TaskOrigin { held_out_from: held_out_from.to_vec(), ..origin },
            count: settings.count,
            memory: settings.memory,
            seeds: seeds.len(),
            seeds_hash: of_parts(texts),
        }
    }

    /// All attempts at chains.
    fn job<'a>(
        &self,
        attempts: &'a Attempts<'a>,
    ) -> Job<'a, TasksSettings, impl Fn(u64) -> Result<Attempt> + Sync + 'a> {
        Job {
            kind: TASKS_PART,
            items: ("chains", attempts.count()),
            settings: self.settings(),
            told: None,
            beside: None,
            work: |number| {
                let mut attempt = attempts.make(number);
                if let Attempt::Made(task) = &mut attempt {
                    task.family = Some(attempts.family(number));
                }
                Ok(attempt)
            },
        }
    }

    fn attempts(&self) -> Attempts<'_> {
        Attempts::new(self.system, self.bank, self.seeds, self.settings)
    }

    /// Makes the task file `out`, or goes on with what a process left that was stopped, on as many threads as the
    /// current rayon pool has. Without a task nothing is written.
    ///
    /// # Errors
    /// As [`Job::kept`], or what the file system says.
    pub fn make(&self, out: &Path, quiet: bool) -> Result<TaskSet> {
        let (attempts, count) = (self.attempts(), self.settings.count);
        let kept = self.job(&attempts).kept(out, Some((count, &is_made)), quiet)?;
        let none = Progress::new("tasks", count as u64, true);
        let origin = self.settings().origin;
        let (set, _) = gather(origin, self.seeds.len(), count, kept.items(), &none)?;
        if !set.tasks.is_empty() {
            set.save(out)?;
        }
        kept.discard()?;
        Ok(set)
    }

    /// Makes one part of the attempts, on as many threads as the current rayon pool has.
    ///
    /// # Errors
    /// As [`Job::part`].
    pub fn part(&self, place: (Shard, &Path), quiet: bool) -> Result<Outcome> {
        let enough = share(self.settings.count, place.0.count);
        self.job(&self.attempts()).part(place, Some((enough, &is_made)), quiet)
    }
}

fn is_made(attempt: &Attempt) -> bool {
    matches!(attempt, Attempt::Made(_))
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
