//! `cairn learn`: a ranker that orders the matches of best-first saturation, from tasks or from seeds alone.

use crate::inputs::args::{RunArgs, load_system, named_cost, of_flag, read_ranker};
use crate::inputs::ranker_file;
use crate::inputs::shipped::{SEEDS, SYSTEMS, any_ranker};
use crate::shown::part::print_part;
use anyhow::{Result, ensure};
use egraph::{Sketch, System, TermBank};
use guided_search::{
    Course, LearnOptions, LearnSettings, Learning, Objective, Optimising, RANKER_FILE, Round,
    SeedPractice, TaskPractice, TaskSet, fit_next, learn, refuse_seen, search_part, seeds_of,
};
use jobs::Shard;
use ranking::Ranker;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::hash::of_file;
use support::{InputFile, note, print, thousands};
use terms::{Seed, digest, load_seeds_with_hash};

const EXAMPLES: &str = "\
Examples:
  # Training tasks and validation tasks of different seeds, and a ranker
  cairn tasks --system halide --seeds halide --link-nodes 300 \\
      --count 100 --out validation.parquet
  cairn tasks --system halide --seeds more-seeds.txt --link-nodes 300 \\
      --count 1000 --without validation.parquet --out training.parquet
  cairn learn --system halide --tasks training.parquet \\
      --validation validation.parquet --out ranker

  # From seeds alone: which rewrites lead to cheaper terms
  cairn learn --system my.rules --seeds seeds.txt --cost size --out ranker
  cairn optimise --system my.rules --term '…' --ranker ranker/ranker.json

  # What a ranker for tasks buys
  cairn evaluate --system halide --tasks test.parquet \\
      --ranker ranker/ranker.json --methods all-work,shared,deep,ranked \\
      --out results

In round 0 one e-graph is grown for each task, and the matches come in the order of the ranker for any system, \
or of that of --from. Each later round fits a small network to the matches that the proofs of earlier rounds used, and \
grows e-graphs in the order that the network gives. The ranker that proves most validation tasks is kept, be it that of round 0.

With --seeds each seed is optimised in the same order, from e-graph to e-graph, and what each improvement used \
is learned from. The ranker that leaves least of the cost of the validation seeds is kept: the table has the geometric \
mean of what is left. The same command goes on with a run that was stopped.

On several machines, a round is made of parts: `--shard I/N --learned DIR --round R` does a part of its searches, \
`cairn merge PARTS --out DIR` adds the round, and `--fit --out DIR` makes the ranker of the one after it. The files in DIR are \
those of a run on one machine, byte for byte. scripts/slurm/submit.sh does all of this.";

/// The arguments of `cairn learn`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group(clap::ArgGroup::new("practice").required(true)))]
pub struct LearnArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// The training tasks: learn to prove
    #[arg(long, value_name = "FILE", group = "practice")]
    tasks: Option<PathBuf>,
    /// The training seeds: learn to optimise. A term a line, CSV with a column `expression`, or Parquet
    /// with a column `term`; or a shipped file by its name
    #[arg(long, value_name = "FILE", value_parser = SEEDS.parser(), group = "practice")]
    seeds: Option<InputFile>,
    /// The validation tasks, which choose among the rounds; of other seeds. With --seeds a file of seeds [default:
    /// every tenth of the seeds]
    #[arg(long, value_name = "FILE", required_unless_present = "seeds")]
    validation: Option<PathBuf>,
    #[command(flatten)]
    options: LearnOptions,
    /// A ranker to go on from, or the directory of `cairn learn`, or a shipped one by its name: its order in round
    /// 0, its weights in each fit [default: `any`]
    #[arg(long, value_name = "FILE", value_parser = ranker_file::parser())]
    from: Option<InputFile>,
    /// Begin with no ranker: the smallest terms come first in round 0
    #[arg(long, conflicts_with = "from")]
    from_nothing: bool,
    /// The directory for the rounds and the ranker
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Do only part I of N of the searches of a round, for `cairn merge`: I/N, I from 0 to N-1; --out is the directory of
    /// the part
    #[arg(long, value_name = "I/N", requires_all = ["learned", "round"])]
    shard: Option<Shard>,
    /// With --shard: the directory of the rounds before, which need not be there for round 0
    #[arg(long, value_name = "DIR", requires = "shard")]
    learned: Option<PathBuf>,
    /// With --shard: the round, from 0 to --rounds. Nothing is done if it is there already
    #[arg(long, value_name = "N", requires = "shard")]
    round: Option<u32>,
    /// Fit the ranker of the round that comes next in --out, and end before its searches; after the last round, choose
    /// the best ranker
    #[arg(long, conflicts_with = "shard")]
    fit: bool,
    #[command(flatten)]
    run: RunArgs,
}

pub fn run(args: &LearnArgs) -> Result<()> {
    let system = load_system(&args.system)?;
    let from = args.from.clone().or_else(|| (!args.from_nothing).then(any_ranker));
    let from = from.map(|file| read_ranker(&file, &system)).transpose()?;
    match (&args.seeds, &args.tasks, &args.validation) {
        (Some(seeds), ..) => learn_to_optimise(args, &system, seeds, from.as_ref()),
        (None, Some(tasks), Some(validation)) => {
            learn_to_prove(args, &system, [tasks, validation], from.as_ref())
        }
        _ => unreachable!("clap asks for tasks and validation where there are no seeds"),
    }
}

/// What is learned from these files, and how.
fn learning(
    args: &LearnArgs,
    settings: &LearnSettings,
    system: &System,
    from: Option<&Arc<Ranker>>,
    files: [String; 2],
) -> Result<Learning> {
    Ok(Learning {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        system_hash: system.hash.clone(),
        tasks: files,
        cap: settings.budget.cap,
        optimise: None,
        from: from.map(|from| from.hash()).transpose()?,
        rounds: settings.rounds,
        epochs: settings.epochs,
        seed: args.run.run().seed,
    })
}

/// Learns a ranker from training tasks, chosen by validation tasks.
fn learn_to_prove(
    args: &LearnArgs,
    system: &Arc<System>,
    tasks: [&Path; 2],
    from: Option<&Arc<Ranker>>,
) -> Result<()> {
    let settings = args.options.settle(false).map_err(of_flag)?;
    let load = |path: &Path| TaskSet::load(path, system);
    let (training, validation) = (load(tasks[0])?, load(tasks[1])?);
    let mut bank = TermBank::new(system.language.clone());
    let seen = seeds_of(&training.tasks, &mut bank)?;
    let targets = refuse_seen("the training", &validation.tasks, &mut bank, &seen)?;
    if targets > 0 && !args.run.run().quiet {
        let of = validation.tasks.len();
        note(&format!(
            "{targets} of {of} validation tasks have targets as in training; their starts are new"
        ));
    }
    let files = [of_file(tasks[0])?.0, of_file(tasks[1])?.0];
    let learning = learning(args, &settings, system, from, files)?;
    let practice = TaskPractice::new(system, [&training, &validation], learning.cap);
    in_rounds(args, &Course { learning: &learning, system, practice: &practice, from })
}

fn learn_to_optimise(
    args: &LearnArgs,
    system: &Arc<System>,
    file: &InputFile,
    from: Option<&Arc<Ranker>>,
) -> Result<()> {
    let settings = args.options.settle(true).map_err(of_flag)?;
    let mut bank = TermBank::new(system.language.clone());
    let (mut training, hash) = load_seeds_with_hash(file, system, &mut bank, None)?;
    let (validation, other) = match &args.validation {
        Some(path) => {
            let file = InputFile::Path(path.clone());
            let (validation, hash) = load_seeds_with_hash(&file, system, &mut bank, None)?;
            (validation, hash)
        }
        None => {
            let tenth = training.iter().skip(9).step_by(10).cloned().collect();
            let mut number = 0;
            training.retain(|_| (number % 10 != 9, number += 1).0);
            (tenth, hash.clone())
        }
    };
    // By start, whatever its variables are called.
    let mut shape = |seed: &Seed| digest(&mut bank, seed.term, false);
    let held_out: BTreeSet<String> = validation.iter().map(&mut shape).collect();
    training.retain(|seed| !held_out.contains(&shape(seed)));
    match &args.validation {
        Some(path) => ensure!(
            !training.is_empty(),
            "{file}: no seed is left for training: each is one of {}, whatever its variables are called",
            path.display()
        ),
        None => ensure!(
            !training.is_empty() && !validation.is_empty(),
            "{file}: expected at least 10 seeds, every tenth of which is for validation, and others than those for training"
        ),
    }
    let objective = Objective::tree(named_cost(system, &settings.cost)?, Sketch::Any);
    let LearnSettings { budget, batch, .. } = settings;
    let (cost, work) = (settings.cost.clone(), budget.work);
    let learning = Learning {
        optimise: Some(Optimising { cost, work, batch }),
        ..learning(args, &settings, system, from, [hash, other])?
    };
    let sets = [&training[..], &validation[..]];
    let limits = (budget, batch, learning.seed);
    let practice = SeedPractice::new(system, &bank, sets, &objective, limits);
    in_rounds(args, &Course { learning: &learning, system, practice: &practice, from })
}

/// Does what is asked for of the rounds, with a line for each; or goes on with them.
fn in_rounds(args: &LearnArgs, course: &Course<'_>) -> Result<()> {
    let (run, out) = (args.run.run(), args.out.as_path());
    let pool = run.build_pool()?;
    if let (Some(shard), Some(learned), Some(round)) = (args.shard, &args.learned, args.round) {
        let place = (shard, out);
        let outcome = pool.install(|| search_part(course, (learned, round), place, run.quiet))?;
        return print_part(place, outcome, "items");
    }
    let of = course.practice.validation();
    let (training, validation) = match course.learning.optimise {
        None => ("training proved", "validation proved"),
        Some(_) => ("seeds improved", "validation cost"),
    };
    print(&format!("{:>6} {training:>16} {validation:>18} {:>14}\n", "round", "work a task"))?;
    let mut failed = None;
    let mut report = |round: &Round| {
        let trained =
            round.trained.map_or("-".to_owned(), |n| format!("{n} of {}", round.training));
        let proved = match round.left {
            None => format!("{} of {of}", round.proved),
            Some(left) => format!("{:.1} %", 100.0 * left),
        };
        let work = thousands(round.work / u64::from(of.max(1)));
        let line = format!("{:>6} {trained:>16} {proved:>18} {work:>14}\n", round.round);
        failed = failed.take().or(print(&line).err());
    };
    let ranker = pool.install(|| match args.fit {
        true => fit_next(course, out, run.quiet, &mut report),
        false => learn(course, out, run.quiet, &mut report)
            .map(|(rounds, ranker)| (rounds, Some(ranker))),
    });
    let (rounds, ranker) = ranker?;
    failed.map_or(Ok(()), Err)?;
    match (ranker, rounds.len()) {
        (Some(ranker), _) => {
            print(&format!("{} in {}\n", ranker.origin, out.join(RANKER_FILE).display()))
        }
        (None, 0) => print("round 0 needs no fit: its searches are next\n"),
        (None, next) => print(&format!("the searches of round {next} are next\n")),
    }
}
