//! An evaluation in parts: an item is a task, put to every method.

use crate::evaluation::described::Evaluation;
use crate::evaluation::evaluate::{Inputs, run_task};
use crate::evaluation::finished::DoneTask;
use crate::evaluation::results::Row;
use anyhow::{Context, Result};
use dataset_gen::{SYSTEM_FILE, system_of};
use std::path::Path;
use support::{Outcome, Part, Parts, Progress, Shard, make_items};

/// What the parts become.
pub const EVALUATION_PART: &str = "an evaluation";

/// Puts the tasks of one part to every method, on as many threads as the current rayon pool has.
///
/// # Errors
/// As [`evaluate`](crate::evaluate), or as [`make_items`].
pub fn evaluate_part(
    evaluation: &Evaluation,
    inputs: &Inputs<'_>,
    shard: Shard,
    out: &Path,
    quiet: bool,
) -> Result<Outcome> {
    for method in &evaluation.methods {
        method.expect(inputs.available())?;
    }
    let tasks = &inputs.tasks.tasks;
    let items = tasks.len() as u64;
    // Where files lie makes no difference.
    let settings = Evaluation { command: String::new(), ..evaluation.clone() };
    let part = Part::new(EVALUATION_PART, shard, items, &settings)?;
    let part = Part { told: Some(evaluation.command.clone()), ..part };
    let rules = Some((SYSTEM_FILE, inputs.system_text));
    let how = ("tasks", rayon::current_num_threads(), quiet);
    make_items(&part, rules, out, how, |item| {
        run_task(evaluation, inputs, item as usize, &tasks[item as usize])
    })
}

/// Makes the results `out` of all parts of an evaluation.
///
/// # Errors
/// As [`Parts::item`], a directory that holds something else, or what the file system says.
pub fn merge_evaluation(parts: &Parts, out: &Path, quiet: bool) -> Result<Vec<Row>> {
    let mut evaluation: Evaluation = parts.settings()?;
    evaluation.command = format!("{} --out {}", parts.told(), out.display());
    let (_, rules) = system_of(parts.first(), &evaluation.tasks.system_hash)?;
    let directory = evaluation.begin(&String::from_utf8(rules)?, out)?;
    let progress = Progress::new("tasks merged", parts.items(), quiet);
    let mut rows = Vec::new();
    for item in 0..parts.items() {
        let done: DoneTask = parts.item(item)?;
        let kept = done.keep(&evaluation.methods, &directory);
        rows.extend(kept.with_context(|| format!("item {item} of {}", parts.of(item).display()))?);
        progress.advance(1);
    }
    progress.finish();
    evaluation.finish(&directory, &rows)?;
    Ok(rows)
}
