//! What became of many terms, as Parquet.

use anyhow::{Context, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, UInt64Array};
use arrow_schema::{DataType, Field};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use support::columns::{numbers, texts};
use support::{Columns, Record};

/// What became of one term. The same in every run with the same inputs and seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptimisedRow {
    /// The term's id: that of its file, or the number of its line.
    pub id: String,
    /// The term.
    pub start: String,
    /// The best term that equals it; empty if none with a known cost was found.
    pub best: String,
    /// What the term costs, in the most important measure, if it is known.
    pub cost_before: Option<u64>,
    /// What the best term costs.
    pub cost_after: Option<u64>,
    /// Nodes of the term.
    pub size_before: u64,
    /// Nodes of the best term; 0 without one.
    pub size_after: u64,
    /// Why it ended.
    pub ended: String,
    /// E-nodes ever built, and steps to normal forms.
    pub work: u64,
    /// E-graphs grown.
    pub e_graphs: u64,
    /// Bytes of the largest e-graph.
    pub peak_bytes: u64,
    /// Nodes of the proof, shared parts counted once; 0 without a proof.
    pub proof_steps: u64,
    /// The proof's file, relative to the directory of the table; empty without a proof.
    pub proof_file: String,
}

impl Record for OptimisedRow {
    const NAME: &'static str = "optimised terms";
    const ROW_GROUP: usize = 16_384;
    const BATCH: usize = 1_024;

    fn fields() -> Vec<Field> {
        let texts = |name| Field::new(name, DataType::Utf8, false);
        let number = |name| Field::new(name, DataType::UInt64, false);
        let known = |name| Field::new(name, DataType::UInt64, true);
        let mut fields = vec![texts("id"), texts("start"), texts("best")];
        fields.extend([known("cost_before"), known("cost_after")]);
        fields.extend([number("size_before"), number("size_after"), texts("ended")]);
        fields.extend(["work", "e_graphs", "peak_bytes", "proof_steps"].map(number));
        fields.push(texts("proof_file"));
        fields
    }

    fn columns(rows: &[Self]) -> Vec<ArrayRef> {
        let known = |get: fn(&Self) -> Option<u64>| -> ArrayRef {
            Arc::new(UInt64Array::from_iter(rows.iter().map(get)))
        };
        vec![
            texts(rows, |r| &r.id),
            texts(rows, |r| &r.start),
            texts(rows, |r| &r.best),
            known(|r| r.cost_before),
            known(|r| r.cost_after),
            numbers::<UInt64Type, _>(rows, |r| r.size_before),
            numbers::<UInt64Type, _>(rows, |r| r.size_after),
            texts(rows, |r| &r.ended),
            numbers::<UInt64Type, _>(rows, |r| r.work),
            numbers::<UInt64Type, _>(rows, |r| r.e_graphs),
            numbers::<UInt64Type, _>(rows, |r| r.peak_bytes),
            numbers::<UInt64Type, _>(rows, |r| r.proof_steps),
            texts(rows, |r| &r.proof_file),
        ]
    }

    fn read(batch: &Columns<'_>, rows: &mut Vec<Self>) -> Result<()> {
        let texts = |name| batch.texts(name);
        let u64s = |name| batch.numbers::<UInt64Type>(name);
        let (id, start, best) = (texts("id")?, texts("start")?, texts("best")?);
        let (ended, proof_file) = (texts("ended")?, texts("proof_file")?);
        let known = |name| -> Result<&UInt64Array> {
            let column = batch.optional(name)?.as_primitive_opt();
            column.with_context(|| format!("column '{name}' holds no numbers"))
        };
        let (before, after) = (known("cost_before")?, known("cost_after")?);
        let (size_before, size_after) = (u64s("size_before")?, u64s("size_after")?);
        let (work, e_graphs) = (u64s("work")?, u64s("e_graphs")?);
        let (peak_bytes, proof_steps) = (u64s("peak_bytes")?, u64s("proof_steps")?);
        for i in 0..batch.rows() {
            let known = |column: &UInt64Array| column.is_valid(i).then(|| column.value(i));
            rows.push(OptimisedRow {
                id: id.value(i).to_owned(),
                start: start.value(i).to_owned(),
                best: best.value(i).to_owned(),
                cost_before: known(before),
                cost_after: known(after),
                size_before: size_before.value(i),
                size_after: size_after.value(i),
                ended: ended.value(i).to_owned(),
                work: work.value(i),
                e_graphs: e_graphs.value(i),
                peak_bytes: peak_bytes.value(i),
                proof_steps: proof_steps.value(i),
                proof_file: proof_file.value(i).to_owned(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use support::{read_table, write_table};

    #[test]
    fn rows_round_trip_with_costs_that_are_not_known() {
        let row = OptimisedRow {
            id: "1".into(),
            start: "(f a)".into(),
            best: "a".into(),
            cost_before: Some(2),
            cost_after: Some(1),
            size_before: 2,
            size_after: 1,
            ended: "least".into(),
            work: 3,
            e_graphs: 1,
            peak_bytes: 4_096,
            proof_steps: 2,
            proof_file: "proofs/0.json".into(),
        };
        let unknown = OptimisedRow { cost_before: None, cost_after: None, ..row.clone() };
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.parquet");
        write_table(&path, &[row.clone(), unknown.clone()]).unwrap();
        assert_eq!(read_table::<OptimisedRow>(&path).unwrap(), [row, unknown]);
    }
}
