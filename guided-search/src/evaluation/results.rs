//! Results of an evaluation: a row per task and method, as Parquet.

use crate::options::tasks::Family;
use serde::{Deserialize, Serialize};
use support::{Record, columns_of};

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

    columns_of!(Row: task, seed_id, method, question, links, family, hard, solved, reason, work, e_graphs, peak_bytes, requests, proposed, reached, proof_steps, waypoints, proof_file, cap, total_work, guides, system_hash, seed, seconds, model_seconds);
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
    use support::{read_table, write_table};

    #[test]
    fn results_round_trip() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.parquet");
        let row =
            Row { hard: Some(true), family: Some(Family::Identity), ..row("t-0", "oracle", true) };
        let rows = vec![row.clone(), Row { hard: None, family: None, waypoints: vec![], ..row }];
        write_table(&path, &rows).unwrap();
        assert_eq!(read_table::<Row>(&path).unwrap(), rows);
        std::fs::write(&path, "PAR1").unwrap();
        let message = format!("{:#}", read_table::<Row>(&path).unwrap_err());
        assert!(message.contains("not a whole Parquet"), "{message}");
    }
}
