//! What is kept of a learning: its description, and the files of each round, as `rounds` lists them.

use crate::learning::examples::ExampleRow;
use crate::learning::practice::{Found, Searched};
use crate::options::budget::Cap;
use anyhow::{Context, Result, ensure};
use egraph::System;
use jobs::Described;
use ranking::Example;
use ranking::Ranker;
use ranking::numbers::table_rows;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use support::hash::of_file;
use support::{OutputDir, read_sealed, read_table, read_text, write_sealed, write_table};

/// The file that marks a directory of a learning; it holds the [`Learning`].
pub const LEARNING_FILE: &str = "learning.json";

/// What is learned from, and how; two runs with equal values give equal files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learning {
    /// Version of the program.
    pub version: String,
    /// Hash of the rewrite system.
    pub system_hash: String,
    /// SHA-256 of the training tasks or seeds, and of those for validation.
    pub tasks: [String; 2],
    /// Limit of an e-graph.
    pub cap: Cap,
    /// What seeds are optimised for; nothing where tasks are proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimise: Option<Optimising>,
    /// SHA-256 of the ranker that is gone on from, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Fits; more of them can be asked for later.
    pub rounds: u32,
    /// How often each fit goes through the examples.
    pub epochs: u32,
    /// Seed of the random choices.
    pub seed: u64,
}

/// How seeds are optimised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Optimising {
    /// The costs, as they were asked for.
    pub cost: String,
    /// E-nodes that may be built for a seed.
    pub work: u64,
    /// Training seeds of a round.
    pub batch: usize,
}

/// What a round's e-graphs proved: with the ranker of that number; in round 0 with that of `from`, or smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Its number.
    pub round: u32,
    /// Training tasks and halves of them that were proved, each in one e-graph; none are tried in the
    /// last round.
    pub trained: Option<u64>,
    /// Of how many.
    pub training: u64,
    /// Validation tasks that were proved, each in one e-graph.
    pub proved: u64,
    /// E-nodes built for them, those without a proof included.
    pub work: u64,
    /// What is left of the cost of a validation seed, the geometric mean; nothing where tasks are proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<f64>,
}

impl Round {
    /// Whether it is better than another one: less cost is left, or more is proved, or with less work.
    pub fn is_better(&self, other: &Round) -> bool {
        let left = |round: &Round| round.left.unwrap_or(0.0);
        let order = left(self).total_cmp(&left(other)).reverse();
        order.then(self.proved.cmp(&other.proved)).then(other.work.cmp(&self.work)).is_gt()
    }
}

/// What is kept of a round, beside its ranker and its examples.
#[derive(Serialize, Deserialize)]
pub struct KeptRound {
    /// What came of it.
    pub round: Round,
    /// SHA-256 of its ranker; the first round has none.
    pub ranker: Option<String>,
    /// SHA-256 of its examples; the last round has none.
    pub examples: Option<String>,
    /// What was found for which seed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<Found>,
}

impl KeptRound {
    /// What an earlier run kept of a round, if it finished it.
    ///
    /// # Errors
    /// The file is not as it was written.
    pub fn load(directory: &Path, number: u32) -> Result<Option<KeptRound>> {
        let path = round_file(directory, number);
        if !path.exists() {
            return Ok(None);
        }
        let again = || format!("{}: delete it to make the round again", path.display());
        let kept: KeptRound =
            serde_json::from_str(&read_sealed(&path, "the round")?).with_context(again)?;
        ensure!(kept.round.round == number, "{} is of another round", path.display());
        Ok(Some(kept))
    }

    /// Whether nothing of the round is missing. What was the last round once has no examples yet.
    pub fn is_whole(&self, last: bool) -> bool {
        last || self.examples.is_some()
    }
}

/// What a ranker was fitted to, as it is kept until its round is whole: the fit is not done again then.
#[derive(PartialEq, Serialize, Deserialize)]
struct Fitted {
    /// SHA-256 of the ranker.
    ranker: String,
    /// SHA-256 of the examples of each round before.
    examples: Vec<String>,
}

/// Notes that the ranker of a round, which is there, was fitted to these examples.
///
/// # Errors
/// What the file system says.
pub fn keep_fitted(directory: &Path, number: u32, examples: &[String]) -> Result<()> {
    let (ranker, _) = of_file(&ranker_file(directory, number))?;
    let fitted = Fitted { ranker, examples: examples.to_vec() };
    write_sealed(&fitted_file(directory, number), &serde_json::to_string(&fitted)?)
}

/// Whether the ranker of a round is there as it was fitted to these examples.
pub fn is_fitted(directory: &Path, number: u32, examples: &[String]) -> bool {
    let fitted = || -> Result<bool> {
        let text = read_sealed(&fitted_file(directory, number), "the fit")?;
        let (ranker, _) = of_file(&ranker_file(directory, number))?;
        Ok(serde_json::from_str::<Fitted>(&text)? == Fitted { ranker, examples: examples.to_vec() })
    };
    fitted().unwrap_or(false)
}

fn fitted_file(directory: &Path, number: u32) -> PathBuf {
    directory.join(format!("fitted-{number}.json"))
}

/// The files of a round begin with it.
pub fn round_name(directory: &Path, number: u32) -> PathBuf {
    directory.join(format!("round-{number}"))
}

fn round_file(directory: &Path, number: u32) -> PathBuf {
    round_name(directory, number).with_extension("json")
}

/// The ranker of a round.
pub fn ranker_file(directory: &Path, number: u32) -> PathBuf {
    directory.join(format!("ranker-{number}.json"))
}

/// The examples of a round.
pub fn examples_file(directory: &Path, number: u32) -> PathBuf {
    round_name(directory, number).with_extension("parquet")
}

impl Described for Learning {
    const KIND: &'static str = "a learning";
    const WHAT: &'static str = "what was learned";
    const INPUT: &'static str = "tasks";
    const FILE: &'static str = LEARNING_FILE;
    const SEALED: bool = false;

    /// More rounds can be asked for later.
    fn as_of(&self, now: &Learning) -> Learning {
        Learning { rounds: self.rounds.max(now.rounds), ..self.clone() }
    }
}

/// Writes the files of the round after `rounds`, but for its ranker, which is there: of its searches, so many of which are
/// learned from.
///
/// # Errors
/// What the file system says.
pub fn keep(
    directory: &OutputDir,
    learning: &Learning,
    rounds: &[Round],
    mut trained: Vec<Searched>,
    training: u64,
) -> Result<KeptRound> {
    let validated = trained.split_off(training as usize);
    let number = rounds.len() as u32;
    let last = number == learning.rounds;
    let improved = |searched: &[Searched]| searched.iter().filter(|s| s.found.improved).count();
    let round = Round {
        round: number,
        trained: (!last).then_some(improved(&trained) as u64),
        // The last round is not trained on: as many as the rounds before.
        training: rounds.last().map_or(trained.len() as u64, |round| round.training),
        proved: improved(&validated) as u64,
        work: validated.iter().map(|searched| searched.work).sum(),
        left: learning.optimise.as_ref().map(|_| left(&validated)),
    };
    // Of tasks nothing is asked later.
    let asked = trained.iter().filter(|_| learning.optimise.is_some());
    let found = asked.map(|searched| searched.found.clone()).collect();
    let hash = |path: &Path| of_file(path).map(|(hash, _)| hash);
    let out = directory.path();
    let mut examples = None;
    if !last {
        let rows = examples_file(out, number);
        write_table(&rows, &example_rows(trained))?;
        examples = Some(hash(&rows)?);
    }
    let ranker = (number > 0).then(|| hash(&ranker_file(out, number))).transpose()?;
    let kept = KeptRound { round, ranker, examples, found };
    write_sealed(&round_file(out, number), &serde_json::to_string(&kept)?)?;
    // It says as much of the ranker. What can't be removed is not read again.
    std::fs::remove_file(fitted_file(out, number)).ok();
    Ok(kept)
}

/// What is left of the cost of a seed: the geometric mean.
fn left(validated: &[Searched]) -> f64 {
    let log = |cost: u64| (cost.max(1) as f64).ln();
    let mut logs = 0.0;
    for searched in validated {
        if let (Some(before), Some(&after)) = (searched.cost_before, searched.found.cost.first()) {
            logs += log(after) - log(before);
        }
    }
    (logs / validated.len().max(1) as f64).exp()
}

/// Numbers the e-graphs that are learned from.
fn example_rows(trained: Vec<Searched>) -> Vec<ExampleRow> {
    let numbered = (0u32..).zip(trained.into_iter().flat_map(|searched| searched.examples));
    let row = |e_graph| move |example| ExampleRow(Example { e_graph, ..example });
    numbered.flat_map(|(e_graph, examples)| examples.into_iter().map(row(e_graph))).collect()
}

/// Adds the examples of a round.
///
/// # Errors
/// The file is damaged, or of another system.
pub fn read_examples(rows: &Path, examples: &mut Vec<Example>, system: &System) -> Result<()> {
    let offset = examples.last().map_or(0, |example| example.e_graph + 1);
    let shifted = |ExampleRow(e): ExampleRow| Example { e_graph: e.e_graph + offset, ..e };
    let before = examples.len();
    examples.extend(read_table::<ExampleRow>(rows)?.into_iter().map(shifted));
    expect_rows(&examples[before..], system).with_context(|| rows.display().to_string())
}

/// Whether examples are of this system.
fn expect_rows(examples: &[Example], system: &System) -> Result<()> {
    let rows = table_rows(system);
    for example in examples {
        let fits = |(&pick, rows): (&u16, usize)| usize::from(pick) < rows;
        ensure!(example.seen.picks.iter().zip(rows).all(fits), "an example of another system");
    }
    Ok(())
}

/// Reads the ranker of a round.
///
/// # Errors
/// As [`Ranker::read`], or there is none.
pub fn load_ranker(path: &Path, system: &System) -> Result<Ranker> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ranker::read(&name, &read_text(path, "the ranker")?, system)
}

/// Refuses a file that is not as it was written.
///
/// # Errors
/// It is such a file.
pub fn expect_hash(path: &Path, hash: &str) -> Result<()> {
    let unchanged = of_file(path).is_ok_and(|(found, _)| found == hash);
    ensure!(
        unchanged,
        "{} is not as it was written: delete the files of its round and those after it to make them \
         again",
        path.display()
    );
    Ok(())
}
