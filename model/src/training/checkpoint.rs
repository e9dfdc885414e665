//! A model's directory: what it is, its weights, and the state to go on training from.
//!
//! ```text
//! config.json          what was trained, on what; written first
//! tokenizer.json       the sub-vocabulary
//! system.rules         a copy of the rewrite system
//! model.safetensors    the weights with the lowest validation loss
//! train_log.jsonl      one line per validation
//! seen_seeds.json      the seeds of training and validation, by their digests
//! events.out.tfevents.cairn    the same for TensorBoard
//! loss.svg             the same as a picture
//! training_state/step-…/    the last checkpoint: weights, moments, log, in one step
//! ```
//!
//! The state appears under its name as a whole directory, so a kill leaves either the old or the
//! new one. The files above it follow from it, and are written again when training is resumed.
//!
//! What a model's answers or a resumed training depend on is sealed: config.json and state.json as
//! texts, weights and moments with a hash in their metadata. config.json has the hashes of tokenizer.json,
//! system.rules and seen_seeds.json, state.json those of its weights and moments.

use crate::config::Config;
use crate::network::parameters::{Stamp, load_safetensors, to_safetensors};
use crate::tokens::vocabulary::Vocabulary;
use crate::training::examples::batches::EpochPlace;
use crate::training::log::{Evaluation, Since};
use anyhow::{Context, Result, anyhow, ensure};
use candle_core::{Device, Tensor};
use dataset_gen::{DatasetInfo, SYSTEM_FILE, Split, SplitInfo, system_of};

use egraph::System;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use support::hash::{of_file, of_files, sha256};
use support::{own_directory, read_sealed, seal_json, unseal_json, write_atomic, write_sealed};
use terms::SeenSeeds;

/// Describes the run; marks a directory as a model's.
pub const CONFIG_FILE: &str = "config.json";
/// The weights.
pub const MODEL_FILE: &str = "model.safetensors";
const TOKENIZER_FILE: &str = "tokenizer.json";
const SEEN_FILE: &str = "seen_seeds.json";
const STATE_DIRECTORY: &str = "training_state";
const OPTIMIZER_FILE: &str = "optimizer.safetensors";
const STATE_FILE: &str = "state.json";
/// A state that is being written.
const STAGING: &str = ".writing.tmp";
const FORMAT: &str = "cairn-model-4";

/// The content of `config.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    format: String,
    /// Hash of the rewrite system.
    pub system_hash: String,
    /// Number of tokens: that of the operators, the pieces and the special ones.
    pub tokens: usize,
    /// The shape of the network and how it is trained.
    pub config: Config,
    /// Seed of all random choices.
    pub seed: u64,
    /// The share of the training split that it was trained on, as whole seeds, the first in the order of
    /// `seed`; `None` for all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fraction: Option<f64>,
    /// What the model that it began with is known by, as [`content_hash`] gives it; `None` if it began with
    /// random weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The dataset.
    pub dataset: DatasetIdentity,
    /// SHA-256 of the files beside it that stay as they are while it is trained, by their names.
    files: BTreeMap<String, String>,
}

impl Run {
    /// Refuses a file of the model that is not the one which was written.
    fn expect_file(&self, directory: &Path, name: &str) -> Result<()> {
        let path = directory.join(name);
        ensure!(
            self.files.get(name) == Some(&of_file(&path)?.0),
            "{} is not as it was written: its SHA-256 is not the one in {CONFIG_FILE}",
            path.display()
        );
        Ok(())
    }
}

/// What tells a dataset from others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatasetIdentity {
    /// SHA-256 of the seed file.
    pub seeds_hash: String,
    /// Seed of the random choices when it was made.
    pub seed: u64,
    /// Triples and bytes by split.
    pub splits: BTreeMap<Split, SplitInfo>,
}

impl DatasetIdentity {
    /// Of the dataset with this description.
    pub fn new(info: &DatasetInfo) -> DatasetIdentity {
        DatasetIdentity {
            seeds_hash: info.cairn.seeds_hash.clone(),
            seed: info.cairn.seed,
            splits: info.splits.clone(),
        }
    }
}

/// SHA-256 of what a model's answers depend on: its `config.json`, `tokenizer.json` and
/// `model.safetensors`, one after the other.
///
/// # Errors
/// One of the files can't be read.
pub fn content_hash(directory: &Path) -> Result<String> {
    of_files([CONFIG_FILE, TOKENIZER_FILE, MODEL_FILE].map(|name| directory.join(name)))
}

/// What a model's directory says of the model, beside the weights.
pub struct Description {
    /// The rewrite system.
    pub system: System,
    /// The tokens.
    pub vocabulary: Vocabulary,
    /// The run.
    pub run: Run,
}

impl Description {
    /// Describes a new run on a dataset: its configuration, its seed of random choices, of which share of the
    /// training split it is, if not of all, and the model that it begins with, if there is one.
    ///
    /// # Errors
    /// None that are known of.
    pub fn new(
        system: System,
        vocabulary: Vocabulary,
        config: Config,
        (seed, fraction): (u64, Option<f64>),
        from: Option<&Beginning>,
        dataset: &DatasetInfo,
    ) -> Result<Description> {
        let seen = seen_text(dataset, from)?;
        let files = [(TOKENIZER_FILE, vocabulary.to_json()?), (SEEN_FILE, seen)];
        let hash = |(name, text): (&str, String)| (name.to_owned(), sha256(text.as_bytes()));
        let run = Run {
            format: FORMAT.to_owned(),
            system_hash: system.hash.clone(),
            tokens: vocabulary.len(),
            config,
            seed,
            fraction,
            from: from.map(|from| from.hash.clone()),
            dataset: DatasetIdentity::new(dataset),
            files: files.map(hash).into(),
        };
        Ok(Description { system, vocabulary, run })
    }

    /// Writes the files of a description, first the one that marks the directory; `rules` is the
    /// text of the rewrite system.
    ///
    /// # Errors
    /// What the file system says.
    pub fn save(
        &self,
        directory: &Path,
        rules: &[u8],
        dataset: &DatasetInfo,
        from: Option<&Beginning>,
    ) -> Result<()> {
        let text = seal_json(&serde_json::to_string_pretty(&self.run)?);
        write_atomic(&directory.join(CONFIG_FILE), text.as_bytes())?;
        write_atomic(&directory.join(SYSTEM_FILE), rules)?;
        write_atomic(&directory.join(TOKENIZER_FILE), self.vocabulary.to_json()?.as_bytes())?;
        write_atomic(&directory.join(SEEN_FILE), seen_text(dataset, from)?.as_bytes())
    }
}

/// Which seeds a model of the dataset sees, or what it began with has seen.
fn seen_text(dataset: &DatasetInfo, from: Option<&Beginning>) -> Result<String> {
    let mut seen = dataset.seen_seeds();
    if let Some(from) = from {
        seen.extend(&from.seen);
    }
    Ok(serde_json::to_string_pretty(&seen)? + "\n")
}

/// A trained model that another training begins with.
pub struct Beginning {
    /// What it is known by.
    pub hash: String,
    /// Its configuration, and its system's hash.
    pub run: Run,
    /// Its tokens, which the training keeps.
    pub vocabulary: Vocabulary,
    /// Its weights, by name.
    pub parameters: BTreeMap<String, Tensor>,
    /// What it has seen, which counts as seen by what begins with it.
    pub seen: SeenSeeds,
}

impl Beginning {
    /// Reads the model in a directory.
    ///
    /// # Errors
    /// A file of it is missing, or not as it was written.
    pub fn load(directory: &Path, device: &Device) -> Result<Beginning> {
        let Description { vocabulary, run, .. } = load_description(directory)?;
        let seen = load_seen_seeds(directory)?;
        let (parameters, _) = load_safetensors(&directory.join(MODEL_FILE), device)?;
        Ok(Beginning { hash: content_hash(directory)?, run, vocabulary, parameters, seen })
    }
}

/// Which seeds the model in a directory has seen.
///
/// # Errors
/// The file that says so is missing, or is not as it was written.
pub fn load_seen_seeds(directory: &Path) -> Result<SeenSeeds> {
    load_run(directory)?.expect_file(directory, SEEN_FILE)?;
    let path = directory.join(SEEN_FILE);
    let strange = || format!("{} does not say which seeds a model has seen", path.display());
    serde_json::from_str(&fs::read_to_string(&path).with_context(strange)?).with_context(strange)
}

/// Reads `config.json`.
///
/// # Errors
/// It is missing, or not what it should be.
pub fn load_run(directory: &Path) -> Result<Run> {
    let path = directory.join(CONFIG_FILE);
    let name = path.display();
    let text = fs::read_to_string(&path)
        .with_context(|| format!("{} is not a model: cannot read {name}", directory.display()))?;
    let strange = || format!("{name} is not the description of a Cairn model");
    let value: serde_json::Value = serde_json::from_str(&text).with_context(strange)?;
    let format = value["format"].as_str().unwrap_or_default();
    ensure!(
        format == FORMAT,
        "{name}: format '{format}', expected '{FORMAT}': train models of earlier versions again"
    );
    let object = unseal_json(&name.to_string(), &text)?;
    let run: Run = serde_json::from_str(&object).with_context(strange)?;
    run.config.check().map_err(|mistake| anyhow!("{name}: {mistake}"))?;
    Ok(run)
}

/// Reads what a model's directory says of the model.
///
/// # Errors
/// A file is missing, or not what it should be, or the files do not belong together.
pub fn load_description(directory: &Path) -> Result<Description> {
    let run = load_run(directory)?;
    let (system, _) = system_of(directory, &run.system_hash)?;
    run.expect_file(directory, TOKENIZER_FILE)?;
    let tokenizer = directory.join(TOKENIZER_FILE);
    let vocabulary = Vocabulary::load(system.language.clone(), &tokenizer)?;
    ensure!(
        vocabulary.len() == run.tokens,
        "{}: gives {} tokens, but the model has {}",
        tokenizer.display(),
        vocabulary.len(),
        run.tokens
    );
    Ok(Description { system, vocabulary, run })
}

/// What is needed to go on as if training had not stopped.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Steps done.
    pub step: u64,
    /// The validations so far.
    pub log: Vec<Evaluation>,
    /// What was measured since the last of them.
    pub since: Since,
    /// The batch of the next step.
    pub place: EpochPlace,
    /// Parameters by name.
    pub parameters: BTreeMap<String, Tensor>,
    /// First and second moments of the gradients by parameter.
    pub moments: [BTreeMap<String, Tensor>; 2],
}

#[derive(Serialize, Deserialize)]
struct StateFile {
    step: u64,
    place: EpochPlace,
    since: Since,
    log: Vec<Evaluation>,
    /// Hashes of the weights and of the moments, as in their files.
    weights: String,
    moments: String,
}

/// Writes weights to `model.safetensors`.
///
/// # Errors
/// What the file system says.
pub fn save_model(
    directory: &Path,
    step: u64,
    parameters: &BTreeMap<String, Tensor>,
) -> Result<()> {
    write_atomic(&directory.join(MODEL_FILE), &to_safetensors(parameters, step)?.0)
}

/// The step at which the weights in `model.safetensors` were taken; `None` if there are none.
///
/// # Errors
/// The file is broken, or not as it was written.
pub fn saved_model_step(directory: &Path) -> Result<Option<u64>> {
    let path = directory.join(MODEL_FILE);
    if !path.exists() {
        return Ok(None);
    }
    let (_, Stamp { step, .. }) = load_safetensors(&path, &Device::Cpu)?;
    Ok(Some(step))
}

const MOMENTS: [&str; 2] = ["first", "second"];

impl State {
    /// Writes the state under a name of its own, in one step, and removes older ones.
    ///
    /// # Errors
    /// What the file system says.
    pub fn save(&self, directory: &Path) -> Result<()> {
        let states = directory.join(STATE_DIRECTORY);
        let target = states.join(format!("step-{:08}", self.step));
        let staging = states.join(STAGING);
        let context = || format!("cannot write {}", target.display());
        own_directory(&states)?;
        remove(&staging)?;
        own_directory(&staging)?;
        let mut moments = BTreeMap::new();
        for (which, tensors) in MOMENTS.iter().zip(&self.moments) {
            let named = tensors.iter().map(|(name, t)| (format!("{which}.{name}"), t.clone()));
            moments.extend(named);
        }
        let write = |name: &str, tensors: &BTreeMap<String, Tensor>| -> Result<String> {
            let (bytes, Stamp { sha256, .. }) = to_safetensors(tensors, self.step)?;
            write_atomic(&staging.join(name), &bytes)?;
            Ok(sha256)
        };
        let file = StateFile {
            weights: write(MODEL_FILE, &self.parameters)?,
            moments: write(OPTIMIZER_FILE, &moments)?,
            step: self.step,
            place: self.place,
            since: self.since,
            log: self.log.clone(),
        };
        write_sealed(&staging.join(STATE_FILE), &serde_json::to_string_pretty(&file)?)?;
        remove(&target)?;
        fs::rename(&staging, &target).with_context(context)?;
        State::remove_old(directory)
    }

    /// Removes what a killed process left beside the newest state: older ones, and one that was
    /// being written.
    ///
    /// # Errors
    /// `training_state` is a link, or what the file system says.
    pub fn remove_old(directory: &Path) -> Result<()> {
        let states = directory.join(STATE_DIRECTORY);
        if fs::symlink_metadata(&states).is_err() {
            return Ok(());
        }
        own_directory(&states)?;
        remove(&states.join(STAGING))?;
        let mut found = saved_states(&states)?;
        found.pop();
        found.iter().try_for_each(|(_, path)| remove(path))
    }

    /// Reads the newest state of a directory, if there is one.
    ///
    /// # Errors
    /// A file of it is missing or not as it was written; it is named.
    pub fn load(directory: &Path, device: &Device) -> Result<Option<State>> {
        let Some((step, path)) = saved_states(&directory.join(STATE_DIRECTORY))?.pop() else {
            return Ok(None);
        };
        let state_file = path.join(STATE_FILE);
        let name = state_file.display();
        let file: StateFile = serde_json::from_str(&read_sealed(&state_file, "the state")?)
            .with_context(|| format!("{name} is not the state of a training"))?;
        ensure!(file.step == step, "{name}: step {}, expected {step}", file.step);
        let read = |name: &str, sha256: &str| {
            let (tensors, stamp) = load_safetensors(&path.join(name), device)?;
            ensure!(
                stamp == Stamp { step, sha256: sha256.to_owned() },
                "{} is of another checkpoint than {STATE_FILE} beside it",
                path.join(name).display()
            );
            Ok(tensors)
        };
        let parameters = read(MODEL_FILE, &file.weights)?;
        let optimizer = path.join(OPTIMIZER_FILE);
        let mut all = read(OPTIMIZER_FILE, &file.moments)?;
        let mut moments = [BTreeMap::new(), BTreeMap::new()];
        for (which, tensors) in MOMENTS.iter().zip(&mut moments) {
            for (name, parameter) in &parameters {
                let key = format!("{which}.{name}");
                let moment = all
                    .remove(&key)
                    .with_context(|| format!("{}: no tensor '{key}'", optimizer.display()))?;
                ensure!(
                    moment.shape() == parameter.shape(),
                    "{}: tensor '{key}' has shape {:?}, expected {:?}",
                    optimizer.display(),
                    moment.dims(),
                    parameter.dims()
                );
                tensors.insert(name.clone(), moment);
            }
        }
        let StateFile { log, since, place, .. } = file;
        Ok(Some(State { step, log, since, place, parameters, moments }))
    }
}

/// Removes a directory, or a link without what it leads to, if there is one.
fn remove(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// The states in a directory by step, ascending.
fn saved_states(states: &Path) -> Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    if !states.exists() {
        return Ok(found);
    }
    for entry in
        fs::read_dir(states).with_context(|| format!("cannot read {}", states.display()))?
    {
        let entry = entry?;
        let name = entry.file_name();
        let step = name.to_str().and_then(|name| name.strip_prefix("step-")?.parse().ok());
        if let Some(step) = step {
            found.push((step, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_told_from_another_by_its_weights() {
        let directory = tempfile::tempdir().unwrap();
        for name in [CONFIG_FILE, TOKENIZER_FILE, MODEL_FILE] {
            fs::write(directory.path().join(name), name).unwrap();
        }
        let before = content_hash(directory.path()).unwrap();
        fs::write(directory.path().join(MODEL_FILE), "other weights").unwrap();
        assert_ne!(content_hash(directory.path()).unwrap(), before);
        fs::remove_file(directory.path().join(MODEL_FILE)).unwrap();
        assert!(content_hash(directory.path()).unwrap_err().to_string().contains(MODEL_FILE));
    }
}
