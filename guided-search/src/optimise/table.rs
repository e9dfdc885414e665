//! What became of many terms, as Parquet.

use serde::{Deserialize, Serialize};
use support::{Record, columns_of};

/// What became of one term. The same in every run with the same inputs and seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptimisedRow {
    /// The term's id: that of its file, or the number of its line.
    pub id: String,
    /// The term.
    pub start: String,
    /// The sketch that was to be satisfied; empty without one.
    pub goal: String,
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
    /// Work that was spent before each better term was found,
    pub curve_work: Vec<u64>,
    /// and what that costs, in the most important measure. The first is the start, if its cost is known.
    pub curve_cost: Vec<u64>,
}

impl Record for OptimisedRow {
    const NAME: &'static str = "optimised terms";
    const ROW_GROUP: usize = 16_384;
    const BATCH: usize = 1_024;

    columns_of!(OptimisedRow: id, start, goal, best, cost_before, cost_after, size_before, size_after, ended, work, e_graphs, peak_bytes, proof_steps, proof_file, curve_work, curve_cost);
}

/// A row for tests, by the cost before and the curve.
#[cfg(test)]
pub fn row(id: &str, cost_before: Option<u64>, curve: &[(u64, u64)]) -> OptimisedRow {
    let (curve_work, curve_cost): (Vec<u64>, Vec<u64>) = curve.iter().copied().unzip();
    OptimisedRow {
        id: id.into(),
        start: "(f a)".into(),
        goal: String::new(),
        best: "a".into(),
        cost_before,
        cost_after: curve_cost.last().copied(),
        size_before: 2,
        size_after: 1,
        ended: "work".into(),
        work: curve_work.last().copied().unwrap_or_default(),
        e_graphs: 1,
        peak_bytes: 4_096,
        proof_steps: 2,
        proof_file: format!("proofs/{id}.json"),
        curve_work,
        curve_cost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use support::{read_table, write_table};

    #[test]
    fn rows_round_trip_with_costs_that_are_not_known() {
        let row = row("1", Some(2), &[(0, 2), (3, 1)]);
        let (curve_work, curve_cost) = Default::default();
        let (cost_before, cost_after) = (None, None);
        let unknown =
            OptimisedRow { cost_before, cost_after, curve_work, curve_cost, ..row.clone() };
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.parquet");
        write_table(&path, &[row.clone(), unknown.clone()]).unwrap();
        assert_eq!(read_table::<OptimisedRow>(&path).unwrap(), [row, unknown]);
    }
}
