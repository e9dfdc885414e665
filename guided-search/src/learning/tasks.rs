//! Learning to prove: an e-graph is grown for each task, and what its proof used is learned from.

use crate::learning::halves::with_halves;
use crate::learning::practice::{Found, Order, Practice, Searched, example};
use crate::options::budget::Cap;
use crate::search::stage::{Ends, Stage};
use crate::tasks::held_out::seeds_of;
use crate::tasks::task::Task;
use crate::tasks::task_set::TaskSet;
use anyhow::{Context, Result};
use egraph::{Chosen, SaturationConfig, Scheduler, System, TermBank, used_matches};
use ranking::Example;
use std::sync::Arc;
use terms::SeenSeeds;

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

    fn grow(&self, number: u32, task: &Task, order: &Order, keep_chosen: bool) -> Result<Searched> {
        let mut bank = TermBank::new(self.system.language.clone());
        let terms = task.terms(&mut bank)?;
        let [start, target] = [terms[0], terms[terms.len() - 1]];
        let config = SaturationConfig {
            limits: self.cap.limits(u64::MAX),
            scheduler: Scheduler::BestFirst,
            order: order.clone(),
            keep_chosen,
            ..SaturationConfig::default()
        };
        let stage = Stage::grow(self.system, &mut bank, Ends::of(&[start, target]), &config, false);
        let proved = stage.met.is_some();
        let mut examples = Vec::new();
        if proved && keep_chosen {
            let used = used_matches(
                &stage.egraph,
                &mut bank,
                stage.chosen.iter().map(Chosen::matched),
                start,
                target,
            )
            .context("no explanation of what the e-graph holds")?;
            let of_proof: Vec<Example> = stage.chosen.iter().zip(used).map(example).collect();
            examples.extend(Some(of_proof).filter(|some| !some.is_empty()));
        }
        let found = Found { number, improved: proved, cost: Vec::new() };
        Ok(Searched { found, cost_before: None, work: stage.egraph.built(), examples })
    }
}

impl Practice for TaskPractice<'_> {
    fn seen(&self) -> Result<SeenSeeds> {
        let both = self.training.iter().chain(self.validation);
        seeds_of(both, &mut TermBank::new(self.system.language.clone()))
    }

    fn training(&self, _: &[Vec<Found>]) -> Vec<u32> {
        (0..self.training.len() as u32).collect()
    }

    fn train(&self, number: u32, order: &Order) -> Result<Searched> {
        self.grow(number, &self.training[number as usize], order, true)
    }

    fn validation(&self) -> u32 {
        self.validation.len() as u32
    }

    fn validate(&self, number: u32, order: &Order) -> Result<Searched> {
        self.grow(number, &self.validation[number as usize], order, false)
    }
}
