//! Generation computes the same function as training: logits of a guide written node by node with
//! cached keys and values equal those of the whole guide at once. And training reaches everything:
//! every parameter gets a gradient.

use crate::common;
use candle_core::{Device, Tensor};
use model::config::{Encoders, ModelConfig};
use model::geometry::positions::Positions;
use model::network::batch::{Features, decoder_batch, decoder_step, encoder_batch};
use model::network::cache::Cache;
use model::network::ops::dropout::Dropout;
use model::network::ops::loss::targets::Masks;
use model::network::ops::loss::targets::Targets;
use model::network::ops::tensors::OnGpu;
use model::network::parameters::Parameters;
use model::network::transformer::Transformer;
use model::tokens::literals::Literals;
use model::tokens::tree::tokenise;
use model::tokens::tree_builder::TreeBuilder;
use model::tokens::vocabulary::Vocabulary;
use std::sync::Arc;
use terms::Renaming;

struct World {
    vocabulary: Vocabulary,
    config: ModelConfig,
    features: Features,
    /// Start, target and guide per triple.
    trees: Vec<[TreeBuilder; 3]>,
}

impl World {
    fn new((positions, encoders): Scheme) -> World {
        let system = common::system();
        let vocabulary =
            Vocabulary::build(system.language.clone(), Literals::Named, &Default::default())
                .unwrap();
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
        let features = Features::new(&vocabulary, positions);
        let mut config = common::small_config().model;
        (config.positions, config.encoders) = (positions, encoders);
        if positions != Positions::Tree {
            config.relation_heads.clear();
        }
        World { vocabulary, config, features, trees }
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

type Scheme = (Positions, Encoders);

const SCHEMES: [Scheme; 4] = [
    (Positions::Tree, Encoders::Separate),
    (Positions::Rope, Encoders::Separate),
    (Positions::None, Encoders::Separate),
    (Positions::Tree, Encoders::Shared),
];

#[test]
fn logits_agree() {
    SCHEMES.into_iter().for_each(logits_agree_with);
}

fn logits_agree_with(scheme: Scheme) {
    let world = World::new(scheme);
    let (network, _) = world.network();
    let features = world.features;
    let start = encoder_batch(features, &world.side(0));
    let target = encoder_batch(features, &world.side(1));
    let memory = network.encode(&start, &target, &Dropout::none()).unwrap();
    let (guide, targets) = decoder_batch(features, &world.side(2));
    let whole = network.decode(&guide, &memory, &Dropout::none()).unwrap();
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
        cache.select(&kept);
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
        let step = decoder_step(features, &written);
        let logits = network.decode_step(step, &memory, &rows, &mut cache).unwrap();
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

/// The loss of the guides' tokens.
fn loss(world: &World, network: &Transformer) -> Tensor {
    let features = world.features;
    let start = encoder_batch(features, &world.side(0));
    let target = encoder_batch(features, &world.side(1));
    let (guide, targets) = decoder_batch(features, &world.side(2));
    let dropout = Dropout::none();
    let memory = network.encode(&start, &target, &dropout).unwrap();
    let logits = network.decode(&guide, &memory, &dropout).unwrap();
    let mut sets = Masks::new(world.vocabulary.len());
    let all = sets.insert(&[u64::MAX >> (64 - world.vocabulary.len() % 64)]);
    let masks = vec![all; targets.len()];
    let (tokens, sets, on_gpu) = (targets, Arc::new(sets), OnGpu::default());
    let targets = Arc::new(Targets { tokens, masks, sets, on_gpu });
    model::network::ops::loss::loss(&logits, &targets, 20, 0.0).unwrap()
}

/// Every parameter is reached, and along its gradient the loss changes as the gradient says.
#[test]
fn every_parameter_gets_the_gradient_of_the_loss() {
    for scheme in SCHEMES {
        let world = World::new(scheme);
        let (network, parameters) = world.network();
        let gradients = loss(&world, &network).backward().unwrap();
        let vars = parameters.finish().unwrap();
        assert!(vars.len() > 40);
        for (name, var) in &vars {
            let gradient: &Tensor =
                gradients.get(var).unwrap_or_else(|| panic!("{scheme:?}: none for {name}"));
            let norm = gradient.sqr().unwrap().sum_all().unwrap().sqrt().unwrap();
            let norm = norm.to_scalar::<f32>().unwrap();
            assert!(norm > 0.0 && norm.is_finite(), "{scheme:?}, {name}: {norm}");
            let before = var.as_tensor().copy().unwrap();
            let step = 5e-3f64;
            let shifted = |by: f64| {
                let direction = (gradient * (by / f64::from(norm))).unwrap();
                var.set(&(&before + direction).unwrap()).unwrap();
                f64::from(loss(&world, &network).to_scalar::<f32>().unwrap())
            };
            let difference = (shifted(step) - shifted(-step)) / (2.0 * step);
            var.set(&before).unwrap();
            let error = (difference - f64::from(norm)).abs();
            assert!(
                error < 2e-3 + 0.02 * difference.abs(),
                "{scheme:?}, {name}: {difference} and {norm}"
            );
        }
    }
}

/// Sharing takes the place of one of two encoders, and separate ones keep names and order.
#[test]
fn a_shared_encoder_is_one_encoder_less() {
    let named = |encoders: Encoders, name: &str| -> (usize, usize) {
        let (_, parameters) = World::new((Positions::Tree, encoders)).network();
        let vars = parameters.finish().unwrap();
        let of = vars.iter().filter(|(n, _)| n.split('.').next() == Some(name));
        (vars.values().map(|v| v.elem_count()).sum(), of.map(|(_, v)| v.elem_count()).sum())
    };
    let (separate, start) = named(Encoders::Separate, "start");
    assert_eq!(named(Encoders::Separate, "target").1, start);
    assert_eq!(named(Encoders::Separate, "encoder").1, 0);
    assert_eq!(named(Encoders::Shared, "encoder"), (separate - start, start));
    for name in ["start", "target"] {
        assert_eq!(named(Encoders::Shared, name).1, 0);
    }
}
