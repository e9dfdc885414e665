//! What became of many terms, in a few numbers; and a look at a directory of them.

use crate::optimise::answer::Ended;
use crate::optimise::many::{Optimisation, optimised_rows};
use crate::optimise::table::OptimisedRow;
use anyhow::Result;
use jobs::Described;
use serde::Serialize;
use std::path::Path;
use support::{counted, thousands};

/// What became of many terms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OptimisedSummary {
    /// Terms.
    pub terms: usize,
    /// Those that became cheaper.
    pub cheaper: usize,
    /// The share of the cost that is left: the geometric mean over the terms whose cost is known before and after.
    pub left: f64,
    /// Median work of a term.
    pub work: u64,
    /// Terms without an answer.
    pub without: usize,
    /// Terms that alone have as many e-nodes as an e-graph may have.
    pub large: usize,
    /// Terms with a goal, and those of them that reached it.
    pub goals: [usize; 2],
}

impl OptimisedSummary {
    /// Of some rows.
    pub fn of(rows: &[OptimisedRow]) -> OptimisedSummary {
        let cheaper = rows.iter().filter(|row| row.cost_after < row.cost_before);
        let cheaper = cheaper.filter(|row| row.cost_after.is_some()).count();
        let mut work: Vec<u64> = rows.iter().map(|row| row.work).collect();
        work.sort_unstable();
        OptimisedSummary {
            terms: rows.len(),
            cheaper,
            left: left(rows, u64::MAX),
            work: work.get(work.len() / 2).copied().unwrap_or_default(),
            without: rows.iter().filter(|row| row.proof_file.is_empty()).count(),
            large: rows.iter().filter(|row| row.ended == Ended::Large.to_string()).count(),
            goals: [
                rows.iter().filter(|row| !row.goal.is_empty()).count(),
                rows.iter()
                    .filter(|row| !row.goal.is_empty() && !row.proof_file.is_empty())
                    .count(),
            ],
        }
    }

    /// For a terminal, as the end of a line that says how many they are, and further lines; `cost` is what they cost.
    pub fn text(&self, cost: &str) -> String {
        let reached = match self.goals {
            [0, _] => String::new(),
            [goals, reached] => format!("goals reached: {reached} of {goals}\n"),
        };
        let large = match self.large {
            0 => String::new(),
            large => format!(
                "{} with as many e-nodes as an e-graph may have, or more: --cap leaves no room for what equals them\n",
                counted(large as u64, "term")
            ),
        };
        format!(
            "{} of them cheaper\n{reached}{large}{:.1} % of the {} is left (geometric mean); work a term: {} (median)\n",
            thousands(self.cheaper as u64),
            100.0 * self.left,
            cost.split(',').next().unwrap_or(cost),
            thousands(self.work)
        )
    }
}

/// The share of the cost that is left with so much work: the geometric mean over the terms.
pub fn left(rows: &[OptimisedRow], work: u64) -> f64 {
    let logs: Vec<f64> = rows.iter().filter_map(|row| row.log_left(work)).collect();
    (logs.iter().sum::<f64>() / logs.len().max(1) as f64).exp()
}

impl OptimisedRow {
    /// The logarithm of the share of the cost that is left with so much work; none if the costs are not known. What
    /// costs nothing counts as 1.
    pub fn log_left(&self, work: u64) -> Option<f64> {
        let before = self.cost_before?;
        let reached = self.curve_work.iter().zip(&self.curve_cost);
        let after = reached.take_while(|&(&at, _)| at <= work).last().map_or(before, |(_, &c)| c);
        let log = |cost: u64| (cost.max(1) as f64).ln();
        self.cost_after.map(|_| log(after) - log(before))
    }
}

/// What a directory of optimised terms holds.
#[derive(Clone, Debug, Serialize)]
pub struct OptimisedInspection {
    /// What is optimised, and how.
    pub optimisation: Optimisation,
    /// What became of the terms; none if it is not finished.
    pub summary: Option<OptimisedSummary>,
}

/// Looks at a directory of optimised terms.
///
/// # Errors
/// A missing or damaged file.
pub fn inspect_optimised(directory: &Path) -> Result<OptimisedInspection> {
    let optimisation = Optimisation::load(directory)?;
    let summary = optimised_rows(directory)?.map(|rows| OptimisedSummary::of(&rows));
    Ok(OptimisedInspection { optimisation, summary })
}

impl OptimisedInspection {
    /// For a terminal.
    pub fn text(&self) -> String {
        let Optimisation { version, system_hash, aim, ranker, seed, .. } = &self.optimisation;
        let (cost, budget) = (&aim.cost, aim.limits.budget);
        let ranker = ranker
            .as_ref()
            .map_or(String::new(), |hash| format!(", ranker {}", &hash[..hash.len().min(12)]));
        let said = format!(
            "optimised terms, cairn {version}, rewrite system {}\ncost {cost}, caps of {}, {} work a term, {}{ranker}, seed {seed}\n",
            &system_hash[..system_hash.len().min(12)],
            budget.cap,
            thousands(budget.work),
            budget.scheduler
        );
        match &self.summary {
            Some(summary) => {
                let terms = counted(summary.terms as u64, "term");
                format!("{said}\n{terms}, {}", summary.text(cost))
            }
            None => said + "not finished: the same command goes on\n",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::table::row;

    #[test]
    fn what_is_left_is_what_was_reached_with_the_work() {
        let known = row("1", Some(8), &[(0, 8), (10, 4), (30, 1)]);
        let stuck = row("2", Some(2), &[(0, 2)]);
        let unknown = row("3", None, &[]);
        let rows = [known, stuck, unknown];
        for (work, share) in [(0, 1.0), (9, 1.0), (10, 0.5), (29, 0.5), (30, 0.125)] {
            let mean = f64::sqrt(share);
            assert!((left(&rows, work) - mean).abs() < 1e-9, "{work}: {}", left(&rows, work));
        }
        let summary = OptimisedSummary::of(&rows);
        assert_eq!((summary.terms, summary.cheaper), (3, 1));
        assert!((summary.left - f64::sqrt(0.125)).abs() < 1e-9);
    }
}
