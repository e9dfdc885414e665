//! `cairn tasks`: far chains from held-out seeds.

use crate::inputs::args::{RunArgs, load_system, of_flag, read_preset};
use crate::inputs::shipped::{SEARCHES, SEEDS, SYSTEMS};
use crate::shown::part::print_part;
use anyhow::{Result, ensure};
use egraph::{System, TermBank};
use guided_search::{
    CONFLICT, ChainSettings, HeldOutFrom, MEMORY, NEAR, NO_FRONTIER, SATURATED, Scale, TaskInputs,
    TaskOptions, TaskOrigin, TaskSet, held_out, without,
};
use jobs::Shard;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::{InputFile, Run, counted, note, print};
use terms::{Seed, load_seeds};

const EXAMPLES: &str = "\
Examples:
  # 20 chains of 4 links, each link an e-graph of 200 e-nodes
  cairn tasks --system halide --seeds halide --links 4 --link-nodes 200 \\
      --count 20 --out tasks.parquet

  # From seeds that a model of the dataset does not see
  cairn tasks --system ring --seeds quickstart/ring.txt \\
      --data quickstart/dataset --config quickstart --out tasks.parquet

Each waypoint of a chain is a frontier term of an e-graph grown from the one before; the target \
can't be proved from the seed by one e-graph under the cap.

With --family theorem, chains begin only at seeds that equal a constant, which is a literal or an \
operator without arguments, as conditions that always hold do; with identity, only at the others. To tell \
them apart, one e-graph is grown best-first from each seed, to 20 times the e-nodes of a link.

Without --link-nodes, links are as large as in the file that --without names, and so is --beyond. \
If there is none, some chains are tried with 1000, 500, 200 and 100 e-nodes a link, and the \
largest is taken at which at least three quarters as many come about as at the best. The choice is \
printed on the standard error and kept in the task file.

The same command goes on with a run that was stopped.";

/// The arguments of `cairn tasks`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct TasksArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// The seed terms: text with one a line, CSV with a column `expression`, or Parquet with a column `term`;
    /// or shipped ones by their name, as halide
    #[arg(long, value_name = "FILE", value_parser = SEEDS.parser())]
    seeds: InputFile,
    /// A dataset: seeds of its training and validation splits are left out
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Other tasks: seeds that they begin or end with are left out, even if the literals differ; may be
    /// given several times
    #[arg(long, value_name = "FILE")]
    without: Vec<PathBuf>,
    /// A preset: a file, or a shipped one by its name, default or quickstart; options overrule it
    #[arg(long, value_name = "FILE", value_parser = SEARCHES.parser())]
    config: Option<InputFile>,
    #[command(flatten)]
    tasks: TaskOptions,
    /// The task file to write, ending in .parquet; an earlier task file is replaced
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Make only part I of N of the chains, for `cairn merge`: I/N, I from 0 to N-1; --out is the directory of the part.
    /// A part makes some chains more than its share of --count
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    #[command(flatten)]
    run: RunArgs,
}

/// # Errors
/// Bad input, no chain at all, or what the file system says.
pub fn run(args: &TasksArgs) -> Result<()> {
    let wanted = args.tasks.or(&read_preset(args.config.as_ref())?.tasks);
    let run = args.run.run();
    if args.shard.is_none() {
        TaskSet::output(&args.out)?;
    }
    let Chosen { system, bank, seeds, held_out_from, settings } = choose(args, &wanted, &run)?;
    let inputs = TaskInputs {
        system: &system,
        bank: &bank,
        seeds: &seeds,
        settings: &settings,
        held_out_from: &held_out_from,
    };
    let pool = run.build_pool()?;
    if let Some(shard) = args.shard {
        let place = (shard, args.out.as_path());
        let outcome = pool.install(|| inputs.part(place, run.quiet))?;
        return print_part(place, outcome, "items");
    }
    let set = pool.install(|| inputs.make(&args.out, run.quiet))?;
    let advice = if set.tasks.len() < settings.count { advice(&set) } else { None };
    ensure!(
        !set.tasks.is_empty(),
        "no chain came about from {}{}{}",
        counted(seeds.len() as u64, "seed"),
        failures(&set),
        advice.map_or(String::new(), |advice| format!("; {advice}"))
    );
    if let Some(advice) = advice.filter(|_| !run.quiet) {
        note(&format!("{} of {} tasks: {advice}", set.tasks.len(), settings.count));
    }
    print_tasks(&set, settings.count, &args.out)
}

/// Prints how many tasks were made of those that were wanted.
///
/// # Errors
/// Nothing can be printed.
pub fn print_tasks(set: &TaskSet, wanted: usize, out: &Path) -> Result<()> {
    let made = counted(set.tasks.len() as u64, "task");
    print(&format!(
        "{} in {}; {} begun{}\n",
        if set.tasks.len() < wanted { format!("only {made} of {wanted}") } else { made },
        out.display(),
        counted(set.origin.begun, "chain"),
        failures(set)
    ))
}

/// What chains are made of, and how.
struct Chosen {
    system: Arc<System>,
    bank: TermBank,
    seeds: Vec<Seed>,
    held_out_from: Vec<HeldOutFrom>,
    settings: ChainSettings,
}

/// Reads the seeds, and chooses the size of a link where none is wanted.
fn choose(args: &TasksArgs, wanted: &TaskOptions, run: &Run) -> Result<Chosen> {
    let of_size = |link_nodes| wanted.settle(link_nodes, run.seed);
    let mut settings = of_size(1_000);
    settings.check().map_err(of_flag)?;
    let system = load_system(&args.system)?;
    let mut bank = TermBank::new(system.language.clone());
    let mut seeds = load_seeds(&args.seeds, &system, &mut bank, None)?;
    let mut held_out_from = Vec::new();
    if let Some(data) = &args.data {
        seeds = held_out(seeds, &mut bank, &system, data)?;
        held_out_from.push(HeldOutFrom::dataset(data)?);
    }
    let mut made_before = Vec::new();
    for other in &args.without {
        let set = TaskSet::load(other, &system)?;
        seeds = without(seeds, &mut bank, &set.tasks)?;
        held_out_from.push(HeldOutFrom::tasks(other)?);
        made_before.push((other, set.origin));
    }
    // Tasks from elsewhere have no links.
    made_before.retain(|(_, origin)| origin.link_nodes > 0);
    let pool = run.build_pool()?;
    let say = |line: &str| {
        if !run.quiet {
            note(line)
        }
    };
    if wanted.link_nodes.is_some() {
        // It was chosen.
    } else if let Some((other, origin)) = made_before.first() {
        settings.link_nodes = origin.link_nodes;
        settings.beyond = wanted.beyond.unwrap_or(origin.cap);
        settings.check().map_err(of_flag)?;
        say(&format!("--link-nodes {}, as in {}", origin.link_nodes, other.display()));
        warn_of_other_links(&made_before);
    } else {
        let scale = pool.install(|| Scale::of_seeds(&system, &bank, &seeds, of_size));
        say(&scale.to_string());
        settings = of_size(scale.link_nodes);
    }
    Ok(Chosen { system, bank, seeds, held_out_from, settings })
}

/// Says that task files have links of different sizes, if they do.
fn warn_of_other_links(files: &[(&PathBuf, TaskOrigin)]) {
    let sizes = |(file, origin): &(&PathBuf, TaskOrigin)| {
        format!("{} in {}", origin.link_nodes, file.display())
    };
    if files.iter().any(|(_, origin)| origin.link_nodes != files[0].1.link_nodes) {
        let sizes: Vec<String> = files.iter().map(sizes).collect();
        note(&format!(
            "warning: the e-nodes of a link are {}: choose with --link-nodes",
            sizes.join(", ")
        ));
    }
}

/// How often chains came to nothing, and why.
fn failures(set: &TaskSet) -> String {
    let mut text = String::new();
    if let Some(family) = set.origin.family {
        let others = counted(set.origin.other_family, "seed");
        let _ = write!(text, "; {others} left out, not of family {family}");
    }
    for (reason, count) in &set.origin.failures {
        let _ = write!(text, "; {} {reason}", counted(*count, "time"));
    }
    text
}

/// What helps against the most frequent reason for which chains came to nothing.
fn advice(set: &TaskSet) -> Option<&'static str> {
    let (reason, _) = set.origin.failures.iter().max_by_key(|&(_, &count)| count)?;
    Some(match reason.as_str() {
        SATURATED => {
            "most e-graphs saturate; try a smaller --link-nodes, or seeds whose e-graphs grow \
             (cairn seeds --least-nodes)"
        }
        NO_FRONTIER => {
            "most chains end where a link finds no new term; try fewer --links, another \
             --link-nodes, more --rounds, or more and larger seeds"
        }
        NEAR => {
            "most targets are too near; try more --links, a smaller --beyond, more --rounds, or more \
             seeds"
        }
        MEMORY => "most e-graphs need more --memory; try a smaller --link-nodes or --beyond",
        CONFLICT => "the rules make two literals equal: they contradict each other",
        _ => return None,
    })
}
