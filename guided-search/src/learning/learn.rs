//! Rounds of search and fit (expert iteration), each kept in files of its own, so that a run that was
//! stopped goes on where it was:
//!
//! ```text
//! learning.json          what is learned from, and how
//! round-0.parquet        the examples of a round's e-graphs of training tasks and their halves
//! round-0.json           how many tasks of each kind its e-graphs proved, and hashes; sealed
//! ranker-1.json          the ranker that is fitted to all examples before
//! ranker.json            the one that proved most validation tasks
//! ```

use crate::learning::examples::ExampleRow;
use crate::learning::halves::with_halves;
use crate::search::budget::Cap;
use crate::search::stage::{Ends, Stage};
use crate::tasks::held_out::seeds_of;
use crate::tasks::task::Task;
use crate::tasks::task_set::TaskSet;
use anyhow::{Context, Result, ensure};
use egraph::{MatchOrder, SaturationConfig, Scheduler, System, TermBank, used_matches};
use model::ranking::fit::{Example, fit};
use model::ranking::numbers::{numbers, table_rows};
use model::ranking::ranker::Ranker;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::hash::of_file;
use support::{
    OutputDir, Progress, read_sealed, read_table, read_text, write_atomic, write_sealed,
    write_table,
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
    /// SHA-256 of the training tasks, and of the validation tasks.
    pub tasks: [String; 2],
    /// Limit of the e-graph of a task.
    pub cap: Cap,
    /// Fits; more of them can be asked for later.
    pub rounds: u32,
    /// How often each fit goes through the examples.
    pub epochs: u32,
    /// Seed of the random choices.
    pub seed: u64,
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
}

/// Learns a ranker into `out`, or goes on with it, on the threads of the current rayon pool. Gives the
/// rounds, and the ranker of that which proved most validation tasks, with the least work among equals.
///
/// # Errors
/// A directory that holds something else, tasks of which no training task can be proved, or what the
/// file system says.
pub fn learn(
    learning: &Learning,
    system: &Arc<System>,
    [training, validation]: [&TaskSet; 2],
    out: &Path,
    quiet: bool,
    report: &mut (dyn FnMut(&Round) + Send),
) -> Result<(Vec<Round>, Ranker)> {
    let directory = OutputDir::create(out, LEARNING_FILE)?;
    refuse_other(learning, &directory)?;
    let text = serde_json::to_string_pretty(learning)? + "\n";
    write_atomic(&directory.file(LEARNING_FILE), text.as_bytes())?;
    let training = TaskSet { tasks: with_halves(&training.tasks), ..training.clone() };
    let both = training.tasks.iter().chain(&validation.tasks);
    let seen = seeds_of(both, &mut TermBank::new(system.language.clone()))?;
    let mut rounds = Vec::new();
    let mut rankers: Vec<Option<Arc<Ranker>>> = vec![None];
    let mut examples: Vec<Example> = Vec::new();
    for number in 0..=learning.rounds {
        let kept = kept_round(&directory, number)?;
        let ranker_file = directory.file(&format!("ranker-{number}.json"));
        if number > 0 {
            ensure!(
                examples.iter().any(|example| example.used),
                "no training task can be proved in an e-graph of {}: nothing is to be learned",
                learning.cap
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
                    let weights = fit(system, &examples, learning.epochs, seed, quiet)?;
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
        let ranker = rankers[number as usize].clone();
        let order = ranker.map(|ranker| ranker as Arc<dyn MatchOrder>);
        let rows = directory.file(&format!("round-{number}.parquet"));
        let last = number == learning.rounds;
        // What was the last round once has no examples yet.
        let kept = kept.filter(|kept| last || kept.examples.is_some());
        let round = if let Some(kept) = kept {
            if let Some(hash) = kept.examples.filter(|_| !last) {
                expect_hash(&rows, &hash)?;
            }
            kept.round
        } else {
            let grow = |set: &TaskSet, log: bool| {
                grow_all(system, set, learning.cap, order.as_ref(), log, quiet)
            };
            let mut trained = None;
            if !last {
                let grown = grow(&training, true)?;
                trained = Some(grown.iter().filter(|grown| grown.proved).count() as u64);
                write_table(&rows, &example_rows(grown))?;
            }
            let grown = grow(validation, false)?;
            let proved = grown.iter().filter(|grown| grown.proved).count() as u64;
            let work = grown.iter().map(|grown| grown.work).sum();
            let training = training.tasks.len() as u64;
            let round = Round { round: number, trained, training, proved, work };
            let hash = |path: &Path| of_file(path).map(|(hash, _)| hash);
            let ranker = (number > 0).then(|| hash(&ranker_file)).transpose()?;
            let examples = (!last).then(|| hash(&rows)).transpose()?;
            let kept = KeptRound { round, ranker, examples };
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
    let best = rounds[1..].iter().max_by_key(|round| (round.proved, std::cmp::Reverse(round.work)));
    let best = best.context("no round")?.round;
    let ranker = rankers[best as usize].as_deref().context("no ranker")?.clone();
    write_atomic(&directory.file(RANKER_FILE), ranker.text()?.as_bytes())?;
    Ok((rounds, ranker))
}

/// What is kept of a round, beside its ranker and its examples.
#[derive(Serialize, Deserialize)]
struct KeptRound {
    round: Round,
    /// SHA-256 of its ranker; the first round has none.
    ranker: Option<String>,
    /// SHA-256 of its examples; the last round has none.
    examples: Option<String>,
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

/// The e-graph of a task.
struct Grown {
    proved: bool,
    work: u64,
    /// What was chosen, if there is a proof; the number of the e-graph is still missing.
    examples: Vec<Example>,
}

fn grow_all(
    system: &Arc<System>,
    set: &TaskSet,
    cap: Cap,
    order: Option<&Arc<dyn MatchOrder>>,
    log: bool,
    quiet: bool,
) -> Result<Vec<Grown>> {
    let progress = Progress::new("tasks", set.tasks.len() as u64, quiet);
    let grown = set.tasks.par_iter().map(|task| {
        let grown = grow(system, task, cap, order, log);
        progress.advance(1);
        grown
    });
    let grown = grown.collect();
    progress.finish();
    grown
}

fn grow(
    system: &Arc<System>,
    task: &Task,
    cap: Cap,
    order: Option<&Arc<dyn MatchOrder>>,
    log: bool,
) -> Result<Grown> {
    let mut bank = TermBank::new(system.language.clone());
    let terms = task.terms(&mut bank)?;
    let [start, target] = [terms[0], terms[terms.len() - 1]];
    let config = SaturationConfig {
        limits: cap.limits(u64::MAX),
        scheduler: Scheduler::BestFirst,
        order: order.cloned(),
        log,
        ..SaturationConfig::default()
    };
    let stage = Stage::grow(system, &bank, Ends::of(&[start, target]), &config, false);
    let proved = stage.met.is_some();
    let mut examples = Vec::new();
    if proved && log {
        let used = used_matches(&stage.egraph, &mut bank, &stage.chosen, start, target)
            .context("no explanation of what the e-graph holds")?;
        let example = |(chosen, used): (&egraph::Chosen, bool)| Example {
            e_graph: 0,
            used,
            seen: numbers(&chosen.seen),
        };
        examples = stage.chosen.iter().zip(used).map(example).collect();
    }
    Ok(Grown { proved, work: stage.egraph.built(), examples })
}

fn example_rows(grown: Vec<Grown>) -> Vec<ExampleRow> {
    let with_proof = grown.into_iter().filter(|grown| !grown.examples.is_empty());
    let numbered = (0u32..).zip(with_proof);
    let row = |e_graph| move |example| ExampleRow(Example { e_graph, ..example });
    numbered.flat_map(|(e_graph, grown)| grown.examples.into_iter().map(row(e_graph))).collect()
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
