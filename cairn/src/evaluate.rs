//! `cairn evaluate`: all methods on all tasks, under the same limits; or optimisers on terms.

use crate::args::{
    DeviceChoice, RunArgs, load_model, load_ranker, load_system_with_text, read_preset,
};
use crate::evaluate_terms::{self, Asked};
use crate::ranker_file;
use crate::search_args::{self, SearchArgs};
use crate::shipped::{SEARCHES, SEEDS, SYSTEMS, ranker_of};
use anyhow::{Context, Result, ensure};
use egraph::{System, TermBank};
use guided_search::{
    Available, Budget, Cap, Evaluation, Inputs, Method, Optimiser, RESULTS_FILE, Row, SEEN_UNKNOWN,
    Schedulers, SearchSettings, TaskSet, evaluate, evaluate_part, refuse_seen, summaries,
    text_table,
};
use model::{Ranker, content_hash, load_seen_seeds};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::hash::of_file;
use support::{InputFile, Run, Shard, note, print};

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

Every method searches in the same way, with the same cap on each e-graph and the same total work. The \
same command goes on with an evaluation that was stopped. Results are the same for any number of \
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
    system: InputFile,
    /// The tasks: Parquet from `cairn tasks`, CSV with the columns `start` and `target`, or text
    /// with a start and a target a line
    #[arg(long, value_name = "FILE", required_unless_present = "terms")]
    tasks: Option<PathBuf>,
    /// Compare optimisers on terms instead of methods on tasks: how much of the cost of each term is left, with the same
    /// cap and work. A term a line, CSV with a column `expression`, or Parquet with a column `term`; or shipped seeds by
    /// their name
    #[arg(long, value_name = "FILE", value_parser = SEEDS.parser(), conflicts_with_all = ["tasks", "model", "config", "methods", "scheduler", "guides", "expansion", "walk", "slack", "drawn", "nucleus", "certain"])]
    terms: Option<InputFile>,
    /// The optimisers, see below, separated by commas [default: all, `ranked` if there is a ranker]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "terms")]
    optimisers: Option<Vec<Optimiser>>,
    /// What a term costs: size, depth, or a cost of the system; several with commas between [default: cost]
    #[arg(long, value_name = "NAMES", requires = "terms")]
    cost: Option<String>,
    /// The directory of a trained model, for the methods that need one
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Evaluate a model that does not say which seeds it was trained on, or no longer does: its file
    /// seen_seeds.json is missing or has changed. The report then says that it may have seen the tasks
    #[arg(long, requires = "model")]
    seen_unknown: bool,
    /// Where the model computes
    #[arg(long, value_enum, default_value_t, requires = "model")]
    device: DeviceChoice,
    /// A ranker, or the directory of `cairn learn`, or a shipped one by its name, as halide; for the methods
    /// `ranked` and `portfolio` [default: the one that is shipped for the system, if one is]
    #[arg(long, value_name = "FILE", value_parser = ranker_file::parser())]
    ranker: Option<InputFile>,
    /// A preset: a file, or a shipped one by its name, default or quickstart; options overrule it
    #[arg(long, value_name = "FILE", value_parser = SEARCHES.parser())]
    config: Option<InputFile>,
    /// The methods, see below, separated by commas [default: all that the tasks, the model and the ranker
    /// allow]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    methods: Option<Vec<Method>>,
    #[command(flatten)]
    search: SearchArgs,
    /// The directory for the results
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Put only every N-th task to the methods, from task I on, for `cairn merge`: I/N, I from 0 to N-1; --out is the
    /// directory of the part
    #[arg(long, value_name = "I/N", conflicts_with = "terms")]
    shard: Option<Shard>,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
///
/// # Errors
/// Bad input, or an internal fault.
pub fn run(args: &EvaluateArgs) -> Result<()> {
    if let Some(terms) = &args.terms {
        return evaluate_terms::run(&Asked {
            system: &args.system,
            terms,
            optimisers: args.optimisers.as_deref(),
            cost: args.cost.as_deref().unwrap_or("cost"),
            ranker: args.ranker.as_ref(),
            cap: args.search.cap,
            work: args.search.work,
            out: &args.out,
            run: args.run.run(),
        });
    }
    let tasks = args.tasks.as_deref().context("clap asks for tasks where there are no terms")?;
    let given = SearchArgs { methods: args.methods.clone(), ..args.search.clone() };
    let search = given.or(&read_preset(args.config.as_ref())?.search);
    let paths = Paths {
        system: &args.system,
        tasks,
        model: args.model.as_deref(),
        seen_unknown: args.seen_unknown,
        ranker: args.ranker.as_ref(),
        device: args.device,
        out: &args.out,
    };
    let run = args.run.run();
    if let Some(shard) = args.shard {
        let outcome = with_inputs(&paths, &search, &run, |evaluation, inputs| {
            evaluate_part(&evaluation, inputs, shard, &args.out, run.quiet)
        })?;
        return print(&format!("part {shard}: {outcome}\n{}\n", args.out.display()));
    }
    print_results(&compare(&paths, &search, &run)?, &args.out)
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

/// The files of an evaluation.
pub struct Paths<'a> {
    /// The rewrite system.
    pub system: &'a InputFile,
    /// The tasks.
    pub tasks: &'a Path,
    /// The model.
    pub model: Option<&'a Path>,
    /// Whether a model is evaluated, too, that does not say which seeds it has seen.
    pub seen_unknown: bool,
    /// The ranker.
    pub ranker: Option<&'a InputFile>,
    /// Where the model computes.
    pub device: DeviceChoice,
    /// The directory for the results.
    pub out: &'a Path,
}

/// Reads the inputs, fills in what `settings` leave open, and evaluates.
///
/// # Errors
/// As [`evaluate`], and for inputs that can't be read.
pub fn compare(paths: &Paths<'_>, settings: &SearchArgs, run: &Run) -> Result<Vec<Row>> {
    with_inputs(paths, settings, run, |mut evaluation, inputs| {
        evaluation.command += &format!(" --out {}", paths.out.display());
        evaluate(&evaluation, inputs, paths.out, run.quiet)
    })
}

/// Does `work` with an evaluation, whose command does not say yet where the results go, and with its inputs.
fn with_inputs<T: Send>(
    paths: &Paths<'_>,
    settings: &SearchArgs,
    run: &Run,
    work: impl FnOnce(Evaluation, &Inputs<'_>) -> Result<T> + Send,
) -> Result<T> {
    let (system, system_text) = load_system_with_text(paths.system)?;
    let tasks = TaskSet::load(paths.tasks, &system)?;
    let model = paths.model.map(|path| load_model(path, &system, paths.device)).transpose()?;
    let (mut seen_unknown, mut seen_targets) = (false, 0);
    if let Some(path) = paths.model {
        match load_seen_seeds(path) {
            Ok(seen) => {
                let mut bank = TermBank::new(system.language.clone());
                seen_targets = refuse_seen("the model", &tasks.tasks, &mut bank, &seen)?;
            }
            Err(reason) if paths.seen_unknown => {
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
    let found = ranker(paths, settings, &system, &tasks, run.quiet)?;
    let (ranker_file, ranker) = match found {
        Some((file, ranker, targets)) => {
            seen_targets = seen_targets.max(targets);
            (Some(file), Some(ranker))
        }
        None => (None, None),
    };
    let mut evaluation = resolve(paths, ranker_file.as_ref(), settings, run, &tasks)?;
    evaluation.tasks_hash = of_file(paths.tasks)?.0;
    evaluation.ranker_hash = ranker.as_ref().map(|ranker| ranker.hash()).transpose()?;
    evaluation.model_hash = paths.model.map(content_hash).transpose()?;
    evaluation.seen_unknown = seen_unknown;
    evaluation.seen_targets = seen_targets;
    evaluation.command = command(paths, &evaluation);
    let inputs = Inputs {
        system: &system,
        system_text: &system_text,
        tasks: &tasks,
        model: model.as_ref(),
        ranker: ranker.as_ref(),
    };
    let pool = run.build_pool()?;
    pool.install(|| work(evaluation, &inputs))
}

/// The ranker that methods draw on, and its file: the one that is given, or that is shipped for the system.
/// One that has seen the tasks is refused, or done without where nobody asked for it. With it how many tasks have
/// a target that it has seen.
fn ranker(
    paths: &Paths<'_>,
    settings: &SearchArgs,
    system: &System,
    tasks: &TaskSet,
    quiet: bool,
) -> Result<Option<(InputFile, Arc<Ranker>, usize)>> {
    let is_used = |methods: &Vec<Method>| methods.iter().any(|method| method.uses_ranker());
    let shipped = || ranker_of(system).filter(|_| settings.methods.as_ref().is_none_or(is_used));
    let Some(file) = paths.ranker.cloned().or_else(shipped) else { return Ok(None) };
    let ranker = load_ranker(&file, system)?;
    let mut bank = TermBank::new(system.language.clone());
    match refuse_seen("the ranker", &tasks.tasks, &mut bank, &ranker.seen) {
        Err(seen) if paths.ranker.is_none() && settings.methods.is_none() => {
            if !quiet {
                note(&format!("no ranker is used: {seen}"));
            }
            Ok(None)
        }
        refused => refused.map(|targets| Some((file, ranker, targets))),
    }
}

fn resolve(
    paths: &Paths<'_>,
    ranker: Option<&InputFile>,
    settings: &SearchArgs,
    run: &Run,
    tasks: &TaskSet,
) -> Result<Evaluation> {
    let origin = &tasks.origin;
    let chains = origin.links > 0;
    let cap = settings.cap.unwrap_or(Cap::Nodes(if chains { origin.cap } else { 4_000 }));
    let work = (origin.link_nodes as u64).saturating_mul(10).saturating_mul(origin.links.into());
    let budget = Budget {
        cap,
        work: if chains { work } else { 80_000.max(2 * cap.expected_nodes()) },
        scheduler: Schedulers::Simple,
    };
    let search = search_args::settings(settings, budget, run.seed);
    search.check()?;
    let there = Available {
        model: paths.model.is_some(),
        ranker: ranker.is_some(),
        chain: chains,
        guides: false,
    };
    let possible = || Method::all().filter(|method| method.expect(there).is_ok()).collect();
    let methods = settings.methods.clone().unwrap_or_else(possible);
    ensure!(!methods.is_empty(), "no method to compare");
    for (i, method) in methods.iter().enumerate() {
        ensure!(!methods[..i].contains(method), "method '{method}' is given twice");
        method.expect(there)?;
    }
    Ok(Evaluation {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        tasks: origin.clone(),
        tasks_hash: String::new(),
        task_count: tasks.tasks.len(),
        methods,
        search,
        model: paths.model.map(|path| path.display().to_string()),
        model_hash: None,
        ranker: ranker.map(|file| file.to_string()),
        ranker_hash: None,
        seen_unknown: false,
        seen_targets: 0,
        command: String::new(),
        results_hash: None,
    })
}

/// The command that does this evaluation, every setting spelt out, but for --out.
fn command(paths: &Paths<'_>, evaluation: &Evaluation) -> String {
    let names: Vec<&str> = evaluation.methods.iter().map(|m| m.name()).collect();
    let model = match &evaluation.model {
        Some(model) if evaluation.seen_unknown => format!(" --model {model} --seen-unknown"),
        Some(model) => format!(" --model {model}"),
        None => String::new(),
    };
    let ranker = match &evaluation.ranker {
        Some(ranker) => format!(" --ranker {ranker}"),
        None => String::new(),
    };
    let SearchSettings {
        nucleus,
        certain,
        seed,
        budget,
        guides,
        expansion,
        walk,
        slack,
        drawn,
        ..
    } = evaluation.search;
    let Budget { cap, work, scheduler } = budget;
    format!(
        "cairn evaluate --system {} --tasks {}{model}{ranker} --methods {} --cap {cap} --work {work} \
         --scheduler {scheduler} --guides {guides} --expansion {expansion} --walk {walk} \
         --slack {slack} --drawn {drawn} --nucleus {nucleus} --certain {certain} --seed {seed}",
        paths.system,
        paths.tasks.display(),
        names.join(","),
    )
}
