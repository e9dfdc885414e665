//! `cairn plans`: a dataset of ways to goals, for a model that plans.

use crate::inputs::args::{RunArgs, of_flag};
use anyhow::{Context, Result, ensure};
use dataset_gen::{Config, PackedRow, ProofRow, Scheme, Splitting, dataset_of, summary};
use egraph::{Caps, MAX_DEPTH};
use guided_search::{PlanOptions, plans_of};
use std::collections::BTreeSet;
use std::path::PathBuf;
use support::{counted, note, print};

const EXAMPLES: &str = "\
Examples:
  # Goals that one e-graph reaches, or that the search finds by itself
  cairn optimise --system tiling --tasks near.txt --first --cap 200000 \\
      --out found

  # A model of the ways there
  cairn plans found --out data
  cairn train --data data --out planner

  # It reaches goals that are farther away; learn from these, too
  cairn optimise --system tiling --tasks far.txt --first --model planner \\
      --cap 4000 --work 400000 --out farther
  cairn plans found farther --out data-2

A way is the proof of a term that reached its goal, without what happened beside the part that the \
goal asks for. From each term on it, the model learns to write the one --ahead steps further, with \
the goal in view. Terms with the same start and goal, after renaming, are in one split.";

/// The arguments of `cairn plans`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct PlansArgs {
    /// Directories that `cairn optimise --tasks` wrote, or --terms with --goal
    #[arg(value_name = "DIR", required = true)]
    found: Vec<PathBuf>,
    #[command(flatten)]
    options: PlanOptions,
    /// Directory to make; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command: makes a dataset and prints the sizes of its splits.
///
/// # Errors
/// Directories that can't be read or are of different systems, a proof that is wrong, no way at all.
pub fn run(args: &PlansArgs) -> Result<()> {
    let PlanOptions { ahead, validation, max_steps } = args.options;
    args.options.check().map_err(of_flag)?;
    let splitting =
        Splitting { scheme: Scheme::Ahead, length: ahead, stride: 1, ..Default::default() };
    let config = Config::of_found(splitting, validation)?;
    let caps = Caps { steps: max_steps, term_size: MAX_DEPTH as u64 };
    let run = args.run.run();
    let mut found = None;
    let (mut seen, mut left_out) = (BTreeSet::new(), 0);
    run.build_pool()?.install(|| -> Result<()> {
        for directory in &args.found {
            let (system, rules, rows, too_large) = plans_of(directory, caps)?;
            let hash = system.hash.clone();
            let (first, _, all) = found.get_or_insert((system, rules, Vec::new()));
            ensure!(
                first.hash == hash,
                "{} is of another rewrite system than {}",
                directory.display(),
                args.found[0].display()
            );
            left_out += too_large;
            let new = |row: &ProofRow| {
                let last = row.terms.len() - 1;
                seen.insert((row.terms[0].clone(), row.terms[last].clone(), row.place.clone()))
            };
            for row in rows.into_iter().filter(new) {
                all.push(PackedRow::of(&row)?);
            }
        }
        Ok(())
    })?;
    let (system, rules, rows) = found.context("expected a directory")?;
    if left_out > 0 && !run.quiet {
        note(&format!("{} left out: its proof is too long", counted(left_out, "term")));
    }
    ensure!(!rows.is_empty(), "no term reached its goal: nothing to learn planning from");
    let info = dataset_of(rows, (&system, &rules), &config, &args.out, &run)?;
    print(&summary(&info, &args.out))
}
