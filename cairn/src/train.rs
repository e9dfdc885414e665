//! `cairn train`.

use crate::args::{DeviceChoice, RunArgs};
use crate::ladder::LadderArgs;
use crate::shipped::MODELS;
use crate::signals::Signals;
use anyhow::Result;
use model::config::Config;
use model::training::runs::{End, TrainOptions, train as train_model};
use std::ops::ControlFlow;
use std::path::PathBuf;
use support::files::input::InputFile;
use support::show::console::{note, print};

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

  # Is more data worth more than a larger model? Sixteen trainings in one hour
  cairn train --scaling --hours 1 --data data/halide --out models/ladder

  # The same on two sizes and two fractions, with the steps given
  cairn train --scaling --steps 2000 --sizes 0.1M,tiny --fractions 1/4,1 \\
      --data data/halide --out models/small-ladder

The output directory holds config.json, tokenizer.json, system.rules, the weights with the lowest \
validation loss (model.safetensors), train_log.jsonl and loss.svg, an event file for TensorBoard, and \
in training_state/ the last checkpoint. The dataset as tokens is kept in its directory, as \
.tokens-N.bin, for the next training.

A ladder measures a few steps of every size, says what it will train and how long that takes, and trains \
it, the smallest run first. Each run is a directory of its own in --out. The hours are shared out in \
proportion to the seconds of a step × the square root of the triples; a run ends earlier if its validation \
loss falls no more, and is marked if it does not. The results are scaling.html with the curves (also as \
scaling_*.svg), scaling.csv and scaling_laws.csv with the fitted power laws.

On SIGINT (Ctrl-C) and SIGTERM the step is ended and a checkpoint written; the exit code is then 130 \
or 143, and --resume goes on. Before the first step, while the dataset is read into tokens, there is no \
checkpoint yet: the same command begins again. A second signal ends the program at once.")]
pub struct TrainArgs {
    /// Directory of a dataset
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Directory to write the model to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Shape of the network and of its training: a file, or a shipped preset by its name, tiny,
    /// 12m, 92m or 312m [default: tiny]
    #[arg(long, value_name = "FILE", value_parser = MODELS.parser())]
    config: Option<InputFile>,
    /// Optimiser steps [default: as the configuration says]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Go on with the training that the output directory holds
    #[arg(long)]
    resume: bool,
    /// Where to compute
    #[arg(long, value_enum, default_value_t)]
    device: DeviceChoice,
    #[command(flatten)]
    ladder: LadderArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
///
/// # Errors
/// As [`model::training::runs::train`] or [`model::scaling::ladder::climb`], and a configuration that can't be read.
pub fn run(args: &TrainArgs) -> Result<()> {
    let config = args.config.as_ref().map(Config::load).transpose()?;
    let signals = Signals::catch()?;
    let options = TrainOptions {
        config,
        steps: args.steps,
        seed: args.run.run().seed,
        training_seeds: None,
        resume: args.resume,
        device: args.device.open()?,
        quiet: args.run.run().quiet,
        stop: signals.asked.clone(),
    };
    let pool = args.run.run().build_pool()?;
    if args.ladder.scaling {
        return args.ladder.run(&args.data, &args.out, options, &signals, &pool);
    }
    let report = pool
        .install(|| {
            train_model(&args.data, &args.out, &options, &mut |_| ControlFlow::Continue(()))
        })
        .map_err(|error| signals.explain(error))?;
    if report.end == End::Stopped {
        let (out, step) = (args.out.display(), report.step);
        let seed = match options.seed {
            0 => String::new(),
            seed => format!(" --seed {seed}"),
        };
        let message = format!(
            "stopped after step {step}, whose checkpoint is written: go on with cairn train --data \
             {} --out {out}{seed} --resume",
            args.data.display()
        );
        return Err(signals.interrupted(message).into());
    }
    if report.end == End::Patience {
        note(&format!("ended after step {}: the validation loss falls no more", report.step));
    }
    if let Some(best) = report.best() {
        print(&format!(
            "{}: {} parameters, {} triples, validation loss {:.3} at step {} (unigram model {:.3})\n",
            args.out.display(),
            report.parameters,
            report.triples[0],
            best.validation_loss,
            best.step,
            best.unigram_loss
        ))?;
    }
    Ok(())
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
