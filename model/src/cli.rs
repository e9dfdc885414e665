//! The command line of this crate: `cairn train`.

use crate::config::Config;
use crate::training::{TrainOptions, train as train_model};
use anyhow::{Result, anyhow};
use candle_core::Device;
use clap::ValueEnum;
use dataset_gen::cli::Common;
use dataset_gen::console::print;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Where to compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DeviceChoice {
    /// The processor.
    #[default]
    Cpu,
    /// The first NVIDIA GPU.
    Cuda,
}

impl DeviceChoice {
    /// Opens the device.
    ///
    /// # Errors
    /// A GPU was asked for and can't be used.
    pub fn open(self) -> Result<Device> {
        match self {
            DeviceChoice::Cpu => Ok(Device::Cpu),
            DeviceChoice::Cuda => Device::new_cuda(0).map_err(|e| {
                // Only the first line: the rest is a backtrace.
                let reason = e.to_string();
                let reason = reason.lines().next().unwrap_or_default();
                anyhow!("--device cuda: no GPU can be used here ({reason})")
            }),
        }
    }
}

/// Train a model that writes guides
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  The preset `tiny` on a dataset made by `cairn generate`; minutes on two cores:
    cairn train --data data/halide --out models/halide

  Go on after an interruption, with the same losses as if there had been none:
    cairn train --data data/halide --out models/halide --resume

  A longer training of the same preset:
    cairn train --data data/halide --out models/halide-5000 --steps 5000

  A larger model on a GPU:
    cairn train --data data/halide --out models/halide-12m \\
        --config configs/model/12m.toml --device cuda

The output directory holds config.json, tokenizer.json, system.rules, the weights with the lowest
validation loss (model.safetensors), train_log.jsonl and loss.svg, and in training_state/ the last
checkpoint.")]
pub struct TrainArgs {
    /// Directory of a dataset
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Directory to write the model to
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Shape of the network and of its training, a file such as those in configs/model/
    /// [default: the preset tiny]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Optimiser steps [default: as the configuration says]
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Go on with the training that the output directory holds
    #[arg(long)]
    pub resume: bool,
    /// Where to compute
    #[arg(long, value_enum, default_value_t)]
    pub device: DeviceChoice,
    /// Options that every subcommand has.
    #[command(flatten)]
    pub common: Common,
}

/// Runs `cairn train`.
///
/// # Errors
/// As [`crate::training::train`], and a configuration that can't be read.
pub fn train(args: &TrainArgs) -> Result<()> {
    let config = args.config.as_deref().map(Config::load).transpose()?;
    let options = TrainOptions {
        config,
        steps: args.steps,
        seed: args.common.seed,
        resume: args.resume,
        device: args.device.open()?,
        quiet: args.common.quiet,
    };
    let pool = args.common.build_pool()?;
    let report = pool.install(|| {
        train_model(&args.data, &args.out, &options, &mut |_| ControlFlow::Continue(()))
    })?;
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
