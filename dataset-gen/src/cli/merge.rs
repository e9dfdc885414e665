//! `cairn merge`.

use super::Common;
use super::generate::summary;
use crate::console::print;
use anyhow::Result;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  for i in 0 1 2 3; do
    cairn generate --config configs/dataset/quickstart.toml --shard $i/4 --out parts/$i
  done
  cairn merge parts/* --out data/quickstart

The result has the same bytes as that of `cairn generate` without --shard. The parts may be given
in any order; they stay as they are. scripts/slurm/ does this on a cluster.";

/// Make a dataset of the parts that `cairn generate --shard` made
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct MergeArgs {
    /// Directories of all parts
    #[arg(value_name = "PART", required = true)]
    pub parts: Vec<PathBuf>,
    /// Directory to make; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Options of every subcommand.
    #[command(flatten)]
    pub common: Common,
}

/// `cairn merge`: makes a dataset and prints the sizes of its splits.
///
/// # Errors
/// As [`crate::merge::merge`].
pub fn merge(args: &MergeArgs) -> Result<()> {
    let info = crate::merge::merge(&args.parts, &args.out, &args.common)?;
    print(&summary(&info, &args.out))
}
