//! `cairn split`.

use crate::inputs::args::RunArgs;
use anyhow::Result;
use dataset_gen::{DatasetInfo, Scheme, resplit, summary};
use std::path::PathBuf;
use support::print;

const EXAMPLES: &str = "\
Examples:
  # Segments of 8 steps, one every 4 steps, from the proofs of a dataset
  cairn split data/halide --scheme window --length 8 --stride 4 \\
      --out data/halide-window

  # Halves down to segments of 10 steps
  cairn split data/halide --cutoff 10 --out data/halide-10

No e-graph is grown: the proofs are those of the dataset, and the new one has them, too. Proofs \
that were too short to be split when the dataset was made are not in it. So with a smaller cutoff the \
result has fewer triples than a dataset made anew. Options that are not given stay as they were.";

/// Take other triples from the proofs of a dataset
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct SplitArgs {
    /// Directory of the dataset
    #[arg(value_name = "DIR")]
    data: PathBuf,
    /// How proofs are split
    #[arg(long, value_name = "NAME", value_enum)]
    scheme: Option<SchemeName>,
    /// recursive: halve until a segment has fewer steps
    #[arg(long, value_name = "N")]
    cutoff: Option<usize>,
    /// window: steps of a segment; ahead: steps to the guide
    #[arg(long, value_name = "N")]
    length: Option<usize>,
    /// window and ahead: steps from the start of a segment to that of the next
    #[arg(long, value_name = "N")]
    stride: Option<usize>,
    /// Directory to make; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

/// The argument of `--scheme`.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum SchemeName {
    /// Halves, and halves of halves
    Recursive,
    /// Segments of one length, which may overlap
    Window,
    /// From every term to the end, with the term --length steps ahead as the guide: for models that plan
    Ahead,
    /// The first term alone, with the last one as the guide: for models that guess
    Whole,
}

impl From<SchemeName> for Scheme {
    fn from(name: SchemeName) -> Scheme {
        match name {
            SchemeName::Recursive => Scheme::Recursive,
            SchemeName::Window => Scheme::Window,
            SchemeName::Ahead => Scheme::Ahead,
            SchemeName::Whole => Scheme::Whole,
        }
    }
}

/// Runs the command: makes a dataset and prints the sizes of its splits.
///
/// # Errors
/// As [`resplit`].
pub fn run(args: &SplitArgs) -> Result<()> {
    let mut splitting = DatasetInfo::load(&args.data)?.cairn.config.splitting;
    splitting.scheme = args.scheme.map_or(splitting.scheme, Scheme::from);
    splitting.cutoff = args.cutoff.unwrap_or(splitting.cutoff);
    splitting.length = args.length.unwrap_or(splitting.length);
    splitting.stride = args.stride.unwrap_or(splitting.stride);
    let info = resplit(&args.data, &splitting, &args.out, &args.run.run())?;
    print(&summary(&info, &args.out))
}
