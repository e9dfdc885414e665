//! `cairn saturate`: grows one e-graph and shows every iteration.

use super::{LimitArgs, load_system, print};
use anyhow::{Context, Result, anyhow};
use clap::ValueEnum;
use dataset_gen::cli::Common;
use dataset_gen::seeds::load_seeds;
use egraph::{
    EGraph, Iteration, Sketch, TermBank, TermId, extract_sketch, extract_smallest, saturate,
    sketch_satisfied,
};
use serde_json::{Value, json};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  # Grow an e-graph from one term until it has 10,000 e-nodes
  cairn saturate --system configs/systems/halide.rules --term '(< (+ x 1) (+ y 1))' --nodes 10000

  # Stop as soon as a term of the given shape is reached, and print the smallest one
  cairn saturate --system configs/systems/tiling.rules \\
      --term '(m (* n1 32) (m (* n2 32) f))' \\
      --goal '(contains (m n1 (m 32 (m n2 (m 32 f)))))'

  # All terms of a file in one e-graph, one JSON object per iteration
  cairn saturate --system configs/systems/halide.rules --terms configs/seeds/halide.txt \\
      --memory 64MiB --iterations 3 --format json

In a sketch `?` is any term, `(contains s)` a term with a subterm that satisfies s,
`(only-contains s)` a term all of whose leaves satisfy s, `(or s t)` one of several.";

/// The arguments of `cairn saturate`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct SaturateArgs {
    /// The rewrite system, a .rules file
    #[arg(long, value_name = "FILE")]
    system: PathBuf,
    /// The term to start from; may be given several times
    #[arg(long, value_name = "TERM", required_unless_present = "terms")]
    term: Vec<String>,
    /// A file of terms to start from: text with one a line, or CSV with a column `expression`
    #[arg(long, value_name = "FILE", conflicts_with = "term")]
    terms: Option<PathBuf>,
    /// Stop when the class of the first term holds one that satisfies this sketch
    #[arg(long, value_name = "SKETCH")]
    goal: Option<String>,
    /// A table, or one JSON object per line
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned columns for reading
    Table,
    /// One object per iteration; the last one says why growth stopped
    Json,
}

/// Runs the subcommand.
///
/// # Errors
/// Bad input, or the standard output can't be written.
pub fn run(args: &SaturateArgs) -> Result<()> {
    let system = load_system(&args.system)?;
    let mut bank = TermBank::new(system.language.clone());
    let terms: Vec<TermId> = match &args.terms {
        Some(path) => {
            load_seeds(path, &system, &mut bank, None)?.iter().map(|seed| seed.term).collect()
        }
        None => args
            .term
            .iter()
            .map(|text| bank.parse(text, None).map_err(|e| anyhow!("--term '{text}': {e}")))
            .collect::<Result<_>>()?,
    };
    let sort = bank.sort(terms[0]);
    let goal = args.goal.as_deref().map(|text| {
        Sketch::parse(&system.language, text, Some(sort))
            .map_err(|e| anyhow!("--goal '{text}': {e}"))
    });
    let goal = goal.transpose()?;
    let pool = args.common.build_pool()?;
    pool.install(|| grow(args, EGraph::new(system), bank, &terms, goal.as_ref()))
}

fn grow(
    args: &SaturateArgs,
    mut egraph: EGraph,
    mut bank: TermBank,
    terms: &[TermId],
    goal: Option<&Sketch>,
) -> Result<()> {
    let ids: Vec<_> = terms.iter().map(|&t| egraph.add_term(&bank, t)).collect();
    let first = *ids.first().context("no term to start from")?;
    let mut lines = Lines { format: args.format, held_back: None, failed: None };
    lines.header();
    let report = saturate(&mut egraph, &args.limits.config(), &mut |egraph, iteration| {
        lines.iteration(iteration);
        let reached = goal.is_some_and(|goal| sketch_satisfied(egraph, egraph.find(first), goal));
        if reached || lines.failed.is_some() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    if let Some(error) = lines.failed {
        return Err(error);
    }
    let class = egraph.find(first);
    let found = match goal {
        Some(goal) => extract_sketch(&egraph, &mut bank, class, goal),
        None => Some(extract_smallest(&egraph, &mut bank, class)),
    };
    let found = found.map(|term| (bank.text(term), bank.size(term)));
    match args.format {
        Format::Json => {
            let mut last = lines.held_back.unwrap_or_else(|| json!({}));
            last["stop"] = json!(report.stop.to_string());
            last["term"] = json!(found.as_ref().map(|(text, _)| text));
            last["size"] = json!(found.as_ref().map(|(_, size)| size));
            print(&format!("{last}\n"))
        }
        Format::Table => {
            let iterations = report.iterations.len().saturating_sub(1);
            let plural = if iterations == 1 { "" } else { "s" };
            let what = if goal.is_some() { "satisfying term" } else { "equal term" };
            let found = match found {
                Some((text, size)) => format!("smallest {what} ({size} nodes): {text}"),
                None => "no term satisfies the goal".to_owned(),
            };
            print(&format!(
                "stopped: {} after {iterations} iteration{plural}\n{found}\n",
                report.stop
            ))
        }
    }
}

/// Prints iterations as they come. A JSON line is held back until it is known not to be the last.
struct Lines {
    format: Format,
    held_back: Option<Value>,
    failed: Option<anyhow::Error>,
}

impl Lines {
    fn header(&mut self) {
        if self.format == Format::Table {
            self.write(&format!(
                "{:>9} {:>11} {:>11} {:>14} {:>11} {:>11} {:>9}\n",
                "iteration", "e-nodes", "e-classes", "bytes", "matches", "unions", "seconds"
            ));
        }
    }

    fn iteration(&mut self, i: &Iteration) {
        match self.format {
            Format::Table => self.write(&format!(
                "{:>9} {:>11} {:>11} {:>14} {:>11} {:>11} {:>9.3}\n",
                i.iteration, i.e_nodes, i.e_classes, i.bytes, i.matches, i.unions, i.seconds
            )),
            Format::Json => {
                if let Some(before) = self.held_back.replace(json!(i)) {
                    self.write(&format!("{before}\n"));
                }
            }
        }
    }

    fn write(&mut self, text: &str) {
        if self.failed.is_none() {
            let mut out = std::io::stdout().lock();
            let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            self.failed = written.err().map(anyhow::Error::from);
        }
    }
}
