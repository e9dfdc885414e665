//! `cairn inspect`.

use crate::console::print;
use anyhow::Result;
use std::path::PathBuf;

const INSPECT_EXAMPLES: &str = "\
Examples:
  cairn inspect data/halide-100
  cairn inspect data/halide-100 --examples 10
  cairn inspect data/halide-100 --format json | jq .splits.train.steps.mean";

/// Show sizes, histograms and examples of a dataset
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = INSPECT_EXAMPLES)]
pub struct InspectArgs {
    /// Directory of the dataset
    #[arg(value_name = "DIR")]
    pub data: PathBuf,
    /// Number of example triples
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub examples: usize,
    /// How to print
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// `cairn inspect`: prints what a dataset holds.
///
/// # Errors
/// A missing or damaged file.
pub fn inspect(args: &InspectArgs) -> Result<()> {
    let found = crate::inspect::inspect(&args.data, args.examples)?;
    match args.format {
        Format::Text => print(&found.text()),
        Format::Json => print(&(found.json()? + "\n")),
    }
}
