//! `cairn report`: a self-contained page about an evaluation, of methods or of optimisers.

use crate::inputs::verdicts::Verdicts;
use crate::shown::proved::line;
use anyhow::Result;
use egraph::{RuleId, System};
use guided_search::write_report;
use std::collections::BTreeSet;
use std::path::PathBuf;
use support::{note, print};

const EXAMPLES: &str = "\
Examples:
  # results/report.html, from the results of `cairn evaluate --out results`
  cairn report results

  # Elsewhere
  cairn report results --out /tmp/report.html

The page needs no network and no JavaScript. It replaces an earlier report only. Every proof it \
shows is checked once more. Of rules with verdicts (`cairn system check --smt`) it says which are proved.";

/// The arguments of `cairn report`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ReportArgs {
    /// The directory of the results
    #[arg(value_name = "DIR")]
    results: PathBuf,
    /// The page to write [default: report.html in DIR]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// # Errors
/// A directory without whole results, or what the file system says.
pub fn run(args: &ReportArgs) -> Result<()> {
    let out = args.out.clone().unwrap_or_else(|| args.results.join("report.html"));
    let said = |system: &System, rules: &BTreeSet<RuleId>| {
        let verdicts = Verdicts::of_results(&args.results).unwrap_or_else(|error| {
            note(&format!("verdicts are not used: {error:#}"));
            None
        });
        let about = verdicts?.about(system, rules.iter().map(|rule| system.rule(*rule)));
        let said = line(&about)?;
        Some(format!("In all proofs together {said}."))
    };
    write_report(&args.results, &out, &said)?;
    print(&format!("{}\n", out.display()))
}
