//! A look at a directory of results: what was compared, and how it went so far. Proofs are not
//! checked here, as a report does.

use crate::evaluation::described::{Evaluation, RESULTS_FILE};
use crate::evaluation::results::Row;
use crate::report::summary::{Summary, summaries, text_table};
use crate::tasks::task_set::short;
use anyhow::Result;
use jobs::Described;
use serde::Serialize;
use std::path::Path;
use support::{counted, read_table, thousands};

/// What a directory of results holds.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// What the evaluation does.
    pub evaluation: Evaluation,
    /// Whether it is finished.
    pub finished: bool,
    /// Tasks that one e-graph with all the work fails on, if that was tried.
    pub hard: Option<usize>,
    /// What each method did.
    pub methods: Vec<Summary>,
}

/// Looks at a directory of results.
///
/// # Errors
/// A missing or damaged file.
pub fn inspect(directory: &Path) -> Result<Inspection> {
    let evaluation = Evaluation::load(directory)?;
    let table = directory.join(RESULTS_FILE);
    // An evaluation that was stopped has no table yet.
    let finished = table.exists();
    let rows: Vec<Row> = if finished { read_table(&table)? } else { Vec::new() };
    let tried = rows.iter().any(|row| row.hard.is_some());
    let first = evaluation.methods.first().map(|method| method.name());
    let is_hard = |row: &&Row| row.hard == Some(true) && Some(row.method.as_str()) == first;
    let hard = tried.then(|| rows.iter().filter(is_hard).count());
    let methods = summaries(&rows.iter().collect::<Vec<_>>());
    Ok(Inspection { evaluation, finished, hard, methods })
}

impl Inspection {
    /// For a terminal.
    pub fn text(&self) -> String {
        let Evaluation { version, tasks, task_count, methods, search, aids, command, .. } =
            &self.evaluation;
        let mut text = format!(
            "{} by {}, cairn {version}, rewrite system {}\n\
             caps of {}, {} work a task and method, {} a side, seed {}\n",
            counted(*task_count as u64, "task"),
            counted(methods.len() as u64, "method"),
            short(&tasks.system_hash),
            search.budget.cap,
            thousands(search.budget.work),
            counted(search.guides as u64, "guide"),
            search.seed
        );
        for (option, file, _) in aids.listed() {
            text += &file.map_or_else(String::new, |file| format!("{option} {file}\n"));
        }
        for doubt in self.evaluation.doubts() {
            text += &format!("{doubt}\n");
        }
        text += &format!("{command}\n");
        if let Some(hard) = self.hard {
            text +=
                &format!("{} of the tasks are hard: one e-graph with all the work fails\n", hard);
        }
        match self.finished {
            true => text + "\n" + &text_table(&self.methods),
            false => text + "not finished: the same command goes on\n",
        }
    }
}
