//! What a training will take, said before it begins: parameters, tokens, memory and time.

use crate::config::{Config, ModelConfig};
use crate::network::batch::Features;
use crate::network::parameters::Parameters;
use crate::network::transformer::Transformer;
use crate::tokens::vocabulary::Vocabulary;
use crate::training::examples::batches::{Lengths, part_tokens};
use crate::training::step::GPU_TOKENS;
use anyhow::{Result, ensure};
use candle_core::Device;
use std::time::Duration;
use support::thousands;

/// Bytes of the program, the tokens of the validation split, and the like.
const REST: u64 = 48 << 20;
/// Tensors of the size of the scores that a GPU holds while it computes the gradients of attention.
const SCORES: usize = 12;

/// Bytes that a step takes; an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Parts of a step that are computed at a time.
    pub parts: u64,
    /// Four for each parameter.
    pub parameters: u64,
    /// Eight for each parameter: two moments.
    pub moments: u64,
    /// Four for each parameter, twice for each part at work and once for each sum that waits for others.
    pub gradients: u64,
    /// What the forward passes of the parts at work keep for their backward passes.
    pub activations: u64,
}

impl Memory {
    /// All of it. What is freed stays with the allocator: as measured, as much again.
    pub fn sum(&self) -> u64 {
        let all = [self.parameters, self.moments, self.gradients, self.activations];
        all.into_iter().fold(0, u64::saturating_add).saturating_mul(2).saturating_add(REST)
    }
}

/// How many numbers a network has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterCount {
    /// All of them.
    pub all: usize,
    /// Those of the table of embeddings, which the logits come from, too.
    pub embedding: usize,
}

/// Counts the parameters of a network of this shape, which is not made.
///
/// # Errors
/// None that is known.
pub fn count_parameters(c: &ModelConfig, vocabulary: &Vocabulary) -> Result<ParameterCount> {
    let (features, mut counted) = (Features::new(vocabulary, c.positions), Parameters::counted());
    Transformer::new(c, features, vocabulary.len(), &mut counted)?;
    Ok(ParameterCount { all: counted.count(), embedding: features.count().saturating_mul(c.width) })
}

/// What the size of a training depends on.
pub struct Shape<'a> {
    /// Its configuration.
    pub config: &'a Config,
    /// Numbers in the network.
    pub parameters: usize,
    /// Tokens of the vocabulary.
    pub tokens: usize,
    /// Tokens of the examples of the training split.
    pub lengths: &'a [Lengths],
}

impl Shape<'_> {
    /// One line on it. `memory` is in bytes, `per_epoch` the steps of an epoch.
    pub fn line(&self, memory: u64, per_epoch: usize) -> String {
        let tokens: u64 = self.lengths.iter().flatten().map(|n| u64::from(*n)).sum();
        let steps = self.config.training.steps;
        format!(
            "{} parameters; {} triples with {} tokens, {} steps an epoch; {} steps are {:.1} \
             epochs; needs about {} MiB",
            thousands(self.parameters as u64),
            thousands(self.lengths.len() as u64),
            thousands(tokens),
            thousands(per_epoch as u64),
            thousands(steps),
            steps as f64 / per_epoch.max(1) as f64,
            thousands(memory.div_ceil(1 << 20))
        )
    }

    /// What a step takes on a processor with so many threads.
    pub fn on_threads(&self, threads: usize) -> Memory {
        // A byte each.
        let mask = self.config.model.width / 4;
        self.memory(threads, part_tokens(self.config.training.batch_tokens), mask)
    }

    /// What a step takes on a GPU, which holds all scores of a layer's attention at a time, and what they come from.
    pub fn on_gpu(&self) -> Memory {
        let longest = self.lengths.iter().flatten().max().map_or(0, |n| usize::from(*n));
        // A term is about a third of a triple.
        let queries = GPU_TOKENS.max(3 * longest) / 3;
        let scores = 4 * SCORES * self.config.model.heads * queries * longest;
        let memory = self.memory(1, GPU_TOKENS, self.config.model.width);
        Memory { activations: memory.activations.saturating_add(scores as u64), ..memory }
    }

    /// `mask` floats are what a mask of dropout takes for each token.
    fn memory(&self, threads: usize, part_tokens: usize, mask: usize) -> Memory {
        let (m, t) = (&self.config.model, &self.config.training);
        let longest = self.lengths.iter().map(|l| l.iter().map(|n| usize::from(*n)).sum());
        let longest = longest.max().unwrap_or(0);
        // Parts of a step, which may be half full, and those that are computed at a time.
        let all = (2 * t.batch_tokens.max(longest)).div_ceil(part_tokens).max(1);
        let parts = all.min(threads);
        // The results of a layer that are kept until the backward pass, in floats a token: those of
        // a block of attention are about seven widths, those of a feed-forward block four and two
        // hidden layers; with dropout each of the two has a mask more.
        let (d, f) = (m.width, m.feed_forward);
        let dropped = if t.dropout > 0.0 { mask } else { 0 };
        let (attention, feed_forward) = (7 * d + dropped, 4 * d + 2 * f + dropped);
        let encoder = m.encoder_layers * (attention + feed_forward) + m.decoder_layers * 2 * d;
        let decoder = m.decoder_layers * (3 * attention + feed_forward) + 3 * self.tokens;
        // A guide is about a third of a triple. The backward pass needs room beside them.
        let activations = 4 * (2 * encoder + decoder) / 3 * part_tokens.max(longest) * 5 / 2;
        let weights = 4u64.saturating_mul(self.parameters as u64);
        let sums = u64::from(all.ilog2()) + 1;
        Memory {
            parts: parts as u64,
            parameters: weights,
            moments: weights.saturating_mul(2),
            gradients: weights.saturating_mul(2 * parts as u64 + sums),
            activations: (parts * activations) as u64,
        }
    }
}

/// The bytes that a training needs.
///
/// # Errors
/// The memory, of the processor or of the GPU, has not that many.
pub fn refuse_what_does_not_fit(shape: &Shape, device: &Device) -> Result<u64> {
    #[cfg(feature = "cuda")]
    if let Device::Cuda(gpu) = device {
        let needed = shape.on_gpu().sum();
        let (free, _) = gpu.cuda_stream().context().mem_get_info()?;
        refuse(needed, Some(free as u64), 1)?;
        return Ok(needed);
    }
    if !device.is_cpu() {
        return Ok(shape.on_gpu().sum());
    }
    let threads = rayon::current_num_threads();
    let needed = shape.on_threads(threads).sum();
    refuse(needed, available(), threads)?;
    Ok(needed)
}

fn refuse(needed: u64, available: Option<u64>, threads: usize) -> Result<()> {
    let Some(available) = available else { return Ok(()) };
    let fewer = if threads > 1 { ", fewer --threads" } else { "" };
    ensure!(
        needed <= available,
        "the training needs about {} MiB of memory, but {} MiB are free: choose a smaller preset or \
         width{fewer}, or a smaller max_tokens",
        thousands(needed >> 20),
        thousands(available >> 20)
    );
    Ok(())
}

/// Bytes of memory that this process may still take, where the system tells (Linux): those of the
/// machine, or of its control group if that allows less.
fn available() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let group = |name: &str| -> Option<u64> {
        let text = std::fs::read_to_string(format!("/sys/fs/cgroup/memory.{name}")).ok()?;
        text.trim().parse().ok()
    };
    let left = group("max").zip(group("current")).map(|(max, used)| max.saturating_sub(used));
    Some(left.map_or(kib * 1024, |left| left.min(kib * 1024)))
}

/// Measures the steps to say how long the others will take.
pub struct Timing {
    first: u64,
    steps: u64,
    spent: Duration,
}

impl Timing {
    /// Of the steps from `first` to `steps`.
    pub fn new(first: u64, steps: u64) -> Timing {
        Timing { first, steps, spent: Duration::ZERO }
    }

    /// Takes note of a step.
    pub fn add(&mut self, took: Duration) {
        self.spent += took;
    }

    /// How many seconds the steps after `step` take, at the mean of those measured.
    pub fn left(&self, step: u64) -> f64 {
        let each = self.spent.as_secs_f64() / step.saturating_sub(self.first).max(1) as f64;
        each * self.steps.saturating_sub(step) as f64
    }
}

/// Seconds for readers.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} seconds"),
        s if s < 7200.0 => format!("{:.0} minutes", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} hours", s / 3600.0),
        s if s < 3.2e7 => format!("{:.0} days", s / 86_400.0),
        s => format!("{:.1} years", s / 3.156e7),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_steps_and_networks_take_more() {
        let lengths = [[40, 40, 30]; 10];
        let bytes = |threads, batch_tokens, width: usize| {
            let mut config = Config::default();
            config.training.batch_tokens = batch_tokens;
            config.model.width = width;
            let parameters = 100 * width * width;
            Shape { config: &config, parameters, tokens: 100, lengths: &lengths }
                .on_threads(threads)
                .sum()
        };
        assert!(bytes(1, 1000, 64) < bytes(2, 1000, 64));
        assert!(bytes(8, 1000, 64) < bytes(8, 10_000, 64));
        assert!(bytes(1, 1000, 64) < bytes(1, 1000, 128));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_advice() {
        refuse(5 << 20, None, 2).unwrap();
        refuse(5 << 20, Some(5 << 20), 2).unwrap();
        let message = refuse(6 << 20, Some(5 << 20), 2).unwrap_err().to_string();
        assert!(message.contains("about 6 MiB") && message.contains("5 MiB are free"), "{message}");
        assert!(message.contains("fewer --threads"), "{message}");
        assert!(!refuse(6, Some(5), 1).unwrap_err().to_string().contains("--threads"));
    }

    #[test]
    fn what_is_left_takes_as_long_as_what_was_measured() {
        let mut timing = Timing::new(100, 3100);
        (0..10).for_each(|_| timing.add(Duration::from_secs(1)));
        assert_eq!(timing.left(110), 2990.0);
        assert_eq!(timing.left(3100), 0.0);
        assert_eq!(duration(3000.0), "50 minutes");
        assert_eq!(duration(9000.0), "2.5 hours");
        assert_eq!(duration(4e5), "5 days");
        assert_eq!(duration(9.5e7), "3.0 years");
    }
}
