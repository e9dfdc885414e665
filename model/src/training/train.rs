//! The training loop: steps, validations and checkpoints of one run.

use crate::config::Config;
use crate::decoding::tree_builder::TreeBuilder;
use crate::network::batch::{Features, decoder_batch, encoder_batch};
use crate::network::dropout::Dropout;
use crate::network::kernels::fused::{cross_entropy, negative_log_probability};
use crate::network::parameters::Parameters;
use crate::network::transformer::Transformer;
use crate::network::value::VALUE_HEAD;
use crate::tokens::vocabulary::{PAD, Token, Vocabulary};
use crate::training::adamw::AdamW;
use crate::training::checkpoint::{Description, State, save_model, saved_model_step};
use crate::training::data::{Batches, Example, unigram_loss};
use crate::training::log::{self, Evaluation};
use crate::training::runs::TrainReport;
use anyhow::{Context, Result, anyhow, ensure};
use candle_core::backprop::GradStore;
use candle_core::{Device, Tensor, Var};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use support::show::progress::Progress;

/// A batch is divided into this many parts, unless they would be smaller than this many examples.
const SHARDS: usize = 4;
const SMALLEST_SHARD: usize = 4;

/// A run in progress.
pub(crate) struct Trainer<'a> {
    out: &'a Path,
    config: &'a Config,
    vocabulary: &'a Vocabulary,
    features: Features,
    seed: u64,
    device: &'a Device,
    network: Transformer,
    vars: BTreeMap<String, Var>,
    optimizer: AdamW,
    log: Vec<Evaluation>,
    train: &'a [Example],
    validation: Vec<Example>,
    unigram_loss: f32,
}

impl<'a> Trainer<'a> {
    /// Starts a run, or takes up one with this state.
    pub(crate) fn new(
        out: &'a Path,
        description: &'a Description,
        mut state: Option<State>,
        train: &'a [Example],
        validation: Vec<Example>,
        device: &'a Device,
    ) -> Result<Trainer<'a>> {
        let Description { vocabulary, run, .. } = description;
        let config = &run.config;
        let features = Features::new(vocabulary, config.model.positions);
        let mut parameters = match &mut state {
            Some(state) => Parameters::given(std::mem::take(&mut state.parameters), device),
            None => Parameters::random(run.seed, device),
        };
        let network = Transformer::new(&config.model, features, vocabulary.len(), &mut parameters)
            .with_context(|| format!("the training state in {}", out.display()))?;
        let vars = parameters.finish()?;
        let mut optimizer = AdamW::new(&vars, config.training.weight_decay)?;
        let mut log = Vec::new();
        if let Some(state) = state {
            optimizer.step = state.step;
            optimizer.moments = state.moments;
            log = state.log;
        }
        let validation = thin_out(validation, config.training.validation_triples);
        let unigram_loss = unigram_loss(vocabulary.len(), train, &validation);
        Ok(Trainer {
            out,
            config,
            vocabulary,
            features,
            seed: run.seed,
            device,
            network,
            vars,
            optimizer,
            log,
            train,
            validation,
            unigram_loss,
        })
    }

    /// Trains until the last step, or until `observe` stops it after a checkpoint.
    pub(crate) fn run(
        mut self,
        quiet: bool,
        observe: &mut dyn FnMut(&Evaluation) -> ControlFlow<()>,
    ) -> Result<TrainReport> {
        let t = &self.config.training;
        let progress = Progress::new("steps", t.steps, quiet);
        progress.found(self.optimizer.step.min(t.steps));
        let mut batches = Batches::new(self.train, t.batch, self.seed);
        let (mut losses, mut steps, mut tokens) = (0f64, 0u64, 0usize);
        let mut start = Instant::now();
        while self.optimizer.step < t.steps {
            let step = self.optimizer.step;
            let batch: Vec<&Example> =
                batches.get(step).iter().map(|i| &self.train[*i as usize]).collect();
            let loss = self.step(&batch, step)?;
            ensure!(
                loss.is_finite(),
                "the loss is not a number any more at step {step}: try a smaller learning_rate"
            );
            losses += f64::from(loss);
            steps += 1;
            tokens += batch.iter().map(|e| e.len()).sum::<usize>();
            progress.message(format!("loss {loss:.3}"));
            progress.advance(1);
            let step = step + 1;
            if step.is_multiple_of(t.evaluate_every) || step == t.steps {
                let seconds = start.elapsed().as_secs_f64();
                let (validation_loss, validation_accuracy) = self.validate()?;
                let evaluation = Evaluation {
                    step,
                    train_loss: (losses / steps as f64) as f32,
                    validation_loss,
                    validation_accuracy,
                    unigram_loss: self.unigram_loss,
                    learning_rate: t.learning_rate_at(step - 1),
                    tokens_per_second: tokens as f64 / seconds,
                };
                ensure!(
                    evaluation.is_finite(),
                    "the loss is not a number any more at step {step}: the checkpoint before it \
                     stays; try a smaller learning_rate"
                );
                progress.print(&line(&evaluation));
                self.log.push(evaluation.clone());
                self.checkpoint()?;
                if observe(&evaluation).is_break() {
                    break;
                }
                (losses, steps, tokens) = (0.0, 0, 0);
                start = Instant::now();
            }
        }
        progress.finish();
        Ok(TrainReport {
            parameters: self.vars.values().map(|var| var.elem_count()).sum(),
            triples: [self.train.len(), self.validation.len()],
            left_out: [0, 0],
            log: self.log,
        })
    }

    /// One update; returns the loss.
    fn step(&mut self, batch: &[&Example], step: u64) -> Result<f32> {
        let t = &self.config.training;
        let counted = batch.iter().map(|e| e.tokens[2].len()).sum();
        let this = &*self;
        let parts: Vec<(f32, GradStore)> = self.on_shards(batch, |shard, examples| {
            let stream = step * SHARDS as u64 + shard as u64;
            let dropout = Dropout::new(t.dropout, this.seed, stream);
            let (logits, targets) = this.forward(examples, &dropout)?;
            let loss = cross_entropy(&logits, &Arc::new(targets), counted)?;
            Ok((loss.to_scalar()?, loss.backward()?))
        })?;
        let gradients = self.sum(&parts)?;
        let rate = t.learning_rate_at(step);
        self.optimizer.update(&self.vars, &gradients, rate, t.clip_norm)?;
        Ok(parts.iter().map(|(loss, _)| loss).sum())
    }

    /// Computes on parts of a batch in parallel: one thread on a part that fits into its cache
    /// is faster than all threads on each operation in turn. The parts do not depend on the
    /// number of threads. A GPU takes the batch as one.
    fn on_shards<T: Send>(
        &self,
        batch: &[&Example],
        f: impl Fn(usize, &[&Example]) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        if !self.device.is_cpu() {
            return Ok(vec![f(0, batch)?]);
        }
        let size = batch.len().div_ceil(SHARDS).max(SMALLEST_SHARD);
        batch.par_chunks(size).enumerate().map(|(i, examples)| f(i, examples)).collect()
    }

    /// The gradients of the parameters, summed over the parts in order.
    fn sum(&self, parts: &[(f32, GradStore)]) -> Result<BTreeMap<String, Tensor>> {
        let sum = |(name, var): (&String, &Var)| -> Result<(String, Tensor)> {
            let mut gradients = parts.iter().map(|(_, gradients)| match gradients.get(var) {
                Some(gradient) => Ok(gradient.clone()),
                // Triples do not teach the value head: it stays as it was drawn.
                None if name.starts_with(VALUE_HEAD) => Ok(var.zeros_like()?),
                None => Err(anyhow!("no gradient of {name}")),
            });
            let first = gradients.next().context("an empty batch")??;
            let sum = gradients.try_fold(first, |sum, g| anyhow::Ok((sum + g?)?))?;
            Ok((name.clone(), sum))
        };
        self.vars.iter().map(sum).collect()
    }

    fn forward(&self, batch: &[&Example], dropout: &Dropout) -> Result<(Tensor, Vec<Token>)> {
        let trees = batch
            .iter()
            .map(|example| example.trees(self.vocabulary))
            .collect::<Result<Vec<_>, _>>()?;
        let side = |i: usize| -> Vec<&TreeBuilder> { trees.iter().map(|t| &t[i]).collect() };
        let start = encoder_batch(self.features, &side(0));
        let target = encoder_batch(self.features, &side(1));
        let (guide, targets) = decoder_batch(self.features, &side(2));
        let memory = self.network.encode(&start, &target, dropout)?;
        Ok((self.network.decode(&guide, &memory, None, dropout)?, targets))
    }

    /// Loss per token and part of the tokens found likeliest, over the validation examples.
    fn validate(&self) -> Result<(f32, f32)> {
        let (mut loss, mut right, mut tokens) = (0f64, 0u64, 0u64);
        for batch in self.validation.chunks(self.config.training.batch) {
            let batch: Vec<&Example> = batch.iter().collect();
            let parts = self.on_shards(&batch, |_, examples| {
                let (logits, targets) = self.forward(examples, &Dropout::none())?;
                let logits: Vec<Vec<f32>> = logits.detach().to_vec2()?;
                Ok((logits, targets))
            })?;
            for (logits, targets) in &parts {
                for (row, target) in logits.iter().zip(targets).filter(|(_, t)| **t != PAD) {
                    loss += f64::from(negative_log_probability(row, *target));
                    right += u64::from(row.iter().all(|x| *x <= row[*target as usize]));
                    tokens += 1;
                }
            }
        }
        Ok(((loss / tokens as f64) as f32, (right as f64 / tokens as f64) as f32))
    }

    fn checkpoint(&self) -> Result<()> {
        // What is broken must not take the place of the last good checkpoint.
        let moments = self.optimizer.moments.iter().flatten();
        for (name, tensor) in self.parameters().iter().chain(moments) {
            ensure!(
                is_finite(tensor)?,
                "parameter '{name}' is not a number any more at step {}: the checkpoint before it \
                 stays; try a smaller learning_rate",
                self.optimizer.step
            );
        }
        let state = State {
            step: self.optimizer.step,
            log: self.log.clone(),
            parameters: self.parameters(),
            moments: self.optimizer.moments.clone(),
        };
        state.save(self.out)?;
        self.finish_writing()
    }

    fn parameters(&self) -> BTreeMap<String, Tensor> {
        self.vars.iter().map(|(name, var)| (name.clone(), var.as_detached_tensor())).collect()
    }

    /// Brings the files that follow from the state up to date with it; after a kill they may be
    /// behind by one checkpoint.
    pub(crate) fn finish_writing(&self) -> Result<()> {
        if self.log.is_empty() {
            return Ok(());
        }
        let newest_is_best = log::best(&self.log).is_some_and(|e| e.step == self.optimizer.step);
        if newest_is_best && saved_model_step(self.out)? != Some(self.optimizer.step) {
            save_model(self.out, self.optimizer.step, &self.parameters())?;
        }
        log::save(self.out, &self.log)
    }
}

/// Whether all elements are numbers.
fn is_finite(tensor: &Tensor) -> Result<bool> {
    // 0 · x is 0 for every number and NaN for everything else.
    let zero: f32 = (tensor.detach() * 0.0)?.sum_all()?.to_scalar()?;
    Ok(zero == 0.0)
}

fn line(e: &Evaluation) -> String {
    format!(
        "step {}: loss {:.3}, validation {:.3} (unigram {:.3}), {:.1} % of tokens right, {:.0} tokens/s",
        e.step,
        e.train_loss,
        e.validation_loss,
        e.unigram_loss,
        100.0 * e.validation_accuracy,
        e.tokens_per_second
    )
}

/// At most `limit` of the examples, evenly spread, sorted by length so that little is padding.
fn thin_out(examples: Vec<Example>, limit: usize) -> Vec<Example> {
    let n = examples.len();
    let kept = limit.min(n);
    let mut chosen: Vec<Example> = (0..kept).map(|i| examples[i * n / kept].clone()).collect();
    chosen.sort_by_key(Example::len);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_element_that_is_no_number_is_found() {
        let check = |values: &[f32]| {
            is_finite(&Tensor::from_slice(values, values.len(), &Device::Cpu).unwrap()).unwrap()
        };
        assert!(check(&[1.0, -f32::MAX, f32::MAX, 0.0]));
        for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(!check(&[1.0, wrong, 2.0]));
        }
    }
}
