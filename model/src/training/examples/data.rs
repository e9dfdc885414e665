//! The triples of a dataset, as terms and as tokens, some at a time.

use crate::network::ops::loss::targets::Masks;
use crate::tokens::literals::Literals;
use crate::tokens::tree::{tokenise, words};
use crate::tokens::tree_builder::{TreeBuilder, TreeError};
use crate::tokens::vocabulary::{Token, Vocabulary};
use crate::training::examples::mask_maker::MaskMaker;
use crate::training::examples::names::Names;
use anyhow::{Context, Result};
use dataset_gen::{DatasetInfo, SYSTEM_FILE, Split, Triple, system_of};
use egraph::{SortId, System, TermBank, TermId};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use support::hash::{of_file, sha256};
use support::{for_each_batch, numbered_files};
use terms::Renaming;

/// Triples that one thread reads with one term bank.
const CHUNK: usize = 4096;
/// Chunks that are in memory at a time.
const CHUNKS: usize = 16;

/// A triple as tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The sort of its terms.
    pub sort: SortId,
    /// Tokens in pre-order of start, target and guide.
    pub tokens: [Vec<Token>; 3],
    /// For every token of the guide, the number of the set of tokens that the grammar allows there.
    pub masks: Vec<u32>,
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

    /// Tokens of start, target and guide.
    pub fn lengths(&self) -> [usize; 3] {
        [0, 1, 2].map(|side: usize| self.tokens[side].len())
    }

    /// Tokens of the three together.
    pub fn len(&self) -> usize {
        self.lengths().iter().sum()
    }

    /// Whether there are none: never.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The dataset of a training.
pub struct Dataset {
    /// Its description.
    pub info: DatasetInfo,
    /// The rewrite system that it was made with, and its text.
    pub system: System,
    /// The bytes of the rewrite system's file.
    pub rules: Vec<u8>,
    directory: PathBuf,
}

/// Examples that were read together: those whose terms are not too long, and how many are.
pub struct Chunk {
    /// The examples; their masks are numbered in `masks`.
    pub examples: Vec<Example>,
    /// The number of the seed that each example comes from.
    pub seeds: Vec<u32>,
    /// The sets of allowed tokens.
    pub masks: Masks,
    /// Triples that were left out.
    pub left_out: usize,
}

/// The reading of a dataset into tokens was asked to end before it was done.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("stopped before all triples were read into tokens")]
pub struct ReadingStopped;

impl Dataset {
    /// Reads what a dataset's directory says of it.
    ///
    /// # Errors
    /// A file is missing or broken.
    pub fn load(directory: &Path) -> Result<Dataset> {
        let info = DatasetInfo::load(directory)?;
        let (system, rules) = system_of(directory, info.system_hash())?;
        Ok(Dataset { info, system, rules, directory: directory.to_owned() })
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// SHA-256 of all that examples depend on: the rewrite system and the triples.
    ///
    /// # Errors
    /// A file can't be read.
    pub fn content_hash(&self) -> Result<String> {
        let mut lines = of_file(&self.directory.join(SYSTEM_FILE))?.0;
        for split in [Split::Train, Split::Validation] {
            for file in numbered_files(&self.directory.join(split.data()))? {
                lines += &format!("\n{split} {}", of_file(&file)?.0);
            }
        }
        Ok(sha256(lines.as_bytes()))
    }

    /// A vocabulary in which frequent words of the training split are one piece.
    ///
    /// # Errors
    /// A row is no triple of the system's terms, or [`ReadingStopped`] soon after `stop` is set.
    pub fn vocabulary(&self, literals: Literals, stop: &AtomicBool) -> Result<Vocabulary> {
        let mut counts: FxHashMap<String, u64> = FxHashMap::default();
        let count = |bank: &TermBank, triples: &[[TermId; 3]], _: &[Triple]| {
            let mut counts: FxHashMap<String, u64> = FxHashMap::default();
            for terms in triples {
                let renaming = literals.renaming(bank, terms);
                for word in terms.iter().flat_map(|t| words(bank, *t, &renaming)) {
                    *counts.entry(word).or_default() += 1;
                }
            }
            Ok(counts)
        };
        self.for_each_chunk(Split::Train, stop, count, |chunk| {
            for (word, n) in chunk {
                *counts.entry(word).or_default() += n;
            }
            Ok(())
        })?;
        Vocabulary::build(self.system.language.clone(), literals, &counts)
    }

    /// The examples of a split whose terms have at most `max_tokens` tokens, in order; `names` are those of training examples.
    ///
    /// # Errors
    /// A row is no triple of the system's terms, [`ReadingStopped`] soon after `stop` is set, or what
    /// `each` says.
    pub fn examples(
        &self,
        split: Split,
        vocabulary: &Vocabulary,
        max_tokens: usize,
        names: Names,
        stop: &AtomicBool,
        each: impl FnMut(Chunk) -> Result<()>,
    ) -> Result<()> {
        let shared = Arc::new(vocabulary.clone());
        let names = if split == Split::Train { names } else { Names::First };
        let read = |bank: &TermBank, terms: &[[TermId; 3]], triples: &[Triple]| {
            let mut maker = MaskMaker::new(&shared, max_tokens);
            let (mut examples, mut seeds) = (Vec::new(), Vec::new());
            for (terms, triple) in terms.iter().zip(triples) {
                let named = || names.renaming(vocabulary, bank, terms, triple.id);
                if let Some(found) = example(bank, max_tokens, terms, named, &mut maker)? {
                    examples.push(found);
                    seeds.push(triple.seed);
                }
            }
            let left_out = triples.len() - examples.len();
            Ok(Chunk { examples, seeds, masks: maker.masks().clone(), left_out })
        };
        self.for_each_chunk(split, stop, read, each)
    }

    /// Gives `each` what `read` makes of the triples of a split, chunk by chunk in order. Chunks are
    /// read in parallel; before each, and before each batch of rows, `stop` is looked at.
    fn for_each_chunk<T: Send>(
        &self,
        split: Split,
        stop: &AtomicBool,
        read: impl Fn(&TermBank, &[[TermId; 3]], &[Triple]) -> Result<T> + Sync,
        mut each: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let go_on = || if stop.load(Ordering::Relaxed) { Err(ReadingStopped) } else { Ok(()) };
        let mut waiting: Vec<Triple> = Vec::new();
        let mut work = |waiting: &mut Vec<Triple>| -> Result<()> {
            let done: Vec<Result<T>> = waiting
                .par_chunks(CHUNK)
                .map(|triples| {
                    go_on()?;
                    let mut bank = TermBank::new(self.system.language.clone());
                    let terms = triples.iter().map(|triple| self.terms(&mut bank, split, triple));
                    let terms: Vec<[TermId; 3]> = terms.collect::<Result<_>>()?;
                    read(&bank, &terms, triples)
                })
                .collect();
            waiting.clear();
            done.into_iter().try_for_each(|chunk| each(chunk?))
        };
        for file in numbered_files(&self.directory.join(split.data()))? {
            for_each_batch(&file, |triples: Vec<Triple>| {
                go_on()?;
                waiting.extend(triples);
                if waiting.len() >= CHUNK * CHUNKS { work(&mut waiting) } else { Ok(()) }
            })?;
        }
        work(&mut waiting)
    }

    /// Start, target and guide.
    fn terms(&self, bank: &mut TermBank, split: Split, triple: &Triple) -> Result<[TermId; 3]> {
        let [start, guide, target] = triple
            .terms(bank)
            .with_context(|| format!("{}: {split}: row {}", self.directory.display(), triple.id))?;
        Ok([start, target, guide])
    }
}

/// Start, target and guide as tokens, unless one is too long.
fn example(
    bank: &TermBank,
    max_tokens: usize,
    terms: &[TermId; 3],
    named: impl FnOnce() -> Renaming,
    maker: &mut MaskMaker,
) -> Result<Option<Example>> {
    // Before the terms are written out.
    if terms.iter().any(|t| bank.size(*t) > max_tokens as u64) {
        return Ok(None);
    }
    let renaming = named();
    let mut tokens: [Vec<Token>; 3] = Default::default();
    for (tokens, t) in tokens.iter_mut().zip(terms) {
        *tokens = tokenise(maker.vocabulary(), bank, *t, &renaming)?.tokens().to_vec();
    }
    if tokens.iter().any(|t| t.len() > max_tokens) {
        return Ok(None);
    }
    let sort = bank.sort(terms[0]);
    let masks = maker.masks_of(&renaming, sort, &tokens[2])?;
    Ok(Some(Example { sort, tokens, masks }))
}
