//! Attempts at far chains, one after the other, until there are enough. Each depends on nothing but its number, so they
//! may be made in any order, and anywhere; what is taken of them depends on their order alone.

use crate::options::tasks::{ChainSettings, Family};
use crate::tasks::chains::chain;
use crate::tasks::origin::TaskOrigin;
use crate::tasks::task::Task;
use crate::tasks::task_set::TaskSet;
use anyhow::{Error, Result};
use egraph::{System, TermBank};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};
use support::Progress;
use terms::Seed;

/// Attempts that are made together. Fixed, so that the number of threads can't show.
const BATCH: u64 = 32;

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

/// All attempts at far chains from seeds.
pub struct Attempts<'a> {
    system: &'a Arc<System>,
    bank: &'a TermBank,
    seeds: &'a [Seed],
    settings: &'a ChainSettings,
    /// The families of those seeds that were asked.
    families: Vec<OnceLock<Family>>,
}

impl<'a> Attempts<'a> {
    /// From these seeds.
    pub fn new(
        system: &'a Arc<System>,
        bank: &'a TermBank,
        seeds: &'a [Seed],
        settings: &'a ChainSettings,
    ) -> Attempts<'a> {
        let families = vec![OnceLock::new(); seeds.len()];
        Attempts { system, bank, seeds, settings, families }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.seeds.len() as u64 * u64::from(self.settings.rounds)
    }

    /// The family of the seed that an attempt begins with.
    pub fn family(&self, number: u64) -> Family {
        let seed = number as usize % self.seeds.len();
        let limits = || self.settings.family_limits();
        let ask = || Family::of_seed(self.system, self.bank, self.seeds[seed].term, limits());
        *self.families[seed].get_or_init(ask)
    }

    /// Makes one. The family of its task is not asked for.
    pub fn make(&self, number: u64) -> Attempt {
        let Attempts { system, bank, seeds, settings, .. } = *self;
        let (round, seed) = ((number / seeds.len() as u64) as u32, number as usize % seeds.len());
        if settings.family.is_some_and(|wanted| self.family(number) != wanted) {
            return Attempt::Other;
        }
        match chain(system, bank, &seeds[seed], seed, round, settings) {
            Ok(task) => Attempt::Made(task),
            Err(reason) => Attempt::Failed(reason.to_owned()),
        }
    }

    /// The tasks of the first attempts until there are enough, without their families, on the threads of the current rayon
    /// pool; and the numbers of the attempts.
    fn first(&self, quiet: bool) -> (TaskSet, Vec<u64>) {
        let batch = |first: u64| first..self.count().min(first + BATCH);
        let made = (0..self.count()).step_by(BATCH as usize).flat_map(|first| {
            let made: Vec<Attempt> = batch(first).into_par_iter().map(|n| self.make(n)).collect();
            made.into_iter().map(Ok)
        });
        let progress = Progress::new("chains", self.settings.count as u64, quiet);
        let origin = origin(self.system, self.settings);
        let gathered = gather(origin, self.seeds.len(), self.settings.count, made, &progress);
        progress.finish();
        gathered.expect("no attempt is an error")
    }
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
    let attempts = Attempts::new(system, bank, seeds, settings);
    let (mut set, numbers) = attempts.first(quiet);
    let progress = Progress::new("families", numbers.len() as u64, quiet || numbers.is_empty());
    set.tasks.par_iter_mut().zip(numbers).for_each(|(task, number)| {
        task.family = Some(attempts.family(number));
        progress.advance(1);
    });
    progress.finish();
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
    let (set, _) = Attempts::new(system, bank, seeds, settings).first(true);
    (set.origin.begun, set.tasks.len())
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

/// The first `count` tasks of attempts in their order, and the numbers of the attempts. No attempt is asked for when there
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
) -> Result<(TaskSet, Vec<u64>)> {
    let (mut tasks, mut numbers) = (Vec::new(), Vec::new());
    for number in 0.. {
        let Some(attempt) = (tasks.len() < count).then(|| attempts.next()).flatten() else { break };
        match attempt? {
            // Once, whatever the number of rounds.
            Attempt::Other => {
                origin.other_family += u64::from(number < seeds as u64);
                continue;
            }
            Attempt::Failed(reason) => *origin.failures.entry(reason).or_default() += 1,
            Attempt::Made(task) => {
                tasks.push(task);
                numbers.push(number);
                progress.advance(1);
            }
        }
        origin.begun += 1;
    }
    Ok((TaskSet { origin, tasks }, numbers))
}
