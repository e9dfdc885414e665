//! `cairn merge`.

use crate::args::RunArgs;
use anyhow::Result;
use dataset_gen::{merge, summary};
use std::path::PathBuf;
use support::print;

const EXAMPLES: &str = "\
Examples:
  for i in 0 1 2 3; do
    cairn generate --config quickstart --shard $i/4 --out parts/$i
  done
  cairn merge parts/* --out data/quickstart

The result has the same bytes as that of `cairn generate` without --shard. The parts may be given \
in any order; they stay as they are. scripts/slurm/ does this on a cluster.";

/// Make a dataset from the parts that `cairn generate --shard` made
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct MergeArgs {
    /// Directories of all parts
    #[arg(value_name = "PART", required = true)]
    parts: Vec<PathBuf>,
    /// Directory to make; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command: makes a dataset and prints the sizes of its splits.
///
/// # Errors
/// As [`dataset_gen::merge`].
pub fn run(args: &MergeArgs) -> Result<()> {
    let info = merge(&args.parts, &args.out, &args.run.run())?;
    print(&summary(&info, &args.out))
}
