//! Trained beside the decoder, the value head tells how many steps are between two terms.

mod common;

use dataset_gen::triples::triple_rows::Triple;
use egraph::TermBank;
use model::training::log::ValueFit;
use model::training::runs::{TrainReport, train};
use model::{Device, GuideModel};
use std::ops::ControlFlow;
use std::path::Path;

/// Triples whose proofs are as long as their starts are large.
fn triples(seed: u64, count: usize) -> Vec<Triple> {
    let mut triples = common::triples(seed, count);
    for triple in &mut triples {
        let nodes = triple.start.split_whitespace().count() as u32;
        (triple.steps_start_guide, triple.steps_guide_target) = (1, nodes);
    }
    triples
}

fn trained(data: &Path, out: &Path, weight: Option<f64>) -> TrainReport {
    let mut config = common::small_config();
    config.training.steps = 150;
    config.training.evaluate_every = 150;
    if let Some(weight) = weight {
        config.model.value_head = true;
        config.training.value_weight = weight;
    }
    train(data, out, &common::options(config), &mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn and_what_it_tells_is_better_than_a_constant() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    common::write_dataset(&data, &triples(1, 300), &triples(2, 40));
    let fit = |name: &str, weight| {
        let out = directory.path().join(name);
        trained(&data, &out, weight).log.last().unwrap().value
    };
    assert_eq!(fit("without", None), None);
    let ValueFit { error, spread } = fit("with", Some(1.0)).unwrap();
    let slow = fit("hardly", Some(1e-9)).unwrap();
    assert_eq!(slow.spread, spread);
    assert!(error < 0.5 * spread && error < 0.5 * slow.error, "{error}, {spread}, {}", slow.error);

    // What is loaded again tells the same.
    let model = GuideModel::load(&directory.path().join("with"), &Device::Cpu).unwrap();
    assert!(model.has_value_head());
    let mut bank = TermBank::new(common::system().language);
    let triples = triples(2, 40);
    let pairs: Vec<_> = triples
        .iter()
        .map(|triple| {
            let [start, _, target] = triple.terms(&mut bank).unwrap();
            (start, target)
        })
        .collect();
    let values = model.values(&bank, &pairs).unwrap();
    let squares = triples.iter().zip(values).map(|(triple, value)| {
        (f64::from(value.unwrap()) - f64::from(1 + triple.steps_guide_target).ln()).powi(2)
    });
    let again = (squares.sum::<f64>() / triples.len() as f64).sqrt();
    assert!((again - f64::from(error)).abs() < 1e-4, "{again}, {error}");
}
