//! The training loop: steps, validations and checkpoints of one run.

use crate::config::Config;
use crate::network::parameters::Parameters;
use crate::training::adamw::AdamW;
use crate::training::checkpoint::{Description, MODEL_FILE, State, save_model, saved_model_step};
use crate::training::events;
use crate::training::examples::batches::{Batches, EpochPlace};
use crate::training::examples::data::Example;
use crate::training::examples::token_file::Examples;
use crate::training::examples::unigram::Unigram;
use crate::training::forecast::{Timing, duration};
use crate::training::log::{self, Evaluation, Since};
use crate::training::options::{End, TrainOptions, TrainReport};
use crate::training::pace::Ahead;
use crate::training::step::Fitting;
use crate::training::workers::Workers;
use anyhow::{Context, Result, ensure};
use candle_core::{Device, Tensor};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};
use support::{Progress, note};

/// A run in progress.
pub(crate) struct Trainer<'a> {
    out: &'a Path,
    config: &'a Config,
    fitting: Fitting<'a>,
    optimizer: AdamW,
    log: Vec<Evaluation>,
    since: Since,
    place: EpochPlace,
    examples: &'a Examples,
    validation: Vec<Example>,
    unigram_loss: f32,
}

impl<'a> Trainer<'a> {
    /// Starts a run, or takes up one with this state; `first` are the parameters that it begins with, random
    /// ones if there are none.
    pub(crate) fn new(
        out: &'a Path,
        description: &'a Description,
        mut state: Option<State>,
        first: Option<BTreeMap<String, Tensor>>,
        examples: &'a Examples,
        device: &'a Device,
    ) -> Result<Trainer<'a>> {
        let Description { vocabulary, run, .. } = description;
        let config = &run.config;
        let given = state.as_mut().map(|state| std::mem::take(&mut state.parameters)).or(first);
        let parameters = match given {
            Some(parameters) => Parameters::given(parameters, device),
            None => Parameters::random(run.seed, device),
        };
        let threads = if device.is_cpu() { rayon::current_num_threads() } else { 1 };
        let (masks, workers) = (examples.masks.clone(), Workers::new(threads)?);
        let fitting = Fitting::new(config, vocabulary, parameters, masks, run.seed, workers)
            .with_context(|| format!("the training state in {}", out.display()))?;
        let mut optimizer = AdamW::new(&fitting.vars, config.training.weight_decay)?;
        let (mut log, mut since, mut place) = Default::default();
        if let Some(state) = state {
            optimizer.resume(state.step, state.moments)?;
            (log, since, place) = (state.log, state.since, state.place);
        }
        let validation = examples.validation(config.training.validation_triples)?;
        let unigram = Unigram::new(examples.token_counts(), &examples.masks);
        let unigram_loss = unigram.loss(&validation);
        Ok(Trainer {
            out,
            config,
            fitting,
            optimizer,
            log,
            since,
            place,
            examples,
            validation,
            unigram_loss,
        })
    }

    /// Whether the validation loss has not fallen for too long.
    fn is_over(&self) -> bool {
        let patience = self.config.training.patience;
        patience > 0 && log::since_best(&self.log) >= patience
    }

    /// Trains until the last step, until nothing gets better any more, or until it is asked to stop:
    /// by `observe` after a validation, by the options at any time. A checkpoint is written then.
    pub(crate) fn run(
        mut self,
        options: &TrainOptions,
        observe: &mut dyn FnMut(&Evaluation) -> ControlFlow<()>,
    ) -> Result<TrainReport> {
        let t = &self.config.training;
        let lengths = self.examples.train_lengths();
        let mut batches = Batches::new(lengths, t.batch_tokens, self.fitting.seed, self.place);
        if !options.quiet && self.optimizer.step < t.steps && !self.is_over() {
            note(&self.ahead(&batches).line(&self.fitting, self.examples)?);
        }
        let progress = Progress::new("steps", t.steps, options.quiet);
        progress.found(self.optimizer.step.min(t.steps));
        let mut timing = Timing::new(self.optimizer.step, t.steps);
        let mut written = Instant::now();
        let mut end = End::LastStep;
        while self.optimizer.step < t.steps {
            if self.is_over() {
                end = End::Patience;
                break;
            }
            let began = Instant::now();
            self.step(&mut batches)?;
            self.since.seconds += began.elapsed().as_secs_f64();
            progress.message(self.numbers(&batches));
            progress.advance(1);
            timing.add(began.elapsed());
            let asked = options.stop.load(Ordering::Relaxed);
            if self.optimizer.step.is_multiple_of(t.evaluate_every)
                || self.optimizer.step == t.steps
            {
                let left = timing.left(self.optimizer.step);
                let evaluation = self.evaluate(&batches, left)?;
                progress.print(&line(&evaluation));
                self.log.push(evaluation.clone());
                self.since = Since::default();
                self.checkpoint()?;
                events::append(self.out, &evaluation)?;
                written = Instant::now();
                if observe(&evaluation).is_break() {
                    end = End::Stopped;
                    break;
                }
            } else if asked || written.elapsed() >= minutes(t.checkpoint_minutes) {
                self.checkpoint()?;
                written = Instant::now();
            }
            if asked && self.optimizer.step < t.steps {
                end = End::Stopped;
                break;
            }
        }
        progress.finish();
        Ok(TrainReport {
            parameters: self.fitting.vars.values().map(|var| var.elem_count()).sum(),
            triples: [self.examples.counts()[0], self.validation.len()],
            log: self.log,
            step: self.optimizer.step,
            end,
        })
    }

    /// What is left to do.
    fn ahead<'b>(&'b self, batches: &'b Batches<'b>) -> Ahead<'b> {
        let (t, step) = (&self.config.training, self.optimizer.step);
        Ahead {
            batches,
            steps: t.steps - step,
            validation: &self.validation,
            validations: t.steps.div_ceil(t.evaluate_every) - step / t.evaluate_every,
        }
    }

    /// One update.
    fn step(&mut self, batches: &mut Batches) -> Result<()> {
        let t = &self.config.training;
        let step = self.optimizer.step;
        let batch: Vec<Example> = batches
            .take()
            .iter()
            .map(|i| self.examples.train(*i as usize))
            .collect::<Result<_>>()?;
        let outcome = self.fitting.outcome(&batch, step)?;
        let rate = t.learning_rate_at(step);
        let vars = &self.fitting.vars;
        let norm = self.optimizer.update(vars, &outcome.gradients, rate, t.clip_norm)?;
        // Only now, when a GPU has been told everything, so that it is waited for once.
        let score = outcome.tally.read()?;
        ensure!(
            score.nats.is_finite(),
            "the loss is not a number any more at step {step}: try a smaller learning_rate"
        );
        self.place = batches.place();
        self.since.steps += 1;
        self.since.tokens += batch.iter().map(|e| e.len() as u64).sum::<u64>();
        self.since.guide_tokens += score.tokens;
        self.since.nats += score.nats;
        self.since.right += score.right;
        self.since.norms += norm;
        Ok(())
    }

    /// What is shown beside the progress.
    fn numbers(&self, batches: &Batches) -> String {
        let Since { steps, tokens, norms, seconds, .. } = self.since;
        format!(
            "loss {:.3}, {:.1} % right, gradient {:.2}, rate {:.1e}, {:.0} tokens/s, epoch {:.2}",
            self.since.loss(),
            100.0 * self.since.accuracy(),
            norms / steps as f64,
            self.config.training.learning_rate_at(self.optimizer.step.saturating_sub(1)),
            tokens as f64 / seconds,
            batches.epochs()
        )
    }

    fn evaluate(&self, batches: &Batches, seconds_left: f64) -> Result<Evaluation> {
        let step = self.optimizer.step;
        let score = self.fitting.score(&self.validation)?;
        let since = &self.since;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let evaluation = Evaluation {
            step,
            epoch: batches.epochs(),
            tokens: self.log.last().map_or(0, |before| before.tokens) + since.tokens,
            train_loss: since.loss() as f32,
            train_accuracy: since.accuracy() as f32,
            validation_loss: (score.nats / score.tokens as f64) as f32,
            validation_accuracy: (score.right as f64 / score.tokens as f64) as f32,
            unigram_loss: self.unigram_loss,
            gradient_norm: (since.norms / since.steps as f64) as f32,
            learning_rate: self.config.training.learning_rate_at(step - 1),
            tokens_per_second: since.tokens as f64 / since.seconds,
            seconds_left,
            time: now.map_or(0.0, |now| now.as_secs_f64()),
        };
        ensure!(
            evaluation.is_finite(),
            "the loss is not a number any more at step {step}: the checkpoint before it stays; try \
             a smaller learning_rate"
        );
        Ok(evaluation)
    }

    fn checkpoint(&self) -> Result<()> {
        // What is broken must not take the place of the last good checkpoint.
        let (parameters, moments) = (self.parameters(), self.optimizer.moments());
        for (name, tensor) in parameters.iter().chain(moments.iter().flatten()) {
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
            since: self.since,
            place: self.place,
            parameters,
            moments,
        };
        state.save(self.out)?;
        self.write_what_follows()
    }

    fn parameters(&self) -> BTreeMap<String, Tensor> {
        let vars = self.fitting.vars.iter();
        vars.map(|(name, var)| (name.clone(), var.as_detached_tensor())).collect()
    }

    /// Refuses to go on without the weights that had the lowest loss: they follow from the state only
    /// where they are its own.
    pub(crate) fn expect_best(&self) -> Result<()> {
        if let Some(best) = log::best(&self.log).filter(|best| best.step != self.optimizer.step) {
            ensure!(
                saved_model_step(self.out)? == Some(best.step),
                "{}: {MODEL_FILE} is not that of step {}, which had the lowest validation loss, and \
                 can't be made again",
                self.out.display(),
                best.step
            );
        }
        Ok(())
    }

    /// Brings the files that follow from the state up to date with it; after a kill they may be
    /// behind by one checkpoint.
    pub(crate) fn finish_writing(&self) -> Result<()> {
        events::rewrite(self.out, &self.log)?;
        self.write_what_follows()
    }

    fn write_what_follows(&self) -> Result<()> {
        if self.log.is_empty() {
            return Ok(());
        }
        let newest_is_best = log::best(&self.log).is_some_and(|e| e.step == self.optimizer.step);
        // What is damaged is written again, too.
        let is_there =
            || matches!(saved_model_step(self.out), Ok(Some(step)) if step == self.optimizer.step);
        if newest_is_best && !is_there() {
            save_model(self.out, self.optimizer.step, &self.parameters())?;
        }
        log::save(self.out, &self.log)
    }
}

fn minutes(n: f64) -> Duration {
    Duration::from_secs_f64(60.0 * n)
}

/// Whether all elements are numbers.
fn is_finite(tensor: &Tensor) -> Result<bool> {
    // 0 · x is 0 for every number and NaN for everything else.
    let zero: f32 = (tensor.detach() * 0.0)?.sum_all()?.to_scalar()?;
    Ok(zero == 0.0)
}

fn line(e: &Evaluation) -> String {
    format!(
        "step {} (epoch {:.2}): loss {:.3}, validation {:.3} (unigram {:.3}), {:.1} % of tokens right, \
         gradient {:.2}, rate {:.1e}, {:.0} tokens/s, {} left",
        e.step,
        e.epoch,
        e.train_loss,
        e.validation_loss,
        e.unigram_loss,
        100.0 * e.validation_accuracy,
        e.gradient_norm,
        e.learning_rate,
        e.tokens_per_second,
        duration(e.seconds_left)
    )
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
