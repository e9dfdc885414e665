//! Evaluation: every method on every task, within the same cap and work, by the same search.
//!
//! A finished task is a file of its own, so that a run that was stopped goes on where it was.

use crate::evaluation::checked::question_hash;
use crate::evaluation::described::Evaluation;
use crate::evaluation::finished::{DoneTask, PROVED, finished, hardness, proof_file};
use crate::evaluation::results::Row;
use crate::methods::asked::{Aids, Asked, Available};
use crate::methods::guide_writer::GuideWriter;
use crate::methods::table::{Method, Need};
use crate::search::answer::Question;
use crate::tasks::task::Task;
use crate::tasks::task_set::TaskSet;
use anyhow::{Context, Result};
use egraph::{System, TermBank, proof_to_json};
use ranking::Ranker;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use support::{Progress, counted_as, in_order, note};

/// What an evaluation works on.
pub struct Inputs<'a> {
    /// The rewrite system.
    pub system: &'a Arc<System>,
    /// The text that the system was read from, copied beside the results.
    pub system_text: &'a str,
    /// The tasks.
    pub tasks: &'a TaskSet,
    /// The model, if a method needs one.
    pub model: Option<&'a dyn GuideWriter>,
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
    let directory = evaluation.begin(inputs.system_text, out)?;
    if !quiet {
        note_unreadable(evaluation, inputs)?;
    }
    let progress = Progress::new("tasks", inputs.tasks.tasks.len() as u64, quiet);
    let tasks = &inputs.tasks.tasks;
    let threads = rayon::current_num_threads();
    let rows = in_order(tasks.len(), threads, |index| {
        let task = &tasks[index];
        if let Some(rows) = finished(evaluation, inputs.system, task, &directory) {
            progress.found(1);
            return Ok(rows);
        }
        let rows = run_task(evaluation, inputs, index, task)?;
        let rows = rows.keep(&evaluation.methods, &directory)?;
        progress.advance(1);
        Ok(rows)
    });
    let rows: Vec<Row> = rows?.into_iter().flatten().collect();
    progress.finish();
    evaluation.finish(&directory, &rows)?;
    Ok(rows)
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
        too_long += u64::from(!model.can_read(&bank, [chain[0], chain[chain.len() - 1]])?);
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
    let proof = answer.result.as_ref().ok().map(|proof| proof_to_json(system, &bank, proof));
    let (reason, proof_steps) = match &answer.result {
        Ok(proof) => (PROVED.to_owned(), proof.len() as u64),
        Err(failure) => (failure.to_string(), 0),
    };
    let row = Row {
        task: task.id.clone(),
        seed_id: task.seed_id.clone(),
        method: method.name().to_owned(),
        question: question_hash(&bank, start, target)?,
        links: task.links,
        family: task.family,
        hard: None,
        solved: proof.is_some(),
        reason,
        work: answer.ledger.work,
        e_graphs: answer.ledger.e_graphs,
        peak_bytes: answer.ledger.peak_bytes,
        requests: answer.ledger.requests,
        proposed: answer.ledger.proposed,
        reached: answer.ledger.reached,
        proof_steps,
        waypoints: answer.waypoints.iter().map(|&w| bank.text(w)).collect(),
        proof_file: proof.as_ref().map_or_else(String::new, |_| proof_file(&task.id, method)),
        cap: settings.budget.cap.to_string(),
        total_work: settings.budget.work,
        guides: settings.guides as u32,
        system_hash: system.hash.clone(),
        seed: settings.seed,
        seconds,
        model_seconds: answer.ledger.model_seconds,
    };
    Ok((row, proof))
}
