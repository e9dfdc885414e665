//! Learning to prove: an e-graph is grown for each task, and what its proof used is learned from.

use crate::learning::halves::with_halves;
use crate::learning::practice::{Found, Order, Practice, Trained, Validated, example};
use crate::search::budget::Cap;
use crate::search::stage::{Ends, Stage};
use crate::tasks::held_out::seeds_of;
use crate::tasks::task::Task;
use crate::tasks::task_set::TaskSet;
use anyhow::{Context, Result};
use dataset_gen::SeenSeeds;
use egraph::{SaturationConfig, Scheduler, System, TermBank, used_matches};
use model::ranking::fit::Example;
use rayon::prelude::*;
use std::sync::Arc;
use support::Progress;

/// Tasks, and the limit of the e-graph of each.
pub struct TaskPractice<'a> {
    system: &'a Arc<System>,
    /// With halves of their chains.
    training: Vec<Task>,
    validation: &'a [Task],
    cap: Cap,
}

impl<'a> TaskPractice<'a> {
    /// On training tasks and their halves.
    pub fn new(
        system: &'a Arc<System>,
        [training, validation]: [&'a TaskSet; 2],
        cap: Cap,
    ) -> TaskPractice<'a> {
        let training = with_halves(&training.tasks);
        TaskPractice { system, training, validation: &validation.tasks, cap }
    }

    fn grow_all(
        &self,
        tasks: &[Task],
        order: &Order,
        log: bool,
        quiet: bool,
    ) -> Result<Vec<Grown>> {
        let progress = Progress::new("tasks", tasks.len() as u64, quiet);
        let grown = tasks.par_iter().map(|task| {
            let grown = self.grow(task, order, log);
            progress.advance(1);
            grown
        });
        let grown = grown.collect();
        progress.finish();
        grown
    }

    fn grow(&self, task: &Task, order: &Order, log: bool) -> Result<Grown> {
        let mut bank = TermBank::new(self.system.language.clone());
        let terms = task.terms(&mut bank)?;
        let [start, target] = [terms[0], terms[terms.len() - 1]];
        let config = SaturationConfig {
            limits: self.cap.limits(u64::MAX),
            scheduler: Scheduler::BestFirst,
            order: order.clone(),
            log,
            ..SaturationConfig::default()
        };
        let stage = Stage::grow(self.system, &bank, Ends::of(&[start, target]), &config, false);
        let proved = stage.met.is_some();
        let mut examples = Vec::new();
        if proved && log {
            let used = used_matches(&stage.egraph, &mut bank, &stage.chosen, start, target)
                .context("no explanation of what the e-graph holds")?;
            examples = stage.chosen.iter().zip(used).map(example).collect();
        }
        Ok(Grown { proved, work: stage.egraph.built(), examples })
    }
}

/// The e-graph of a task.
struct Grown {
    proved: bool,
    work: u64,
    /// What was chosen, if there is a proof.
    examples: Vec<Example>,
}

impl Practice for TaskPractice<'_> {
    fn seen(&self) -> Result<SeenSeeds> {
        let both = self.training.iter().chain(self.validation);
        seeds_of(both, &mut TermBank::new(self.system.language.clone()))
    }

    fn train(&self, order: &Order, _: &[Vec<Found>], quiet: bool) -> Result<Trained> {
        let grown = self.grow_all(&self.training, order, true, quiet)?;
        let found = (0..).zip(&grown).map(|(number, grown)| Found::task(number, grown.proved));
        let found = found.collect();
        let examples = grown.into_iter().map(|grown| grown.examples);
        Ok(Trained { found, examples: examples.filter(|some| !some.is_empty()).collect() })
    }

    fn validate(&self, order: &Order, quiet: bool) -> Result<Validated> {
        let grown = self.grow_all(self.validation, order, false, quiet)?;
        let proved = grown.iter().filter(|grown| grown.proved).count() as u64;
        let work = grown.iter().map(|grown| grown.work).sum();
        Ok(Validated { proved, work, left: None })
    }
}
