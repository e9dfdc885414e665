//! The loss is over the tokens that the decoder may choose from: the probability that a guide has in
//! training is the one with which it is written.

use crate::common;
use candle_core::Device;
use egraph::TermBank;
use model::network::batch::{Features, decoder_batch, encoder_batch};
use model::network::ops::dropout::Dropout;
use model::network::ops::loss::targets::Targets;
use model::network::ops::loss::{log_probabilities, score};
use model::network::ops::tensors::OnGpu;
use model::network::parameters::{Parameters, load_safetensors};
use model::network::transformer::Transformer;
use model::tokens::tree::tokenise;
use model::tokens::vocabulary::Vocabulary;
use model::training::examples::mask_maker::MaskMaker;
use model::{DecodeOptions, GuideModel};
use std::sync::Arc;
use terms::Renaming;

#[test]
fn a_guide_has_the_same_probability_in_both() {
    let directory = tempfile::tempdir().unwrap();
    let config = common::small_config();
    let out = common::trained_in(directory.path(), config.clone(), 3);
    let model = GuideModel::load(&out, &Device::Cpu).unwrap();
    let language = model.language().clone();
    let vocabulary = Vocabulary::load(language.clone(), &out.join("tokenizer.json")).unwrap();
    let (weights, _) = load_safetensors(&out.join("model.safetensors"), &Device::Cpu).unwrap();
    let features = Features::new(&vocabulary, config.model.positions);
    let mut parameters = Parameters::fixed(weights, &Device::Cpu);
    let network =
        Transformer::new(&config.model, features, vocabulary.len(), &mut parameters).unwrap();

    let mut bank = TermBank::new(language);
    let mut compared = 0;
    // A small limit binds: operators with many arguments are not allowed near it.
    for max_size in [3, 6, config.model.max_tokens] {
        let decode = DecodeOptions { nucleus: 1.0, temperature: 1.5, guides: 4, max_size, seed: 1 };
        for triple in common::triples(3, 6) {
            let [start, _, target] = triple.terms(&mut bank).unwrap();
            let guides = model.guides(&mut bank, &[(start, target)], &decode).unwrap();
            for guide in &guides[0] {
                let renaming = Renaming::new(&bank, &[start, target]);
                let read = |t| tokenise(&vocabulary, &bank, t, &renaming).unwrap();
                let trees = [read(start), read(target), read(guide.term)];
                let mut maker = MaskMaker::new(&Arc::new(vocabulary.clone()), max_size);
                let (sort, tokens) = (bank.sort(start), trees[2].tokens());
                let masks = maker.masks_of(&renaming, sort, tokens).unwrap();
                let encode = |i: usize| encoder_batch(features, &[&trees[i]]);
                let memory = network.encode(&encode(0), &encode(1), &Dropout::none()).unwrap();
                let (batch, tokens) = decoder_batch(features, &[&trees[2]]);
                let logits = network.decode(&batch, &memory, &Dropout::none()).unwrap();
                let sets = Arc::new(maker.masks().clone());
                let targets = Targets { tokens, masks, sets, on_gpu: OnGpu::default() };
                let nats = score(&logits, &targets).unwrap().read().unwrap().nats;
                // A word may be spelled in several ways; the usual one is the training's.
                let written = f64::from(guide.log_probability);
                let same_pieces =
                    guide.node_probabilities.iter().zip(trees[2].node_starts(&vocabulary));
                let logits: Vec<Vec<f32>> = logits.to_vec2().unwrap();
                for (row, logits) in logits.iter().enumerate() {
                    let all = log_probabilities(logits, targets.sets.get(targets.masks[row]));
                    let sum: f32 = all.iter().map(|(_, log_p)| log_p.exp()).sum();
                    assert!((sum - 1.0).abs() < 1e-5);
                }
                for (written, row) in same_pieces {
                    let all = log_probabilities(&logits[row], targets.sets.get(targets.masks[row]));
                    let at = all.iter().find(|(token, _)| *token == targets.tokens[row]).unwrap();
                    // A node of several pieces is no likelier than its first.
                    assert!(*written <= at.1.exp() + 1e-4, "{written} {}", at.1.exp());
                }
                if (nats + written).abs() < 1e-3 {
                    compared += 1;
                } else {
                    assert!(bank.text(guide.term).chars().any(|c| c.is_ascii_digit()));
                }
            }
        }
    }
    assert!(compared > 30, "{compared}");
}
