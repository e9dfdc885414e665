//! Triples as tokens, and the order in which they are trained on.

use crate::decoding::tree_builder::{TreeBuilder, TreeError};
use crate::tokens::tree::{tokenise, words};
use crate::tokens::vocabulary::{Token, Vocabulary};
use anyhow::{Context, Result, ensure};
use dataset_gen::dataset::info::{DatasetInfo, system_of};
use dataset_gen::seeds::normal_form::Renaming;
use dataset_gen::seeds::split::Split;
use dataset_gen::triples::triple_rows::{Triple, read_triples};
use egraph::{SortId, System, TermBank, TermId};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;
use std::path::Path;

/// A triple as tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The sort of its terms.
    pub sort: SortId,
    /// Tokens in pre-order of start, target and guide.
    pub tokens: [Vec<Token>; 3],
}

impl Example {
    /// Start, target and guide with the positions of their nodes.
    ///
    /// # Errors
    /// The tokens are of another vocabulary.
    pub fn trees(&self, vocabulary: &Vocabulary) -> Result<[TreeBuilder; 3], TreeError> {
        let read = |i: usize| TreeBuilder::read(vocabulary, self.sort, &self.tokens[i]);
        Ok([read(0)?, read(1)?, read(2)?])
    }

    /// Tokens of the three together.
    pub fn len(&self) -> usize {
        self.tokens.iter().map(Vec::len).sum()
    }

    /// Whether there are none: never.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a dataset gives to train on.
pub struct Examples {
    /// Of the training split.
    pub train: Vec<Example>,
    /// Of the validation split.
    pub validation: Vec<Example>,
    /// How many triples of each split are left out, for a term of theirs has too many tokens.
    pub left_out: [usize; 2],
}

/// The dataset of a training.
pub struct Dataset {
    /// Its description.
    pub info: DatasetInfo,
    /// The rewrite system that it was made with, and its text.
    pub system: System,
    /// The bytes of the rewrite system's file.
    pub rules: Vec<u8>,
    /// Terms of the triples.
    bank: TermBank,
    /// Start, target and guide per triple.
    train: Vec<[TermId; 3]>,
    validation: Vec<[TermId; 3]>,
}

impl Dataset {
    /// Reads the training and validation splits of a dataset's directory.
    ///
    /// # Errors
    /// A file is missing or broken, or a row is no triple of the system's terms.
    pub fn load(directory: &Path) -> Result<Dataset> {
        let info = DatasetInfo::load(directory)?;
        let (system, rules) = system_of(directory, info.system_hash())?;
        let mut bank = TermBank::new(system.language.clone());
        let mut read = |split: Split| -> Result<Vec<[TermId; 3]>> {
            let triples = read_triples(directory, split)?;
            triples
                .iter()
                .map(|triple| {
                    terms(&mut bank, triple).with_context(|| {
                        format!("{}: {split}: row {}", directory.display(), triple.id)
                    })
                })
                .collect()
        };
        let (train, validation) = (read(Split::Train)?, read(Split::Validation)?);
        Ok(Dataset { info, system, rules, bank, train, validation })
    }

    /// A vocabulary in which frequent words of the training split are one piece.
    ///
    /// # Errors
    /// None in practice.
    pub fn vocabulary(&self) -> Result<Vocabulary> {
        let mut counts: FxHashMap<String, u64> = FxHashMap::default();
        for terms in &self.train {
            let renaming = Renaming::new(&self.bank, terms);
            for t in terms {
                for word in words(&self.bank, *t, &renaming) {
                    *counts.entry(word).or_default() += 1;
                }
            }
        }
        Vocabulary::build(self.system.language.clone(), &counts)
    }

    /// The training and validation examples whose terms have at most `max_tokens` tokens.
    ///
    /// # Errors
    /// Nothing is left of one of them.
    pub fn examples(&self, vocabulary: &Vocabulary, max_tokens: usize) -> Result<Examples> {
        let read = |triples: &[[TermId; 3]]| -> Result<Vec<Example>> {
            let mut examples = Vec::new();
            for terms in triples {
                examples.extend(self.example(vocabulary, max_tokens, terms)?);
            }
            Ok(examples)
        };
        let (train, validation) = (read(&self.train)?, read(&self.validation)?);
        for (split, examples) in [(Split::Train, &train), (Split::Validation, &validation)] {
            ensure!(
                !examples.is_empty(),
                "the {} split has no triple of at most {max_tokens} tokens a term",
                split.name()
            );
        }
        let left_out = [self.train.len() - train.len(), self.validation.len() - validation.len()];
        Ok(Examples { train, validation, left_out })
    }

    /// Start, target and guide as tokens, unless one is too long.
    fn example(
        &self,
        vocabulary: &Vocabulary,
        max_tokens: usize,
        terms: &[TermId; 3],
    ) -> Result<Option<Example>> {
        // Before the terms are written out.
        if terms.iter().any(|t| self.bank.size(*t) > max_tokens as u64) {
            return Ok(None);
        }
        let renaming = Renaming::new(&self.bank, terms);
        let mut tokens: [Vec<Token>; 3] = Default::default();
        for (tokens, t) in tokens.iter_mut().zip(terms) {
            *tokens = tokenise(vocabulary, &self.bank, *t, &renaming)?.tokens().to_vec();
        }
        let fits = tokens.iter().all(|t| t.len() <= max_tokens);
        Ok(fits.then(|| Example { sort: self.bank.sort(terms[0]), tokens }))
    }
}

/// Start, target and guide.
fn terms(bank: &mut TermBank, triple: &Triple) -> Result<[TermId; 3]> {
    let [start, guide, target] = triple.terms(bank)?;
    Ok([start, target, guide])
}

/// Loss per token on `validation` of a model that knows how often each token stands in a guide
/// of `train`, each counted once more than it occurs.
pub fn unigram_loss(tokens: usize, train: &[Example], validation: &[Example]) -> f32 {
    let mut counts = vec![1u64; tokens];
    for token in train.iter().flat_map(|e| &e.tokens[2]) {
        counts[*token as usize] += 1;
    }
    let sum: u64 = counts.iter().sum();
    let (mut loss, mut n) = (0.0, 0u64);
    for token in validation.iter().flat_map(|e| &e.tokens[2]) {
        loss -= (counts[*token as usize] as f64 / sum as f64).ln();
        n += 1;
    }
    (loss / n.max(1) as f64) as f32
}

/// Batches so sorted by length that little is padding, in an order drawn anew for each epoch.
pub struct Batches {
    lengths: Vec<usize>,
    size: usize,
    seed: u64,
    epoch: Option<(u64, Vec<Vec<u32>>)>,
}

/// Batches whose examples are sorted by length together.
const POOL: usize = 32;

impl Batches {
    /// Batches of `size` examples.
    pub fn new(examples: &[Example], size: usize, seed: u64) -> Batches {
        Batches { lengths: examples.iter().map(Example::len).collect(), size, seed, epoch: None }
    }

    /// The examples of a step, which depend on nothing but the seed and the step.
    pub fn get(&mut self, step: u64) -> &[u32] {
        let per_epoch = self.lengths.len().div_ceil(self.size) as u64;
        let (number, at) = (step / per_epoch, (step % per_epoch) as usize);
        let epoch = match self.epoch.take() {
            Some((n, batches)) if n == number => (n, batches),
            _ => (number, self.plan(number)),
        };
        &self.epoch.insert(epoch).1[at]
    }

    fn plan(&self, epoch: u64) -> Vec<Vec<u32>> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        // Away from the streams of dropout, which are numbered by step.
        rng.set_stream(1 << 63 | epoch);
        let mut order: Vec<u32> = (0..self.lengths.len() as u32).collect();
        order.shuffle(&mut rng);
        let mut batches: Vec<Vec<u32>> = Vec::new();
        for pool in order.chunks_mut(self.size * POOL) {
            pool.sort_by_key(|i| self.lengths[*i as usize]);
            batches.extend(pool.chunks(self.size).map(<[u32]>::to_vec));
        }
        batches.shuffle(&mut rng);
        batches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(n: usize) -> Example {
        Example { sort: SortId(0), tokens: [vec![2; n], vec![3; n], vec![4, 5]] }
    }

    #[test]
    fn an_epoch_has_every_example_once() {
        let examples: Vec<Example> = (1..=103).map(example).collect();
        let mut batches = Batches::new(&examples, 4, 7);
        let mut epoch = |n: u64| -> Vec<u32> {
            (n * 26..(n + 1) * 26).flat_map(|step| batches.get(step).to_vec()).collect()
        };
        let (mut first, mut second) = (epoch(0), epoch(1));
        assert_ne!(first, second);
        assert_eq!(first, epoch(0));
        first.sort_unstable();
        second.sort_unstable();
        assert_eq!(first, (0..103).collect::<Vec<u32>>());
        assert_eq!(second, first);
    }

    #[test]
    fn the_unigram_loss_is_the_entropy_of_the_counts() {
        let examples = vec![example(1); 10_000];
        let loss = unigram_loss(6, &examples, &examples);
        assert!((loss - 2f32.ln()).abs() < 1e-3, "{loss}");
    }
}
