//! Evaluation: every method on every task, within the same cap and work, by the same search.
//!
//! A finished task is a file of its own, so that a run that was stopped goes on where it was.

use crate::evaluation::checked::question_hash;
use crate::evaluation::described::Evaluation;
use crate::evaluation::finished::{DoneTask, PROVED, expect_rows, hardness, proof_file};
use crate::evaluation::results::Row;
use crate::methods::asked::{Aids, Asked, Need};
use crate::methods::table::Method;
use crate::search::answer::Question;
use crate::tasks::task::Task;
use crate::tasks::task_set::TaskSet;
use anyhow::{Context, Result};
use dataset_gen::{SYSTEM_FILE, system_of};
use egraph::{System, TermBank, proof_to_json};
use jobs::{Described, Job, Parts, found_row};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use support::{counted_as, note};

/// What an evaluation works on.
pub struct Inputs<'a> {
    /// The rewrite system.
    pub system: &'a Arc<System>,
    /// The text that the system was read from, copied beside the results.
    pub system_text: &'a str,
    /// The tasks.
    pub tasks: &'a TaskSet,
    /// What methods may draw on, but for the chains of the tasks.
    pub aids: Aids<'a>,
}

impl Inputs<'_> {
    /// What methods can draw on.
    pub fn available(&self) -> Vec<Need> {
        // Tasks from elsewhere have no chain.
        let chain = (self.tasks.origin.links > 0).then_some(Need::Chain);
        self.aids.available().into_iter().chain(chain).collect()
    }
}

/// An evaluation as a job: an item is a task, put to every method.
///
/// # Errors
/// A method lacks its model, its ranker or its chain.
pub fn evaluation_job<'a>(
    evaluation: &'a Evaluation,
    inputs: &'a Inputs<'_>,
) -> Result<Job<'a, Evaluation, impl Fn(u64) -> Result<DoneTask> + Sync + 'a>> {
    let there = inputs.available();
    evaluation.methods.iter().try_for_each(|method| method.expect(&there))?;
    let tasks = &inputs.tasks.tasks;
    Ok(Job {
        kind: Evaluation::KIND,
        items: ("tasks", tasks.len() as u64),
        // Where files lie makes no difference.
        settings: Evaluation { command: String::new(), ..evaluation.clone() },
        told: Some(&evaluation.command),
        beside: Some((SYSTEM_FILE, inputs.system_text.as_bytes())),
        work: |item| run_task(evaluation, inputs, item as usize, &tasks[item as usize]),
    })
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
    let job = evaluation_job(evaluation, inputs)?;
    let directory = evaluation.begin_with(inputs.system_text.as_bytes(), out)?;
    if !quiet {
        note_unreadable(evaluation, inputs)?;
    }
    let find = |item| {
        let task = &inputs.tasks.tasks[item as usize];
        found_row(&directory, &task.id, |rows: &Vec<Row>| {
            expect_rows(evaluation, inputs.system, task, directory.path(), rows)
        })
    };
    let keep = |_, task: DoneTask| task.keep(&evaluation.methods, &directory);
    let rows: Vec<Row> = job.run(quiet, find, keep)?.into_iter().flatten().collect();
    evaluation.finish(&directory, &rows)?;
    Ok(rows)
}

/// Makes the results `out` of all parts of an evaluation.
///
/// # Errors
/// As [`jobs::Parts::each`], a directory that holds something else, or what the file system says.
pub fn merge_evaluation(parts: &Parts, out: &Path, quiet: bool) -> Result<Vec<Row>> {
    let mut evaluation: Evaluation = parts.settings()?;
    evaluation.command = format!("{} --out {}", parts.told(), out.display());
    let (_, rules) = system_of(parts.first(), &evaluation.tasks.system_hash)?;
    let directory = evaluation.begin_with(&rules, out)?;
    let keep = |_, task: DoneTask| task.keep(&evaluation.methods, &directory);
    let rows: Vec<Row> = parts.each(quiet, keep)?.into_iter().flatten().collect();
    evaluation.finish(&directory, &rows)?;
    Ok(rows)
}

/// Says how many tasks the model gives no guide for because it does not read their terms.
fn note_unreadable(evaluation: &Evaluation, inputs: &Inputs<'_>) -> Result<()> {
    let Some(model) =
        inputs.aids.model.filter(|_| evaluation.methods.iter().any(|m| m.needs() == Need::Model))
    else {
        return Ok(());
    };
    let mut unread = 0u64;
    for task in &inputs.tasks.tasks {
        let mut bank = TermBank::new(inputs.system.language.clone());
        let chain = task.terms(&mut bank)?;
        unread += u64::from(!model.can_read(&bank, [chain[0], chain[chain.len() - 1]])?);
    }
    if unread > 0 {
        note(&format!(
            "{} not read by the model, too long or with operators unknown to it: it gives no guides for them",
            counted_as(unread, "task is", "tasks are")
        ));
    }
    Ok(())
}

/// Puts a task to every method.
fn run_task(
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
    let question = Question {
        ends: [start, target],
        number: index as u64,
        deadline: None,
        cancel: None,
        threads: 1,
    };
    let system = inputs.system;
    let aids = Aids { chain: (task.links > 0).then_some(chain.as_slice()), ..inputs.aids };
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
