//! What is computed on a batch: the loss, its gradient, and a score.

use crate::config::{Config, Precision};
use crate::network::batch::{Batch, Features, decoder_batch, encoder_batch};
use crate::network::ops::adamw::add_to;
use crate::network::ops::dropout::Dropout;
use crate::network::ops::loss::targets::Masks;
use crate::network::ops::loss::targets::{Targets, UNCOUNTED};
use crate::network::ops::loss::{Score, Tally, loss, score};
use crate::network::ops::tensors::OnGpu;
use crate::network::parameters::Parameters;
use crate::network::transformer::Transformer;
use crate::tokens::tree_builder::TreeBuilder;
use crate::tokens::vocabulary::{PAD, Vocabulary};
use crate::training::examples::batches::{Lengths, Stream, part_tokens, parts};
use crate::training::examples::data::Example;
use crate::training::workers::Workers;
use anyhow::{Context, Result};
use candle_core::{Device, Tensor, Var};
use std::collections::BTreeMap;
use std::sync::Arc;

// What fills up a batch of guides is what the loss passes over.
const _: () = assert!(PAD == UNCOUNTED);

/// Padded tokens that a GPU computes on at a time.
pub(crate) const GPU_TOKENS: usize = 1 << 14;

/// A network that is being fitted, and what it is fitted with.
pub struct Fitting<'a> {
    /// The shape of the network and how it is trained.
    pub config: &'a Config,
    /// The network's parameters by name.
    pub vars: BTreeMap<String, Var>,
    /// Of dropout.
    pub seed: u64,
    vocabulary: &'a Vocabulary,
    features: Features,
    network: Transformer,
    /// The same network on the same parameters: what it computes keeps nothing for gradients.
    fixed: Transformer,
    /// The sets of allowed tokens that examples name.
    masks: Arc<Masks>,
    workers: Workers,
}

/// What a batch, or a part of it, came to.
pub struct Outcome {
    /// How well its targets are predicted, with dropout.
    pub tally: Tally,
    /// Of the loss, which is a mean over the targets of the whole batch.
    pub gradients: BTreeMap<String, Tensor>,
}

/// Examples as the network reads them.
pub struct Inputs {
    /// The starts.
    pub start: Batch,
    /// The targets.
    pub target: Batch,
    /// The guides.
    pub guide: Batch,
    /// What is to be predicted of the guides.
    pub targets: Arc<Targets>,
}

/// What the network makes of examples.
struct Outputs {
    logits: Tensor,
    targets: Arc<Targets>,
}

/// A part of a batch with its number.
type Part<'b> = (usize, &'b [Example]);

impl<'a> Fitting<'a> {
    /// A network of this shape, with these parameters. `seed` is that of dropout; a GPU has one worker.
    ///
    /// # Errors
    /// A parameter is missing, is not asked for or has another shape.
    pub fn new(
        config: &'a Config,
        vocabulary: &'a Vocabulary,
        mut parameters: Parameters,
        masks: Arc<Masks>,
        seed: u64,
        workers: Workers,
    ) -> Result<Fitting<'a>> {
        let features = Features::new(vocabulary, config.model.positions);
        let build = |parameters: &mut Parameters| {
            let network = Transformer::new(&config.model, features, vocabulary.len(), parameters)?;
            Ok::<_, anyhow::Error>(match config.training.precision {
                Precision::F32 => network,
                Precision::Bf16 => network.with_bf16(),
            })
        };
        let network = build(&mut parameters)?;
        let vars = parameters.finish()?;
        let fixed = build(&mut Parameters::views(&vars, network.device()))?;
        Ok(Fitting { config, vars, seed, vocabulary, features, network, fixed, masks, workers })
    }

    fn device(&self) -> &Device {
        self.network.device()
    }

    /// The parts of a batch, whose examples come by rising length.
    fn parts<'b>(&self, batch: &'b [Example]) -> Vec<Part<'b>> {
        let lengths: Vec<Lengths> =
            batch.iter().map(|example| example.lengths().map(|n| n as u16)).collect();
        let cpu = part_tokens(self.config.training.batch_tokens);
        let budget = if self.device().is_cpu() { cpu } else { GPU_TOKENS };
        let ranges = parts(&lengths, budget);
        ranges.into_iter().enumerate().map(|(i, range)| (i, &batch[range])).collect()
    }

    /// The threads that compute.
    pub(crate) fn threads(&self) -> usize {
        self.workers.threads()
    }

    /// The examples of the first `count` parts of a batch, and whether those are all of it.
    pub(crate) fn first_parts<'b>(
        &self,
        batch: &'b [Example],
        count: usize,
    ) -> (&'b [Example], bool) {
        let parts = self.parts(batch);
        let end = parts.iter().take(count).map(|(_, examples)| examples.len()).sum();
        (&batch[..end], count >= parts.len())
    }

    /// Loss and gradient of the batch of a step, whose examples come by rising length.
    ///
    /// # Errors
    /// The tokens are of another vocabulary, or the device fails.
    pub fn outcome(&self, batch: &[Example], step: u64) -> Result<Outcome> {
        let counted = batch.iter().map(|example| example.tokens[2].len()).sum();
        let one = |(part, examples): Part<'_>| {
            let stream = Stream::Dropout { step, part }.number();
            let t = &self.config.training;
            let dropout = Dropout::new(t.dropout, self.seed, stream);
            let Outputs { logits, targets } = self.forward(&self.network, examples, &dropout)?;
            let tally = score(&logits, &targets)?;
            let loss = loss(&logits, &targets, counted, t.label_smoothing)?;
            let mut all = loss.backward()?;
            let gradient = |(name, var): (&String, &Var)| {
                let found = all.remove(var).with_context(|| format!("no gradient of {name}"))?;
                Ok((name.clone(), found))
            };
            let gradients = self.vars.iter().map(gradient).collect::<Result<_>>()?;
            Ok(Outcome { tally, gradients })
        };
        let sum = |mut a: Outcome, b: Outcome| {
            for (name, gradient) in &mut a.gradients {
                add_to(gradient, &b.gradients[name])?;
            }
            Ok(Outcome { tally: a.tally.plus(b.tally)?, ..a })
        };
        self.workers.sum(&self.parts(batch), &one, &sum)
    }

    /// How well the guides of examples, which come by rising length, are predicted.
    ///
    /// # Errors
    /// As [`Fitting::outcome`].
    pub fn score(&self, examples: &[Example]) -> Result<Score> {
        let one = |(_, examples): Part<'_>| {
            let Outputs { logits, targets } =
                self.forward(&self.fixed, examples, &Dropout::none())?;
            score(&logits, &targets)
        };
        self.workers.sum(&self.parts(examples), &one, &|a: Tally, b| a.plus(b))?.read()
    }

    fn forward(
        &self,
        network: &Transformer,
        batch: &[Example],
        dropout: &Dropout,
    ) -> Result<Outputs> {
        let Inputs { start, target, guide, targets } = self.inputs(batch)?;
        let memory = network.encode(&start, &target, dropout)?;
        let logits = network.decode(&guide, &memory, dropout)?;
        Ok(Outputs { logits, targets })
    }

    /// Examples as the network reads them, padded.
    ///
    /// # Errors
    /// The tokens are of another vocabulary.
    pub fn inputs(&self, batch: &[Example]) -> Result<Inputs> {
        let trees = batch
            .iter()
            .map(|example| example.trees(self.vocabulary))
            .collect::<Result<Vec<_>, _>>()?;
        let side = |i: usize| -> Vec<&TreeBuilder> { trees.iter().map(|t| &t[i]).collect() };
        let (guide, tokens) = decoder_batch(self.features, &side(2));
        let nodes = tokens.len() / batch.len();
        let mut masks = vec![0; tokens.len()];
        for (row, example) in masks.chunks_exact_mut(nodes).zip(batch) {
            row[..example.masks.len()].copy_from_slice(&example.masks);
        }
        Ok(Inputs {
            start: encoder_batch(self.features, &side(0)),
            target: encoder_batch(self.features, &side(1)),
            guide,
            targets: Arc::new(Targets {
                tokens,
                masks,
                sets: self.masks.clone(),
                on_gpu: OnGpu::default(),
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TrainingConfig;
    use crate::fixtures;
    use crate::geometry::positions::Positions;
    use crate::network::ops::operation::test::with_formulas;
    use crate::tokens::tree::tokenise;
    use crate::training::adamw::AdamW;
    use crate::training::examples::mask_maker::MaskMaker;
    use egraph::{SortId, TermBank};
    use terms::Renaming;

    /// Examples by rising length.
    fn examples(vocabulary: &Vocabulary) -> (Vec<Example>, Masks) {
        let mut bank = TermBank::new(fixtures::system().language.clone());
        let mut maker = MaskMaker::new(&Arc::new(vocabulary.clone()), 100);
        let mut examples: Vec<Example> = (0..40)
            .map(|i| {
                let sizes = [9, 12, 1 + i % 30];
                let terms = sizes.map(|size| fixtures::random_term(&mut bank, i as u64, size));
                let renaming = Renaming::new(&bank, &terms);
                let tokens = terms
                    .map(|t| tokenise(vocabulary, &bank, t, &renaming).unwrap().tokens().to_vec());
                let masks = maker.masks_of(&renaming, SortId(0), &tokens[2]).unwrap();
                Example { sort: SortId(0), tokens, masks }
            })
            .collect();
        examples.sort_by_key(Example::len);
        (examples, maker.masks().clone())
    }

    fn fitting<'a>(config: &'a Config, vocabulary: &'a Vocabulary, masks: Masks) -> Fitting<'a> {
        let parameters = Parameters::random(1, &Device::Cpu);
        let workers = Workers::new(2).unwrap();
        Fitting::new(config, vocabulary, parameters, Arc::new(masks), 0, workers).unwrap()
    }

    #[test]
    fn validation_keeps_nothing_for_gradients_and_follows_the_training() {
        let vocabulary = fixtures::vocabulary();
        let (examples, masks) = examples(&vocabulary);
        let config = Config::default();
        let fitting = fitting(&config, &vocabulary, masks);
        let mut optimizer = AdamW::new(&fitting.vars, 0.0).unwrap();
        let logits = |network: &Transformer| {
            fitting.forward(network, &examples[..3], &Dropout::none()).unwrap().logits
        };
        let values = |logits: &Tensor| logits.to_vec2::<f32>().unwrap();
        let kept =
            |logits: &Tensor| logits.sum_all().unwrap().backward().unwrap().get_ids().count();
        let before = values(&logits(&fitting.fixed));
        for step in 0..2 {
            let (trained, fixed) = (logits(&fitting.network), logits(&fitting.fixed));
            assert!(trained.track_op() && kept(&trained) > 10);
            assert!(!fixed.track_op());
            assert_eq!(values(&trained), values(&fixed));
            let gradients = fitting.outcome(&examples, step).unwrap().gradients;
            optimizer.update(&fitting.vars, &gradients, 0.01, 1.0).unwrap();
        }
        assert_ne!(values(&logits(&fitting.fixed)), before);
    }

    /// The GPU's part of the network as a whole: that of each operation is tested beside it.
    #[test]
    fn formulas_give_the_loss_and_the_gradients_of_the_loops() {
        let vocabulary = fixtures::vocabulary();
        let (examples, masks) = examples(&vocabulary);
        for positions in [Positions::Tree, Positions::Rope, Positions::None] {
            let mut config = Config::default();
            config.model.positions = positions;
            if positions != Positions::Tree {
                config.model.relation_heads = BTreeMap::new();
            }
            let step = |precision, smoothing| {
                let config = Config {
                    training: TrainingConfig { precision, ..config.training.clone() },
                    ..config.clone()
                };
                let fitting = fitting(&config, &vocabulary, masks.clone());
                let dropout = Dropout::new(0.2, 1, 2);
                let all = fitting.forward(&fitting.network, &examples[..9], &dropout).unwrap();
                let loss = loss(&all.logits, &all.targets, 90, smoothing).unwrap();
                let gradients = loss.backward().unwrap();
                let flat = |(name, var): (&String, &Var)| {
                    let gradient = gradients.get(var).unwrap().flatten_all().unwrap();
                    (name.clone(), gradient)
                };
                let score = score(&all.logits, &all.targets).unwrap().read().unwrap();
                (score, fitting.vars.iter().map(flat).collect::<BTreeMap<_, _>>())
            };
            let (expected, wanted) = step(Precision::F32, 0.1);
            for (precision, tolerance) in [(Precision::F32, 1e-4), (Precision::Bf16, 5e-2)] {
                let (found, given) = with_formulas(|| step(precision, 0.1));
                assert_eq!(found.tokens, expected.tokens);
                assert!((found.nats - expected.nats).abs() < tolerance * expected.nats);
                for (name, wanted) in &wanted {
                    let length = |x: &Tensor| {
                        let square = x.sqr().unwrap().sum_all().unwrap();
                        square.to_scalar::<f32>().unwrap().sqrt()
                    };
                    let apart = length(&(wanted - &given[name]).unwrap()) / length(wanted);
                    assert!(
                        f64::from(apart) < tolerance,
                        "{positions:?} {precision:?} {name}: {apart}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_token_of_a_step_weighs_the_same_whatever_the_length_of_its_guide() {
        let vocabulary = fixtures::vocabulary();
        let (examples, masks) = examples(&vocabulary);
        let mut config = Config::default();
        config.training.label_smoothing = 0.1;
        let fitting = fitting(&config, &vocabulary, masks);
        assert!(fitting.parts(&examples).len() > 3);
        let whole = fitting.outcome(&examples, 0).unwrap();
        let tokens: usize = examples.iter().map(|e| e.tokens[2].len()).sum();
        assert_eq!(whole.tally.read().unwrap().tokens, tokens as u64);
        assert_eq!(whole.tally.read().unwrap().tokens, fitting.score(&examples).unwrap().tokens);
        for (name, gradient) in &whole.gradients {
            let mut sum = gradient.zeros_like().unwrap();
            for example in &examples {
                let alone = fitting.outcome(std::slice::from_ref(example), 0).unwrap();
                let part = example.tokens[2].len() as f64 / tokens as f64;
                sum = (sum + (&alone.gradients[name] * part).unwrap()).unwrap();
            }
            let largest = |t: &Tensor| {
                t.abs().unwrap().flatten_all().unwrap().max(0).unwrap().to_scalar::<f32>().unwrap()
            };
            let difference = largest(&(&sum - gradient).unwrap());
            assert!(difference < 1e-4 * (1.0 + largest(gradient)), "{name}: {difference}");
            if name == "embedding" {
                break; // every example is computed anew for each name
            }
        }
    }
}
