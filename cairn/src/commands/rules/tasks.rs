//! The tasks that rules are tried on: what `cairn rules extend` and `cairn rules worth` have in common.

use crate::inputs::args::{load_system_with_text, of_flag};
use anyhow::{Result, ensure};
use guided_search::{
    Bed, FarChains, Method, Need, SearchOptions, SearchSettings, TaskOrigin, TaskSet, Trial,
};
use std::path::Path;
use support::{InputFile, thousands};

/// A rules file, its tasks, others to check, and how they are tried.
pub struct RulesOnTasks {
    /// What the file is called in messages.
    pub name: String,
    /// The file.
    pub text: String,
    /// The tasks.
    pub tasks: TaskSet,
    check: Option<TaskSet>,
    method: Method,
    settings: SearchSettings,
}

/// Refuses a method that needs more than the question.
///
/// # Errors
/// It does.
pub fn needs_nothing(method: Method) -> Result<()> {
    ensure!(
        matches!(method.needs(), Need::Nothing | Need::RankerIfAny),
        "--method {method}: expected a method that needs nothing but the question"
    );
    Ok(())
}

impl RulesOnTasks {
    /// # Errors
    /// Bad input.
    pub fn load(
        file: &InputFile,
        (tasks, check): (&Path, Option<&Path>),
        method: Method,
        (search, seed): (&SearchOptions, u64),
    ) -> Result<RulesOnTasks> {
        let (system, text) = load_system_with_text(file)?;
        let tasks = TaskSet::load(tasks, &system)?;
        let check = check.map(|path| TaskSet::load(path, &system)).transpose()?;
        let TaskOrigin { links, link_nodes, cap, .. } = tasks.origin;
        let chains = FarChains { links, link_nodes, cap };
        let settings = search.settle_on_tasks(chains, seed).map_err(of_flag)?;
        Ok(RulesOnTasks { name: file.to_string(), text, tasks, check, method, settings })
    }

    /// The tasks.
    pub fn bed(&self) -> Bed<'_> {
        self.on(&self.tasks)
    }

    fn on<'b>(&'b self, tasks: &'b TaskSet) -> Bed<'b> {
        let RulesOnTasks { name, text, method, settings, .. } = self;
        Bed { name, text, tasks: &tasks.tasks, method: *method, settings: *settings }
    }

    /// A line about the file and another one on the tasks to check; nothing where there are none.
    ///
    /// # Errors
    /// A fault of a search, or the other text is no rules file.
    pub fn checked(&self, other: &str) -> Result<String> {
        let Some(check) = &self.check else { return Ok(String::new()) };
        let bed = self.on(check);
        let (before, after) = (bed.trial_of(&self.text)?, bed.trial_of(other)?);
        Ok(format!("other tasks: {}\n", compared(&before, &after)))
    }

    /// A rules file that was made of this one: the line that it is recognised by, and its text.
    pub fn made(&self, head: &str, text: &str) -> String {
        format!("{head}{}.\n{text}", self.name.escape_debug())
    }
}

/// Two files on the same tasks, as a part of a sentence.
pub fn compared(before: &Trial, after: &Trial) -> String {
    format!(
        "{} solved instead of {}, {} work instead of {}",
        after.count(),
        before.count(),
        thousands(after.work),
        thousands(before.work)
    )
}
