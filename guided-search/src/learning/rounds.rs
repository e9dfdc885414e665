//! Rounds of search and fit (expert iteration), each kept in files of its own, so that a run that was
//! stopped goes on where it was:
//!
//! ```text
//! learning.json          what is learned from, and how
//! round-0.parquet        the examples of a round's e-graphs
//! round-0.json           what they proved or improved, and hashes; sealed
//! ranker-1.json          the ranker that is fitted to all examples before
//! ranker.json            the one that was best in validation
//! ```

use crate::learning::examples::ExampleRow;
use crate::learning::practice::{Found, Order, Practice, Trained, Validated};
use crate::search::budget::Cap;
use anyhow::{Context, Result, ensure};
use egraph::System;
use model::ranking::fit::{Example, fit};
use model::ranking::numbers::table_rows;
use model::ranking::ranker::Ranker;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::hash::of_file;
use support::{
    OutputDir, read_sealed, read_table, read_text, write_atomic, write_sealed, write_table,
};

/// The file that marks a directory of a learning; it holds the [`Learning`].
pub const LEARNING_FILE: &str = "learning.json";
/// The ranker that came of it.
pub const RANKER_FILE: &str = "ranker.json";

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

/// What a round's e-graphs proved: with the ranker of that number, or smallest first in round 0.
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
    fn is_better(&self, other: &Round) -> bool {
        let left = |round: &Round| round.left.unwrap_or(0.0);
        let order = left(self).total_cmp(&left(other)).reverse();
        order.then(self.proved.cmp(&other.proved)).then(other.work.cmp(&self.work)).is_gt()
    }
}

/// Learns a ranker into `out`, or goes on with it, on the threads of the current rayon pool. Gives the
/// rounds, and the ranker of that which proved most validation tasks, with the least work among equals; of seeds
/// that which left least of their cost. Round 0 has the order of `from`, or smallest first.
///
/// # Errors
/// A directory that holds something else, practice in which nothing is proved or improved, or what the
/// file system says.
pub fn learn(
    learning: &Learning,
    system: &Arc<System>,
    practice: &dyn Practice,
    from: Option<&Arc<Ranker>>,
    out: &Path,
    quiet: bool,
    report: &mut (dyn FnMut(&Round) + Send),
) -> Result<(Vec<Round>, Ranker)> {
    let directory = OutputDir::create(out, LEARNING_FILE)?;
    refuse_other(learning, &directory)?;
    let text = serde_json::to_string_pretty(learning)? + "\n";
    write_atomic(&directory.file(LEARNING_FILE), text.as_bytes())?;
    let mut seen = practice.seen()?;
    from.iter().for_each(|from| seen.extend(&from.seen));
    let mut rounds: Vec<Round> = Vec::new();
    let mut before: Vec<Vec<Found>> = Vec::new();
    let mut rankers: Vec<Option<Arc<Ranker>>> = vec![from.cloned()];
    let mut examples: Vec<Example> = Vec::new();
    for number in 0..=learning.rounds {
        let kept = kept_round(&directory, number)?;
        let ranker_file = directory.file(&format!("ranker-{number}.json"));
        if number > 0 {
            ensure!(
                examples.iter().any(|example| example.used),
                "{}: nothing is to be learned",
                nothing_found(learning)
            );
            // What no whole round tells the hash of is made again.
            let ranker = match kept.as_ref().and_then(|kept| kept.ranker.as_ref()) {
                Some(hash) => {
                    expect_hash(&ranker_file, hash)?;
                    let text = read_text(&ranker_file, "the ranker")?;
                    Ranker::read(&format!("ranker-{number}.json"), &text, system)?
                }
                None => {
                    let seed = learning.seed.wrapping_add(u64::from(number));
                    let weights = fit(system, &examples, learning.epochs, seed, from, quiet)?;
                    let origin = format!(
                        "cairn {} learn: round {number}, {} examples",
                        learning.version,
                        examples.len()
                    );
                    let ranker = Ranker::new(system, weights, origin, seen.clone());
                    write_atomic(&ranker_file, ranker.text()?.as_bytes())?;
                    ranker
                }
            };
            rankers.push(Some(Arc::new(ranker)));
        }
        let order: Order = rankers[number as usize].clone().map(|ranker| ranker as _);
        let rows = directory.file(&format!("round-{number}.parquet"));
        let last = number == learning.rounds;
        // What was the last round once has no examples yet.
        let kept = kept.filter(|kept| last || kept.examples.is_some());
        let round = if let Some(kept) = kept {
            if let Some(hash) = kept.examples.filter(|_| !last) {
                expect_hash(&rows, &hash)?;
            }
            before.push(kept.found);
            kept.round
        } else {
            let Trained { found, examples } = match last {
                true => Trained::default(),
                false => practice.train(&order, &before, quiet)?,
            };
            let trained = found.iter().filter(|found| found.improved).count() as u64;
            // The last round is not trained on: as many as the rounds before.
            let training = rounds.last().map_or(found.len() as u64, |round| round.training);
            if !last {
                write_table(&rows, &example_rows(examples))?;
            }
            let Validated { proved, work, left } = practice.validate(&order, quiet)?;
            let trained = (!last).then_some(trained);
            let round = Round { round: number, trained, training, proved, work, left };
            // Of tasks nothing is asked later.
            let found = if learning.optimise.is_some() { found } else { Vec::new() };
            before.push(found.clone());
            let hash = |path: &Path| of_file(path).map(|(hash, _)| hash);
            let ranker = (number > 0).then(|| hash(&ranker_file)).transpose()?;
            let examples = (!last).then(|| hash(&rows)).transpose()?;
            let kept = KeptRound { round, ranker, examples, found };
            write_sealed(&round_file(&directory, number), &serde_json::to_string(&kept)?)?;
            round
        };
        if !last {
            let offset = examples.last().map_or(0, |example| example.e_graph + 1);
            let shifted = |ExampleRow(e): ExampleRow| Example { e_graph: e.e_graph + offset, ..e };
            let before = examples.len();
            examples.extend(read_table::<ExampleRow>(&rows)?.into_iter().map(shifted));
            expect_rows(&examples[before..], system).with_context(|| rows.display().to_string())?;
        }
        report(&round);
        rounds.push(round);
    }
    let fitted = rounds[1..].iter();
    let best = fitted.reduce(|best, round| if round.is_better(best) { round } else { best });
    let best = best.context("no round")?.round;
    let ranker = rankers[best as usize].as_deref().context("no ranker")?.clone();
    write_atomic(&directory.file(RANKER_FILE), ranker.text()?.as_bytes())?;
    Ok((rounds, ranker))
}

/// What practice found nothing within: the work where that ends e-graphs before the cap does.
fn nothing_found(learning: &Learning) -> String {
    let cap = learning.cap;
    match &learning.optimise {
        None => format!("no training task can be proved in an e-graph of {cap}"),
        Some(Optimising { work, .. }) if *work < cap.expected_nodes() => {
            format!("nothing better than the seeds can be found with a work of {work} e-nodes")
        }
        Some(_) => format!("nothing better than the seeds can be found in e-graphs of {cap}"),
    }
}

/// What is kept of a round, beside its ranker and its examples.
#[derive(Serialize, Deserialize)]
struct KeptRound {
    round: Round,
    /// SHA-256 of its ranker; the first round has none.
    ranker: Option<String>,
    /// SHA-256 of its examples; the last round has none.
    examples: Option<String>,
    /// What was found for which seed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    found: Vec<Found>,
}

fn round_file(directory: &OutputDir, number: u32) -> PathBuf {
    directory.file(&format!("round-{number}.json"))
}

/// What an earlier run kept of a round, if it finished it.
fn kept_round(directory: &OutputDir, number: u32) -> Result<Option<KeptRound>> {
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

/// Refuses a file that is not as it was written.
fn expect_hash(path: &Path, hash: &str) -> Result<()> {
    let unchanged = of_file(path).is_ok_and(|(found, _)| found == hash);
    ensure!(
        unchanged,
        "{} is not as it was written: delete the files of its round and those after it to make them \
         again",
        path.display()
    );
    Ok(())
}

fn refuse_other(learning: &Learning, directory: &OutputDir) -> Result<()> {
    let path = directory.file(LEARNING_FILE);
    if path.exists() {
        let before: Learning = serde_json::from_str(&read_text(&path, "what was learned from")?)
            .with_context(|| format!("{} does not describe a learning", path.display()))?;
        ensure!(
            before.rounds <= learning.rounds
                && Learning { rounds: learning.rounds, ..before } == *learning,
            "{} already holds what was learned otherwise or from other tasks: choose another \
             directory",
            directory.path().display()
        );
    }
    Ok(())
}

fn example_rows(examples: Vec<Vec<Example>>) -> Vec<ExampleRow> {
    let numbered = (0u32..).zip(examples);
    let row = |e_graph| move |example| ExampleRow(Example { e_graph, ..example });
    numbered.flat_map(|(e_graph, examples)| examples.into_iter().map(row(e_graph))).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_is_found_the_limit_is_named_that_bound() {
        let of = |optimise: Option<u64>, cap: usize| {
            let optimise = optimise.map(|work| Optimising { cost: "size".into(), work, batch: 1 });
            let learning = Learning {
                version: String::new(),
                system_hash: String::new(),
                tasks: Default::default(),
                cap: Cap::Nodes(cap),
                optimise,
                from: None,
                rounds: 1,
                epochs: 1,
                seed: 0,
            };
            nothing_found(&learning)
        };
        assert!(of(Some(30), 4_000).ends_with("with a work of 30 e-nodes"));
        assert!(of(Some(40_000), 4_000).ends_with("in e-graphs of 4000"));
        assert!(of(None, 4_000).ends_with("proved in an e-graph of 4000"));
    }
}
