//! What is kept of a task as soon as it is finished: a file of its rows, and its proofs.

use crate::evaluation::checked::{proof_of, question_hash};
use crate::evaluation::described::Evaluation;
use crate::evaluation::results::Row;
use crate::methods::table::{Method, TELLS_HARD};
use crate::tasks::task::{Task, check_id};
use anyhow::{Error, Result, ensure};
use egraph::{System, TermBank};
use jobs::{PROOFS, write_row};
use serde::{Deserialize, Serialize};
use std::path::Path;
use support::{OutputDir, write_atomic};

/// The reason of a row that is solved.
pub const PROVED: &str = "proved";

/// A task that was put to every method.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoneTask {
    /// A row a method.
    pub rows: Vec<Row>,
    /// The proofs of those that are solved, as JSON, in their order.
    pub proofs: Vec<String>,
}

impl DoneTask {
    /// Writes the files of the task, whose names nothing but its id and the methods decide.
    ///
    /// # Errors
    /// What the file system says.
    pub fn keep(self, methods: &[Method], directory: &OutputDir) -> Result<Vec<Row>> {
        let task = self.rows.first().map_or("", |row| &row.task);
        check_id(task).map_err(Error::msg)?;
        let fits = |(row, &method): (&Row, &Method)| {
            let file = if row.solved { proof_file(task, method) } else { String::new() };
            row.task == task && row.method == method.name() && row.proof_file == file
        };
        ensure!(
            self.rows.len() == methods.len() && self.rows.iter().zip(methods).all(fits),
            "expected a row of task '{task}' for each method"
        );
        let solved: Vec<&Row> = self.rows.iter().filter(|row| row.solved).collect();
        ensure!(solved.len() == self.proofs.len(), "not a proof for each task that is solved");
        for (row, proof) in solved.iter().zip(&self.proofs) {
            write_atomic(&directory.file(&row.proof_file), proof.as_bytes())?;
        }
        write_row(directory, task, &self.rows)?;
        Ok(self.rows)
    }
}

/// Whether rows are those that this evaluation makes of a task, as far as can be told without doing
/// it again.
///
/// # Errors
/// They are not.
pub fn expect_rows(
    evaluation: &Evaluation,
    system: &System,
    task: &Task,
    directory: &Path,
    rows: &[Row],
) -> Result<()> {
    let mut bank = TermBank::new(system.language.clone());
    let chain = task.terms(&mut bank)?;
    let question = question_hash(&bank, chain[0], chain[chain.len() - 1])?;
    ensure!(rows.len() == evaluation.methods.len(), "not a row for each method");
    let hard = hardness(rows);
    for (row, &method) in rows.iter().zip(&evaluation.methods) {
        let expected = Row {
            task: task.id.clone(),
            seed_id: task.seed_id.clone(),
            method: method.name().to_owned(),
            question: question.clone(),
            links: task.links,
            family: task.family,
            hard,
            reason: if row.solved { PROVED.to_owned() } else { row.reason.clone() },
            proof_file: if row.solved { proof_file(&task.id, method) } else { String::new() },
            cap: evaluation.search.budget.cap.to_string(),
            total_work: evaluation.search.budget.work,
            guides: evaluation.search.guides as u32,
            system_hash: system.hash.clone(),
            seed: evaluation.search.seed,
            ..row.clone()
        };
        ensure!(*row == expected, "the row of {method} is of another task or other settings");
        if row.solved {
            let mut bank = TermBank::new(system.language.clone());
            let proof = proof_of(directory, system, &mut bank, row)?;
            ensure!(proof.len() as u64 == row.proof_steps, "the proof of {method} is another");
        } else {
            ensure!(row.reason != PROVED && row.proof_steps == 0, "{method} has no proof");
        }
    }
    Ok(())
}

/// Whether one e-graph with all the work fails on the task, if that was tried.
pub fn hardness(rows: &[Row]) -> Option<bool> {
    rows.iter().find(|r| r.method == TELLS_HARD).map(|r| !r.solved)
}

/// The proof of a task by a method.
pub fn proof_file(task: &str, method: Method) -> String {
    format!("{PROOFS}/{task}--{method}.json")
}
