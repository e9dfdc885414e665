//! Loss, gradients and updates on a GPU against those of the processor, where a GPU is.
#![cfg(feature = "cuda")]

#[path = "all/common.rs"]
mod common;

use candle_core::{Device, Tensor};
use model::config::{Config, Precision};
use model::geometry::positions::Positions;
use model::network::ops::loss::Score;
use model::network::parameters::Parameters;
use model::training::adamw::AdamW;
use model::training::examples::data::{Dataset, Example};
use model::training::examples::token_file::Examples;
use model::training::step::Fitting;
use model::training::workers::Workers;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a step of training comes to: the score, the norm of the gradient, gradients, and parameters.
struct Step {
    score: Score,
    validation: Score,
    norm: f64,
    gradients: BTreeMap<String, Vec<f32>>,
    parameters: BTreeMap<String, Vec<f32>>,
}

fn flat(tensor: &Tensor) -> Vec<f32> {
    tensor.flatten_all().unwrap().to_vec1().unwrap()
}

/// The numbers that a network begins with, on every device the same.
type Drawn = BTreeMap<String, Tensor>;

fn drawn(config: &Config, examples: &Examples) -> Drawn {
    let (parameters, workers) = (Parameters::random(1, &Device::Cpu), Workers::new(1).unwrap());
    let (vocabulary, masks) = (&examples.vocabulary, examples.masks.clone());
    let fitting = Fitting::new(config, vocabulary, parameters, masks, 1, workers).unwrap();
    fitting.vars.iter().map(|(name, var)| (name.clone(), var.as_detached_tensor())).collect()
}

fn step(
    config: &Config,
    drawn: &Drawn,
    examples: &Examples,
    batch: &[Example],
    device: &Device,
) -> Step {
    let (vocabulary, masks) = (&examples.vocabulary, examples.masks.clone());
    let given = Parameters::given(drawn.clone().into_iter().collect(), device);
    let workers = Workers::new(1).unwrap();
    let fitting = Fitting::new(config, vocabulary, given, masks, 1, workers).unwrap();
    let outcome = fitting.outcome(batch, 0).unwrap();
    let mut adam = AdamW::new(&fitting.vars, 0.1).unwrap();
    let norm = adam.update(&fitting.vars, &outcome.gradients, 1e-3, 1.0).unwrap();
    Step {
        score: outcome.tally.read().unwrap(),
        validation: fitting.score(batch).unwrap(),
        norm,
        gradients: outcome.gradients.iter().map(|(n, g)| (n.clone(), flat(g))).collect(),
        parameters: fitting.vars.iter().map(|(n, v)| (n.clone(), flat(v))).collect(),
    }
}

/// How far apart two lists are, as a part of the length of the first.
fn apart(a: &[f32], b: &[f32]) -> f64 {
    let square = |x: f32| f64::from(x) * f64::from(x);
    let difference: f64 = a.iter().zip(b).map(|(a, b)| square(a - b)).sum();
    let length: f64 = a.iter().map(|a| square(*a)).sum();
    difference.sqrt() / length.sqrt().max(1e-6)
}

#[test]
fn a_step_on_a_gpu_is_that_of_the_processor() {
    let gpu = match model::first_gpu() {
        Ok(gpu) => gpu,
        Err(reason) => return eprintln!("no GPU, nothing is tested: {reason}"),
    };
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    common::write_dataset(&data, &common::triples(1, 40), &common::triples(2, 3));
    let dataset = Dataset::load(&data).unwrap();
    for positions in [Positions::Tree, Positions::Rope, Positions::None] {
        let mut config = common::small_config();
        config.model.positions = positions;
        if positions != Positions::Tree {
            config.model.relation_heads = BTreeMap::new();
        }
        let examples = Examples::open(&dataset, &config, None, &data, &false.into()).unwrap();
        let mut batch: Vec<Example> = (0..30).map(|i| examples.train(i).unwrap()).collect();
        batch.sort_by_key(Example::len);
        // A GPU takes a batch in larger parts than the processor; two examples are one part for both.
        for count in [30, 2] {
            same(&mut config, &examples, &batch[..count], &gpu);
        }
        dropped(&mut config, &examples, &batch, &gpu);
    }
}

/// Each preset, on a few examples: a step of the largest takes the processor seconds.
#[test]
fn a_step_of_each_preset_is_that_of_the_processor() {
    let gpu = match model::first_gpu() {
        Ok(gpu) => gpu,
        Err(reason) => return eprintln!("no GPU, nothing is tested: {reason}"),
    };
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    common::write_dataset(&data, &common::triples(1, 40), &common::triples(2, 3));
    let dataset = Dataset::load(&data).unwrap();
    for preset in ["tiny", "12m", "92m", "312m"] {
        let file = format!("{}/../configs/model/{preset}.toml", env!("CARGO_MANIFEST_DIR"));
        let mut config = Config::load(&PathBuf::from(file).into()).unwrap();
        config.training.dropout = 0.0;
        let examples = Examples::open(&dataset, &config, None, &data, &false.into()).unwrap();
        let batch: Vec<Example> = (0..8).map(|i| examples.train(i).unwrap()).collect();
        same(&mut config, &examples, &batch, &gpu);
        eprintln!("{preset}: the same");
    }
}

/// Masks on a GPU are others than on the processor; they follow from the seed, and drop something.
fn dropped(config: &mut Config, examples: &Examples, batch: &[Example], gpu: &Device) {
    let drawn = drawn(config, examples);
    let mut of = |dropout: f64| {
        config.training.dropout = dropout;
        step(config, &drawn, examples, batch, gpu)
    };
    let [none, once, again] = [0.0, 0.3, 0.3].map(&mut of);
    assert_eq!(once.gradients, again.gradients);
    assert!(once.score.nats != none.score.nats && once.norm.is_finite());
    config.training.dropout = 0.0;
}

fn same(config: &mut Config, examples: &Examples, batch: &[Example], gpu: &Device) {
    let positions = config.model.positions;
    config.training.precision = Precision::F32;
    let drawn = drawn(config, examples);
    let expected = step(config, &drawn, examples, batch, &Device::Cpu);
    // f32 differs by the order of sums, bf16 by its 8 bits as well.
    for (precision, tolerance) in [(Precision::F32, 1e-3), (Precision::Bf16, 5e-2)] {
        config.training.precision = precision;
        let found = step(config, &drawn, examples, batch, gpu);
        let close = |a: f64, b: f64| (a - b).abs() <= tolerance * a.abs();
        assert_eq!(found.score.tokens, expected.score.tokens);
        assert!(close(expected.score.nats, found.score.nats));
        assert!(close(expected.validation.nats, found.validation.nats));
        assert!(close(expected.norm, found.norm));
        for (name, gradient) in &expected.gradients {
            let apart = apart(gradient, &found.gradients[name]);
            assert!(apart < 2.0 * tolerance, "{positions:?} {precision:?} {name}: {apart}");
        }
        for (name, parameter) in &expected.parameters {
            let apart = apart(parameter, &found.parameters[name]);
            assert!(apart < 2.0 * tolerance, "{positions:?} {precision:?} {name}: {apart}");
        }
        // Again, the same bytes. The largest networks are not asked twice.
        if config.model.width > 512 {
            continue;
        }
        let again = step(config, &drawn, examples, batch, gpu);
        assert_eq!(again.gradients, found.gradients);
        assert_eq!(again.parameters, found.parameters);
    }
}
