//! `cairn inspect`.

use anyhow::Result;
use dataset_gen::dataset::inspect::inspect;
use dataset_gen::dataset::page::{TITLE, dataset_page};
use std::io::Write;
use std::path::PathBuf;
use support::files::whole_file::{FileKind, OutputFile};
use support::show::console::print;
use support::show::page::has_title;

const INSPECT_EXAMPLES: &str = "\
Examples:
  cairn inspect data/halide-100
  cairn inspect data/halide-100 --examples 10
  cairn inspect data/halide-100 --plot halide-100.html
  cairn inspect data/halide-100 --format json | jq .splits.train.steps.mean";

/// Show sizes, histograms and examples of a dataset
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = INSPECT_EXAMPLES)]
pub struct InspectArgs {
    /// Directory of the dataset
    #[arg(value_name = "DIR")]
    data: PathBuf,
    /// Number of example triples
    #[arg(long, value_name = "N", default_value_t = 3)]
    examples: usize,
    /// Draw the dataset: write a page with histograms as pictures to this file, too
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// How to print
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,
}

const PAGE: FileKind =
    FileKind { name: "a page about a dataset", recognise: |path| has_title(path, TITLE) };

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// Runs the command: prints what a dataset holds.
///
/// # Errors
/// A missing or damaged file; a file for the page that holds something else.
pub fn run(args: &InspectArgs) -> Result<()> {
    let plot = args.plot.as_deref().map(|path| OutputFile::new(path, PAGE)).transpose()?;
    let found = inspect(&args.data, args.examples)?;
    if let Some(plot) = plot {
        let page = dataset_page(&found);
        plot.write(|file| Ok(file.write_all(page.as_bytes())?))?;
    }
    match args.format {
        Format::Text => print(&found.text()),
        Format::Json => print(&(found.json()? + "\n")),
    }
}
