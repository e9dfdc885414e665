//! `cairn learn`: a ranker that orders the matches of best-first saturation.

use crate::args::{RunArgs, load_system};
use crate::shipped::SYSTEMS;
use anyhow::{Result, ensure};
use egraph::TermBank;
use guided_search::{Cap, Learning, RANKER_FILE, Round, TaskSet, learn, refuse_seen, seeds_of};
use std::path::PathBuf;
use support::files::hash::of_file;
use support::files::input::InputFile;
use support::show::console::print;
use support::show::numbers::thousands;

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

In round 0 one e-graph is grown for each task, those matches first after which terms are smallest. \
From then on each round fits a small network to what the proofs of all rounds before it used, and grows \
e-graphs in its order. The ranker that proves most validation tasks is kept. The same command goes on \
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
    #[arg(long, value_name = "CAP", default_value_t = Cap::Nodes(4_000))]
    cap: Cap,
    /// Rounds of fit and search
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// How often each fit goes through the examples
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    epochs: u32,
    /// The directory for the rounds and the ranker
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
///
/// # Errors
/// Bad input, or an internal fault.
pub fn run(args: &LearnArgs) -> Result<()> {
    let run = args.run.run();
    let system = load_system(&args.system)?;
    let load = |path: &PathBuf| TaskSet::load(path, &system);
    let (training, validation) = (load(&args.tasks)?, load(&args.validation)?);
    let mut bank = TermBank::new(system.language.clone());
    let seen = seeds_of(&training.tasks, &mut bank)?;
    refuse_seen("the training", &validation.tasks, &mut bank, &seen)?;
    let learning = Learning {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        system_hash: system.hash.clone(),
        tasks: [of_file(&args.tasks)?.0, of_file(&args.validation)?.0],
        cap: args.cap,
        rounds: args.rounds,
        epochs: args.epochs,
        seed: run.seed,
    };
    ensure!(args.cap.expected_nodes() > 0, "--cap: expected at least 1 e-node");
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
        pool.install(|| learn(&learning, &system, sets, &args.out, run.quiet, &mut report))?;
    failed.map_or(Ok(()), Err)?;
    print(&format!("{} in {}\n", ranker.origin, args.out.join(RANKER_FILE).display()))
}
