//! What a training is asked for, and how it ends.

use crate::config::Config;
use crate::training::log::{self, Evaluation};
use candle_core::Device;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What to train and how.
#[derive(Clone, Debug)]
pub struct TrainOptions {
    /// The shape of the network and its training; `None` for the preset `tiny`, or what the
    /// resumed run has.
    pub config: Option<Config>,
    /// Steps, in place of those of the configuration.
    pub steps: Option<u64>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Train on this share of the triples of the training split alone: those of whole seeds, the first in
    /// the order of `seed`, so that a smaller share lies within a larger one. `None` for all of them.
    pub fraction: Option<f64>,
    /// Begin with the weights of the model in this directory, instead of random ones.
    pub from: Option<PathBuf>,
    /// Go on with the training that the output directory holds.
    pub resume: bool,
    /// Where to compute.
    pub device: Device,
    /// Show no progress.
    pub quiet: bool,
    /// Set by somebody else to end the training after the current step, with a checkpoint; while triples
    /// are read into tokens, which takes minutes for millions of them, without.
    pub stop: Arc<AtomicBool>,
}

/// Why a training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The last step is done.
    LastStep,
    /// The validation loss has not fallen for as long as the configuration's `patience`.
    Patience,
    /// It was asked to stop, and can be gone on with.
    Stopped,
}

/// How a training ended.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainReport {
    /// Numbers in the network.
    pub parameters: usize,
    /// Triples trained and validated on.
    pub triples: [usize; 2],
    /// All validations, those before a resumption included.
    pub log: Vec<Evaluation>,
    /// Steps done.
    pub step: u64,
    /// Why it ended.
    pub end: End,
}

impl TrainReport {
    /// The validation with the lowest loss, whose weights are in `model.safetensors`.
    pub fn best(&self) -> Option<&Evaluation> {
        log::best(&self.log)
    }
}
