//! `cairn optimise`: the best term that equals a given one, with a proof.

use crate::commands::answers::optimise_mlir;
use crate::commands::answers::optimise_terms::{self, Asked};
use crate::inputs::args::{
    DeviceChoice, NotProved, RunArgs, load_model, load_ranker, load_system_with_text, named_cost,
    read_strategy, seconds,
};
use crate::inputs::mlir_file::load_table;
use crate::inputs::ranker_file;
use crate::inputs::shipped::{SEEDS, SYSTEMS, ranker_of};
use crate::shown::ended::spent;
use crate::shown::lets::with_lets;
use crate::shown::proof::{PRINTED, Shown, proof_file};
use anyhow::{Result, anyhow, ensure};
use clap::ValueEnum;
use egraph::{
    Amount, CostFunction, MatchOrder, OpId, Scheduler, Sketch, SortId, System, TermBank, TermId,
    proof_to_json,
};
use guided_search::{
    Best, Budget, Cap, Ended, Objective, OptimiseSettings, Outcome, Patience, Planner, Schedulers,
    WrittenPlan, optimise, picture, quoted,
};
use interop::{c_text, read_c};
use jobs::Shard;
use model::content_hash;
use ranking::Ranker;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{FileKind, InputFile, OutputFile, first_bytes, give_back_large_blocks, print};

const EXAMPLES: &str = "\
Examples:
  # The smallest equal term
  cairn optimise --system math --term '(+ (* a b) (+ (* a c) 0))' --cost size

  # An expression of C, and the best one in C
  cairn optimise --system words --c 'x + y - 2*(x & y)'

  # Fewest nodes where equal parts count once, and a picture
  cairn optimise --system ring --term '(* (+ a b) (+ (* a a) (* a b)))' \\
      --shared --picture cost.svg

  # Many terms, in the order that was learned (see `cairn learn --seeds`)
  cairn optimise --system my.rules --terms terms.txt --out optimised \\
      --ranker ranker/ranker.json --scheduler mixed --cap 8000 --work 40000

  # The best term of a shape, and a proof for `cairn check`
  cairn optimise --system tiling --term '(m (* n1 32) (m (* n2 32) f))' \\
      --goal '(contains (m n1 (m n2 (m 32 (m 32 f)))))' --out proof.json

  # Where e-graphs see no way down: a model guesses (see `cairn guesses`)
  cairn optimise --system polynomials --cost size --model models/polynomials \\
      --term '(+ (* x x) (+ (* 3 x) 2))'

  # A function of MLIR
  mlir-opt --mlir-print-op-generic f.mlir > generic.mlir
  cairn optimise --system arith --mlir generic.mlir | mlir-opt

A strategy ends when a term satisfies the goal. `(phase :goal SKETCH S …)` in it ends in the iteration where \
its own sketch first holds, and the cheapest term that satisfies it is where the next e-graph begins.

Costs are size, depth, and those that the rewrite system declares, `cost` among them; several with \
commas between are compared one after the other, and 3*cost+size is a sum of two.

Exit code 3: no term that satisfies the goal, or the one of a phase, was found; with --terms, for one of them.";

/// The arguments of `cairn optimise`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct OptimiseArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// The term to begin with
    #[arg(
        long,
        value_name = "TERM",
        allow_negative_numbers = true,
        required_unless_present_any = ["terms", "tasks", "c", "mlir"]
    )]
    term: Option<String>,
    /// The term to begin with, in the infix syntax of C, for systems over words of bits or integers: names, integers,
    /// ~ + - * / % << >> & ^ | and parentheses. The best term is shown in C, too
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true, conflicts_with_all = ["term", "terms"])]
    c: Option<String>,
    /// Many terms, each with its own budget, --threads at a time; --out is the directory for a table of results
    /// (optimised.parquet) and the proofs. A term a line, CSV with a column `expression`, or Parquet with a column `term`; or
    /// shipped seeds by their name. The same command goes on with a run that was stopped
    #[arg(long, value_name = "FILE", value_parser = SEEDS.parser(), requires = "out", conflicts_with_all = ["term", "exact", "time", "picture", "no_shorten", "format"])]
    terms: Option<InputFile>,
    /// As --terms, where each term has its own goal: a term and a sketch a line, or CSV with columns `start` and
    /// `goal`
    #[arg(long, value_name = "FILE", requires = "out", conflicts_with_all = ["terms", "term", "c", "goal", "exact", "time", "picture", "no_shorten", "format"])]
    tasks: Option<PathBuf>,
    /// A file of MLIR in the generic form (mlir-opt --mlir-print-op-generic): each value that its functions need is
    /// computed by the best term, and the result is printed. The rules file says which operations its operators are,
    /// in (mlir …); what it does not name stays as it is, in its order. --out is a directory for the proofs
    #[arg(long, value_name = "FILE", conflicts_with_all = ["term", "c", "terms", "tasks", "goal", "first", "model", "exact", "picture", "no_shorten", "format"])]
    mlir: Option<PathBuf>,
    /// What a term costs: size, depth, or a cost of the system; several with commas between
    #[arg(long, value_name = "NAMES", default_value = "cost")]
    cost: String,
    /// Equal parts of a term count once, and are shown once, in lines (let name part)
    #[arg(long)]
    shared: bool,
    /// With --shared, where all that the rules derive is in one e-graph: try so long to prove that
    /// nothing costs less, or to find it (not reproducible)
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "shared", conflicts_with_all = ["goal"])]
    exact: Option<Duration>,
    /// The sketch that the best term must satisfy
    #[arg(long, value_name = "SKETCH", allow_negative_numbers = true)]
    goal: Option<String>,
    /// End with the first term that satisfies the goal
    #[arg(long)]
    first: bool,
    /// A model that was trained on what leads to goals (see `cairn plans`): where the goal is a term or `(contains
    /// TERM)`, it writes what may come next, stage by stage. Without a goal, a model that was trained on what normal
    /// forms may become (see `cairn guesses`): it writes terms, and those that have the same normal form are answers
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Terms that the model writes at a time
    #[arg(long, value_name = "N", default_value = "8", requires = "model", value_parser = clap::value_parser!(u32).range(1..=1000))]
    guides: u32,
    /// Where the model computes
    #[arg(long, value_enum, default_value_t, requires = "model")]
    device: DeviceChoice,
    /// Follow a strategy and do nothing else: one of the rules file, or as it would stand there, such as
    /// '(until-stable (phase (limit :nodes 4000 (until-stable (run)))))'
    #[arg(long, value_name = "NAME|TEXT", conflicts_with_all = ["model", "first", "exact"])]
    strategy: Option<String>,
    /// Cap on each e-graph, in e-nodes (40000) or memory (64MiB)
    #[arg(long, value_name = "CAP", default_value = "40000")]
    cap: Cap,
    /// E-nodes that may be built, over all e-graphs [default: 10 times what the cap allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    work: Option<u64>,
    /// End when no better term came for N times the work that found the best one (work below 8,192 counts as 8,192);
    /// off goes on until the work is spent
    #[arg(long, value_name = "N", default_value_t, conflicts_with = "strategy")]
    patience: Patience,
    /// How matches are chosen: simple (all), backoff (not of rules that match too often), best-first (a
    /// few promising ones an iteration), auto for the first two in turn, or mixed for best-first and simple
    /// [default: auto; mixed with --ranker]
    #[arg(long, value_name = "NAME")]
    scheduler: Option<Schedulers>,
    /// A ranker, or the directory of `cairn learn`, or a shipped one by its name: in which order best-first
    /// chooses matches [default: the one that is shipped for the system, if one is]
    #[arg(long, value_name = "FILE", value_parser = ranker_file::parser())]
    ranker: Option<InputFile>,
    /// Use no ranker: best-first begins with the matches that lead to the smallest terms
    #[arg(long, conflicts_with = "ranker")]
    no_ranker: bool,
    /// Seconds at most (not reproducible)
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// A table and the proof step by step, or one JSON object
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Write the proof to this file, too; an earlier proof in it is replaced. With --terms, a directory
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Optimise only every N-th term of --terms or --tasks, from term I on, for `cairn merge`: I/N, I from 0 to N-1;
    /// --out is the directory of the part
    #[arg(long, value_name = "I/N", conflicts_with_all = ["term", "c"])]
    shard: Option<Shard>,
    /// Draw cost against work into this file, as SVG; an earlier SVG in it is replaced
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Show the proof as it was found, detours included
    #[arg(long)]
    no_shorten: bool,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading
    Table,
    /// For programs
    Json,
}

const PICTURE: FileKind = FileKind {
    name: "an SVG",
    recognise: |path| first_bytes(path).is_ok_and(|text| text.trim_start().starts_with("<svg")),
};

/// Runs the command.
///
/// # Errors
/// Bad input, a goal that is not reached ([`NotProved`]), or an internal fault.
pub fn run(args: &OptimiseArgs) -> Result<()> {
    give_back_large_blocks();
    let (system, text) = load_system_with_text(&args.system)?;
    let run = args.run.run();
    let scheduler = args.scheduler.unwrap_or(match args.ranker {
        Some(_) => Schedulers::Mixed,
        None => Schedulers::Auto,
    });
    let budget = Budget::of_optimisation(Some(args.cap), args.work, scheduler);
    budget.check()?;
    let ranker = ranker(args, &system, budget.scheduler)?;
    let order = ranker.clone().map(|ranker| ranker as Arc<dyn MatchOrder>);
    ensure!(
        args.model.is_none()
            || args.goal.is_some()
            || args.tasks.is_some()
            || system.normal_form.is_some(),
        "--model plans the way to a goal, or guesses what a normal form may become: expected --goal or --tasks, or \
         a system with a normal form"
    );
    let (planner, model) = planner(args, &system, run.seed)?.unzip();
    let (first, within) = (args.first, OptimiseSettings::within(budget, run.seed));
    ensure!(
        !first || args.goal.is_some() || args.tasks.is_some(),
        "--first ends with the first term that satisfies a goal: expected --goal or --tasks"
    );
    let strategy = args.strategy.as_deref();
    let followed = read_strategy(&system, strategy)?;
    let patience = args.patience;
    let settings =
        OptimiseSettings { order, planner, first, patience, strategy: followed, ..within };
    let tasks = args.tasks.clone().map(InputFile::Path);
    if let (Some(file), Some(out)) = (tasks.as_ref().or(args.terms.as_ref()), &args.out) {
        let (cost, goal) = (args.cost.as_str(), args.goal.as_deref());
        let objective = |sort| objective(args, &system, sort);
        let (shared, with_goals) = (args.shared, args.tasks.is_some());
        let shard = args.shard;
        let asked =
            Asked { file, with_goals, cost, goal, shared, strategy, shard, objective: &objective };
        let ranker = ranker.as_deref();
        return optimise_terms::run(&asked, (&system, &text), ranker, model, &settings, out, &run);
    }
    let pool = Arc::new(run.build_pool()?);
    let settings = OptimiseSettings {
        deadline: args.time.and_then(|time| Instant::now().checked_add(time)),
        pool: Some(pool.clone()),
        ..settings
    };
    if let Some(file) = &args.mlir {
        let table = load_table(&args.system, &system)?;
        let objective = |sort, missing: &[OpId]| {
            let objective = objective(args, &system, sort)?;
            Ok(Objective { cost: objective.cost.without(missing), ..objective })
        };
        let (out, system) = (args.out.as_deref(), (&system, &table));
        return pool.install(|| optimise_mlir::run(file, out, system, &objective, &settings));
    }
    let out = args.out.as_deref().map(proof_file).transpose()?;
    let picture_file =
        args.picture.as_ref().map(|path| OutputFile::new(path, PICTURE)).transpose()?;
    let mut bank = TermBank::new(system.language.clone());
    let start = start(args, &mut bank)?;
    let objective = objective(args, &system, bank.sort(start))?;
    let outcome = pool.install(|| optimise(&system, &mut bank, start, &objective, &settings))?;
    let rows = Rows {
        outcome: &outcome,
        cost: &objective.cost,
        bank: &bank,
        system: &system,
        shared: args.shared,
        c: args.c.is_some(),
    };
    let proved = outcome.ended != Ended::Lost;
    let proof = outcome.proof.as_ref().filter(|_| proved);
    match (args.format, proof) {
        (Format::Table, None) => print(&rows.table())?,
        (Format::Json, None) => print(&format!("{}\n", rows.json()))?,
        (format, Some(proof)) => {
            let (table, mut object) = (rows.table(), rows.json());
            let shown = Shown::new(&system, &mut bank, proof, !args.no_shorten)?;
            let json = proof_to_json(&system, &bank, &shown.proof);
            if let Some(file) = &out {
                file.write(|file| Ok(file.write_all(json.as_bytes())?))?;
            }
            if format == Format::Json {
                object["proof"] = serde_json::from_str(&json)?;
                print(&format!("{object}\n"))?;
            } else {
                print(&format!("{table}{}", shown.text(&system, &bank)))?;
            }
        }
    }
    if let Some(file) = &picture_file {
        let svg = picture(&outcome, &objective.cost);
        file.write(|file| Ok(file.write_all(svg.as_bytes())?))?;
    }
    ensure!(
        outcome.ended != Ended::Conflict,
        "two different literals became equal: a rule of the system is not sound"
    );
    if proof.is_some() {
        return Ok(());
    }
    let spent = spent(&outcome, &system, args.shared);
    Err(NotProved(match outcome.ended {
        Ended::Lost => format!("the strategy did not come to its end ({spent})"),
        _ if args.goal.is_some() => format!("the goal was not reached ({spent})"),
        _ => {
            let reason = unknown_cost(&objective.cost, &bank, start);
            format!("no term with a known cost was found{reason} ({spent})")
        }
    })
    .into())
}

/// The ranker that is asked for, or shipped, if an e-graph is grown best-first.
fn ranker(
    args: &OptimiseArgs,
    system: &System,
    scheduler: Schedulers,
) -> Result<Option<Arc<Ranker>>> {
    let (first, other) = scheduler.in_turn();
    let is_used = [Some(first), other].contains(&Some(Scheduler::BestFirst));
    ensure!(
        is_used || args.ranker.is_none(),
        "--ranker orders the matches of best-first: expected --scheduler mixed or best-first"
    );
    let shipped = || ranker_of(system).filter(|_| is_used && !args.no_ranker);
    let Some(file) = args.ranker.clone().or_else(shipped) else { return Ok(None) };
    load_ranker(&file, system).map(Some)
}

type Planning = (Arc<dyn Planner>, (String, usize));

/// The model that plans, if one is asked for; and what it is known by, with the number of terms that it
/// writes at a time.
fn planner(args: &OptimiseArgs, system: &System, seed: u64) -> Result<Option<Planning>> {
    let Some(directory) = &args.model else { return Ok(None) };
    let model = Arc::new(load_model(directory, system, args.device)?);
    let terms = args.guides as usize;
    let planner = WrittenPlan { model, terms, seed };
    Ok(Some((Arc::new(planner), (content_hash(directory)?, terms))))
}

/// The term that is asked for.
fn start(args: &OptimiseArgs, bank: &mut TermBank) -> Result<TermId> {
    let (option, text, read) = match (&args.c, &args.term) {
        (Some(text), _) => ("--c", text.as_str(), read_c(bank, text)),
        (None, term) => {
            let text = term.as_deref().unwrap_or_default();
            ("--term", text, bank.parse(text, None))
        }
    };
    read.map_err(|mistake| anyhow!("{option} {}: {mistake}", quoted(text)))
}

fn objective(args: &OptimiseArgs, system: &System, sort: SortId) -> Result<Objective> {
    let cost = named_cost(system, &args.cost)?;
    let sketch = match &args.goal {
        None => Sketch::Any,
        Some(text) => Sketch::parse(&system.language, text, Some(sort))
            .map_err(|mistake| anyhow!("--goal {}: {mistake}", quoted(text)))?,
    };
    let objective = Objective { cost, shared: args.shared, exact: args.exact, sketch };
    objective.check()?;
    Ok(objective)
}

/// Why the cost of a term is not known, as the end of a sentence.
fn unknown_cost(cost: &CostFunction, bank: &TermBank, term: TermId) -> String {
    let unknown = |part: &TermId| cost.of_term(bank, *part).is_none();
    // Each comes after its parts, whose costs are known.
    bank.subterms(term).into_iter().find(unknown).map_or_else(String::new, |part| {
        format!(
            ": that of {} is computed from literals or facts of its arguments, which it lacks, or \
             does not fit in 64 bits",
            quoted(&bank.display_part(part, PRINTED.term_size).to_string())
        )
    })
}

/// The best terms as they were found.
struct Rows<'a> {
    outcome: &'a Outcome,
    cost: &'a CostFunction,
    bank: &'a TermBank,
    system: &'a System,
    /// Whether equal parts of a term count once: then they are shown once.
    shared: bool,
    /// Whether terms are shown in C as well.
    c: bool,
}

impl Rows<'_> {
    fn text(&self, term: TermId) -> String {
        self.bank.display_part(term, PRINTED.term_size).to_string()
    }

    /// Cost against work, and the best term.
    fn table(&self) -> String {
        let mut text = format!("{:>14} {:>9} {:>9}  cost\n", "work", "e-graphs", "size");
        for Best { work, e_graphs, term, cost } in &self.outcome.curve {
            let (size, cost) = (self.bank.size(*term), self.cost.text(cost));
            text += &format!("{work:>14} {e_graphs:>9} {size:>9}  {cost}\n");
        }
        text += &format!("ended: {}\n", spent(self.outcome, self.system, self.shared));
        if let Some(best) = self.outcome.best() {
            text += &if self.shared {
                with_lets(self.bank, best.term, "best term: ")
            } else {
                format!("best term: {}\n", self.text(best.term))
            };
            if self.c {
                text += &match c_text(self.bank, best.term, PRINTED.term_size) {
                    Ok(c) => format!("best in C: {c}\n"),
                    Err(why) => format!("best in C: not shown: {why}\n"),
                };
            }
        }
        text
    }

    fn json(&self) -> Value {
        let number = |cost: Amount| match cost.denominator {
            1 => json!(cost.numerator),
            _ => json!(cost.value()),
        };
        let Outcome { curve, ended, ledger, .. } = self.outcome;
        let row = |best: &Best| {
            let values: Vec<_> =
                self.cost.names().into_iter().zip(self.cost.asked(&best.cost)).collect();
            let values: serde_json::Map<String, Value> =
                values.into_iter().map(|(name, cost)| (name.to_owned(), number(cost))).collect();
            let mut row = json!({
                "work": best.work,
                "e_graphs": best.e_graphs,
                "cost": values,
                "size": self.bank.size(best.term),
                "term": self.text(best.term),
            });
            if self.c {
                row["c"] = json!(c_text(self.bank, best.term, PRINTED.term_size).ok());
            }
            row
        };
        json!({
            "best": curve.iter().map(row).collect::<Vec<_>>(),
            "ended": ended.to_string(),
            "work": ledger.work,
            "e_graphs": ledger.e_graphs,
            "peak_bytes": ledger.peak_bytes,
        })
    }
}
