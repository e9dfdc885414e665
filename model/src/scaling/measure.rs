//! A few steps of a size, to say how long a training takes. What they compute is thrown away.

use crate::config::Config;
use crate::network::parameters::Parameters;
use crate::scaling::plan::Seconds;
use crate::training::adamw::AdamW;
use crate::training::examples::batches::{Batches, Place};
use crate::training::examples::data::Example;
use crate::training::examples::token_file::Examples;
use crate::training::step::Fitting;
use crate::training::workers::Workers;
use anyhow::Result;
use candle_core::Device;
use std::time::Instant;

/// Seconds for which steps are measured after the first one, and the fewest and the most steps.
const SECONDS: f64 = 2.0;
const STEPS: (u64, u64) = (4, 40);
/// Triples of the validation split that are measured.
const TRIPLES: usize = 256;

/// Measures a step and a validation of the whole split, with the threads of the current pool.
///
/// # Errors
/// The examples can't be read any more, or the device fails.
pub fn measure(config: &Config, examples: &Examples, device: &Device) -> Result<Seconds> {
    let threads = if device.is_cpu() { rayon::current_num_threads() } else { 1 };
    let (parameters, workers) = (Parameters::random(0, device), Workers::new(threads)?);
    let masks = examples.masks.clone();
    let fitting = Fitting::new(config, &examples.vocabulary, parameters, masks, 0, workers)?;
    let mut optimizer = AdamW::new(&fitting.vars, config.training.weight_decay)?;
    let lengths = examples.train_lengths();
    let mut batches = Batches::new(lengths, config.training.batch_tokens, 0, Place::default());
    let (mut steps, mut seconds) = (0, 0.0);
    while steps < STEPS.0 || (steps < STEPS.1 && seconds < SECONDS) {
        let batch = batches.take().iter().map(|i| examples.train(*i as usize));
        let batch: Vec<Example> = batch.collect::<Result<_>>()?;
        let began = Instant::now();
        let gradients = fitting.outcome(&batch, steps)?.gradients;
        optimizer.update(&fitting.vars, &gradients, 1e-9, config.training.clip_norm)?;
        // The first step makes what the others find.
        if steps > 0 {
            seconds += began.elapsed().as_secs_f64();
        }
        steps += 1;
    }
    let step = seconds / (steps - 1) as f64;
    let all = examples.counts()[1];
    let some = examples.validation(TRIPLES)?;
    let began = Instant::now();
    fitting.score(&some)?;
    let validation = began.elapsed().as_secs_f64() * all as f64 / some.len().max(1) as f64;
    Ok(Seconds { step, validation })
}
