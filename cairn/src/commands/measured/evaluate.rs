//! `cairn evaluate`: all methods on all tasks, under the same limits; or optimisers on terms.

use crate::inputs::aids::{AidArgs, Wanted};
use crate::inputs::args::{RunArgs, load_system_with_text, of_flag, read_preset};
use crate::inputs::shipped::{SEARCHES, SEEDS, SYSTEMS};
use crate::inputs::verdicts::Verdicts;
use crate::shown::part::print_part;
use anyhow::{Context, Error, Result, ensure};
use egraph::TermBank;
use guided_search::{
    AidFiles, Evaluation, FarChains, Inputs, Method, Need, Optimiser, RESULTS_FILE, Row,
    SEEN_UNKNOWN, SearchOptions, TaskOrigin, TaskSet, evaluate, evaluation_job, refuse_seen,
    summaries, text_table,
};
use jobs::{Described, Shard};
use model::load_seen_seeds;
use std::path::{Path, PathBuf};
use support::hash::of_file;
use support::{InputFile, note, print};

const EXAMPLES: &str = "\
Examples:
  # Without a model: baselines, chance and the ceiling
  cairn tasks --system halide --seeds halide --links 4 --link-nodes 200 \\
      --count 20 --out tasks.parquet
  cairn evaluate --system halide --tasks tasks.parquet --out results
  cairn report results

  # With a model, some methods only
  cairn evaluate --system ring --tasks quickstart/tasks.parquet \\
      --model quickstart/model --out results-model \\
      --methods all-work,descend,model,oracle

  # Optimisers on terms: cost left against work, term by term
  cairn evaluate --system ring --terms ring --cost size --cap 2000 \\
      --work 10000 --out optimisers
  cairn report optimisers

  # In four parts, each wherever you like, and the same results from them
  for i in 0 1 2 3; do
    cairn evaluate --system halide --tasks tasks.parquet --shard $i/4 \\
        --out parts/$i
  done
  cairn merge parts/* --out results

Every method has the same total work. E-graphs of a search end at the cap; all-work and the e-graphs that portfolio \
grows beside its search may have all of the work. The same command goes on with an evaluation that was stopped. Results are the same for any number of \
threads, the columns of seconds aside.";

fn help() -> String {
    format!(
        "Methods:\n{}\nOptimisers (--terms):\n{}\n{EXAMPLES}",
        Method::list(),
        Optimiser::list()
    )
}

/// The arguments of `cairn evaluate`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = help())]
pub struct EvaluateArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    pub system: InputFile,
    /// The tasks: Parquet from `cairn tasks`, CSV with the columns `start` and `target`, or text
    /// with a start and a target a line
    #[arg(long, value_name = "FILE", required_unless_present = "terms")]
    tasks: Option<PathBuf>,
    /// Compare optimisers on terms instead of methods on tasks: how much of the cost of each term is left, with the same
    /// cap and work. A term a line, CSV with a column `expression`, or Parquet with a column `term`; or shipped seeds by
    /// their name
    #[arg(long, value_name = "FILE", value_parser = SEEDS.parser(), conflicts_with_all = ["tasks", "model", "config", "methods"])]
    pub terms: Option<InputFile>,
    /// The optimisers, see below, separated by commas [default: all, `ranked` not with --no-ranker or
    /// where the ranker has seen the terms]
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        requires = "terms",
        conflicts_with = "tasks"
    )]
    pub optimisers: Option<Vec<Optimiser>>,
    /// What a term costs: size, depth, or a cost of the system; several with commas between [default: cost]
    #[arg(long, value_name = "NAMES", requires = "terms", conflicts_with = "tasks")]
    pub cost: Option<String>,
    /// Evaluate a model that does not say which seeds it was trained on, or no longer does: its file
    /// seen_seeds.json is missing or has changed. The report then says that it may have seen the tasks
    #[arg(long, requires = "model")]
    seen_unknown: bool,
    #[command(flatten)]
    pub aids: AidArgs,
    /// A preset: a file, or a shipped one by its name, default or quickstart; options overrule it
    #[arg(long, value_name = "FILE", value_parser = SEARCHES.parser())]
    config: Option<InputFile>,
    /// The methods, see below, separated by commas [default: all that the tasks, the model and the ranker
    /// allow]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    methods: Option<Vec<Method>>,
    #[command(flatten)]
    pub search: SearchOptions,
    /// The directory for the results
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Put only every N-th task to the methods, from task I on, for `cairn merge`: I/N, I from 0 to N-1; --out is the
    /// directory of the part
    #[arg(long, value_name = "I/N", conflicts_with = "terms")]
    shard: Option<Shard>,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Runs the command for methods on tasks.
///
/// # Errors
/// Bad input, or an internal fault.
pub fn run(args: &EvaluateArgs) -> Result<()> {
    let tasks = args.tasks.as_deref().context("clap asks for tasks where there are no terms")?;
    let (out, quiet) = (&args.out, args.run.run().quiet);
    if let Some(place) = args.shard.map(|shard| (shard, out.as_path())) {
        let outcome = with_inputs(args, tasks, |evaluation, inputs| {
            evaluation_job(&evaluation, inputs)?.part(place, None, quiet)
        })?;
        return print_part(place, outcome, "items");
    }
    let rows = with_inputs(args, tasks, |mut evaluation, inputs| {
        evaluation.command += &format!(" --out {}", out.display());
        evaluate(&evaluation, inputs, out, quiet)
    })?;
    Verdicts::keep_with_results(&args.system, out);
    print_results(&rows, out)
}

/// Prints what the rows of an evaluation come to.
///
/// # Errors
/// Its directory can't be read, or nothing can be printed.
pub fn print_results(rows: &[Row], out: &Path) -> Result<()> {
    let all: Vec<&Row> = rows.iter().collect();
    let doubts = Evaluation::load(out)?.doubts();
    let doubt: String = doubts.iter().map(|doubt| format!("{doubt}\n")).collect();
    print(&format!(
        "{}{doubt}results in {}\n",
        text_table(&summaries(&all)),
        out.join(RESULTS_FILE).display()
    ))
}

/// Reads the inputs, fills in what is left open, and does `work` with the evaluation, whose command does not say yet
/// where the results go.
fn with_inputs<T: Send>(
    args: &EvaluateArgs,
    path: &Path,
    work: impl FnOnce(Evaluation, &Inputs<'_>) -> Result<T> + Send,
) -> Result<T> {
    let preset = read_preset(args.config.as_ref())?.search;
    let named = preset.methods.iter().flatten().map(|name| name.parse().map_err(Error::msg));
    let named: Vec<Method> = named.collect::<Result<_>>().context("methods of the preset")?;
    let asked = args.methods.clone().or_else(|| preset.methods.is_some().then_some(named));
    let options = &args.search.or(&preset);
    let run = &args.run.run();
    let (system, system_text) = load_system_with_text(&args.system)?;
    let tasks = TaskSet::load(path, &system)?;
    let mut given = args.aids.read(&system, true)?;
    let (mut seen_unknown, mut seen_targets) = (false, 0);
    if let Some(path) = args.aids.model.as_deref() {
        match load_seen_seeds(path) {
            Ok(seen) => {
                let mut bank = TermBank::new(system.language.clone());
                seen_targets = refuse_seen("the model", &tasks.tasks, &mut bank, &seen)?;
            }
            Err(reason) if args.seen_unknown => {
                if !run.quiet {
                    note(&format!("{SEEN_UNKNOWN} {reason:#}"));
                }
                seen_unknown = true;
            }
            Err(reason) => {
                return Err(reason.context(
                    "the model may have seen the tasks, for it does not say which seeds it was trained on \
                     (--seen-unknown evaluates it all the same, and says so)",
                ));
            }
        }
    }
    let mut bank = TermBank::new(system.language.clone());
    let wanted =
        Wanted { used: asked.as_deref().is_none_or(use_ranker), by_default: asked.is_none() };
    let found = args.aids.read_ranker(&system, wanted, run.quiet, |ranker| {
        refuse_seen("the ranker", &tasks.tasks, &mut bank, &ranker.seen)
    })?;
    given.ranker = found.map(|(file, ranker, targets)| {
        seen_targets = seen_targets.max(targets);
        (file, ranker)
    });
    let ranker = given.ranker.as_ref().map(|(file, _)| file);
    let mut evaluation = resolve(args, ranker, (options, asked), &tasks)?;
    evaluation.tasks_hash = of_file(path)?.0;
    evaluation.aids = given.files()?;
    evaluation.seen_unknown = seen_unknown;
    evaluation.seen_targets = seen_targets;
    evaluation.command = command(args, path, &evaluation);
    let inputs =
        Inputs { system: &system, system_text: &system_text, tasks: &tasks, aids: given.aids() };
    let pool = run.build_pool()?;
    pool.install(|| work(evaluation, &inputs))
}

fn resolve(
    args: &EvaluateArgs,
    ranker: Option<&InputFile>,
    (options, methods): (&SearchOptions, Option<Vec<Method>>),
    tasks: &TaskSet,
) -> Result<Evaluation> {
    let origin = &tasks.origin;
    let &TaskOrigin { links, link_nodes, cap, .. } = origin;
    let chains = FarChains { links, link_nodes, cap };
    let search = options.settle_on_tasks(chains, args.run.run().seed).map_err(of_flag)?;
    let mut there = args.aids.there(ranker);
    there.extend((links > 0).then_some(Need::Chain));
    let possible = || Method::all().filter(|method| method.expect(&there).is_ok()).collect();
    let methods = methods.unwrap_or_else(possible);
    ensure!(!methods.is_empty(), "no method to compare");
    for (i, method) in methods.iter().enumerate() {
        ensure!(!methods[..i].contains(method), "method '{method}' is given twice");
        method.expect(&there)?;
    }
    Ok(Evaluation {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        tasks: origin.clone(),
        tasks_hash: String::new(),
        task_count: tasks.tasks.len(),
        methods,
        search,
        aids: AidFiles::default(),
        seen_unknown: false,
        seen_targets: 0,
        command: String::new(),
        results_hash: None,
    })
}

/// Whether one of them draws on a ranker, if there is one.
fn use_ranker(methods: &[Method]) -> bool {
    methods.iter().any(|method| method.uses_ranker())
}

/// The command that does this evaluation, every setting spelt out, but for --out.
fn command(args: &EvaluateArgs, tasks: &Path, evaluation: &Evaluation) -> String {
    let names: Vec<&str> = evaluation.methods.iter().map(|m| m.name()).collect();
    let unknown = if evaluation.seen_unknown { " --seen-unknown" } else { "" };
    let aid = |(option, file, _): (_, Option<&str>, _)| {
        let beside = if option == "model" { unknown } else { "" };
        file.map_or_else(String::new, |file| format!(" --{option} {file}{beside}"))
    };
    let aids = evaluation.aids.listed().map(aid).concat();
    let unranked = evaluation.aids.ranker.is_none() && use_ranker(&evaluation.methods);
    let unranked = if unranked { " --no-ranker" } else { "" };
    let settings = evaluation.search.listed();
    let settings = settings.map(|(option, _, value)| format!(" --{option} {value}")).concat();
    format!(
        "cairn evaluate --system {} --tasks {}{aids}{unranked} --methods {}{settings}",
        args.system,
        tasks.display(),
        names.join(","),
    )
}
