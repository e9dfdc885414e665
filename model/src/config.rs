//! The configuration of a model and of its training, read from TOML.

use crate::geometry::positions::Positions;
use crate::geometry::relations::{Buckets, Relation};
use crate::network::ops::attention::inputs::Heads;
use crate::tokens::literals::Literals;
use crate::training::examples::names::Names;
use anyhow::{Result, anyhow};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use support::{InputFile, text_of};

/// The preset that is used when none is named.
const TINY: &str = include_str!("tiny.toml");

/// Bounds the numbers of parts of a step, from which streams of random numbers are counted.
const MOST_BATCH_TOKENS: usize = 1 << 24;

/// A file of `configs/model/`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The shape of the network.
    pub model: ModelConfig,
    /// How it is trained.
    pub training: TrainingConfig,
}

/// A value of a configuration that is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: expected {expected}")]
pub struct Mistake {
    /// The value's key.
    pub key: &'static str,
    /// What was expected.
    pub expected: &'static str,
}

/// The shape of the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Width of a node's vector.
    pub width: usize,
    /// Attention heads; divides the width.
    pub heads: usize,
    /// What attention is told of where nodes stand.
    #[serde(default)]
    pub positions: Positions,
    /// How many of the heads see each relation, together all of them. Only for the positions
    /// `tree`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub relation_heads: BTreeMap<Relation, usize>,
    /// Whether start and target have an encoder each.
    #[serde(default, skip_serializing_if = "is_default")]
    pub encoders: Encoders,
    /// How literals become tokens.
    #[serde(default, skip_serializing_if = "is_default")]
    pub literals: Literals,
    /// Layers of each encoder.
    pub encoder_layers: usize,
    /// Layers of the decoder.
    pub decoder_layers: usize,
    /// Width of the hidden layer of a feed-forward block.
    pub feed_forward: usize,
    /// Relations are clipped to ± this (k in the formulas).
    pub clip: u8,
    /// The largest number of tokens of a term: longer triples are left out of the training, and
    /// tasks with longer terms get no guides.
    pub max_tokens: usize,
}

/// What encodes start and target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoders {
    /// An encoder each.
    #[default]
    Separate,
    /// One encoder for both: the decoder tells them apart by how it attends to them.
    Shared,
}

impl Encoders {
    /// How many there are.
    pub fn count(self) -> usize {
        match self {
            Encoders::Separate => 2,
            Encoders::Shared => 1,
        }
    }
}

/// How a model is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingConfig {
    /// Optimiser steps.
    pub steps: u64,
    /// At most this many tokens of starts, targets and guides in a step, but at least one triple.
    pub batch_tokens: usize,
    /// The learning rate at the end of the warm-up; it then falls to a tenth as a cosine.
    pub learning_rate: f64,
    /// Steps over which the learning rate rises.
    pub warmup_steps: u64,
    /// Decoupled weight decay of the matrices.
    pub weight_decay: f64,
    /// The gradient is scaled down to this norm if it is longer.
    pub clip_norm: f64,
    /// Probability that an activation is dropped, from 0 to below 1.
    pub dropout: f64,
    /// Which names the leaves of a training triple have.
    #[serde(default, skip_serializing_if = "is_default")]
    pub names: Names,
    /// What activations are; only a GPU computes with bf16.
    #[serde(default, skip_serializing_if = "is_default")]
    pub precision: Precision,
    /// Part of a target's probability that is spread over all tokens allowed in its place.
    #[serde(default)]
    pub label_smoothing: f64,
    /// Steps between validations; each writes a checkpoint.
    pub evaluate_every: u64,
    /// Training ends early after this many validations without a lower loss; 0 for never.
    #[serde(default)]
    pub patience: u64,
    /// A checkpoint is written also when this many minutes have passed since the last one.
    #[serde(default = "ten_minutes")]
    pub checkpoint_minutes: f64,
    /// At most this many triples of the validation split are looked at.
    pub validation_triples: usize,
}

/// The numbers of activations. Parameters, their gradients and moments, and the sums within an operation
/// are f32 in either case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32 bits.
    #[default]
    F32,
    /// 16 bits, of which 8 are the exponent: half the memory, and many times the speed on a GPU.
    Bf16,
}

/// Whether a value is that of configurations without its key, so that it is not written.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn ten_minutes() -> f64 {
    10.0
}

impl Default for Config {
    /// The preset `tiny`.
    fn default() -> Config {
        Config::parse(TINY).expect("the preset is checked by a test")
    }
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// The file can't be read, has an unknown or a missing key or a value out of range; the
    /// message has file and line.
    pub fn load(file: &InputFile) -> Result<Config> {
        let text = text_of(file.read("the configuration")?, file.path())?;
        Config::parse(&text).map_err(|e| anyhow!("{file}:{e}"))
    }

    /// Reads the text of a file. The message of an error begins with the line.
    fn parse(text: &str) -> Result<Config> {
        let config: Config = toml::from_str(text).map_err(|e| {
            let at = e.span().map_or(0, |span| span.start);
            let line = text[..at.min(text.len())].matches('\n').count() + 1;
            anyhow!("{line}: {}", e.message())
        })?;
        // What is wrong with a value is said with the line of its key.
        config.check().map_err(|mistake| {
            let at = |l: &str| l.trim_start().starts_with(mistake.key);
            let line = text.lines().position(at).unwrap_or(0) + 1;
            anyhow!("{line}: {mistake}")
        })?;
        Ok(config)
    }

    /// Whether all values are in their ranges.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<(), Mistake> {
        let check =
            |key, ok: bool, expected| if ok { Ok(()) } else { Err(Mistake { key, expected }) };
        let (m, t) = (&self.model, &self.training);
        check("heads", m.heads >= 2, "at least 2")?;
        check("width", m.width > 0 && m.width.is_multiple_of(m.heads), "a multiple of heads")?;
        let shares = &m.relation_heads;
        let sum = shares.values().fold(0usize, |sum, heads| sum.saturating_add(*heads));
        match m.positions {
            Positions::Tree => {
                let right = sum == m.heads && shares.values().all(|heads| *heads > 0);
                check("relation_heads", right, "numbers above 0 that sum to heads")?;
            }
            Positions::Rope | Positions::None => {
                check("relation_heads", shares.is_empty(), "none without positions = \"tree\"")?;
            }
        }
        if m.positions == Positions::Rope {
            let even = (m.width / m.heads).is_multiple_of(2);
            check("width", even, "an even width of every head for positions = \"rope\"")?;
        }
        // Ten times what the largest preset has, so that a slip of the keyboard is not an
        // allocation that can't be made.
        check("width", m.width <= 16_384, "at most 16384")?;
        check("encoder_layers", (1..=256).contains(&m.encoder_layers), "1 to 256")?;
        check("decoder_layers", (1..=256).contains(&m.decoder_layers), "1 to 256")?;
        check("feed_forward", (1..=65_536).contains(&m.feed_forward), "1 to 65536")?;
        check("clip", (1..=100).contains(&m.clip), "1 to 100")?;
        check("max_tokens", (1..=8_192).contains(&m.max_tokens), "1 to 8192")?;
        check("steps", t.steps > 0, "at least 1")?;
        check("batch_tokens", (1..=MOST_BATCH_TOKENS).contains(&t.batch_tokens), "1 to 16777216")?;
        check("learning_rate", t.learning_rate > 0.0 && t.learning_rate < 1.0, "0 to 1")?;
        check("weight_decay", (0.0..1.0).contains(&t.weight_decay), "0 to 1")?;
        check("clip_norm", t.clip_norm > 0.0, "a positive number")?;
        check("dropout", (0.0..1.0).contains(&t.dropout), "0 to below 1")?;
        check("label_smoothing", (0.0..1.0).contains(&t.label_smoothing), "0 to below 1")?;
        let minutes = t.checkpoint_minutes > 0.0 && t.checkpoint_minutes <= 1e6;
        check("checkpoint_minutes", minutes, "a positive number of at most 1000000")?;
        check("evaluate_every", t.evaluate_every > 0, "at least 1")?;
        check("validation_triples", t.validation_triples > 0, "at least 1")
    }
}

impl ModelConfig {
    /// The division of the width into heads, and what they see.
    pub fn heads(&self) -> Heads {
        let shares = self.relation_heads.iter();
        let relations = shares.flat_map(|(r, heads)| std::iter::repeat_n(*r, *heads));
        Heads {
            width: self.width,
            count: self.heads,
            relations: relations.collect(),
            buckets: Buckets { k: self.clip },
            rope: self.positions == Positions::Rope,
        }
    }
}

impl TrainingConfig {
    /// The learning rate of a step, from 0: a linear rise, then a cosine down to a tenth.
    pub fn learning_rate_at(&self, step: u64) -> f64 {
        if step < self.warmup_steps {
            return self.learning_rate * (step + 1) as f64 / self.warmup_steps as f64;
        }
        let rest = self.steps.saturating_sub(self.warmup_steps).max(1) as f64;
        let progress = ((step - self.warmup_steps) as f64 / rest).min(1.0);
        let cosine = 0.5 * (1.0 + (std::f64::consts::PI * progress).cos());
        self.learning_rate * (0.1 + 0.9 * cosine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_valid() {
        Config::default();
        for entry in std::fs::read_dir("../configs/model").unwrap() {
            Config::load(&entry.unwrap().path().into()).unwrap();
        }
    }

    #[test]
    fn mistakes_are_reported_with_file_and_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("mine.toml");
        let message = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Config::load(&path.clone().into()).unwrap_err().to_string()
        };
        let unknown = message(&TINY.replace("clip_norm", "clip_nrom"));
        let line = TINY.lines().position(|l| l.starts_with("clip_norm")).unwrap() + 1;
        assert!(
            unknown.contains(&format!("mine.toml:{line}: unknown field `clip_nrom`")),
            "{unknown}"
        );
        let lost = message(&TINY.replace("[training]", "value_head = true\n[training]"));
        assert!(lost.contains("unknown field `value_head`"), "{lost}");
        let range = message(&TINY.replace("dropout = 0", "dropout = 1"));
        assert!(range.contains("dropout: expected 0 to below 1"), "{range}");
        let huge = message(&TINY.replace("width = 64", "width = 100000000"));
        assert!(huge.contains("width: expected at most 16384"), "{huge}");
        assert!(message("[model]\nwidth = 'x'").contains("mine.toml:2: invalid type"));
        assert!(
            Config::load(&InputFile::Path("none.toml".into()))
                .unwrap_err()
                .to_string()
                .contains("none.toml")
        );
    }

    #[test]
    fn heads_are_shared_out_among_the_relations() {
        let now = "positions = \"tree\"\nrelation_heads = { ancestor = 2, sibling = 2 }";
        assert!(TINY.contains(now));
        let wrong = |new: &str| Config::parse(&TINY.replace(now, new)).unwrap_err().to_string();
        assert!(wrong("relation_heads = { ancestor = 2 }").contains("sum to heads"));
        let none = "positions = \"none\"\nrelation_heads = { ancestor = 4 }";
        assert!(wrong(none).contains("relation_heads"));
    }

    #[test]
    fn encoders_are_separate_where_nothing_is_said_of_them() {
        let tiny = Config::default();
        assert_eq!(tiny.model.encoders, Encoders::Separate);
        assert!(!serde_json::to_string(&tiny).unwrap().contains("encoders"));
        let with = |value: &str| {
            let key = format!("encoders = \"{value}\"\nencoder_layers = 2");
            Config::parse(&TINY.replace("encoder_layers = 2", &key))
        };
        assert_eq!(with("separate").unwrap(), tiny);
        let shared = with("shared").unwrap();
        assert_eq!(shared.model.encoders, Encoders::Shared);
        let text = serde_json::to_string(&shared).unwrap();
        assert_eq!(serde_json::from_str::<Config>(&text).unwrap(), shared);
        let wrong = with("one").unwrap_err().to_string();
        assert!(wrong.contains("expected `separate` or `shared`"), "{wrong}");
    }

    #[test]
    fn numbers_come_back_from_json_as_they_were() {
        let mut config = Config::default();
        for i in 1..2_000u32 {
            config.training.learning_rate = f64::from(i).sqrt() / 1e3;
            let text = serde_json::to_string(&config).unwrap();
            assert_eq!(serde_json::from_str::<Config>(&text).unwrap(), config);
        }
    }

    #[test]
    fn the_learning_rate_rises_and_falls() {
        let t = TrainingConfig { steps: 100, warmup_steps: 10, ..Config::default().training };
        let rate = |step| t.learning_rate_at(step) / t.learning_rate;
        assert!((rate(0) - 0.1).abs() < 1e-9);
        assert!((rate(9) - 1.0).abs() < 1e-9 && (rate(10) - 1.0).abs() < 1e-9);
        assert!((rate(55) - 0.55).abs() < 1e-9);
        assert!((rate(100) - 0.1).abs() < 1e-9);
    }
}
