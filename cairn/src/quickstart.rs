//! `cairn quickstart`: all stages, small, on the shipped Halide seeds.

use crate::args::{DeviceChoice, RunArgs, load_system};
use crate::evaluate::{Paths, compare};
use crate::learn::{LearnArgs, Rounds, Step, learn_ranker};
use crate::search_args::{Preset, TaskArgs};
use crate::shipped::{DATASETS, SEARCHES, SEEDS, SYSTEMS};
use crate::signals::Signals;
use crate::tasks::{SeedSource, make_tasks};
use anyhow::Result;
use dataset_gen::{Config as DatasetConfig, INFO_FILE, generate};
use guided_search::{RANKER_FILE, Row, headline, summaries, text_table, write_report};
use model::{End, TrainOptions, train};
use rayon::ThreadPool;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;
use support::{InputFile, OutputDir, Run, note, print, read_toml, write_atomic};

const EXAMPLES: &str = "\
Examples:
  # In a clone of the repository: builds, then runs some minutes on two cores
  cargo run --release -- quickstart

  # Elsewhere, with other random choices
  cairn quickstart --out /tmp/quickstart --seed 7

Its stages are these commands, run in the directory of --out:
  cairn generate --config quickstart --out dataset
  cairn train --data dataset --out model
  cairn tasks --config quickstart --system halide --seeds halide \\
      --data dataset --out tasks.parquet
  cairn tasks --config quickstart --system halide --seeds halide --seed 1 \\
      --without tasks.parquet --out validation.parquet
  cairn tasks --config quickstart --system halide --seeds halide --seed 2 \\
      --without tasks.parquet --without validation.parquet \\
      --count 200 --out training.parquet
  cairn learn --system halide --tasks training.parquet \\
      --validation validation.parquet --rounds 3 --out ranker
  cairn evaluate --config quickstart --system halide --tasks tasks.parquet \\
      --model model --ranker ranker/ranker.json --out results
  cairn report results --out report.html

A run that was stopped goes on where it was.";

/// The file that marks a directory as that of a quickstart.
const MARKER: &str = "quickstart.txt";

/// Tasks that the ranker learns from.
const TRAINING_TASKS: usize = 200;

/// Rounds in which it learns.
const ROUNDS: u32 = 3;

/// The arguments of `cairn quickstart`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct QuickstartArgs {
    /// The directory for everything that is made
    #[arg(long, value_name = "DIR", default_value = "quickstart")]
    out: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
///
/// # Errors
/// A directory that holds something else, what the file system says, or an internal fault.
pub fn run(args: &QuickstartArgs) -> Result<()> {
    let began = Instant::now();
    let pool = args.run.run().build_pool()?;
    let directory = OutputDir::create(&args.out, MARKER)?;
    let run = &args.run.run();
    let stage = |number: u32, what: &str| {
        if !run.quiet {
            let seconds = began.elapsed().as_secs_f64();
            note(&format!("{number}/6 {what} ({seconds:.0} s so far)"));
        }
    };
    let marker = format!("cairn quickstart {}, --seed {}\n", env!("CARGO_PKG_VERSION"), run.seed);
    refuse_other_seed(&directory.file(MARKER), &marker)?;
    write_atomic(&directory.file(MARKER), marker.as_bytes())?;
    let (system, seeds) = (directory.file("halide.rules"), directory.file("halide.txt"));
    write_atomic(&system, SYSTEMS.named("halide")?.text.as_bytes())?;
    write_atomic(&seeds, SEEDS.named("halide")?.text.as_bytes())?;
    let (system, seeds) = (InputFile::from(system), InputFile::from(seeds));

    let dataset = directory.file("dataset");
    stage(1, "dataset: triples from proofs of small e-graphs");
    if !dataset.join(INFO_FILE).exists() {
        let mut config: DatasetConfig =
            read_toml(&InputFile::Carried(DATASETS.named("quickstart")?))?;
        config.system = Some(system.clone());
        config.seeds = Some(seeds.clone());
        generate(&config, &dataset, run)?;
    }

    let model = directory.file("model");
    stage(2, "model: learns to write guides");
    train_model(&dataset, &model, run, &pool)?;

    let preset: Preset = read_toml(&InputFile::Carried(SEARCHES.named("quickstart")?))?;
    let [tasks, validation, training] = ["tasks.parquet", "validation.parquet", "training.parquet"]
        .map(|name| directory.file(name));
    let make = |out: &Path, data: Option<&Path>, without: &[PathBuf], more: u64, count| {
        if out.exists() {
            return Ok(());
        }
        let from = SeedSource { file: &seeds, data, without };
        let preset = TaskArgs { count, ..preset.tasks.clone() };
        let run = Run { seed: run.seed.wrapping_add(more), ..*run };
        make_tasks(&system, &from, &preset, out, &run).map(|_| ())
    };
    stage(3, "tasks: far chains from held-out seeds, and from others to learn from");
    let count = preset.tasks.count;
    make(&tasks, Some(&dataset), &[], 0, count)?;
    make(&validation, None, std::slice::from_ref(&tasks), 1, count)?;
    make(&training, None, &[tasks.clone(), validation.clone()], 2, Some(TRAINING_TASKS))?;

    let ranker = directory.file("ranker");
    stage(4, "ranker: learns which matches lead to proofs");
    let rounds = Rounds {
        cap: LearnArgs::CAP,
        rounds: ROUNDS,
        epochs: LearnArgs::EPOCHS,
        from: None,
        step: Step::All,
    };
    let loaded = load_system(&system)?;
    learn_ranker(&loaded, [&training, &validation], &rounds, &ranker, run)?;

    let results = directory.file("results");
    stage(5, "evaluation: every method under the same limits");
    let paths = Paths {
        system: &system,
        tasks: &tasks,
        model: Some(&model),
        seen_unknown: false,
        ranker: Some(&InputFile::from(ranker.join(RANKER_FILE))),
        device: DeviceChoice::Cpu,
        out: &results,
    };
    let rows = compare(&paths, &preset.search, run)?;

    stage(6, "report");
    let page = directory.file("report.html");
    write_report(&results, &page)?;
    print(&summary(&rows, &page, began.elapsed().as_secs_f64()))
}

/// A directory may be gone on with, but not with other random choices.
fn refuse_other_seed(path: &Path, marker: &str) -> Result<()> {
    match std::fs::read_to_string(path) {
        Ok(before) if before != marker => anyhow::bail!(
            "{} is from '{}': choose another directory with --out",
            path.parent().unwrap_or(path).display(),
            before.trim()
        ),
        _ => Ok(()),
    }
}

/// Trains, or goes on with a training that was stopped; one that is finished ends at once.
fn train_model(dataset: &Path, model: &Path, run: &Run, pool: &ThreadPool) -> Result<()> {
    let signals = Signals::catch()?;
    let options = TrainOptions {
        config: None,
        steps: None,
        seed: run.seed,
        fraction: None,
        from: None,
        resume: model.join("config.json").exists(),
        device: DeviceChoice::Cpu.open()?,
        quiet: run.quiet,
        stop: signals.asked.clone(),
    };
    let report = pool
        .install(|| train(dataset, model, &options, &mut |_| ControlFlow::Continue(())))
        .map_err(|error| signals.explain(error))?;
    if report.end == End::Stopped {
        let message = format!(
            "stopped after step {} of the training, whose checkpoint is written: the same command \
             goes on",
            report.step
        );
        return Err(signals.interrupted(message).into());
    }
    Ok(())
}

fn summary(rows: &[Row], page: &Path, seconds: f64) -> String {
    let rows: Vec<&Row> = rows.iter().collect();
    let summaries = summaries(&rows);
    format!(
        "\n{}\n\n{}\n{seconds:.0} seconds; the report is {}\n",
        headline(&summaries, &rows, true),
        text_table(&summaries),
        page.display()
    )
}
