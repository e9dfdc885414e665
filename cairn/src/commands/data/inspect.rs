//! `cairn inspect`.

use crate::inputs::ranker_file;
use anyhow::{Result, ensure};
use dataset_gen::{INFO_FILE, PAGE_TITLE, dataset_page};
use guided_search::{
    COMPARISON_FILE, Comparison, EVALUATION_FILE, OPTIMISATION_FILE, inspect_optimised,
    inspect_results, inspect_tasks, optimiser_summaries, optimisers_table,
};
use jobs::Described;
use model::CONFIG_FILE;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use support::{FileKind, OutputFile, counted, has_title, print, thousands};

const INSPECT_EXAMPLES: &str = "\
Examples:
  cairn inspect data/halide-100
  cairn inspect data/halide-100 --examples 10
  cairn inspect data/halide-100 --plot halide-100.html
  cairn inspect data/halide-100 --format json | jq .splits.train.steps.mean
  cairn inspect models/halide
  cairn inspect models/halide --format json | jq .log[-1].validation_loss
  cairn inspect ranker/ranker.json
  cairn inspect tasks.parquet --examples 1
  cairn inspect results";

/// Show what a dataset, a model, a ranker, a task file, optimised terms or the results of an evaluation hold
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = INSPECT_EXAMPLES)]
pub struct InspectArgs {
    /// Directory of a dataset, of a model, of `cairn learn`, of `cairn optimise --terms` or of results; a task file (.parquet) or a ranker
    /// (.json)
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Number of examples: triples of a dataset, tasks of a task file
    #[arg(long, value_name = "N", default_value_t = 3)]
    examples: usize,
    /// Draw a dataset: write a page with histograms as pictures to this file, too
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// How to print
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,
}

const PAGE: FileKind =
    FileKind { name: "a page about a dataset", recognise: |path| has_title(path, PAGE_TITLE) };

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// Runs the command: prints what a path holds.
///
/// # Errors
/// A missing or damaged file; a file for the page that holds something else.
pub fn run(args: &InspectArgs) -> Result<()> {
    let path = &args.path;
    let Some((text, json)) = other(args)? else { return of_dataset(args) };
    ensure!(args.plot.is_none(), "--plot draws datasets, and {} is none", path.display());
    show(args.format, &text, &json)
}

/// What a path holds that is no dataset, as text and as JSON; the names of its files tell. What is none of all is taken
/// for a dataset, which says so.
fn other(args: &InspectArgs) -> Result<Option<(String, String)>> {
    let path = &args.path;
    let has = |name: &str| path.join(name).is_file();
    let learned = ranker_file::learned(path);
    let is_json = || path.extension().is_some_and(|ending| ending == "json") && path.is_file();
    Ok(Some(if has(INFO_FILE) {
        return Ok(None);
    } else if has(EVALUATION_FILE) {
        let found = inspect_results(path)?;
        (found.text(), serde_json::to_string_pretty(&found)?)
    } else if has(COMPARISON_FILE) {
        of_comparison(path)?
    } else if has(OPTIMISATION_FILE) {
        let found = inspect_optimised(path)?;
        (found.text(), serde_json::to_string_pretty(&found)?)
    } else if has(CONFIG_FILE) {
        let found = model::inspect(path)?;
        (found.text()?, serde_json::to_string_pretty(&found)?)
    } else if learned.is_some() || is_json() {
        let found = ranker_file::inspect(learned.as_deref().unwrap_or(path))?;
        (found.text(), serde_json::to_string_pretty(&found)?)
    } else if path.is_file() {
        let found = inspect_tasks(path, args.examples)?;
        (found.text(), serde_json::to_string_pretty(&found)?)
    } else {
        return Ok(None);
    }))
}

fn show(format: Format, text: &str, json: &str) -> Result<()> {
    match format {
        Format::Text => print(text),
        Format::Json => print(&format!("{json}\n")),
    }
}

fn of_comparison(path: &Path) -> Result<(String, String)> {
    let found = Comparison::load(path)?;
    let summaries = found.rows(path)?.map(|rows| optimiser_summaries(&found.optimisers, &rows));
    let Comparison { version, terms, cap, work, seed, cost, command, .. } = &found;
    let said = format!(
        "{} by {}, cairn {version}\ncaps of {cap}, {} work a term, seed {seed}\n{command}\n",
        counted(*terms as u64, "term"),
        counted(found.optimisers.len() as u64, "optimiser"),
        thousands(*work)
    );
    let text = match &summaries {
        Some(summaries) => said + "\n" + &optimisers_table(summaries, cost),
        None => said + "not finished: the same command goes on\n",
    };
    let json = json!({ "comparison": found, "optimisers": summaries });
    Ok((text, serde_json::to_string_pretty(&json)?))
}

fn of_dataset(args: &InspectArgs) -> Result<()> {
    let plot = args.plot.as_deref().map(|path| OutputFile::new(path, PAGE)).transpose()?;
    let found = dataset_gen::inspect(&args.path, args.examples)?;
    if let Some(plot) = plot {
        let page = dataset_page(&found);
        plot.write(|file| Ok(file.write_all(page.as_bytes())?))?;
    }
    show(args.format, &found.text(), &found.json()?)
}
