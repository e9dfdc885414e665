//! `cairn guesses`: a dataset of terms and their normal forms, for a model that guesses.

use crate::inputs::args::{RunArgs, load_system_with_text};
use crate::inputs::shipped::{SEEDS, SYSTEMS};
use anyhow::{Result, ensure};
use dataset_gen::{Config, Scheme, Splitting, dataset_of, summary};

use egraph::TermBank;
use guided_search::{GuessOptions, Guesses, guesses_of};
use std::path::PathBuf;
use support::{InputFile, counted, note, print, thousands};
use terms::load_seeds;

const EXAMPLES: &str = "\
Examples:
  # Small random terms
  cairn seeds --system polynomials --sizes 7..17 --count 50000 --sort Ring \\
      --variables 3 --out small.txt

  # A model that writes them, given their normal forms
  cairn guesses --system polynomials --seeds small.txt --without test.txt \\
      --out data
  cairn train --data data --out guesser --config planner

  # It says what e-graphs do not find
  cairn optimise --system polynomials --cost size --terms test.txt \\
      --model guesser --cap 4000 --work 400000 --out optimised

Each term is brought into its normal form by the rules of (normal-form …); of terms with the same \
one the smallest is learned from. Terms with the same normal form, after renaming, are in one split.";

/// The arguments of `cairn guesses`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct GuessesArgs {
    /// The rewrite system, with a normal form: a .rules file, or a shipped one by its name, as polynomials
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// Terms that are to be found again: a term a line, CSV with a column `expression`, or Parquet with a column `term`; or
    /// shipped seeds by their name
    #[arg(long, value_name = "FILE", value_parser = SEEDS.parser())]
    seeds: InputFile,
    /// Terms to test on: what has one of their normal forms, after renaming, is left out
    #[arg(long, value_name = "FILE", value_parser = SEEDS.parser())]
    without: Option<InputFile>,
    #[command(flatten)]
    options: GuessOptions,
    /// Directory to make; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command: makes a dataset and prints the sizes of its splits.
///
/// # Errors
/// Bad input, a system without a normal form, or no term that is smaller than its own.
pub fn run(args: &GuessesArgs) -> Result<()> {
    let splitting = Splitting { scheme: Scheme::Whole, ..Default::default() };
    let config = Config::of_found(splitting, args.options.validation)?;
    let (system, rules) = load_system_with_text(&args.system)?;
    let mut bank = TermBank::new(system.language.clone());
    let terms = load_seeds(&args.seeds, &system, &mut bank, None)?;
    let without = match &args.without {
        Some(file) => load_seeds(file, &system, &mut bank, None)?,
        None => Vec::new(),
    };
    let run = args.run.run();
    let guesses = run
        .build_pool()?
        .install(|| guesses_of(&system, &bank, &terms, &without, args.options.max_size))?;
    if !run.quiet {
        note(&said(&guesses, args));
    }
    ensure!(
        !guesses.rows.is_empty(),
        "no term is smaller than its normal form of at most {} nodes: nothing to learn guessing from",
        args.options.max_size
    );
    let info = dataset_of(guesses.rows, (&system, rules.as_bytes()), &config, &args.out, &run)?;
    print(&summary(&info, &args.out))
}

/// What became of the terms.
fn said(guesses: &Guesses, args: &GuessesArgs) -> String {
    let Guesses { no_smaller, too_large, twice, left_out, .. } = guesses;
    format!(
        "{} to learn from; left out: {} no smaller than the normal form, {} with one of more than {} nodes or none, {} with \
         that of another term, {} with that of a term of --without",
        counted(guesses.rows.len() as u64, "term"),
        thousands(*no_smaller),
        thousands(*too_large),
        args.options.max_size,
        thousands(*twice),
        thousands(*left_out)
    )
}
