//! Results of an evaluation: a row per task and method, as Parquet.

use crate::tasks::family::Family;
use crate::tasks::task::read_family;
use anyhow::Result;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use serde::{Deserialize, Serialize};
use std::path::Path;
use support::columns::{flags, numbers, some_texts, text_lists, texts};
use support::{Columns, Record, read_table, write_table};

/// What one method did with one task. All but the two columns of seconds is the same in every
/// run with the same inputs and seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The task's id.
    pub task: String,
    /// The seed that the task was made from.
    pub seed_id: String,
    /// The method's name.
    pub method: String,
    /// SHA-256 of the start and the target as they are printed, with a line feed after each.
    pub question: String,
    /// Links of the task's chain; 0 for a task from elsewhere.
    pub links: u32,
    /// The family of the task's seed, where it is known.
    pub family: Option<Family>,
    /// Whether one e-graph with all the work fails on the task; `None` if that was not tried.
    pub hard: Option<bool>,
    /// Whether the method proved it within the budget; the proof was accepted by the checker.
    pub solved: bool,
    /// `proved`, or why not.
    pub reason: String,
    /// E-nodes ever built, over all e-graphs.
    pub work: u64,
    /// E-graphs grown.
    pub e_graphs: u64,
    /// Bytes of the largest e-graph.
    pub peak_bytes: u64,
    /// Times that guides were asked for.
    pub requests: u64,
    /// Waypoints that were proposed without knowing whether they can be reached.
    pub proposed: u64,
    /// Times that an e-graph reached one of these, or a term of the other side.
    pub reached: u64,
    /// Nodes of the proof, shared parts counted once; 0 without a proof.
    pub proof_steps: u64,
    /// Waypoints that the proof goes through.
    pub waypoints: Vec<String>,
    /// The proof's file, relative to the directory of the results; empty without a proof.
    pub proof_file: String,
    /// Cap on each e-graph.
    pub cap: String,
    /// Work allowed in all.
    pub total_work: u64,
    /// Guides a side per request (K).
    pub guides: u32,
    /// SHA-256 of the rewrite system.
    pub system_hash: String,
    /// Seed of the random choices.
    pub seed: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Of these, seconds in the model.
    pub model_seconds: f64,
}

impl Record for Row {
    const NAME: &'static str = "results";
    const ROW_GROUP: usize = 16_384;
    const BATCH: usize = 1_024;
    const LATER: &'static [&'static str] = &["family"];

    fn fields() -> Vec<Field> {
        let columns = [
            ("task", DataType::Utf8),
            ("seed_id", DataType::Utf8),
            ("method", DataType::Utf8),
            ("question", DataType::Utf8),
            ("links", DataType::UInt32),
            ("family", DataType::Utf8),
            ("hard", DataType::Boolean),
            ("solved", DataType::Boolean),
            ("reason", DataType::Utf8),
            ("work", DataType::UInt64),
            ("e_graphs", DataType::UInt64),
            ("peak_bytes", DataType::UInt64),
            ("requests", DataType::UInt64),
            ("proposed", DataType::UInt64),
            ("reached", DataType::UInt64),
            ("proof_steps", DataType::UInt64),
            ("waypoints", DataType::new_list(DataType::Utf8, true)),
            ("proof_file", DataType::Utf8),
            ("cap", DataType::Utf8),
            ("total_work", DataType::UInt64),
            ("guides", DataType::UInt32),
            ("system_hash", DataType::Utf8),
            ("seed", DataType::UInt64),
            ("seconds", DataType::Float64),
            ("model_seconds", DataType::Float64),
        ];
        // Whether a task is hard is not always known, nor is its family.
        let unknown = |name: &str| ["hard", "family"].contains(&name);
        columns.map(|(name, kind)| Field::new(name, kind, unknown(name))).into()
    }

    fn columns(rows: &[Row]) -> Vec<ArrayRef> {
        vec![
            texts(rows, |r| &r.task),
            texts(rows, |r| &r.seed_id),
            texts(rows, |r| &r.method),
            texts(rows, |r| &r.question),
            numbers::<UInt32Type, _>(rows, |r| r.links),
            some_texts(rows, |r| r.family.map(Family::name)),
            flags(rows, |r| r.hard),
            flags(rows, |r| Some(r.solved)),
            texts(rows, |r| &r.reason),
            numbers::<UInt64Type, _>(rows, |r| r.work),
            numbers::<UInt64Type, _>(rows, |r| r.e_graphs),
            numbers::<UInt64Type, _>(rows, |r| r.peak_bytes),
            numbers::<UInt64Type, _>(rows, |r| r.requests),
            numbers::<UInt64Type, _>(rows, |r| r.proposed),
            numbers::<UInt64Type, _>(rows, |r| r.reached),
            numbers::<UInt64Type, _>(rows, |r| r.proof_steps),
            text_lists(rows, |r| &r.waypoints),
            texts(rows, |r| &r.proof_file),
            texts(rows, |r| &r.cap),
            numbers::<UInt64Type, _>(rows, |r| r.total_work),
            numbers::<UInt32Type, _>(rows, |r| r.guides),
            texts(rows, |r| &r.system_hash),
            numbers::<UInt64Type, _>(rows, |r| r.seed),
            numbers::<Float64Type, _>(rows, |r| r.seconds),
            numbers::<Float64Type, _>(rows, |r| r.model_seconds),
        ]
    }

    fn read(batch: &Columns<'_>, rows: &mut Vec<Row>) -> Result<()> {
        let texts = |name| batch.texts(name);
        let u32s = |name| batch.numbers::<UInt32Type>(name);
        let u64s = |name| batch.numbers::<UInt64Type>(name);
        let f64s = |name| batch.numbers::<Float64Type>(name);
        let (task, method, question) = (texts("task")?, texts("method")?, texts("question")?);
        let seed_id = texts("seed_id")?;
        let (reason, proof_file) = (texts("reason")?, texts("proof_file")?);
        let (cap, system_hash) = (texts("cap")?, texts("system_hash")?);
        let (links, guides) = (u32s("links")?, u32s("guides")?);
        let family = batch.later_texts("family")?;
        batch.get("solved")?;
        let (hard, solved) = (batch.flags("hard")?, batch.flags("solved")?);
        let (work, e_graphs, requests) = (u64s("work")?, u64s("e_graphs")?, u64s("requests")?);
        let (peak_bytes, proposed, reached) =
            (u64s("peak_bytes")?, u64s("proposed")?, u64s("reached")?);
        let (proof_steps, total_work) = (u64s("proof_steps")?, u64s("total_work")?);
        let (seed, waypoints) = (u64s("seed")?, batch.text_lists("waypoints")?);
        let (seconds, model_seconds) = (f64s("seconds")?, f64s("model_seconds")?);
        for i in 0..batch.rows() {
            rows.push(Row {
                task: task.value(i).to_owned(),
                seed_id: seed_id.value(i).to_owned(),
                method: method.value(i).to_owned(),
                question: question.value(i).to_owned(),
                links: links.value(i),
                family: read_family(family(i))?,
                hard: hard.is_valid(i).then(|| hard.value(i)),
                solved: solved.value(i),
                reason: reason.value(i).to_owned(),
                work: work.value(i),
                e_graphs: e_graphs.value(i),
                peak_bytes: peak_bytes.value(i),
                requests: requests.value(i),
                proposed: proposed.value(i),
                reached: reached.value(i),
                proof_steps: proof_steps.value(i),
                waypoints: waypoints.value(i)?,
                proof_file: proof_file.value(i).to_owned(),
                cap: cap.value(i).to_owned(),
                total_work: total_work.value(i),
                guides: guides.value(i),
                system_hash: system_hash.value(i).to_owned(),
                seed: seed.value(i),
                seconds: seconds.value(i),
                model_seconds: model_seconds.value(i),
            });
        }
        Ok(())
    }
}

/// Writes `results.parquet`.
///
/// # Errors
/// What the file system says.
pub fn write_results(path: &Path, rows: &[Row]) -> Result<()> {
    write_table(path, rows)
}

/// Reads `results.parquet`.
///
/// # Errors
/// A file that is missing, cut short, or not one of results; the file is named.
pub fn read_results(path: &Path) -> Result<Vec<Row>> {
    read_table(path)
}

/// A row for tests.
#[cfg(test)]
pub fn row(task: &str, method: &str, solved: bool) -> Row {
    Row {
        task: task.into(),
        seed_id: task.into(),
        method: method.into(),
        question: "11".into(),
        links: 4,
        family: None,
        hard: None,
        solved,
        reason: if solved { "proved" } else { "work" }.into(),
        work: 1_234,
        e_graphs: 7,
        peak_bytes: 65_536,
        requests: 3,
        proposed: 20,
        reached: 2,
        proof_steps: 40,
        waypoints: vec!["(+ a b)".into()],
        proof_file: "proofs/t-0--oracle.json".into(),
        cap: "4000".into(),
        total_work: 80_000,
        guides: 10,
        system_hash: "00".into(),
        seed: 0,
        seconds: 0.25,
        model_seconds: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_round_trip() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.parquet");
        let row =
            Row { hard: Some(true), family: Some(Family::Identity), ..row("t-0", "oracle", true) };
        let rows = vec![row.clone(), Row { hard: None, family: None, waypoints: vec![], ..row }];
        write_results(&path, &rows).unwrap();
        assert_eq!(read_results(&path).unwrap(), rows);
        std::fs::write(&path, "PAR1").unwrap();
        assert!(format!("{:#}", read_results(&path).unwrap_err()).contains("not a whole Parquet"));
    }
}
