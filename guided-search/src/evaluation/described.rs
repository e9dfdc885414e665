//! What an evaluation does, and the directory of its results.

use crate::evaluation::results::Row;
use crate::methods::asked::AidFiles;
use crate::methods::table::Method;
use crate::options::prove::SearchSettings;
use crate::tasks::origin::TaskOrigin;
use anyhow::{Context, Result, ensure};
use dataset_gen::SYSTEM_FILE;
use jobs::{Described, PROOFS, ROWS};
use serde::{Deserialize, Serialize};
use std::path::Path;
use support::hash::of_file;
use support::{OutputDir, counted_as, thousands, unseal_json, write_table};

/// The file that marks a directory as results; it holds the [`Evaluation`].
pub const EVALUATION_FILE: &str = "evaluation.json";
/// The table of results in the directory.
pub const RESULTS_FILE: &str = "results.parquet";
/// What is said of an evaluation with [`Evaluation::seen_unknown`].
pub const SEEN_UNKNOWN: &str =
    "Which seeds the model was trained on is not known: it may have seen the tasks.";

/// What an evaluation does, and with what. Two runs that differ in nothing but in where files lie give equal
/// results, wall times aside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evaluation {
    /// Version of the program.
    pub version: String,
    /// How the tasks were made.
    pub tasks: TaskOrigin,
    /// SHA-256 of the task file.
    pub tasks_hash: String,
    /// Number of tasks.
    pub task_count: usize,
    /// The methods, in order.
    pub methods: Vec<Method>,
    /// Cap, total work, and how all of them search.
    pub search: SearchSettings,
    /// What methods draw on.
    #[serde(flatten)]
    pub aids: AidFiles,
    /// Whether nothing says which seeds the model has seen, so that the tasks may be among them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub seen_unknown: bool,
    /// Tasks whose target has the shape of a term that the model or the ranker has seen; their starts are new.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seen_targets: usize,
    /// The command that does this evaluation.
    pub command: String,
    /// SHA-256 of `results.parquet`, once it is written; earlier versions wrote none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results_hash: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde asks for it
fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Evaluation {
    /// What a reader has to know of what was seen before.
    pub fn doubts(&self) -> Vec<String> {
        let unknown = self.seen_unknown.then(|| SEEN_UNKNOWN.to_owned());
        let targets = (self.seen_targets > 0).then(|| {
            let (seen, of) = (self.seen_targets as u64, thousands(self.task_count as u64));
            format!(
                "Of {of} tasks {} a target like a term that was seen in training, up to renaming; all \
                 starts are new.",
                counted_as(seen, "has", "have")
            )
        });
        unknown.into_iter().chain(targets).collect()
    }

    /// Begins its results in a directory, or goes on with them.
    ///
    /// # Errors
    /// The directory holds something else or other results, or what the file system says.
    pub fn begin_with(&self, system_text: &[u8], out: &Path) -> Result<OutputDir> {
        self.begin(out, &[(SYSTEM_FILE, system_text)], &[ROWS, PROOFS])
    }

    /// Writes the table of all rows.
    ///
    /// # Errors
    /// What the file system says.
    pub fn finish(&self, directory: &OutputDir, rows: &[Row]) -> Result<()> {
        let table = directory.file(RESULTS_FILE);
        write_table(&table, rows)?;
        let results_hash = Some(of_file(&table)?.0);
        Evaluation { results_hash, ..self.clone() }.save(directory)
    }

    /// What makes the results of another evaluation others, if anything does. Of tasks, model and ranker
    /// the content counts, not where they lie; nor where the results lie.
    fn differences(&self, other: &Evaluation) -> Vec<String> {
        let aids = self.aids.listed().into_iter().zip(other.aids.listed());
        let aids = aids
            .map(|((option, _, hash), other)| (hash == other.2, format!("of another {option}")));
        let before = [
            (self.version == other.version, "of another version of cairn"),
            (self.tasks.system_hash == other.tasks.system_hash, "with another rewrite system"),
            (self.tasks_hash == other.tasks_hash, "on other tasks"),
        ];
        let after = [
            (self.methods == other.methods, "of other methods"),
            (self.search == other.search, "of other settings"),
        ];
        let [before, after] = [&before[..], &after]
            .map(|parts| parts.iter().map(|&(same, name)| (same, name.to_owned())));
        let parts = before.chain(aids).chain(after);
        parts.filter(|(same, _)| !same).map(|(_, name)| name).collect()
    }
}

impl Described for Evaluation {
    const KIND: &'static str = "an evaluation";
    const FILE: &'static str = EVALUATION_FILE;
    const WHAT: &'static str = "what was evaluated";
    const INPUT: &'static str = "tasks";

    /// May be unsealed: earlier versions wrote it so.
    fn load(directory: &Path) -> Result<Evaluation> {
        let path = directory.join(EVALUATION_FILE);
        let name = path.display();
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!("{} holds no results: cannot read {name}", directory.display())
        })?;
        let strange = || format!("{name} does not describe an evaluation");
        let value: serde_json::Value = serde_json::from_str(&text).with_context(strange)?;
        let sealed = value.get("sha256").is_some();
        let text = if sealed { unseal_json(&name.to_string(), &text)? } else { text };
        let evaluation: Evaluation = serde_json::from_str(&text).with_context(strange)?;
        // Without a seal the hash says nothing.
        let results_hash = evaluation.results_hash.filter(|_| sealed);
        Ok(Evaluation { results_hash, ..evaluation })
    }

    fn after(&self, before: &Evaluation, out: &Path) -> Result<Evaluation> {
        let differences = self.differences(before).join(", ");
        let (name, same) = (out.display(), before.command == self.command);
        ensure!(
            differences.is_empty() || !same,
            "{name} already holds results {differences}: what the same command reads has changed since; choose \
             another directory, or restore the files"
        );
        ensure!(
            differences.is_empty(),
            "{name} already holds results {differences} ({}): choose another directory",
            before.command
        );
        // What is there of the results stays until there are others.
        Ok(Evaluation { results_hash: before.results_hash.clone(), ..self.clone() })
    }
}
