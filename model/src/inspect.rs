//! A look at a model's directory: what the network is, what it was trained on, how far it came.

use crate::config::Config;
use crate::training::checkpoint::{
    DatasetIdentity, Description, load_description, load_seen_seeds, saved_model_step,
};
use crate::training::forecast::count_parameters;
use crate::training::log::{self, Evaluation};
use anyhow::{Context, Result};
use dataset_gen::Split;
use serde::Serialize;
use std::path::Path;
use support::{counted, thousands};

/// Validations that are shown on a terminal.
const SHOWN: usize = 5;

/// What a model's directory says of the model.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// SHA-256 of the rewrite system.
    pub system_hash: String,
    /// Numbers in the network.
    pub parameters: usize,
    /// Those of them in the table of embeddings, which the logits come from, too.
    pub embedding_parameters: usize,
    /// Tokens of the vocabulary.
    pub tokens: usize,
    /// The step after which the weights were taken; `None` before the first validation.
    pub weights_of_step: Option<u64>,
    /// Seeds of training and validation; `None` if that is not known, as the file that says so is missing or
    /// not as it was written.
    pub seen_seeds: Option<usize>,
    /// Seed of all random choices.
    pub seed: u64,
    /// The share of the training split that it was trained on; `None` for all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fraction: Option<f64>,
    /// The content hash of the model that it began with; `None` if it began with random weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What it was trained on.
    pub dataset: DatasetIdentity,
    /// The shape of the network and how it is trained.
    pub config: Config,
    /// The validations.
    pub log: Vec<Evaluation>,
}

/// Looks at a model.
///
/// # Errors
/// A file is missing or damaged, or the files do not belong together.
pub fn inspect(directory: &Path) -> Result<Inspection> {
    let Description { vocabulary, run, .. } = load_description(directory)?;
    let config = run.config;
    let parameters = count_parameters(&config.model, &vocabulary)?;
    Ok(Inspection {
        system_hash: run.system_hash,
        parameters: parameters.all,
        embedding_parameters: parameters.embedding,
        tokens: vocabulary.len(),
        weights_of_step: saved_model_step(directory)?,
        seen_seeds: load_seen_seeds(directory).ok().map(|seen| seen.digests.len()),
        seed: run.seed,
        fraction: run.fraction,
        from: run.from,
        dataset: run.dataset,
        config,
        log: log::load(directory)?,
    })
}

impl Inspection {
    /// For a terminal; the configuration as in its file.
    ///
    /// # Errors
    /// None that is known: every configuration can be written as TOML.
    pub fn text(&self) -> Result<String> {
        let triples = |split| self.dataset.splits.get(&split).map_or(0, |s| s.num_examples);
        let seeds = match self.seen_seeds {
            Some(count) => counted(count as u64, "seed"),
            None => "not known: seen_seeds.json is missing, or not as it was written".to_owned(),
        };
        let part = self.fraction.map_or(String::new(), |share| format!("a share of {share} of "));
        let weights = match self.weights_of_step {
            Some(step) => format!("the weights are those after step {}", thousands(step)),
            None => "there are no weights before the first validation".to_owned(),
        };
        let hash = &self.system_hash;
        let short = |hash: &str| hash.get(..12).unwrap_or(hash).to_owned();
        let from = self.from.as_deref();
        let from = from.map_or(String::new(), |hash| format!("began with model {}\n", short(hash)));
        let mut text = format!(
            "a model for the rewrite system {}: {} parameters, {} tokens, seed {}\n\
             trained on {part}{} (validation: {}) of a dataset with seed {}\n\
             seeds that it has seen: {seeds}\n{from}{weights}\n",
            short(hash),
            thousands(self.parameters as u64),
            thousands(self.tokens as u64),
            self.seed,
            counted(triples(Split::Train), "triple"),
            thousands(triples(Split::Validation)),
            self.dataset.seed,
        );
        text += &self.losses();
        text.push('\n');
        text += &toml::to_string(&self.config).context("the configuration")?;
        Ok(text)
    }

    /// The best validation and the last ones.
    fn losses(&self) -> String {
        let Some(best) = log::best(&self.log) else { return String::new() };
        let mut text = format!(
            "\n{:>9} {:>8} {:>8} {:>11} {:>8} {:>8}\n",
            "step", "epoch", "loss", "validation", "unigram", "right %"
        );
        let first = self.log.len().saturating_sub(SHOWN);
        let earlier = (best.step < self.log[first].step).then_some(best);
        for e in earlier.into_iter().chain(&self.log[first..]) {
            text += &format!(
                "{:>9} {:>8.2} {:>8.3} {:>11.3} {:>8.3} {:>8.1}{}\n",
                thousands(e.step),
                e.epoch,
                e.train_loss,
                e.validation_loss,
                e.unigram_loss,
                100.0 * e.validation_accuracy,
                if e.step == best.step { "  the best" } else { "" }
            );
        }
        text
    }
}
