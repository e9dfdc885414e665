//! `cairn saturate`: grows one e-graph and shows every iteration.

use crate::commands::export::Export;
use crate::inputs::args::{LimitArgs, NotProved, RunArgs, load_system_with_text, read_strategy};
use crate::inputs::mlir_file::{in_file, load_mlir, load_table};
use crate::inputs::shipped::{SEEDS, SYSTEMS};
use crate::shown::one_way::one_way;
use crate::shown::proof::{PRINTED, Shown};
use anyhow::{Context, Result, anyhow, ensure};
use clap::{ArgGroup, ValueEnum};
use egraph::{
    CostFunction, EGraph, Id, Iteration, Proof, Report, RuleTotals, Schedule, Scheduler, Sketch,
    StopReason, System, TermBank, TermId, begins_as_egraph, explain, extract_sketch,
    extract_smallest, follow, proof_to_json, sketch_satisfied,
};
use guided_search::{checked, quoted};
use interop::MlirTerms;
use serde_json::{Value, json};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::{
    FileKind, InputFile, Internal, OutputFile, counted, counted_as, first_bytes,
    give_back_large_blocks, print, read_bytes,
};
use terms::load_seeds;

/// An e-graph that `--save` wrote.
pub const STORED_EGRAPH: FileKind = FileKind {
    name: "an e-graph of cairn saturate",
    recognise: |path| first_bytes(path).is_ok_and(|text| begins_as_egraph(text.as_bytes())),
};

/// The ruleset of what a file says is equal, and how its rules begin.
const GIVEN: &str = "class";

const EXAMPLES: &str = "\
Examples:
  # Grow an e-graph from one term until it has 10,000 e-nodes
  cairn saturate --system halide --term '(< (+ x 1) (+ y 1))' --nodes 10000

  # Stop as soon as a term of the given shape is reached, and print the smallest
  cairn saturate --system tiling --term '(m (* n1 32) (m (* n2 32) f))' \\
      --goal '(contains (m n1 (m 32 (m n2 (m 32 f)))))'

  # Look at a small e-graph
  cairn saturate --system halide --term '(+ x (- y x))' --nodes 40 \\
      --export small.html

  # An e-graph for xDSL, and one of its own
  cairn saturate --system arith --term '(* x 2)' --cost cost --export x.mlir
  cairn saturate --system arith --mlir x.mlir

  # Go on with an e-graph later, and with another term
  cairn saturate --system ring --term '(* (+ a b) c)' --iterations 3 \\
      --save e.graph
  cairn saturate --system ring --load e.graph --term '(* c b)' --iterations 2

  # All terms of a file in one e-graph, one JSON object per iteration
  cairn saturate --system halide --terms my-seeds.txt \\
      --memory 64MiB --iterations 3 --format json

In a sketch `?` is any term, `(contains s)` a term with a subterm that satisfies s, \
`(only-contains s)` a term all of whose leaves satisfy s, `(or s t)` one of several.

Exit code 3: no term that satisfies the goal was found within the limits. Exit code 2: bad input, \
or growth stopped with `conflict`: two different literals became equal, so a rule is not sound.";

/// The arguments of `cairn saturate`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[command(
    override_usage = "cairn saturate [OPTIONS] --system <FILE> <--term|--terms|--mlir|--load> …"
)]
#[command(group = ArgGroup::new("start").args(["term", "terms", "mlir", "load"]).required(true).multiple(true))]
pub struct SaturateArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// The term to start from; may be given several times
    #[arg(long, value_name = "TERM", allow_negative_numbers = true)]
    term: Vec<String>,
    /// A file of terms to start from: text with one a line, or CSV with a column `expression`; or
    /// shipped seeds by their name, as halide
    #[arg(long, value_name = "FILE", value_parser = SEEDS.parser(), conflicts_with_all = ["term", "mlir"])]
    terms: Option<InputFile>,
    /// A function of MLIR in the generic form, the values of which are the terms. It may hold an e-graph of xDSL's
    /// dialect `equivalence`, as --export writes one: what its classes say is equal is taken as given
    #[arg(long, value_name = "FILE", conflicts_with_all = ["term", "load", "save"])]
    mlir: Option<PathBuf>,
    /// Go on with an e-graph that --save wrote: what its rules have seen is not looked at again, unless matches were left
    /// out. Its system is that of --system, or the first rules of it; further terms may be given
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,
    /// Write the e-graph to this file for --load; an earlier one in it is replaced. With equal limits of time and
    /// memory, two runs come to the same bytes as one that has as many iterations
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Stop when the class of the first term holds one that satisfies this sketch; exit code 3 if
    /// none ever does
    #[arg(long, value_name = "SKETCH", allow_negative_numbers = true)]
    goal: Option<String>,
    /// After the table, show what each rule did and what the e-graph's parts take in memory
    #[arg(long)]
    details: bool,
    /// A table, or one JSON object per line
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    limits: LimitArgs,
    /// How matches are chosen: simple (all), backoff (not of rules that match too often), or best-first
    /// (a few promising ones an iteration)
    #[arg(long, value_name = "NAME", default_value_t = Scheduler::Simple)]
    scheduler: Scheduler,
    /// Follow a strategy instead of the system's schedule: one of the rules file, or as it would stand there, such as
    /// '(repeat 3 (phase (limit :nodes 4000 (until-stable (run)))))'
    #[arg(long, value_name = "NAME|TEXT")]
    strategy: Option<String>,
    /// Show the proof of a goal as it was found, detours included
    #[arg(long, requires = "goal")]
    no_shorten: bool,
    /// Write the e-graph to this file: .dot for Graphviz, .json as egraph-serialize has it, .mlir as xDSL's
    /// dialect `equivalence` has it, .html a page to look at; may be given several times
    #[arg(long, value_name = "FILE")]
    export: Vec<PathBuf>,
    /// What the export shows costs of: size, depth, or one that the system declares
    #[arg(long, value_name = "NAMES", default_value = "size", requires = "export")]
    cost: String,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned columns for reading
    Table,
    /// One object per iteration, rules included; the last one says why growth stopped
    Json,
}

/// # Errors
/// Bad input, a conflict, a goal that is not reached ([`NotProved`]), or the standard output can't
/// be written.
pub fn run(args: &SaturateArgs) -> Result<()> {
    give_back_large_blocks();
    let (system, text) = load_system_with_text(&args.system)?;
    let schedule = read_strategy(&system, args.strategy.as_deref())?;
    let save = args.save.as_deref().map(|path| OutputFile::new(path, STORED_EGRAPH)).transpose()?;
    let loaded = args.load.as_deref().map(|path| load(path, &system)).transpose()?;
    let mut bank = TermBank::new(system.language.clone());
    let mut equal = Vec::new();
    let terms: Vec<TermId> = match (&args.terms, &args.mlir) {
        (Some(path), _) => {
            load_seeds(path, &system, &mut bank, None)?.iter().map(|seed| seed.term).collect()
        }
        (None, Some(path)) => {
            let table = load_table(&args.system, &system)?;
            let terms = load_mlir(path)?.terms(&table, &mut bank);
            let MlirTerms { roots, equal: pairs } = terms.map_err(|e| in_file(path, &e))?;
            equal = pairs;
            roots
        }
        (None, None) => args
            .term
            .iter()
            .map(|text| bank.parse(text, None).map_err(|e| anyhow!("--term {}: {e}", quoted(text))))
            .collect::<Result<_>>()?,
    };
    let grown_from =
        loaded.iter().flat_map(|(egraph, roots)| roots.iter().map(move |&root| (egraph, root)));
    let terms: Vec<TermId> =
        grown_from.map(|(egraph, root)| egraph.term(&mut bank, root)).chain(terms).collect();
    let sort = bank.sort(*terms.first().context("no term to start from")?);
    let goal = args.goal.as_deref().map(|text| {
        Sketch::parse(&system.language, text, Some(sort))
            .map_err(|e| anyhow!("--goal {}: {e}", quoted(text)))
    });
    let goal = goal.transpose()?;
    let egraph = match loaded {
        Some((egraph, _)) => egraph,
        None => with_given(&system, &bank, &equal)?,
    };
    let save = save.as_ref().map(|file| (file, text.as_str()));
    grow(args, egraph, bank, &terms, (schedule, goal.as_ref()), save)
}

/// The e-graph of a file, to go on with by the rules of a system.
fn load(path: &Path, system: &Arc<System>) -> Result<(EGraph, Vec<Id>)> {
    let name = path.display();
    let bytes = read_bytes(path, "the e-graph")?;
    let (mut egraph, roots) = EGraph::from_bytes(&bytes).map_err(|why| anyhow!("{name}: {why}"))?;
    egraph.go_on_with(system.clone()).map_err(|_| {
        anyhow!(
            "{name}: expected an e-graph of the rules of --system, or of the first ones of them"
        )
    })?;
    Ok((egraph, roots))
}

/// An e-graph in which these terms are equal.
fn with_given(system: &Arc<System>, bank: &TermBank, equal: &[(TermId, TermId)]) -> Result<EGraph> {
    let mut egraph = EGraph::new(system.clone());
    egraph.assume(GIVEN, bank, equal).map_err(|reason| anyhow!("--mlir: {reason}"))?;
    Ok(egraph)
}

fn grow(
    args: &SaturateArgs,
    mut egraph: EGraph,
    mut bank: TermBank,
    terms: &[TermId],
    (schedule, goal): (Option<Arc<Schedule>>, Option<&Sketch>),
    save: Option<(&OutputFile, &str)>,
) -> Result<()> {
    let system = &egraph.system().clone();
    let export = |path: &PathBuf| Export::new(path, &args.system, system);
    let exports = args.export.iter().map(export).collect::<Result<Vec<_>>>()?;
    let cost =
        CostFunction::named(system, &args.cost).map_err(|reason| anyhow!("--cost: {reason}"))?;
    let mut config = args.limits.config(args.run.run().build_pool()?, args.scheduler);
    (config.go_on, config.schedule) = (args.load.is_some(), schedule);
    let mut lines = Lines { system, format: args.format, held_back: None, failed: None };
    lines.header();
    let report = follow(&mut egraph, &mut bank, [terms, &[]], &config, &mut |egraph, iteration| {
        lines.iteration(iteration);
        let first = iteration.sides[0][0];
        let reached = goal.is_some_and(|goal| sketch_satisfied(egraph, egraph.find(first), goal));
        if reached || lines.failed.is_some() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    if let Some(error) = lines.failed {
        return Err(error);
    }
    let ids = &report.sides[0];
    let first = *ids.first().context("no term to start from")?;
    let mut proofs: Vec<Proof> =
        report.rebased.iter().map(|before| before.proofs[0][0].clone()).collect();
    let from = proofs.last().map_or(terms[0], Proof::end);
    if let Some((file, text)) = save {
        let bytes = egraph.to_bytes(text, ids).map_err(|why| Internal::new(why.to_string()))?;
        file.write(|file| Ok(file.write_all(&bytes)?))?;
    }
    for export in &exports {
        export.write(&egraph, &mut bank, &cost, ids)?;
    }
    let class = egraph.find(first);
    let conflict = report.stop == StopReason::Conflict;
    let found = match goal {
        // Everything is equal then, and means nothing.
        _ if conflict => None,
        Some(goal) => extract_sketch(&egraph, &mut bank, class, goal),
        None => Some(extract_smallest(&egraph, &mut bank, class)),
    };
    let proof = match (goal, found) {
        (Some(_), Some(term)) => {
            let last = explain(&egraph, &mut bank, from, term)
                .ok_or_else(|| Internal::new("a term of the class has no explanation"))?;
            proofs.push(last);
            let proof = checked(system, &bank, proofs, [terms[0], term]);
            // What a file says is no fault of ours.
            let proof = proof.map_err(|error| match &args.load {
                Some(path) => anyhow!("{} says what is not so: {error:#}", path.display()),
                None => error,
            })?;
            Some(Shown::new(system, &mut bank, &proof, !args.no_shorten)?)
        }
        _ => None,
    };
    let found = found.map(|term| {
        let size = bank.size(term);
        let whole = size <= PRINTED.term_size;
        (bank.display_part(term, PRINTED.term_size).to_string(), size, whole)
    });
    match args.format {
        Format::Json => {
            let mut last = lines.held_back.unwrap_or_else(|| json!({}));
            last["stop"] = json!(report.stop.to_string());
            last["left_out"] = json!(report.left_out);
            last["bytes_by_part"] = egraph.heap_parts().into_iter().collect();
            last["term"] = json!(found.as_ref().filter(|f| f.2).map(|f| &f.0));
            last["size"] = json!(found.as_ref().map(|f| f.1));
            if !system.analyses.is_empty() {
                last["facts"] = json!(egraph.facts_text(class));
            }
            if let Some(Shown { proof, .. }) = &proof {
                last["proof"] = serde_json::from_str(&proof_to_json(system, &bank, proof))?;
            }
            print(&format!("{last}\n"))?;
        }
        Format::Table => {
            let what = if goal.is_some() { "satisfying term" } else { "equal term" };
            let found = match &found {
                Some((text, size, _)) => {
                    format!("smallest {what} ({}): {text}", counted(*size, "node"))
                }
                None if conflict => "no term is shown: the e-graph is not sound".to_owned(),
                None => "no term satisfies the goal".to_owned(),
            };
            let left_out = match report.left_out {
                0 => String::new(),
                matches => format!(", {} left out", counted_as(matches, "match", "matches")),
            };
            let details =
                if args.details { details(system, &egraph, &report) } else { String::new() };
            let proof = proof.as_ref().map(|proof| proof.text(system, &bank)).unwrap_or_default();
            let facts = match egraph.facts_text(class) {
                facts if facts.is_empty() => facts,
                facts => format!("known of it: {facts}\n"),
            };
            let one_way = match report.stop {
                StopReason::Saturated => {
                    one_way(system, "not all that equals a term need be there")
                }
                _ => String::new(),
            };
            print(&format!(
                "{details}stopped: {} after {}{left_out}{one_way}\n{found}\n{facts}{proof}",
                report.stop,
                counted(report.iterations, "iteration")
            ))?;
        }
    }
    ensure!(!conflict, "two different literals became equal: a rule of the system is not sound");
    if goal.is_some() && found.is_none() {
        let nodes = counted(egraph.node_count() as u64, "e-node");
        let reason = format!("the goal was not reached ({} at {nodes})", report.stop);
        return Err(NotProved(reason).into());
    }
    Ok(())
}

/// What each rule did in all iterations, and what the e-graph's parts take.
fn details(system: &System, egraph: &EGraph, report: &Report) -> String {
    let mut rules: Vec<&RuleTotals> = report.rules.iter().collect();
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.matches));
    let mut text = format!(
        "\n{:<30} {:>11} {:>11} {:>11} {:>7}\n",
        "rule", "matches", "new", "unions", "bans"
    );
    for RuleTotals { rule, matches, new, unions, bans } in rules {
        let name = &system.rule(*rule).name;
        text += &format!("{name:<30} {matches:>11} {new:>11} {unions:>11} {bans:>7}\n");
    }
    text += &format!("\n{:<30} {:>14}\n", "part", "bytes");
    for (part, bytes) in egraph.heap_parts() {
        text += &format!("{part:<30} {bytes:>14}\n");
    }
    text + "\n"
}

/// Prints iterations as they come. A JSON line is held back until it is known not to be the last.
struct Lines<'a> {
    system: &'a System,
    format: Format,
    held_back: Option<Value>,
    failed: Option<anyhow::Error>,
}

impl Lines<'_> {
    fn header(&mut self) {
        if self.format == Format::Table {
            self.write(&format!(
                "{:>9} {:>11} {:>11} {:>14} {:>11} {:>11} {:>11} {:>8} {:>8} {:>8}\n",
                "iteration",
                "e-nodes",
                "e-classes",
                "bytes",
                "matches",
                "new",
                "unions",
                "search s",
                "apply s",
                "rebuild s"
            ));
        }
    }

    fn iteration(&mut self, i: &Iteration) {
        match self.format {
            Format::Table => self.write(&format!(
                "{:>9} {:>11} {:>11} {:>14} {:>11} {:>11} {:>11} {:>8.3} {:>8.3} {:>9.3}\n",
                i.iteration,
                i.e_nodes,
                i.e_classes,
                i.bytes,
                i.matches,
                i.new,
                i.unions,
                i.search_seconds,
                i.apply_seconds,
                i.rebuild_seconds
            )),
            Format::Json => {
                let mut object = json!(i);
                for (named, rule) in
                    object["rules"].as_array_mut().into_iter().flatten().zip(&i.rules)
                {
                    named["rule"] = json!(self.system.rule(rule.rule).name);
                }
                if let Some(before) = self.held_back.replace(object) {
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
