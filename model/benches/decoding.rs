//! Decoding with cached keys and values, in batches, beside running the decoder on the whole tree
//! again for every token.
//!
//! `cargo bench -p cairn-model --bench decoding -- [QUICKSTART]`: with the directory of a `cairn quickstart`, its
//! model writes guides for its validation triples; otherwise the preset `tiny`, hardly trained, for random ones, which
//! are shorter.
//!
//! The sides take turns in one process; medians are printed. Tokens are counted by the second of
//! processor time of the one thread.

#[path = "../tests/all/common.rs"]
mod common;
mod measure;

use candle_core::{Device, Tensor};
use dataset_gen::{Split, Triple, read_triples};

use egraph::{TermBank, TermId};
use model::DecodeOptions;
use model::GuideModel;
use model::config::{Config, ModelConfig};
use model::network::batch::{Features, decoder_batch, encoder_batch};
use model::network::ops::dropout::Dropout;
use model::network::parameters::{Parameters, load_safetensors};
use model::network::transformer::Transformer;
use model::tokens::tree::tokenise;
use model::tokens::tree_builder::TreeBuilder;
use model::tokens::vocabulary::Vocabulary;
use model::training::checkpoint::{Description, MODEL_FILE, load_description};
use std::collections::BTreeMap;
use std::path::Path;
use terms::Renaming;

const ROUNDS: usize = 7;
const QUESTIONS: usize = 64;
const GUIDES: usize = 8;
/// Trees that are written again node by node.
const AGAIN: usize = 24;

/// A model, the parts that it is made of, and questions to it.
struct Subject {
    model: GuideModel,
    vocabulary: Vocabulary,
    features: Features,
    network: Transformer,
    questions: Vec<Triple>,
}

/// The preset `tiny`, hardly trained, and a network of the same shape.
fn hardly_trained() -> Subject {
    let model = common::model_of(Config::default(), 60);
    let config = Config::default().model;
    let counts = rustc_hash::FxHashMap::default();
    let vocabulary = Vocabulary::build(model.language().clone(), config.literals, &counts).unwrap();
    let features = Features::new(&vocabulary, config.positions);
    // Drawn, then fixed, so that nothing is kept for gradients.
    let mut drawn = Parameters::random(1, &Device::Cpu);
    Transformer::new(&config, features, vocabulary.len(), &mut drawn).unwrap();
    let tensors = drawn.finish().unwrap().into_iter();
    let tensors = tensors.map(|(name, var)| (name, var.as_detached_tensor())).collect();
    let network = fixed(&config, features, &vocabulary, tensors);
    Subject { model, vocabulary, features, network, questions: common::triples(5, QUESTIONS) }
}

/// The model of a quickstart, with questions from the data that it was not trained on.
fn of_quickstart(directory: &Path) -> Subject {
    let path = directory.join("model");
    let model = GuideModel::load(&path, &Device::Cpu).unwrap();
    let Description { vocabulary, run, .. } = load_description(&path).unwrap();
    let config = run.config.model;
    let features = Features::new(&vocabulary, config.positions);
    let (tensors, _) = load_safetensors(&path.join(MODEL_FILE), &Device::Cpu).unwrap();
    let network = fixed(&config, features, &vocabulary, tensors);
    let triples = read_triples(&directory.join("dataset"), Split::Validation).unwrap();
    let step = triples.len().div_ceil(QUESTIONS).max(1);
    let questions = triples.into_iter().step_by(step).collect();
    Subject { model, vocabulary, features, network, questions }
}

fn fixed(
    config: &ModelConfig,
    features: Features,
    vocabulary: &Vocabulary,
    tensors: BTreeMap<String, Tensor>,
) -> Transformer {
    let mut fixed = Parameters::fixed(tensors, &Device::Cpu);
    Transformer::new(config, features, vocabulary.len(), &mut fixed).unwrap()
}

fn main() {
    // Cargo says --bench, too.
    let quickstart = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let subject = match &quickstart {
        Some(directory) => of_quickstart(Path::new(directory)),
        None => hardly_trained(),
    };
    let Subject { model, vocabulary, features, network, questions } = subject;
    let mut bank = TermBank::new(model.language().clone());
    let tasks: Vec<(TermId, TermId)> = questions
        .iter()
        .map(|triple| {
            let [start, _, target] = triple.terms(&mut bank).unwrap();
            (start, target)
        })
        .collect();
    let options =
        DecodeOptions { nucleus: 1.0, temperature: 1.0, guides: GUIDES, max_size: 40, seed: 1 };
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = |bank: &TermBank, task: (TermId, TermId), term: TermId| -> usize {
        let renaming = Renaming::new(bank, &[task.0, task.1]);
        let tree = |t| tokenise(&vocabulary, bank, t, &renaming).unwrap();
        let (start, target, guide) = (tree(task.0), tree(task.1), tree(term));
        let sides = [&start, &target].map(|side| encoder_batch(features, &[side]));
        let memory = network.encode(&sides[0], &sides[1], &Dropout::none()).unwrap();
        let sort = bank.sort(term);
        let mut written = TreeBuilder::new(sort);
        for token in guide.tokens() {
            written.push(&vocabulary, *token).unwrap();
            let (batch, _) = decoder_batch(features, &[&written]);
            network.decode(&batch, &memory, &Dropout::none()).unwrap();
        }
        guide.tokens().len()
    };

    let (mut cached, mut rerun) = (Vec::new(), Vec::new());
    let mut lengths = (0, 0);
    for _ in 0..ROUNDS {
        let (guides, seconds) =
            one.install(|| timed(|| model.guides(&mut bank, &tasks, &options).unwrap()));
        let tokens: u32 = guides.iter().flatten().map(|guide| guide.tokens).sum();
        cached.push(f64::from(tokens) / seconds);
        lengths = (lengths.0 + tokens, lengths.1 + guides.iter().map(Vec::len).sum::<usize>());

        let some = guides.iter().zip(&tasks).filter(|(guides, _)| !guides.is_empty()).take(AGAIN);
        let run = || some.map(|(guides, task)| again(&bank, *task, guides[0].term)).sum();
        let (tokens, seconds): (usize, f64) = one.install(|| timed(run));
        rerun.push(tokens as f64 / seconds);
    }
    let (cached, rerun) = (median(cached), median(rerun));
    println!(
        "{} questions, {GUIDES} guides each, {:.1} tokens long, one thread",
        tasks.len(),
        f64::from(lengths.0) / lengths.1 as f64
    );
    println!("cached, in batches: {cached:.0} tokens/s");
    println!("decoder again for every token: {rerun:.0} tokens/s");
    println!("ratio: {:.1}", cached / rerun);
}

/// What `run` gives, and the processor seconds that it takes.
fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let began = measure::of_thread().unwrap();
    let found = run();
    (found, measure::of_thread().unwrap() - began)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
