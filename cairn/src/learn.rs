//! `cairn learn`: a ranker that orders the matches of best-first saturation.

use crate::args::{RunArgs, load_system};
use crate::shipped::SYSTEMS;
use anyhow::{Result, ensure};
use egraph::TermBank;
use guided_search::{Cap, Learning, RANKER_FILE, Round, TaskSet, learn, refuse_seen, seeds_of};
use model::Ranker;
use std::path::{Path, PathBuf};
use support::hash::of_file;
use support::{InputFile, Run, print, thousands};

const EXAMPLES: &str = "\
Examples:
  # Training tasks and validation tasks of different seeds, and a ranker
  cairn tasks --system halide --seeds halide --link-nodes 300 \\
      --count 100 --out validation.parquet
  cairn tasks --system halide --seeds more-seeds.txt --link-nodes 300 \\
      --count 1000 --without validation.parquet --out training.parquet
  cairn learn --system halide --tasks training.parquet \\
      --validation validation.parquet --out ranker

  # What it buys
  cairn evaluate --system halide --tasks test.parquet \\
      --ranker ranker/ranker.json --methods all-work,shared,deep,ranked \\
      --out results

In round 0 one e-graph is grown for each task, and the matches that lead to the smallest terms come \
first. Each later round fits a small network to the matches that the proofs of earlier rounds used, and \
grows e-graphs in the order that the network gives. The ranker that proves most validation tasks is kept. The same command goes on \
with a run that was stopped.";

/// The arguments of `cairn learn`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct LearnArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// The training tasks
    #[arg(long, value_name = "FILE")]
    tasks: PathBuf,
    /// The validation tasks, which choose among the rounds; of other seeds
    #[arg(long, value_name = "FILE")]
    validation: PathBuf,
    /// Limit of the e-graph of a task, in e-nodes (4000) or memory (64MiB)
    #[arg(long, value_name = "CAP", default_value_t = LearnArgs::CAP)]
    cap: Cap,
    /// Rounds of fit and search
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// How often each fit goes through the examples
    #[arg(long, value_name = "N", default_value_t = LearnArgs::EPOCHS, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    epochs: u32,
    /// The directory for the rounds and the ranker
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

impl LearnArgs {
    /// The limit of the e-graph of a task, if nothing else is said.
    pub const CAP: Cap = Cap::Nodes(4_000);
    /// How often each fit goes through the examples, if nothing else is said.
    pub const EPOCHS: u32 = 5;
}

/// Runs the command.
///
/// # Errors
/// Bad input, or an internal fault.
pub fn run(args: &LearnArgs) -> Result<()> {
    let LearnArgs { system, tasks, validation, cap, rounds, epochs, out, run } = args;
    let tasks = [tasks.as_path(), validation.as_path()];
    let ranker = learn_ranker(system, tasks, (*cap, *rounds, *epochs), out, &run.run())?;
    print(&format!("{} in {}\n", ranker.origin, out.join(RANKER_FILE).display()))
}

/// Learns a ranker from training tasks, chosen by validation tasks, as the limit of an e-graph, rounds and
/// epochs say, with a line for each round; or goes on with it.
///
/// # Errors
/// Bad input, or an internal fault.
pub fn learn_ranker(
    system: &InputFile,
    tasks: [&Path; 2],
    (cap, rounds, epochs): (Cap, u32, u32),
    out: &Path,
    run: &Run,
) -> Result<Ranker> {
    let system = load_system(system)?;
    let load = |path: &Path| TaskSet::load(path, &system);
    let (training, validation) = (load(tasks[0])?, load(tasks[1])?);
    let mut bank = TermBank::new(system.language.clone());
    let seen = seeds_of(&training.tasks, &mut bank)?;
    refuse_seen("the training", &validation.tasks, &mut bank, &seen)?;
    let learning = Learning {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        system_hash: system.hash.clone(),
        tasks: [of_file(tasks[0])?.0, of_file(tasks[1])?.0],
        cap,
        rounds,
        epochs,
        seed: run.seed,
    };
    ensure!(cap.expected_nodes() > 0, "--cap: expected at least 1 e-node");
    let sets = [&training, &validation];
    let of = validation.tasks.len();
    print(&format!(
        "{:>6} {:>16} {:>18} {:>14}\n",
        "round", "training proved", "validation proved", "work a task"
    ))?;
    let mut failed = None;
    let mut report = |round: &Round| {
        let trained =
            round.trained.map_or("-".to_owned(), |n| format!("{n} of {}", round.training));
        let proved = format!("{} of {of}", round.proved);
        let work = thousands(round.work / of.max(1) as u64);
        let line = format!("{:>6} {trained:>16} {proved:>18} {work:>14}\n", round.round);
        failed = failed.take().or(print(&line).err());
    };
    let pool = run.build_pool()?;
    let (_, ranker) =
        pool.install(|| learn(&learning, &system, sets, out, run.quiet, &mut report))?;
    failed.map_or(Ok(ranker), Err)
}
