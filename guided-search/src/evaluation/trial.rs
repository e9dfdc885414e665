//! Tasks under the rules of a file: which are proved, with how much work, by which rules.

use crate::methods::asked::{Aids, Asked};
use crate::methods::table::Method;
use crate::options::prove::SearchSettings;
use crate::search::answer::Question;
use crate::tasks::task::Task;
use anyhow::{Context, Result, anyhow};
use egraph::{RuleId, System, TermBank};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A file of rules, and the tasks that it is tried on.
pub struct Bed<'a> {
    /// What the file is called in messages.
    pub name: &'a str,
    /// The file.
    pub text: &'a str,
    /// The tasks, of the file's language.
    pub tasks: &'a [Task],
    /// How they are tried; a method that needs nothing.
    pub method: Method,
    /// Within which limits.
    pub settings: SearchSettings,
}

/// What came of the tasks under some rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// By task: whether it was proved.
    pub solved: Vec<bool>,
    /// E-nodes that were built, over all tasks.
    pub work: u64,
    /// By rule that proofs use: of how many tasks.
    pub used: BTreeMap<String, u64>,
}

impl Trial {
    /// How many tasks were proved.
    pub fn count(&self) -> usize {
        self.solved.iter().filter(|&&solved| solved).count()
    }

    /// How many tasks were proved that were not in another trial.
    pub fn more_than(&self, other: &Trial) -> usize {
        let pairs = self.solved.iter().zip(&other.solved);
        pairs.filter(|(here, there)| **here && !**there).count()
    }
}

impl Bed<'_> {
    /// The tasks under the rules of a text, on the threads of the current pool.
    ///
    /// # Errors
    /// A fault of a search, with the task. The inner one: the text is refused.
    pub fn trial(&self, text: &str) -> Result<Result<Trial, String>> {
        let system = match System::parse(text) {
            Ok(system) => Arc::new(system),
            Err(error) => return Ok(Err(error.message)),
        };
        let of_task = |(number, task): (usize, &Task)| -> Result<(Option<BTreeSet<RuleId>>, u64)> {
            let mut bank = TermBank::new(system.language.clone());
            let ends = task.ends(&mut bank)?;
            let question =
                Question { ends, number: number as u64, deadline: None, cancel: None, threads: 1 };
            let (bank, aids) = (&mut bank, Aids::default());
            let mut asked =
                Asked { system: &system, bank, question, settings: self.settings, aids };
            let answer =
                self.method.answer(&mut asked).with_context(|| format!("task {}", task.id))?;
            Ok((answer.result.ok().map(|proof| proof.rules()), answer.ledger.work))
        };
        let found: Vec<(Option<BTreeSet<RuleId>>, u64)> =
            self.tasks.par_iter().enumerate().map(of_task).collect::<Result<_>>()?;
        let mut trial = Trial::default();
        for (used, work) in found {
            trial.solved.push(used.is_some());
            trial.work = trial.work.saturating_add(work);
            for rule in used.into_iter().flatten() {
                *trial.used.entry(system.rule(rule).name.clone()).or_default() += 1;
            }
        }
        Ok(Ok(trial))
    }

    /// The same of a text that is expected to be a rules file.
    ///
    /// # Errors
    /// As those of [`Bed::trial`], and the text is refused.
    pub fn trial_of(&self, text: &str) -> Result<Trial> {
        self.trial(text)?.map_err(|error| anyhow!("{}: {error}", self.name))
    }
}
