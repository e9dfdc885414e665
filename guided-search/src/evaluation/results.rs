//! Results of an evaluation: a row per task and method, as Parquet.

use anyhow::{Context, Result};
use arrow_array::builder::{
    BooleanBuilder, Float64Builder, StringBuilder, UInt32Builder, UInt64Builder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use support::files::whole_file::write_atomic_with;

/// What one method did with one task. All but the two columns of seconds is the same in every
/// run with the same inputs and seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The task's id.
    pub task: String,
    /// The method's name.
    pub method: String,
    /// Links of the task's chain; 0 for a task from elsewhere.
    pub links: u32,
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
    /// Times that guides were asked for.
    pub requests: u64,
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
    /// Guides per request (K).
    pub guides: u32,
    /// Guides tried per question.
    pub attempts: u32,
    /// SHA-256 of the rewrite system.
    pub system_hash: String,
    /// Seed of the random choices.
    pub seed: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Of these, seconds in the model.
    pub model_seconds: f64,
}

/// Writes `results.parquet`.
///
/// # Errors
/// What the file system says.
pub fn write_results(path: &Path, rows: &[Row]) -> Result<()> {
    let text = |value: fn(&Row) -> &str| -> ArrayRef {
        let mut column = StringBuilder::new();
        rows.iter().for_each(|row| column.append_value(value(row)));
        Arc::new(column.finish())
    };
    let u64s = |value: fn(&Row) -> u64| -> ArrayRef {
        let mut column = UInt64Builder::new();
        rows.iter().for_each(|row| column.append_value(value(row)));
        Arc::new(column.finish())
    };
    let u32s = |value: fn(&Row) -> u32| -> ArrayRef {
        let mut column = UInt32Builder::new();
        rows.iter().for_each(|row| column.append_value(value(row)));
        Arc::new(column.finish())
    };
    let f64s = |value: fn(&Row) -> f64| -> ArrayRef {
        let mut column = Float64Builder::new();
        rows.iter().for_each(|row| column.append_value(value(row)));
        Arc::new(column.finish())
    };
    let bools = |value: fn(&Row) -> Option<bool>| -> ArrayRef {
        let mut column = BooleanBuilder::new();
        rows.iter().for_each(|row| column.append_option(value(row)));
        Arc::new(column.finish())
    };
    let mut waypoints = arrow_array::builder::ListBuilder::new(StringBuilder::new());
    for row in rows {
        row.waypoints.iter().for_each(|w| waypoints.values().append_value(w));
        waypoints.append(true);
    }
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("task", text(|r| &r.task), false),
        ("method", text(|r| &r.method), false),
        ("links", u32s(|r| r.links), false),
        ("hard", bools(|r| r.hard), true),
        ("solved", bools(|r| Some(r.solved)), false),
        ("reason", text(|r| &r.reason), false),
        ("work", u64s(|r| r.work), false),
        ("e_graphs", u64s(|r| r.e_graphs), false),
        ("requests", u64s(|r| r.requests), false),
        ("proof_steps", u64s(|r| r.proof_steps), false),
        ("waypoints", Arc::new(waypoints.finish()), false),
        ("proof_file", text(|r| &r.proof_file), false),
        ("cap", text(|r| &r.cap), false),
        ("total_work", u64s(|r| r.total_work), false),
        ("guides", u32s(|r| r.guides), false),
        ("attempts", u32s(|r| r.attempts), false),
        ("system_hash", text(|r| &r.system_hash), false),
        ("seed", u64s(|r| r.seed), false),
        ("seconds", f64s(|r| r.seconds), false),
        ("model_seconds", f64s(|r| r.model_seconds), false),
    ])?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .build();
    write_atomic_with(path, |file| {
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties))?;
        writer.write(&batch)?;
        writer.close()?;
        Ok(())
    })
}

/// Reads `results.parquet`.
///
/// # Errors
/// A file that is missing, cut short, or not one of results; the file is named.
pub fn read_results(path: &Path) -> Result<Vec<Row>> {
    let read = || -> Result<Vec<Row>> {
        let file = File::open(path).context("cannot read results")?;
        let whole = "is not a whole Parquet file";
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).context(whole)?;
        let mut rows = Vec::new();
        for batch in reader.build().context(whole)? {
            read_batch(&batch.context(whole)?, &mut rows)?;
        }
        Ok(rows)
    };
    read().with_context(|| path.display().to_string())
}

fn read_batch(batch: &RecordBatch, rows: &mut Vec<Row>) -> Result<()> {
    let wrong =
        |name: &str| format!("is not a file of results: no column '{name}' of the right type");
    let column = |name: &str| batch.column_by_name(name).with_context(|| wrong(name));
    let text = |name: &'static str| -> Result<_> {
        column(name)?.as_string_opt::<i32>().with_context(|| wrong(name))
    };
    let u64s = |name: &'static str| -> Result<_> {
        column(name)?.as_primitive_opt::<UInt64Type>().with_context(|| wrong(name))
    };
    let u32s = |name: &'static str| -> Result<_> {
        column(name)?.as_primitive_opt::<UInt32Type>().with_context(|| wrong(name))
    };
    let f64s = |name: &'static str| -> Result<_> {
        column(name)?.as_primitive_opt::<Float64Type>().with_context(|| wrong(name))
    };
    let bools = |name: &'static str| -> Result<_> {
        column(name)?.as_boolean_opt().with_context(|| wrong(name))
    };
    let (task, method, reason) = (text("task")?, text("method")?, text("reason")?);
    let (proof_file, cap, system_hash) = (text("proof_file")?, text("cap")?, text("system_hash")?);
    let (links, guides, attempts) = (u32s("links")?, u32s("guides")?, u32s("attempts")?);
    let (hard, solved) = (bools("hard")?, bools("solved")?);
    let (work, e_graphs, requests) = (u64s("work")?, u64s("e_graphs")?, u64s("requests")?);
    let (proof_steps, total_work) = (u64s("proof_steps")?, u64s("total_work")?);
    let seed = u64s("seed")?;
    let (seconds, model_seconds) = (f64s("seconds")?, f64s("model_seconds")?);
    let waypoints = column("waypoints")?.as_list_opt::<i32>();
    let waypoints = waypoints.with_context(|| wrong("waypoints"))?;
    for i in 0..batch.num_rows() {
        let stops = waypoints.value(i);
        let stops = stops.as_string_opt::<i32>().with_context(|| wrong("waypoints"))?;
        rows.push(Row {
            task: task.value(i).to_owned(),
            method: method.value(i).to_owned(),
            links: links.value(i),
            hard: hard.is_valid(i).then(|| hard.value(i)),
            solved: solved.value(i),
            reason: reason.value(i).to_owned(),
            work: work.value(i),
            e_graphs: e_graphs.value(i),
            requests: requests.value(i),
            proof_steps: proof_steps.value(i),
            waypoints: stops.iter().flatten().map(str::to_owned).collect(),
            proof_file: proof_file.value(i).to_owned(),
            cap: cap.value(i).to_owned(),
            total_work: total_work.value(i),
            guides: guides.value(i),
            attempts: attempts.value(i),
            system_hash: system_hash.value(i).to_owned(),
            seed: seed.value(i),
            seconds: seconds.value(i),
            model_seconds: model_seconds.value(i),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_round_trip() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.parquet");
        let row = Row {
            task: "t-0".into(),
            method: "oracle".into(),
            links: 4,
            hard: Some(true),
            solved: true,
            reason: "proved".into(),
            work: 1_234,
            e_graphs: 7,
            requests: 3,
            proof_steps: 40,
            waypoints: vec!["(+ a b)".into()],
            proof_file: "proofs/t-0--oracle.json".into(),
            cap: "4000".into(),
            total_work: 80_000,
            guides: 10,
            attempts: 4,
            system_hash: "00".into(),
            seed: 0,
            seconds: 0.25,
            model_seconds: 0.0,
        };
        let rows = vec![row.clone(), Row { hard: None, waypoints: vec![], ..row }];
        write_results(&path, &rows).unwrap();
        assert_eq!(read_results(&path).unwrap(), rows);
        std::fs::write(&path, "PAR1").unwrap();
        assert!(format!("{:#}", read_results(&path).unwrap_err()).contains("not a whole Parquet"));
    }
}
