//! Attempts at far chains, one after the other, until there are enough. Each depends on nothing but its number, so they
//! may be made in any order, and anywhere; what is taken of them depends on their order alone.

use crate::options::tasks::ChainSettings;
use crate::tasks::chains::chain;
use crate::tasks::family::Families;
use crate::tasks::origin::TaskOrigin;
use crate::tasks::task::Task;
use crate::tasks::task_set::TaskSet;
use anyhow::{Error, Result};
use dataset_gen::Seed;
use egraph::{System, TermBank};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use support::Progress;

/// Attempts that are made together. Fixed, so that the number of threads can't show.
pub const BATCH: usize = 32;

/// What came of an attempt. Attempt number n begins with seed n modulo the number of seeds; each time that the seeds are
/// gone through is a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Attempt {
    /// The seed is not of the family that is wanted: none is begun.
    Other,
    /// It came to nothing, for this reason.
    Failed(String),
    /// A task.
    Made(Task),
}

/// Makes far chains from seeds, on the threads of the current rayon pool, until there are enough
/// or every seed was used in every round. Chains that come to nothing are counted by reason. Seeds
/// that chains are made of are asked for their families, and with a family in the settings all with
/// which chains might be begun.
pub fn far_chains(
    system: &Arc<System>,
    bank: &TermBank,
    seeds: &[Seed],
    settings: &ChainSettings,
    quiet: bool,
) -> TaskSet {
    let mut families = Families::new(system, bank, seeds, settings.family_limits());
    let (mut set, numbers) = chains(system, bank, seeds, settings, &mut families, quiet);
    families.ask(numbers.iter().copied(), quiet);
    for (task, &number) in set.tasks.iter_mut().zip(&numbers) {
        task.family = families.known(number);
    }
    set
}

/// As [`far_chains`], but not asked for their families where these don't matter: how many were begun,
/// and how many came about.
pub(super) fn count_chains(
    system: &Arc<System>,
    bank: &TermBank,
    seeds: &[Seed],
    settings: &ChainSettings,
) -> (u64, usize) {
    let mut families = Families::new(system, bank, seeds, settings.family_limits());
    let (set, _) = chains(system, bank, seeds, settings, &mut families, true);
    (set.origin.begun, set.tasks.len())
}

/// Far chains without their families, and the numbers of their seeds.
fn chains(
    system: &Arc<System>,
    bank: &TermBank,
    seeds: &[Seed],
    settings: &ChainSettings,
    families: &mut Families<'_>,
    quiet: bool,
) -> (TaskSet, Vec<usize>) {
    let mut numbers =
        (0..settings.rounds).flat_map(|round| (0..seeds.len()).map(move |s| (round, s)));
    let mut made = Vec::new().into_iter();
    let attempts = std::iter::from_fn(|| {
        if made.len() == 0 {
            made = next_batch(&mut numbers, system, bank, seeds, settings, families).into_iter();
        }
        made.next().map(Ok)
    });
    let progress = Progress::new("chains", settings.count as u64, quiet);
    let origin = origin(system, settings);
    let gathered = gather(origin, seeds.len(), settings.count, attempts, &progress);
    progress.finish();
    gathered.expect("no attempt is an error")
}

/// How tasks are made, as far as it is known before any is.
pub fn origin(system: &System, settings: &ChainSettings) -> TaskOrigin {
    TaskOrigin {
        system_hash: system.hash.clone(),
        links: settings.links,
        link_nodes: settings.link_nodes,
        cap: settings.beyond,
        seed: settings.seed,
        family: settings.family,
        ..TaskOrigin::default()
    }
}

/// The first `count` tasks of attempts in their order, and the numbers of their seeds. No attempt is asked for when there
/// are enough.
///
/// # Errors
/// That of the first attempt that is one.
pub fn gather(
    mut origin: TaskOrigin,
    seeds: usize,
    count: usize,
    mut attempts: impl Iterator<Item = Result<Attempt, Error>>,
    progress: &Progress,
) -> Result<(TaskSet, Vec<usize>)> {
    let (mut tasks, mut numbers) = (Vec::new(), Vec::new());
    for number in 0.. {
        let Some(attempt) = (tasks.len() < count).then(|| attempts.next()).flatten() else { break };
        match attempt? {
            // Once, whatever the number of rounds.
            Attempt::Other => {
                origin.other_family += u64::from(number < seeds);
                continue;
            }
            Attempt::Failed(reason) => *origin.failures.entry(reason).or_default() += 1,
            Attempt::Made(task) => {
                tasks.push(task);
                numbers.push(number % seeds);
                progress.advance(1);
            }
        }
        origin.begun += 1;
    }
    Ok((TaskSet { origin, tasks }, numbers))
}

/// The next attempts, with at least [`BATCH`] seeds of the wanted family if there are so many left.
fn next_batch(
    numbers: &mut impl Iterator<Item = (u32, usize)>,
    system: &Arc<System>,
    bank: &TermBank,
    seeds: &[Seed],
    settings: &ChainSettings,
    families: &mut Families<'_>,
) -> Vec<Attempt> {
    let (mut batch, mut wanted) = (Vec::new(), 0);
    while wanted < BATCH {
        let next: Vec<(u32, usize)> = numbers.take(BATCH).collect();
        if next.is_empty() {
            break;
        }
        if settings.family.is_some() {
            families.ask(next.iter().map(|&(_, s)| s), true);
        }
        let marked = next.into_iter().map(|(round, s)| {
            let begun = settings.family.is_none_or(|family| families.known(s) == Some(family));
            wanted += usize::from(begun);
            (round, s, begun)
        });
        batch.extend(marked);
    }
    let made = batch.par_iter().map(|&(round, s, begun)| {
        if !begun {
            return Attempt::Other;
        }
        match chain(system, bank, &seeds[s], s, round, settings) {
            Ok(task) => Attempt::Made(task),
            Err(reason) => Attempt::Failed(reason.to_owned()),
        }
    });
    made.collect()
}
