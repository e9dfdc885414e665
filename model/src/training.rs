//! The training loop.

use crate::adamw::AdamW;
use crate::batch::{Features, decoder_batch, encoder_batch};
use crate::checkpoint::{
    CONFIG_FILE, Description, State, load_description, save_model, saved_model_step,
};
use crate::config::Config;
use crate::fused::{cross_entropy, negative_log_probability};
use crate::parameters::Parameters;
use crate::train_log::{self, Evaluation};
use crate::training_data::{Batches, Dataset, Example, unigram_loss};
use crate::transformer::{Dropout, Transformer};
use crate::tree_builder::TreeBuilder;
use crate::vocabulary::{PAD, Token, Vocabulary};
use anyhow::{Context, Result, bail, ensure};
use candle_core::{Device, Tensor, Var};
use dataset_gen::files::OutputDir;
use dataset_gen::progress::Progress;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

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
    /// Go on with the training that the output directory holds.
    pub resume: bool,
    /// Where to compute.
    pub device: Device,
    /// Show no progress.
    pub quiet: bool,
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
}

impl TrainReport {
    /// The validation with the lowest loss, whose weights are in `model.safetensors`.
    pub fn best(&self) -> Option<&Evaluation> {
        best(&self.log)
    }
}

fn best(log: &[Evaluation]) -> Option<&Evaluation> {
    log.iter().reduce(|best, e| if e.validation_loss < best.validation_loss { e } else { best })
}

/// Trains a model on the dataset in `data` and writes it to `out`.
///
/// `observe` sees every validation, after its checkpoint is written, and may stop the training
/// there. Computes in the current rayon pool; the losses do not depend on its size.
///
/// # Errors
/// The dataset or the directory is not what it should be, or the loss is no number any more.
pub fn train(
    data: &Path,
    out: &Path,
    options: &TrainOptions,
    observe: &mut dyn FnMut(&Evaluation) -> ControlFlow<()>,
) -> Result<TrainReport> {
    OutputDir::check(out, CONFIG_FILE)?;
    let old = out.join(CONFIG_FILE).exists();
    match (old, options.resume) {
        (true, false) => bail!(
            "{} already holds a model: add --resume to go on with its training, or choose another directory",
            out.display()
        ),
        (false, true) => bail!("{} holds no model to resume", out.display()),
        _ => {}
    }
    let dataset = Dataset::load(data)?;
    let description = match old {
        true => resumed(out, &dataset, options)?,
        false => {
            let mut config = options.config.clone().unwrap_or_default();
            config.training.steps = options.steps.unwrap_or(config.training.steps);
            ensure!(config.training.steps > 0, "--steps 0: expected at least 1");
            let (system, vocabulary) = (dataset.system.clone(), dataset.vocabulary()?);
            let provenance = dataset.info.cairn.clone();
            Description::new(system, vocabulary, config, options.seed, provenance)
        }
    };
    let max_tokens = description.run.config.model.max_tokens;
    let (train, validation) = dataset.examples(&description.vocabulary, max_tokens)?;
    let directory = OutputDir::create(out, CONFIG_FILE)?;
    let trainer = Trainer::new(out, &description, &train, validation, &options.device)?;
    if old {
        description.save_run(directory.path())?;
        trainer.finish_writing()?;
    } else {
        description.save(directory.path(), &dataset.rules)?;
    }
    drop(dataset);
    trainer.run(options.quiet, observe)
}

/// The description of the run in `out`, checked against what is asked for now.
fn resumed(out: &Path, dataset: &Dataset, options: &TrainOptions) -> Result<Description> {
    let mut description = load_description(out)?;
    let run = &mut description.run;
    ensure!(
        run.system_hash == dataset.system.hash,
        "{} was trained for another rewrite system: its hash is {}, but that of the dataset's is {}",
        out.display(),
        run.system_hash,
        dataset.system.hash
    );
    ensure!(
        run.dataset == dataset.info.cairn,
        "{} was trained on another dataset: it can only be resumed with the same one",
        out.display()
    );
    ensure!(
        run.seed == options.seed,
        "{} was trained with --seed {}: it can only be resumed with the same one",
        out.display(),
        run.seed
    );
    if let Some(config) = &options.config {
        let mut expected = config.clone();
        expected.training.steps = run.config.training.steps;
        ensure!(
            expected == run.config,
            "{} was trained with another configuration: leave --config out to resume it",
            out.display()
        );
    }
    if let Some(steps) = options.steps {
        ensure!(steps > 0, "--steps 0: expected at least 1");
        run.config.training.steps = steps;
    }
    Ok(description)
}

struct Trainer<'a> {
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
    fn new(
        out: &'a Path,
        description: &'a Description,
        train: &'a [Example],
        validation: Vec<Example>,
        device: &'a Device,
    ) -> Result<Trainer<'a>> {
        let Description { vocabulary, run, .. } = description;
        let config = &run.config;
        let features = Features::new(vocabulary);
        let mut state = State::load(out, device)?;
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
        let unigram_loss = unigram_loss(vocabulary.len(), train, &validation);
        let validation = thin_out(validation, config.training.validation_triples);
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

    fn run(
        mut self,
        quiet: bool,
        observe: &mut dyn FnMut(&Evaluation) -> ControlFlow<()>,
    ) -> Result<TrainReport> {
        let t = &self.config.training;
        let progress = Progress::new("steps", t.steps, quiet);
        progress.advance(self.optimizer.step.min(t.steps));
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
            log: self.log,
        })
    }

    /// One update; returns the loss.
    fn step(&mut self, batch: &[&Example], step: u64) -> Result<f32> {
        let t = &self.config.training;
        let dropout = Dropout::new(t.dropout, self.seed, step);
        let (logits, targets) = self.forward(batch, &dropout)?;
        let loss = cross_entropy(&logits, &Arc::new(targets))?;
        let gradients = loss.backward()?;
        let rate = t.learning_rate_at(step);
        self.optimizer.update(&self.vars, &gradients, rate, t.clip_norm)?;
        Ok(loss.to_scalar()?)
    }

    fn forward(&self, batch: &[&Example], dropout: &Dropout) -> Result<(Tensor, Vec<Token>)> {
        let trees = batch
            .iter()
            .map(|example| example.trees(self.vocabulary))
            .collect::<Result<Vec<_>, _>>()?;
        let side = |i: usize| -> Vec<&TreeBuilder> { trees.iter().map(|t| &t[i]).collect() };
        let buckets = self.config.model.buckets();
        let start = encoder_batch(self.features, buckets, &side(0), self.device)?;
        let target = encoder_batch(self.features, buckets, &side(1), self.device)?;
        let (guide, targets) = decoder_batch(self.features, buckets, &side(2), self.device)?;
        let memory = self.network.encode(&start, &target, dropout)?;
        Ok((self.network.decode(&guide, &memory, dropout)?, targets))
    }

    /// Loss per token and part of the tokens found likeliest, over the validation examples.
    fn validate(&self) -> Result<(f32, f32)> {
        let (mut loss, mut right, mut tokens) = (0f64, 0u64, 0u64);
        for batch in self.validation.chunks(self.config.training.batch) {
            let batch: Vec<&Example> = batch.iter().collect();
            let (logits, targets) = self.forward(&batch, &Dropout::none())?;
            let logits: Vec<Vec<f32>> = logits.detach().to_vec2()?;
            for (row, target) in logits.iter().zip(&targets).filter(|(_, t)| **t != PAD) {
                loss += f64::from(negative_log_probability(row, *target));
                let most = row.iter().all(|x| *x <= row[*target as usize]);
                right += u64::from(most);
                tokens += 1;
            }
        }
        Ok(((loss / tokens as f64) as f32, (right as f64 / tokens as f64) as f32))
    }

    fn checkpoint(&self) -> Result<()> {
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
    fn finish_writing(&self) -> Result<()> {
        if self.log.is_empty() {
            return Ok(());
        }
        let newest_is_best = best(&self.log).is_some_and(|e| e.step == self.optimizer.step);
        if newest_is_best && saved_model_step(self.out)? != Some(self.optimizer.step) {
            save_model(self.out, self.optimizer.step, &self.parameters())?;
        }
        train_log::save(self.out, &self.log)
    }
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
