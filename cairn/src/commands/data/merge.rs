//! `cairn merge`.

use crate::commands::answers::optimise::many_terms::print_optimised;
use crate::commands::data::tasks::print_tasks;
use crate::commands::measured::evaluate::print_results;
use crate::inputs::args::RunArgs;
use anyhow::{Result, bail};
use dataset_gen::{DATASET_PART, merge, summary};
use guided_search::{
    Evaluation, Optimisation, ROUND_PART, TASKS_PART, merge_evaluation, merge_optimised,
    merge_round, merge_tasks,
};
use jobs::{Described, Parts};
use std::path::PathBuf;
use support::{counted, print};

const EXAMPLES: &str = "\
Examples:
  for i in 0 1 2 3; do
    cairn generate --config quickstart --shard $i/4 --out parts/$i
  done
  cairn merge parts/* --out data/quickstart

  for i in 0 1 2 3; do
    cairn evaluate --system halide --tasks tasks.parquet --shard $i/4 \\
        --out parts/$i
  done
  cairn merge parts/* --out results

The result has the bytes that the same command writes without --shard, the columns of seconds aside. All parts of one run are \
needed, in any order; they stay as they are. Parts that are damaged, missing, given twice, or made with other files or settings \
are refused. The parts of a round of `cairn learn` are added to its directory --out. scripts/slurm/ does all of this on a cluster.";

/// Make what a command with --shard made parts of: a dataset, tasks, results, a round, optimised terms
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct MergeArgs {
    /// Directories of all parts
    #[arg(value_name = "PART", required = true)]
    parts: Vec<PathBuf>,
    /// What to make: a directory, or the .parquet file of tasks
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command: makes what the parts are parts of, and prints what the command without --shard prints.
///
/// # Errors
/// As [`Parts::open`], and as the merging of their kind.
pub fn run(args: &MergeArgs) -> Result<()> {
    let (out, run) = (&args.out, args.run.run());
    let parts = Parts::open(&args.parts)?;
    match parts.kind() {
        DATASET_PART => print(&summary(&merge(&parts, out, &run)?, out)),
        Evaluation::KIND => print_results(&merge_evaluation(&parts, out, run.quiet)?, out),
        Optimisation::KIND => {
            let (rows, cost) = merge_optimised(&parts, out, run.quiet)?;
            print(&format!("{}, ", counted(rows.len() as u64, "term")))?;
            print_optimised(&rows, &cost, out)
        }
        TASKS_PART => {
            let (set, wanted) = merge_tasks(&parts, out, run.quiet)?;
            print_tasks(&set, wanted, out)
        }
        ROUND_PART => {
            let round = merge_round(&parts, out)?.round;
            print(&format!("round {round} in {}\n", out.display()))
        }
        kind => bail!("{}: parts of {kind} are unknown to this version", args.parts[0].display()),
    }
}
