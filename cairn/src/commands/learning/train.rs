//! `cairn train`.

use crate::inputs::args::{DeviceChoice, RunArgs, load_system};
use crate::inputs::shipped::{MODELS, SYSTEMS};
use crate::inputs::signals::Signals;
use anyhow::{Context, Result};
use model::{CONFIG_FILE, Config, DryRun, End, TrainOptions, train as train_model};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use support::{InputFile, note, print};

/// Train a model that writes guides
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  # The preset `tiny` on a dataset of `cairn generate`; minutes on two cores
  cairn train --data data/halide --out models/halide

  # Go on after an interruption, with the same losses as if there had been none
  cairn train --data data/halide --out models/halide --resume

  # A longer training of the same preset
  cairn train --data data/halide --out models/halide-5000 --steps 5000

  # A larger model on a GPU, with a cairn that was built with --features cuda
  cairn train --data data/halide --out models/halide-12m --config 12m \\
      --device cuda

  # More data of the same system: begin with what was learned already
  cairn train --data data/more --from models/halide --out models/halide-2

  # On a quarter of the data
  cairn train --data data/halide --fraction 0.25 --out models/halide-quarter

  # What would a large model take?
  cairn train --config 312m --dry-run

The output directory holds config.json, tokenizer.json, system.rules, the weights with the lowest \
validation loss (model.safetensors), train_log.jsonl and loss.svg, an event file for TensorBoard, and \
in training_state/ the last checkpoint. The dataset as tokens is kept in its directory, as \
.tokens-N.bin, for the next training.

On SIGINT (Ctrl-C) and SIGTERM the step is ended and a checkpoint written; the exit code is then 130 \
or 143, and --resume goes on. Before the first step, while the dataset is read into tokens, there is no \
checkpoint yet: the same command begins again. A second signal ends the program at once.")]
pub struct TrainArgs {
    /// Directory of a dataset
    #[arg(long, value_name = "DIR", required_unless_present = "dry_run")]
    data: Option<PathBuf>,
    /// Directory to write the model to
    #[arg(long, value_name = "DIR", required_unless_present = "dry_run")]
    out: Option<PathBuf>,
    /// Shape of the network and of its training: a file, or a shipped preset by its name, tiny, planner, guesser,
    /// 12m, 92m or 312m [default: tiny]
    #[arg(long, value_name = "FILE", value_parser = MODELS.parser())]
    config: Option<InputFile>,
    /// Optimiser steps [default: as the configuration says]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Train on the triples of a part of the seeds: the first in the order of --seed that have about this
    /// share of all triples, so that a smaller fraction lies within a larger one [default: all]
    #[arg(long, value_name = "SHARE")]
    fraction: Option<f64>,
    /// Begin with the weights of this model instead of random ones: of the same system and shape; it keeps the
    /// model's tokens, and what the model has seen counts as seen
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// Go on with the training that the output directory holds
    #[arg(long)]
    resume: bool,
    /// Say what the training would take in parameters, memory and time, and write nothing. The tokens are
    /// those of the dataset, or of the shipped system `halide` without one
    #[arg(long, conflicts_with_all = ["out", "resume"])]
    dry_run: bool,
    /// Where to compute
    #[arg(long, value_enum, default_value_t)]
    device: DeviceChoice,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command, on the training that is there, if one is.
///
/// # Errors
/// As [`run`].
pub fn go_on(args: TrainArgs) -> Result<()> {
    let resume = args.out.as_ref().is_some_and(|out| out.join(CONFIG_FILE).exists());
    run(&TrainArgs { resume, ..args })
}

/// # Errors
/// As [`model::train`], and a configuration that can't be read.
pub fn run(args: &TrainArgs) -> Result<()> {
    let config = args.config.as_ref().map(Config::load).transpose()?;
    let signals = Signals::catch()?;
    let options = TrainOptions {
        config,
        steps: args.steps,
        seed: args.run.run().seed,
        fraction: args.fraction,
        from: args.from.clone(),
        resume: args.resume,
        device: args.device.open()?,
        quiet: args.run.run().quiet,
        stop: signals.asked.clone(),
    };
    let pool = args.run.run().build_pool()?;
    if args.dry_run {
        let said = pool.install(|| dry_run(args.data.as_deref(), &options));
        return print(&said.map_err(|error| signals.explain(error))?);
    }
    let given = args.data.as_deref().zip(args.out.as_deref());
    let (data, out) = given.context("expected --data and --out")?;
    let report = pool
        .install(|| train_model(data, out, &options, &mut |_| ControlFlow::Continue(())))
        .map_err(|error| signals.explain(error))?;
    if report.end == End::Stopped {
        let (out, step) = (out.display(), report.step);
        let mut same = match options.seed {
            0 => String::new(),
            seed => format!(" --seed {seed}"),
        };
        if let Some(share) = options.fraction {
            same += &format!(" --fraction {share}");
        }
        if let Some(from) = &options.from {
            same += &format!(" --from {}", from.display());
        }
        let message = format!(
            "stopped after step {step}, whose checkpoint is written: go on with cairn train --data \
             {} --out {out}{same} --resume",
            data.display()
        );
        return Err(signals.interrupted(message).into());
    }
    if report.end == End::Patience {
        note(&format!("ended after step {}: the validation loss falls no more", report.step));
    }
    if let Some(best) = report.best() {
        print(&format!(
            "{}: {} parameters, {} triples, validation loss {:.3} at step {} (unigram model {:.3})\n",
            out.display(),
            report.parameters,
            report.triples[0],
            best.validation_loss,
            best.step,
            best.unigram_loss
        ))?;
    }
    Ok(())
}

/// What the training would take, with the tokens of the dataset in `data`.
fn dry_run(data: Option<&Path>, options: &TrainOptions) -> Result<String> {
    let mut config = options.config.clone().unwrap_or_default();
    config.training.steps = options.steps.unwrap_or(config.training.steps);
    let found = match data {
        Some(data) => DryRun::of_dataset(&config, data, &options.stop)?,
        None => {
            let system = load_system(&InputFile::Carried(SYSTEMS.named("halide")?))?;
            DryRun::of_system(&config, &system)?
        }
    };
    Ok(found.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, Parser};

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        train: TrainArgs,
    }

    #[test]
    fn the_arguments_are_consistent_and_the_help_has_examples() {
        Program::command().debug_assert();
        let help = Program::command().render_long_help().to_string();
        assert!(help.contains("cairn train --data data/halide --out models/halide --resume"));
        let args = ["cairn", "--data", "d", "--out", "o", "--steps", "7", "--device", "cuda"];
        let train = Program::try_parse_from(args).unwrap().train;
        assert_eq!((train.steps, train.device, train.resume), (Some(7), DeviceChoice::Cuda, false));
    }
}
