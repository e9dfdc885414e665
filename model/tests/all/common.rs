//! A small language, and a dataset of triples in which operands are swapped.
#![allow(dead_code)] // benches and the test of a GPU use a part

use dataset_gen::{DatasetInfo, Provenance, Split, Triple, write_triples};
use egraph::{System, TermBank, TermId};
use model::config::Config;
use model::geometry::relations::Relation;
use model::{Device, GuideModel};
use model::{TrainOptions, train};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub const RULES: &str = "(sort Int) (sort Bool)
(op + (Int Int) Int) (op * (Int Int) Int) (op neg (Int) Int)
(op < (Int Int) Bool) (op && (Bool Bool) Bool) (op select (Bool Int Int) Int)
(literal i64 Int) (literal bool Bool) (variable Int)
(rewrite (+ ?a ?b) (+ ?b ?a) :name add-comm)
";

pub fn system() -> System {
    System::parse(RULES).unwrap()
}

fn random_text(rng: &mut ChaCha8Rng, size: usize) -> String {
    if size <= 1 {
        return match rng.random_range(0..4) {
            0 => rng.random_range(-20..300).to_string(),
            _ => format!("v{}", rng.random_range(0..4)),
        };
    }
    let left = rng.random_range(1..size.max(2));
    let (a, b) = (random_text(rng, left), random_text(rng, size - left));
    match rng.random_range(0..6) {
        0 => format!("(* {a} {b})"),
        1 => format!("(select (< {a} {b}) {a} {b})"),
        2 => format!("(neg (+ {a} {b}))"),
        _ => format!("(+ {a} {b})"),
    }
}

/// `t` with the operands of every `+` at an odd (or even) depth swapped.
fn swap(bank: &mut TermBank, t: TermId, depth: usize, odd: usize) -> TermId {
    let mut children = bank.children(t).to_vec();
    for c in &mut children {
        *c = swap(bank, *c, depth + 1, odd);
    }
    if bank.text(t).starts_with("(+") && depth % 2 == odd {
        children.reverse();
    }
    bank.add(bank.head(t), &children)
}

pub fn triples(seed: u64, count: usize) -> Vec<Triple> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bank = TermBank::new(system().language);
    (0..count)
        .map(|i| {
            let size = rng.random_range(4..7);
            let start = bank.parse(&random_text(&mut rng, size), None).unwrap();
            let guide = swap(&mut bank, start, 0, 0);
            let target = swap(&mut bank, guide, 0, 1);
            Triple {
                id: i as u64,
                start: bank.text(start),
                guide: bank.text(guide),
                target: bank.text(target),
                ..Triple::default()
            }
        })
        .collect()
}

/// Writes a dataset to `directory`.
pub fn write_dataset(directory: &Path, train: &[Triple], validation: &[Triple]) {
    std::fs::create_dir_all(directory).unwrap();
    std::fs::write(directory.join("system.rules"), RULES).unwrap();
    for (split, triples) in [(Split::Train, train), (Split::Validation, validation)] {
        write_triples(directory, split, triples).unwrap();
    }
    let info = DatasetInfo {
        description: "swapped operands".to_owned(),
        features: Default::default(),
        splits: Default::default(),
        download_size: 0,
        cairn: Provenance {
            found: false,
            version: "0".to_owned(),
            system_hash: system().hash,
            seeds_hash: String::new(),
            seed: 0,
            config: Default::default(),
            files: Default::default(),
            totals: Default::default(),
            seeds: Vec::new(),
        },
    };
    info.save(&directory.join("dataset_info.json")).unwrap();
}

/// A model small enough for a test.
pub fn small_config() -> Config {
    let mut config = Config::default();
    config.model.width = 48;
    config.model.heads = 4;
    config.model.relation_heads =
        [(Relation::Ancestor, 2), (Relation::Sibling, 2)].into_iter().collect();
    config.model.encoder_layers = 1;
    config.model.decoder_layers = 2;
    config.model.feed_forward = 96;
    config.training.batch_tokens = 250;
    config.training.warmup_steps = 5;
    config.training.learning_rate = 5e-3;
    config
}

/// A small model that has been trained for a few steps.
pub fn small_model(steps: u64) -> GuideModel {
    model_of(small_config(), steps)
}

/// A model of this shape, trained for a few steps.
pub fn model_of(config: Config, steps: u64) -> GuideModel {
    let directory = tempfile::tempdir().unwrap();
    let out = trained_in(directory.path(), config, steps);
    GuideModel::load(&out, &Device::Cpu).unwrap()
}

/// Trains such a model for a few steps, and says where in `directory` it is.
pub fn trained_in(directory: &Path, mut config: Config, steps: u64) -> PathBuf {
    let (data, out) = (directory.join("data"), directory.join("out"));
    write_dataset(&data, &triples(1, 40), &triples(2, 3));
    config.training.steps = steps;
    let options = options(config);
    train(&data, &out, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    out
}

/// How a test trains a model of this shape.
pub fn options(config: Config) -> TrainOptions {
    TrainOptions {
        config: Some(config),
        steps: None,
        seed: 0,
        fraction: None,
        from: None,
        resume: false,
        device: Device::Cpu,
        quiet: true,
        stop: Default::default(),
    }
}
