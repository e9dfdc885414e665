//! Evaluation: every method on every task, within the same cap and work, by the same search.
//!
//! A finished task is a file of its own, so that a run that was stopped goes on where it was.

use crate::evaluation::checked::question_hash;
use crate::evaluation::finished::{DoneTask, PROOFS, PROVED, ROWS, finished, hardness, proof_file};
use crate::evaluation::results::{Row, write_results};
use crate::methods::asked::{Aids, Asked, Available};
use crate::methods::table::{Method, Need};
use crate::search::answer::{Answer, Question, SearchSettings};
use crate::tasks::origin::TaskOrigin;
use crate::tasks::task::Task;
use crate::tasks::task_set::TaskSet;
use anyhow::{Context, Result, ensure};
use dataset_gen::SYSTEM_FILE;
use egraph::{System, TermBank, proof_to_json};
use model::GuideModel;
use model::ranking::ranker::Ranker;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use support::hash::of_file;
use support::{
    OutputDir, Progress, counted_as, in_order, note, own_directory, seal_json, thousands,
    unseal_json, write_atomic,
};

/// The file that marks a directory as results; it holds the [`Evaluation`].
pub const EVALUATION_FILE: &str = "evaluation.json";
/// The table of results in the directory.
pub const RESULTS_FILE: &str = "results.parquet";
/// What is said of an evaluation with [`Evaluation::seen_unknown`].
pub const SEEN_UNKNOWN: &str =
    "Which seeds the model was trained on is not known: it may have seen the tasks.";

/// What an evaluation does, and with what. Two runs that differ in nothing but in where files lie give equal
/// results, wall times aside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evaluation {
    /// Version of the program.
    pub version: String,
    /// How the tasks were made.
    pub tasks: TaskOrigin,
    /// SHA-256 of the task file.
    pub tasks_hash: String,
    /// Number of tasks.
    pub task_count: usize,
    /// The methods, in order.
    pub methods: Vec<Method>,
    /// Cap, total work, and how all of them search.
    pub search: SearchSettings,
    /// The directory of the model, if a method needs one.
    pub model: Option<String>,
    /// The hash of the model's files, if a method needs one.
    pub model_hash: Option<String>,
    /// The file of the ranker, if a method needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranker: Option<String>,
    /// SHA-256 of the ranker, if a method needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranker_hash: Option<String>,
    /// Whether nothing says which seeds the model has seen, so that the tasks may be among them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub seen_unknown: bool,
    /// Tasks whose target has the shape of a term that the model or the ranker has seen; their starts are new.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seen_targets: usize,
    /// The command that does this evaluation.
    pub command: String,
    /// SHA-256 of `results.parquet`, once it is written; earlier versions wrote none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results_hash: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde asks for it
fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Evaluation {
    /// Reads `evaluation.json` of a directory of results.
    ///
    /// # Errors
    /// There is none, it is not one of ours, or not as it was written.
    pub fn load(directory: &Path) -> Result<Evaluation> {
        let path = directory.join(EVALUATION_FILE);
        let name = path.display();
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!("{} holds no results: cannot read {name}", directory.display())
        })?;
        let strange = || format!("{name} does not describe an evaluation");
        let value: serde_json::Value = serde_json::from_str(&text).with_context(strange)?;
        let sealed = value.get("sha256").is_some();
        let text = if sealed { unseal_json(&name.to_string(), &text)? } else { text };
        let evaluation: Evaluation = serde_json::from_str(&text).with_context(strange)?;
        // Without a seal the hash says nothing.
        let results_hash = evaluation.results_hash.filter(|_| sealed);
        Ok(Evaluation { results_hash, ..evaluation })
    }

    /// What a reader has to know of what was seen before.
    pub fn doubts(&self) -> Vec<String> {
        let unknown = self.seen_unknown.then(|| SEEN_UNKNOWN.to_owned());
        let targets = (self.seen_targets > 0).then(|| {
            let (seen, of) = (self.seen_targets as u64, thousands(self.task_count as u64));
            format!(
                "Of {of} tasks {} a target like a term that was seen in training, up to renaming; all \
                 starts are new.",
                counted_as(seen, "has", "have")
            )
        });
        unknown.into_iter().chain(targets).collect()
    }

    fn save(&self, directory: &OutputDir) -> Result<()> {
        let text = seal_json(&serde_json::to_string_pretty(self)?);
        write_atomic(&directory.file(EVALUATION_FILE), text.as_bytes())
    }

    /// What makes the results of another evaluation others, if anything does. Of tasks, model and ranker
    /// the content counts, not where they lie; nor where the results lie.
    fn differences(&self, other: &Evaluation) -> Vec<&'static str> {
        let version = self.version == other.version;
        let system = self.tasks.system_hash == other.tasks.system_hash;
        let tasks = self.tasks_hash == other.tasks_hash;
        let model = self.model_hash == other.model_hash;
        let ranker = self.ranker_hash == other.ranker_hash;
        let methods = self.methods == other.methods;
        let search = self.search == other.search;
        let parts = [
            (version, "of another version of cairn"),
            (system, "with another rewrite system"),
            (tasks, "on other tasks"),
            (model, "of another model"),
            (ranker, "of another ranker"),
            (methods, "of other methods"),
            (search, "of other settings"),
        ];
        parts.into_iter().filter(|(same, _)| !same).map(|(_, name)| name).collect()
    }
}

/// What an evaluation works on.
pub struct Inputs<'a> {
    /// The rewrite system.
    pub system: &'a Arc<System>,
    /// The text that the system was read from, copied beside the results.
    pub system_text: &'a str,
    /// The tasks.
    pub tasks: &'a TaskSet,
    /// The model, if a method needs one.
    pub model: Option<&'a GuideModel>,
    /// The ranker, if a method needs one.
    pub ranker: Option<&'a Arc<Ranker>>,
}

impl Inputs<'_> {
    /// What methods can draw on.
    pub fn available(&self) -> Available {
        Available {
            model: self.model.is_some(),
            ranker: self.ranker.is_some(),
            chain: self.tasks.origin.links > 0,
            guides: false,
        }
    }
}

/// Runs an evaluation into `out` on as many threads as the current rayon pool has, goes on with one that
/// was stopped, and returns the rows in the order of tasks and methods.
///
/// # Errors
/// A directory that holds something else or other results, a method without its model, what the
/// file system says, or an internal fault.
pub fn evaluate(
    evaluation: &Evaluation,
    inputs: &Inputs<'_>,
    out: &Path,
    quiet: bool,
) -> Result<Vec<Row>> {
    for method in &evaluation.methods {
        method.expect(inputs.available())?;
    }
    // Nothing is looked at before the lock is held: another evaluation may be at work here.
    let directory = OutputDir::create(out, EVALUATION_FILE)?;
    let results = Results::begin(evaluation, inputs.system_text, directory)?;
    if !quiet {
        note_unreadable(evaluation, inputs)?;
    }
    let progress = Progress::new("tasks", inputs.tasks.tasks.len() as u64, quiet);
    let tasks = &inputs.tasks.tasks;
    let threads = rayon::current_num_threads();
    let rows = in_order(tasks.len(), threads, |index| {
        let task = &tasks[index];
        if let Some(rows) = finished(evaluation, inputs.system, task, &results.directory) {
            progress.found(1);
            return Ok(rows);
        }
        let rows = run_task(evaluation, inputs, index, task)?;
        let rows = rows.keep(&evaluation.methods, &results.directory)?;
        progress.advance(1);
        Ok(rows)
    });
    let rows: Vec<Row> = rows?.into_iter().flatten().collect();
    progress.finish();
    results.finish(evaluation, &rows)?;
    Ok(rows)
}

/// Results that are being written.
pub(super) struct Results {
    pub(super) directory: OutputDir,
}

impl Results {
    /// Begins results in a directory, or goes on with them.
    pub(super) fn begin(
        evaluation: &Evaluation,
        system_text: &str,
        directory: OutputDir,
    ) -> Result<Results> {
        let before = earlier(evaluation, directory.path())?;
        // What is there of the results stays until there are others.
        let results_hash = before.and_then(|before| before.results_hash);
        Evaluation { results_hash, ..evaluation.clone() }.save(&directory)?;
        write_atomic(&directory.file(SYSTEM_FILE), system_text.as_bytes())?;
        for name in [ROWS, PROOFS] {
            own_directory(&directory.file(name))?;
        }
        Ok(Results { directory })
    }

    /// Writes the table of all rows.
    pub(super) fn finish(&self, evaluation: &Evaluation, rows: &[Row]) -> Result<()> {
        let table = self.directory.file(RESULTS_FILE);
        write_results(&table, rows)?;
        let results_hash = Some(of_file(&table)?.0);
        Evaluation { results_hash, ..evaluation.clone() }.save(&self.directory)
    }
}

/// The evaluation that a directory of results was begun with, if one was. It may be gone on with, but not
/// with another one.
fn earlier(evaluation: &Evaluation, out: &Path) -> Result<Option<Evaluation>> {
    if !out.join(EVALUATION_FILE).exists() {
        return Ok(None);
    }
    let before = Evaluation::load(out)?;
    let differences = evaluation.differences(&before).join(", ");
    let (name, same) = (out.display(), before.command == evaluation.command);
    ensure!(
        differences.is_empty() || !same,
        "{name} already holds results {differences}: what the same command reads has changed since; choose \
         another directory, or restore the files"
    );
    ensure!(
        differences.is_empty(),
        "{name} already holds results {differences} ({}): choose another directory",
        before.command
    );
    Ok(Some(before))
}

/// Says how many tasks the model gives no guide for because their terms are too long for it.
fn note_unreadable(evaluation: &Evaluation, inputs: &Inputs<'_>) -> Result<()> {
    let Some(model) =
        inputs.model.filter(|_| evaluation.methods.iter().any(|m| m.needs() == Need::Model))
    else {
        return Ok(());
    };
    let mut too_long = 0u64;
    for task in &inputs.tasks.tasks {
        let mut bank = TermBank::new(inputs.system.language.clone());
        let chain = task.terms(&mut bank)?;
        too_long += u64::from(!model.can_read(&bank, chain[0], chain[chain.len() - 1])?);
    }
    if too_long > 0 {
        note(&format!(
            "{} too long for the model, which gives no guides for them",
            counted_as(too_long, "task is", "tasks are")
        ));
    }
    Ok(())
}

/// Puts a task to every method.
///
/// # Errors
/// An internal fault.
pub fn run_task(
    evaluation: &Evaluation,
    inputs: &Inputs<'_>,
    index: usize,
    task: &Task,
) -> Result<DoneTask> {
    let (mut rows, mut proofs) = (Vec::new(), Vec::new());
    for &method in &evaluation.methods {
        let (row, proof) = run_method(evaluation, inputs, index, task, method)
            .with_context(|| format!("task {}, method {method}", task.id))?;
        rows.push(row);
        proofs.extend(proof);
    }
    let hard = hardness(&rows);
    rows.iter_mut().for_each(|row| row.hard = hard);
    Ok(DoneTask { rows, proofs })
}

fn run_method(
    evaluation: &Evaluation,
    inputs: &Inputs<'_>,
    index: usize,
    task: &Task,
    method: Method,
) -> Result<(Row, Option<String>)> {
    // A bank of its own: ids, and with them every choice, depend on this task and method only.
    let mut bank = TermBank::new(inputs.system.language.clone());
    let chain = task.terms(&mut bank)?;
    let (start, target) = (chain[0], chain[chain.len() - 1]);
    let began = Instant::now();
    let question =
        Question { ends: [start, target], number: index as u64, deadline: None, cancel: None };
    let Inputs { system, model, ranker, .. } = *inputs;
    // Tasks from elsewhere have no chain.
    let chain = (task.links > 0).then_some(chain.as_slice());
    let aids = Aids { model, ranker, chain, ..Aids::default() };
    let settings = evaluation.search;
    let answer = method.answer(&mut Asked { system, bank: &mut bank, question, settings, aids })?;
    let seconds = began.elapsed().as_secs_f64();
    let question = question_hash(&bank, start, target)?;
    let proof = answer.result.as_ref().ok().map(|proof| proof_to_json(system, &bank, proof));
    let file = proof.as_ref().map_or_else(String::new, |_| proof_file(&task.id, method));
    let row = row(evaluation, inputs, task, method, &answer, &bank, question, file, seconds);
    Ok((row, proof))
}

#[allow(clippy::too_many_arguments)] // a plain record of everything that was done
fn row(
    evaluation: &Evaluation,
    inputs: &Inputs<'_>,
    task: &Task,
    method: Method,
    answer: &Answer,
    bank: &TermBank,
    question: String,
    proof_file: String,
    seconds: f64,
) -> Row {
    let (solved, reason, proof_steps) = match &answer.result {
        Ok(proof) => (true, PROVED.to_owned(), proof.len() as u64),
        Err(failure) => (false, failure.to_string(), 0),
    };
    Row {
        task: task.id.clone(),
        seed_id: task.seed_id.clone(),
        method: method.name().to_owned(),
        question,
        links: task.links,
        family: task.family,
        hard: None,
        solved,
        reason,
        work: answer.ledger.work,
        e_graphs: answer.ledger.e_graphs,
        peak_bytes: answer.ledger.peak_bytes,
        requests: answer.ledger.requests,
        proposed: answer.ledger.proposed,
        reached: answer.ledger.reached,
        proof_steps,
        waypoints: answer.waypoints.iter().map(|&w| bank.text(w)).collect(),
        proof_file,
        cap: evaluation.search.budget.cap.to_string(),
        total_work: evaluation.search.budget.work,
        guides: evaluation.search.guides as u32,
        system_hash: inputs.system.hash.clone(),
        seed: evaluation.search.seed,
        seconds,
        model_seconds: answer.ledger.model_seconds,
    }
}
