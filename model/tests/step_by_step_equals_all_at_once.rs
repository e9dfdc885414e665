//! Generation computes the same function as training: logits of a guide written node by node with
//! cached keys and values equal those of the whole guide at once. And training reaches everything:
//! every parameter gets a gradient.

mod common;

use candle_core::{Device, Tensor};
use dataset_gen::seeds::normal_form::Renaming;
use model::config::ModelConfig;
use model::decoding::tree_builder::TreeBuilder;
use model::network::batch::{Features, decoder_batch, decoder_step, encoder_batch};
use model::network::dropout::Dropout;
use model::network::parameters::Parameters;
use model::network::transformer::{Cache, Transformer};
use model::tokens::tree::tokenise;
use model::tokens::vocabulary::Vocabulary;
use model::training::examples::masks::Masks;
use model::training::loss::{Targets, loss};
use std::sync::Arc;

struct World {
    vocabulary: Vocabulary,
    config: ModelConfig,
    features: Features,
    /// Start, target and guide per triple.
    trees: Vec<[TreeBuilder; 3]>,
}

impl World {
    fn new() -> World {
        let system = common::system();
        let vocabulary = Vocabulary::build(system.language.clone(), &Default::default()).unwrap();
        let mut bank = egraph::TermBank::new(system.language.clone());
        let trees = common::triples(3, 5)
            .iter()
            .map(|triple| {
                let terms = triple.terms(&mut bank).unwrap();
                let renaming = Renaming::new(&bank, &terms);
                let tree = |i: usize| tokenise(&vocabulary, &bank, terms[i], &renaming).unwrap();
                [tree(0), tree(2), tree(1)]
            })
            .collect();
        let features = Features::new(&vocabulary);
        World { vocabulary, config: common::small_config().model, features, trees }
    }

    fn side(&self, i: usize) -> Vec<&TreeBuilder> {
        self.trees.iter().map(|t| &t[i]).collect()
    }

    fn network(&self) -> (Transformer, Parameters) {
        let mut parameters = Parameters::random(1, &Device::Cpu);
        let n = self.vocabulary.len();
        let network = Transformer::new(&self.config, self.features, n, &mut parameters).unwrap();
        (network, parameters)
    }
}

#[test]
fn logits_agree() {
    let world = World::new();
    let (network, _) = world.network();
    let (features, buckets) = (world.features, world.config.buckets());
    let start = encoder_batch(features, buckets, &world.side(0));
    let target = encoder_batch(features, buckets, &world.side(1));
    let memory = network.encode(&start, &target, &Dropout::none()).unwrap();
    let (guide, targets) = decoder_batch(features, buckets, &world.side(2));
    let whole = network.decode(&guide, &memory, None, &Dropout::none()).unwrap();
    let n = targets.len() / world.trees.len();
    let whole: Vec<Vec<f32>> = whole.to_vec2().unwrap();

    // Rows leave when their guide is complete, and start out in another order than the tasks.
    let mut rows: Vec<u32> = vec![3, 1, 4, 0, 2, 1];
    let mut cache = Cache::default();
    let mut compared = 0;
    for t in 0..n {
        let kept: Vec<u32> = (0..rows.len() as u32)
            .filter(|i| world.trees[rows[*i as usize] as usize][2].tokens().len() > t)
            .collect();
        rows = kept.iter().map(|i| rows[*i as usize]).collect();
        cache.select(&kept).unwrap();
        if rows.is_empty() {
            break;
        }
        let written: Vec<TreeBuilder> = rows
            .iter()
            .map(|row| {
                let guide = &world.trees[*row as usize][2];
                let mut tree = TreeBuilder::new(egraph::SortId(guide.slots()[0].sort));
                for token in &guide.tokens()[..t] {
                    tree.push(&world.vocabulary, *token).unwrap();
                }
                tree
            })
            .collect();
        let written: Vec<&TreeBuilder> = written.iter().collect();
        let step = decoder_step(features, buckets, &written);
        let logits = network.decode_step(&step, &memory, &rows, &mut cache).unwrap();
        let logits: Vec<Vec<f32>> = logits.to_vec2().unwrap();
        for (row, logits) in rows.iter().zip(&logits) {
            let expected = &whole[*row as usize * n + t];
            for (a, b) in logits.iter().zip(expected) {
                assert!((a - b).abs() < 1e-5, "row {row}, node {t}: {a} and {b}");
                compared += 1;
            }
        }
    }
    assert!(compared > 1000);
}

#[test]
fn every_parameter_gets_a_gradient() {
    let world = World::new();
    let (network, parameters) = world.network();
    let (features, buckets) = (world.features, world.config.buckets());
    let start = encoder_batch(features, buckets, &world.side(0));
    let target = encoder_batch(features, buckets, &world.side(1));
    let (guide, targets) = decoder_batch(features, buckets, &world.side(2));
    let dropout = Dropout::new(0.1, 0, 0);
    let memory = network.encode(&start, &target, &dropout).unwrap();
    let logits = network.decode(&guide, &memory, None, &dropout).unwrap();
    let mut sets = Masks::new(world.vocabulary.len());
    let all = sets.insert(&[u64::MAX >> (64 - world.vocabulary.len() % 64)]);
    let masks = vec![all; targets.len()];
    let targets = Arc::new(Targets { tokens: targets, masks, sets: Arc::new(sets) });
    let loss = loss(&logits, &targets, 100, 0.0).unwrap();
    let gradients = loss.backward().unwrap();
    let vars = parameters.finish().unwrap();
    assert!(vars.len() > 40);
    for (name, var) in &vars {
        let gradient: &Tensor = gradients.get(var).unwrap_or_else(|| panic!("none for {name}"));
        let largest = gradient.abs().unwrap().max_all().unwrap().to_scalar::<f32>().unwrap();
        assert!(largest > 0.0 && largest.is_finite(), "{name}: {largest}");
    }
}
