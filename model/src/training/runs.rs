//! Training a model on a dataset: a new run, or one taken up again.

use crate::config::{Config, Precision};
use crate::network::threads::one_thread_per_operation;
use crate::training::checkpoint::{
    Beginning, CONFIG_FILE, DatasetIdentity, Description, MODEL_FILE, State, load_description,
    load_run,
};
use crate::training::examples::batches::{Batches, EpochPlace};
use crate::training::examples::data::Dataset;
use crate::training::examples::part::SeedOrder;
use crate::training::examples::token_file::Examples;
use crate::training::forecast::{Shape, count_parameters, refuse_what_does_not_fit};
use crate::training::log::Evaluation;
use crate::training::options::{TrainOptions, TrainReport};
use crate::training::train::Trainer;
use anyhow::{Result, bail, ensure};
use std::ops::ControlFlow;
use std::path::Path;
use support::{OutputDir, note};

/// Trains a model on the dataset in `data` and writes it to `out`.
///
/// `observe` sees every validation, after its checkpoint is written, and may stop the training
/// there. Computes in the current rayon pool; the losses do not depend on its size.
///
/// # Errors
/// The dataset or the directory is not what it should be, or the loss is no number any more;
/// [`ReadingStopped`] if it was asked to stop before there was anything to go on with.
///
/// [`ReadingStopped`]: crate::training::examples::data::ReadingStopped
pub fn train(
    data: &Path,
    out: &Path,
    options: &TrainOptions,
    observe: &mut dyn FnMut(&Evaluation) -> ControlFlow<()>,
) -> Result<TrainReport> {
    one_thread_per_operation();
    if let Some(share) = options.fraction {
        ensure!(share > 0.0 && share <= 1.0, "--fraction {share}: expected above 0, at most 1");
    }
    // Nothing is looked at before the lock is held: another training may be at work here.
    let directory = OutputDir::create(out, CONFIG_FILE)?;
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
    let from = options.from.as_deref();
    let from = from.map(|from| Beginning::load(from, &options.device)).transpose()?;
    let mut config = match old {
        true => resumed_config(out, &dataset, from.as_ref(), options)?,
        false => new_config(from.as_ref(), &dataset, options)?,
    };
    config.training.steps = options.steps.unwrap_or(config.training.steps);
    ensure!(config.training.steps > 0, "--steps 0: expected at least 1");
    ensure!(
        config.training.precision == Precision::F32 || !options.device.is_cpu(),
        "precision = \"bf16\" is for a GPU: add --device cuda, or leave precision out"
    );
    State::remove_old(out)?;
    // A run that was killed before its first checkpoint begins anew.
    let state = State::load(out, &options.device)?;
    ensure!(
        state.is_some() || !out.join(MODEL_FILE).exists(),
        "{} has weights but no checkpoint to resume from: training_state is missing",
        out.display()
    );
    let mut known = from.as_ref().map(|from| from.vocabulary.clone());
    if state.is_some() {
        known = Some(load_description(out)?.vocabulary);
    }
    let mut examples = Examples::open(&dataset, &config, known.as_ref(), out, &options.stop)?;
    if let Some(share) = options.fraction {
        let first = SeedOrder::new(examples.train_seeds(), options.seed).nearest(share);
        examples = examples.of_seeds(|seed| first.contains(&seed))?;
    }
    let (system, vocabulary) = (dataset.system.clone(), examples.vocabulary.clone());
    let random = (options.seed, options.fraction);
    let description =
        Description::new(system, vocabulary, config, random, from.as_ref(), &dataset.info)?;
    announce(&description.run.config, &examples, options)?;
    let first = from.as_ref().map(|from| from.parameters.clone());
    let trainer = Trainer::new(out, &description, state, first, &examples, &options.device)?;
    trainer.expect_best()?;
    description.save(directory.path(), &dataset.rules, &dataset.info, from.as_ref())?;
    trainer.finish_writing()?;
    drop(dataset);
    trainer.run(options, observe)
}

/// Says what is going to be trained on what, before anything large is made.
///
/// # Errors
/// It does not fit into the memory that there is.
fn announce(config: &Config, examples: &Examples, options: &TrainOptions) -> Result<()> {
    let (vocabulary, lengths) = (&examples.vocabulary, examples.train_lengths());
    let parameters = count_parameters(&config.model, vocabulary)?.all;
    let shape = Shape { config, parameters, tokens: vocabulary.len(), lengths };
    let memory = refuse_what_does_not_fit(&shape, &options.device)?;
    if let Some(line) = examples.left_out_line() {
        note(&line);
    }
    if !options.quiet {
        let budget = config.training.batch_tokens;
        let batches = Batches::new(lengths, budget, options.seed, EpochPlace::default());
        note(&shape.line(memory, batches.per_epoch()));
    }
    Ok(())
}

/// The configuration of a new run: the one asked for, or that of what it begins with.
fn new_config(
    from: Option<&Beginning>,
    dataset: &Dataset,
    options: &TrainOptions,
) -> Result<Config> {
    let Some(from) = from else {
        return Ok(options.config.clone().unwrap_or_default());
    };
    ensure!(
        from.run.system_hash == dataset.system.hash,
        "--from: the model is of another rewrite system: its hash is {}, but that of the dataset's is {}",
        from.run.system_hash,
        dataset.system.hash
    );
    let config = options.config.clone().unwrap_or_else(|| from.run.config.clone());
    ensure!(
        config.model == from.run.config.model,
        "--from: the model has another shape than [model] of the configuration: leave --config out to keep its"
    );
    ensure!(
        from.seen.literals == dataset.info.seen_seeds().literals,
        "--from: literals tell the model's seeds apart, but not the dataset's, or the other way round"
    );
    Ok(config)
}

/// The configuration of the run in `out`, after checking that it is the one asked for now.
fn resumed_config(
    out: &Path,
    dataset: &Dataset,
    from: Option<&Beginning>,
    options: &TrainOptions,
) -> Result<Config> {
    let run = load_run(out)?;
    ensure!(
        run.system_hash == dataset.system.hash,
        "{} was trained for another rewrite system: its hash is {}, but that of the dataset's is {}",
        out.display(),
        run.system_hash,
        dataset.system.hash
    );
    ensure!(
        run.dataset == DatasetIdentity::new(&dataset.info),
        "{} was trained on another dataset: it can only be resumed with the same one",
        out.display()
    );
    ensure!(
        run.seed == options.seed,
        "{} was trained with --seed {}: it can only be resumed with the same one",
        out.display(),
        run.seed
    );
    ensure!(
        run.fraction == options.fraction,
        "{} was trained on another --fraction of the data: it can only be resumed with the same one",
        out.display()
    );
    ensure!(
        run.from.as_ref() == from.map(|from| &from.hash),
        "{} {}: it can only be resumed with the same --from",
        out.display(),
        if run.from.is_some() { "began with another model" } else { "began with random weights" }
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
    Ok(run.config)
}
