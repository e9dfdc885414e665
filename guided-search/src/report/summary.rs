//! What each method did on a set of tasks, in a few numbers.

use crate::evaluation::results::Row;
use crate::evaluation::statistics::{median, wilson};
use serde::Serialize;
use std::fmt::Write;
use support::thousands;

/// What one method did on a set of tasks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The method's name.
    pub method: String,
    /// Tasks it was tried on.
    pub tasks: usize,
    /// Tasks it proved.
    pub solved: usize,
    /// Median work over the tasks it proved.
    pub median_work: Option<f64>,
    /// Median e-graphs over the tasks it proved.
    pub median_e_graphs: Option<f64>,
    /// Median nodes of its proofs.
    pub median_steps: Option<f64>,
    /// Mean seconds per task, the model included.
    pub seconds: f64,
    /// Mean seconds per task in the model.
    pub model_seconds: f64,
}

impl Summary {
    /// Solved tasks in per cent.
    pub(super) fn rate(&self) -> f64 {
        percent(self.solved, self.tasks)
    }

    /// The 95 % interval of [`Summary::rate`].
    pub(super) fn interval(&self) -> (f64, f64) {
        let (low, high) = wilson(self.solved, self.tasks);
        (100.0 * low, 100.0 * high)
    }
}

/// One summary per method, in the order of the rows.
pub fn summaries(rows: &[&Row]) -> Vec<Summary> {
    method_names(rows)
        .into_iter()
        .map(|method| {
            let own: Vec<&Row> = rows.iter().filter(|r| r.method == method).copied().collect();
            let solved: Vec<&Row> = own.iter().filter(|r| r.solved).copied().collect();
            let of_solved = |value: fn(&Row) -> u64| {
                median(&mut solved.iter().map(|r| value(r) as f64).collect::<Vec<_>>())
            };
            let mean = |value: fn(&Row) -> f64| {
                own.iter().map(|r| value(r)).sum::<f64>() / own.len().max(1) as f64
            };
            Summary {
                tasks: own.len(),
                solved: solved.len(),
                median_work: of_solved(|r| r.work),
                median_e_graphs: of_solved(|r| r.e_graphs),
                median_steps: of_solved(|r| r.proof_steps),
                seconds: mean(|r| r.seconds),
                model_seconds: mean(|r| r.model_seconds),
                method,
            }
        })
        .collect()
}

fn method_names(rows: &[&Row]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        if !names.contains(&row.method) {
            names.push(row.method.clone());
        }
    }
    names
}

/// The summaries as a table for a terminal.
pub fn text_table(summaries: &[Summary]) -> String {
    let mut text = format!(
        "{:<18} {:>9} {:>7} {:>15} {:>12} {:>9}\n",
        "method", "solved", "%", "95 % interval", "median work", "s/task"
    );
    for s in summaries {
        let (low, high) = s.interval();
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{:<18} {:>9} {:>7.1} {:>15} {:>12} {:>9.2}",
            s.method,
            format!("{}/{}", s.solved, s.tasks),
            s.rate(),
            format!("{low:.0} to {high:.0}"),
            s.median_work.map_or("-".to_owned(), median_text),
            s.seconds
        );
    }
    text
}

/// A median with commas: that of an even number of tasks may lie half-way between two.
pub(super) fn median_text(value: f64) -> String {
    let half = if value.fract() == 0.0 { "" } else { ".5" };
    thousands(value as u64) + half
}

pub(super) fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
