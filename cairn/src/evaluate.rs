//! `cairn evaluate`: all methods on all tasks, under the same limits.

use crate::args::DeviceChoice;
use crate::args::{RunArgs, load_model, load_system_with_text, read_preset};
use crate::shipped::{SEARCHES, SYSTEMS};
use anyhow::{Result, ensure};
use guided_search::config::CompareConfig;
use guided_search::evaluation::evaluate::{Evaluation, Inputs, RESULTS_FILE, evaluate};
use guided_search::evaluation::results::Row;
use guided_search::report::summary::{summaries, text_table};
use guided_search::search::budget::{Budget, Cap, Schedulers, check_numbers};
use guided_search::sources::method::Method;
use guided_search::tasks::task::TaskSet;
use model::training::checkpoint::content_hash;
use std::path::{Path, PathBuf};
use support::files::hash::of_file;
use support::files::input::InputFile;
use support::run::Run;
use support::show::console::print;

const EXAMPLES: &str = "\
Examples:
  # Without a model: baselines, chance and the ceiling
  cairn tasks --system halide --seeds halide --links 4 --link-nodes 200 \\
      --count 20 --out tasks.parquet
  cairn evaluate --system halide --tasks tasks.parquet --out results
  cairn report results

  # With a model, some methods only
  cairn evaluate --system halide --tasks tasks.parquet \\
      --model quickstart/model --out results-model \\
      --methods all-work,both-sides,model,select,oracle

Every method gets the same cap on each e-graph, the same total work, guides and attempts. The same \
command goes on with an evaluation that was stopped. Results are the same for any number of \
threads, the columns of seconds aside.";

/// The arguments of `cairn evaluate`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct EvaluateArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// The tasks: Parquet from `cairn tasks`, CSV with the columns `start` and `target`, or text
    /// with a start and a target a line
    #[arg(long, value_name = "FILE")]
    tasks: PathBuf,
    /// The directory of a trained model, for the methods `model` and `select`
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Where the model computes
    #[arg(long, value_enum, default_value_t, requires = "model")]
    device: DeviceChoice,
    /// A preset: a file, or a shipped one by its name, default or quickstart; options overrule it
    #[arg(long, value_name = "FILE", value_parser = SEARCHES.parser())]
    config: Option<InputFile>,
    /// The methods, separated by commas [default: all that the tasks and the model allow]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    methods: Option<Vec<Method>>,
    /// Cap on each e-graph, in e-nodes (4000) or memory (64MiB) [default: that of the tasks]
    #[arg(long, value_name = "CAP")]
    cap: Option<Cap>,
    /// Work per task and method: e-nodes ever built, over all e-graphs [default: 10 L n]
    #[arg(long, value_name = "N")]
    work: Option<u64>,
    /// How rules that match too often are treated: simple, backoff, or auto for both in turn
    /// [default: simple]
    #[arg(long, value_name = "NAME")]
    scheduler: Option<Schedulers>,
    /// Guides per request, 1 to 1000 [default: 10]
    #[arg(long, value_name = "K")]
    guides: Option<usize>,
    /// Guides tried per question, 1 to 1000 [default: 4]
    #[arg(long, value_name = "N")]
    attempts: Option<usize>,
    /// How often a question may be halved at an unproved guide [default: 4]
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// The directory for the results
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
///
/// # Errors
/// Bad input, or an internal fault.
pub fn run(args: &EvaluateArgs) -> Result<()> {
    let mut preset = read_preset(args.config.as_ref())?;
    let search = &mut preset.search;
    search.methods = args.methods.clone().or(search.methods.take());
    search.cap = args.cap.or(search.cap);
    search.work = args.work.or(search.work);
    search.scheduler = args.scheduler.or(search.scheduler);
    search.guides = args.guides.or(search.guides);
    search.attempts = args.attempts.or(search.attempts);
    search.depth = args.depth.or(search.depth);
    let paths = Paths {
        system: &args.system,
        tasks: &args.tasks,
        model: args.model.as_deref(),
        device: args.device,
        out: &args.out,
    };
    let rows = compare(&paths, search, &args.run.run())?;
    let all: Vec<&Row> = rows.iter().collect();
    print(&format!(
        "{}results in {}\n",
        text_table(&summaries(&all)),
        args.out.join(RESULTS_FILE).display()
    ))
}

/// The files of an evaluation.
pub struct Paths<'a> {
    /// The rewrite system.
    pub system: &'a InputFile,
    /// The tasks.
    pub tasks: &'a Path,
    /// The model.
    pub model: Option<&'a Path>,
    /// Where the model computes.
    pub device: DeviceChoice,
    /// The directory for the results.
    pub out: &'a Path,
}

/// Reads the inputs, fills in what `settings` leave open, and evaluates.
///
/// # Errors
/// As [`evaluate`], and for inputs that can't be read.
pub fn compare(paths: &Paths<'_>, settings: &CompareConfig, run: &Run) -> Result<Vec<Row>> {
    let (system, system_text) = load_system_with_text(paths.system)?;
    let tasks = TaskSet::load(paths.tasks, &system)?;
    let model = paths.model.map(|path| load_model(path, &system, paths.device)).transpose()?;
    let mut evaluation = resolve(paths, settings, run, &tasks)?;
    evaluation.tasks_hash = of_file(paths.tasks)?.0;
    evaluation.model_hash = paths.model.map(content_hash).transpose()?;
    let inputs =
        Inputs { system: &system, system_text: &system_text, tasks: &tasks, model: model.as_ref() };
    let pool = run.build_pool()?;
    pool.install(|| evaluate(&evaluation, &inputs, paths.out, run.quiet))
}

fn resolve(
    paths: &Paths<'_>,
    settings: &CompareConfig,
    run: &Run,
    tasks: &TaskSet,
) -> Result<Evaluation> {
    let origin = &tasks.origin;
    let chains = origin.links > 0;
    let cap = settings.cap.unwrap_or(Cap::Nodes(if chains { origin.cap } else { 4_000 }));
    let work = (origin.link_nodes as u64).saturating_mul(10).saturating_mul(origin.links.into());
    let budget = Budget {
        cap,
        work: settings.work.unwrap_or(if chains { work } else { 80_000 }),
        scheduler: settings.scheduler.unwrap_or_default(),
    };
    let possible = |method: &Method| {
        (paths.model.is_some() || !method.needs_model()) && (chains || *method != Method::Oracle)
    };
    let mut methods = settings.methods.clone().unwrap_or_default();
    if settings.methods.is_none() {
        methods.extend(Method::ALL.iter().filter(|m| possible(m)));
    }
    ensure!(!methods.is_empty(), "no method to compare");
    for (i, method) in methods.iter().enumerate() {
        ensure!(!methods[..i].contains(method), "method '{method}' is given twice");
        ensure!(
            chains || *method != Method::Oracle,
            "method 'oracle' needs tasks with a known chain, as `cairn tasks` makes them"
        );
    }
    let mut evaluation = Evaluation {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        tasks: origin.clone(),
        tasks_hash: String::new(),
        task_count: tasks.tasks.len(),
        methods,
        budget,
        guides: settings.guides.unwrap_or(10),
        attempts: settings.attempts.unwrap_or(4),
        depth: settings.depth.unwrap_or(4),
        seed: run.seed,
        model: paths.model.map(|path| path.display().to_string()),
        model_hash: None,
        command: String::new(),
    };
    check_numbers(evaluation.budget.work, evaluation.guides, evaluation.attempts)?;
    evaluation.command = command(paths, &evaluation);
    Ok(evaluation)
}

/// The command that does this evaluation, every setting spelt out.
fn command(paths: &Paths<'_>, evaluation: &Evaluation) -> String {
    let names: Vec<&str> = evaluation.methods.iter().map(|m| m.name()).collect();
    let model = match &evaluation.model {
        Some(model) => format!(" --model {model}"),
        None => String::new(),
    };
    format!(
        "cairn evaluate --system {} --tasks {}{model} --methods {} --cap {} --work {} \
         --scheduler {} --guides {} --attempts {} --depth {} --seed {} --out {}",
        paths.system,
        paths.tasks.display(),
        names.join(","),
        evaluation.budget.cap,
        evaluation.budget.work,
        evaluation.budget.scheduler,
        evaluation.guides,
        evaluation.attempts,
        evaluation.depth,
        evaluation.seed,
        paths.out.display()
    )
}
