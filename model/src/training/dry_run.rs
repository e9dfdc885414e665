//! What a training would take, from its configuration and its tokens alone: no network is made and nothing
//! written.

use crate::config::{Config, ModelConfig};
use crate::tokens::vocabulary::Vocabulary;
use crate::training::examples::data::Dataset;
use crate::training::forecast::{Memory, Shape, count_parameters, duration};
use anyhow::Result;
use egraph::System;
use matrices::{Matrix, product};
use rustc_hash::FxHashMap;
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use support::thousands;

/// How long products are measured.
const MEASURED: Duration = Duration::from_millis(200);
/// Rows of the product that is measured: the tokens of a part of a step.
const ROWS: usize = 512;
/// FLOPs a second that a training gets out of a large GPU: a tenth of what an A100 or H100 does with bf16.
const OF_A_GPU: f64 = 4e13;

/// What a training would take.
#[derive(Clone, Copy, Debug)]
pub struct DryRun {
    /// Numbers in the network.
    pub parameters: u64,
    /// Those of them in the table of embeddings, which the logits come from, too.
    pub embedding: u64,
    /// Tokens of the vocabulary.
    pub tokens: usize,
    /// Threads of the processor.
    pub threads: usize,
    /// On the processor.
    pub memory: Memory,
    /// On a GPU.
    pub on_gpu: Memory,
    /// Optimiser steps.
    pub steps: u64,
    /// Tokens of a step at most.
    pub batch_tokens: usize,
    /// Of all steps, with as many tokens as they may have: 6 for every token and parameter outside the
    /// table, 2 in the forward pass and 4 in the backward pass.
    pub flops: f64,
    /// FLOPs a second of one thread, in products of a part of a step with the largest matrix.
    pub flops_a_second: f64,
}

impl DryRun {
    /// Of a training with this configuration in the current rayon pool, with the tokens of the dataset in
    /// `data`, which is read.
    ///
    /// # Errors
    /// The dataset is not what it should be, or [`ReadingStopped`] soon after `stop` is set.
    ///
    /// [`ReadingStopped`]: crate::training::examples::data::ReadingStopped
    pub fn of_dataset(config: &Config, data: &Path, stop: &AtomicBool) -> Result<DryRun> {
        DryRun::new(config, &Dataset::load(data)?.vocabulary(config.model.literals, stop)?)
    }

    /// The same with the tokens of a rewrite system.
    ///
    /// # Errors
    /// The system binds variables.
    pub fn of_system(config: &Config, system: &System) -> Result<DryRun> {
        let (language, literals) = (system.language.clone(), config.model.literals);
        DryRun::new(config, &Vocabulary::build(language, literals, &FxHashMap::default())?)
    }

    fn new(config: &Config, vocabulary: &Vocabulary) -> Result<DryRun> {
        let count = count_parameters(&config.model, vocabulary)?;
        let (max, tokens) = (config.model.max_tokens as u16, vocabulary.len());
        // As if there were a triple as long as may be.
        let shape = Shape { config, parameters: count.all, tokens, lengths: &[[max; 3]] };
        let (threads, t) = (rayon::current_num_threads(), &config.training);
        let layers = (count.all - count.embedding) as f64;
        Ok(DryRun {
            parameters: count.all as u64,
            embedding: count.embedding as u64,
            tokens,
            threads,
            memory: shape.on_threads(threads),
            on_gpu: shape.on_gpu(),
            steps: t.steps,
            batch_tokens: t.batch_tokens,
            flops: 6.0 * layers * t.steps as f64 * t.batch_tokens as f64,
            flops_a_second: flops_a_second(&config.model),
        })
    }

    /// For a terminal.
    pub fn text(&self) -> String {
        let mib = |bytes: u64| format!("{:>12} MiB", thousands(bytes.div_ceil(1 << 20)));
        let Memory { parts, parameters, moments, gradients, activations } = self.memory;
        let here = self.flops / self.flops_a_second / self.threads as f64;
        format!(
            "{} parameters, {} of them in the table of embeddings of {} tokens\n\
             memory of a step with {} threads, estimated:\n\
             {}  parameters, 4 bytes each\n\
             {}  moments, 8 bytes a parameter\n\
             {}  gradients, two of each of the {parts} parts at work and the sums that wait\n\
             {}  activations of these parts\n\
             {}  in all: twice the sum, as what is freed stays with the allocator, and 48 MiB\n\
             {}  in all on a GPU, which computes larger parts, one at a time\n\
             work: {:.1e} FLOPs, 6 a token and parameter outside the table, for {} steps of at most {} tokens\n\
             time: about {} here at best, at the {:.0} GFLOP/s of its largest product, measured, on each of {} \
             threads; about {} on a GPU at {:.0} TFLOP/s, assumed\n",
            thousands(self.parameters),
            thousands(self.embedding),
            thousands(self.tokens as u64),
            self.threads,
            mib(parameters),
            mib(moments),
            mib(gradients),
            mib(activations),
            mib(self.memory.sum()),
            mib(self.on_gpu.sum()),
            self.flops,
            thousands(self.steps),
            thousands(self.batch_tokens as u64),
            duration(here),
            self.flops_a_second / 1e9,
            self.threads,
            duration(self.flops / OF_A_GPU),
            OF_A_GPU / 1e12,
        )
    }
}

/// FLOPs a second of this thread in the largest product of a layer.
fn flops_a_second(c: &ModelConfig) -> f64 {
    let sizes = (ROWS, c.width, c.feed_forward);
    let (x, w) = (vec![1f32; ROWS * c.width], vec![1f32; c.width * c.feed_forward]);
    let run = || product(sizes, Matrix::rows(&x, c.width), Matrix::rows(&w, c.feed_forward));
    black_box(run());
    let (began, mut done) = (Instant::now(), 0u32);
    while done == 0 || began.elapsed() < MEASURED {
        black_box(run());
        done += 1;
    }
    let flops = 2.0 * ROWS as f64 * c.width as f64 * c.feed_forward as f64 * f64::from(done);
    flops / began.elapsed().as_secs_f64()
}
