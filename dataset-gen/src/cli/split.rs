//! `cairn split`.

use super::Common;
use super::generate::summary;
use crate::console::print;
use crate::info::DatasetInfo;
use crate::resplit::resplit;
use crate::splitting::Scheme;
use anyhow::Result;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Segments of 8 steps, one every 4 steps, from the proofs of a dataset:
    cairn split data/halide --scheme window --length 8 --stride 4 --out data/halide-window

  Halves down to segments of 10 steps:
    cairn split data/halide --cutoff 10 --out data/halide-10

No e-graph is grown: the proofs are those of the dataset, and the new one has them, too. Proofs that
were too short to be split when it was made are not among them: with a smaller cutoff than then it
has fewer than a new dataset would. What is not given stays as it was.";

/// Take other triples from the proofs of a dataset
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct SplitArgs {
    /// Directory of the dataset
    #[arg(value_name = "DIR")]
    pub data: PathBuf,
    /// How proofs are split
    #[arg(long, value_name = "NAME", value_enum)]
    pub scheme: Option<Scheme>,
    /// recursive: halve until a segment has fewer steps
    #[arg(long, value_name = "N")]
    pub cutoff: Option<usize>,
    /// window: steps of a segment
    #[arg(long, value_name = "N")]
    pub length: Option<usize>,
    /// window: steps from the start of a segment to that of the next
    #[arg(long, value_name = "N")]
    pub stride: Option<usize>,
    /// Directory to make; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Options of every subcommand.
    #[command(flatten)]
    pub common: Common,
}

/// `cairn split`: makes a dataset and prints the sizes of its splits.
///
/// # Errors
/// As [`resplit`].
pub fn split(args: &SplitArgs) -> Result<()> {
    let mut splitting = DatasetInfo::load(&args.data)?.cairn.config.splitting;
    splitting.scheme = args.scheme.unwrap_or(splitting.scheme);
    splitting.cutoff = args.cutoff.unwrap_or(splitting.cutoff);
    splitting.length = args.length.unwrap_or(splitting.length);
    splitting.stride = args.stride.unwrap_or(splitting.stride);
    let info = resplit(&args.data, &splitting, &args.out, &args.common)?;
    print(&summary(&info, &args.out))
}
