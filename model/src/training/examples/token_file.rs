//! All examples of a dataset in one file, which is made once and then opened in seconds.
//!
//! ```text
//! magic                    16 bytes
//! examples                 of the training split, then of the validation split, each:
//!                            sort u16, tokens of start, target and guide u16, masks u32
//! lengths                  of each example: tokens of start, target and guide, u16
//! seeds                    of each example of the training split, the number of its seed, u32
//! sets                     of allowed tokens, u64
//! description              JSON
//! five lengths in bytes    of examples, lengths, seeds, sets and description, u64
//! checksum                 CRC-32C of all before it, u32
//! ```
//!
//! Numbers are little-endian. The file lies in the dataset's directory, so that all models that are
//! trained on it share it, or in the model's where the dataset's can't be written to. A file that is
//! damaged, or of another dataset, is made again. Examples are read from it when they are needed:
//! memory holds six bytes of lengths, eight of an offset and four of a seed for each.

use crate::config::Config;
use crate::network::ops::loss::targets::Masks;
use crate::tokens::literals::Literals;
use crate::tokens::vocabulary::{Token, Vocabulary};
use crate::training::examples::batches::Lengths;
use crate::training::examples::data::{Chunk, Dataset, Example};
use crate::training::examples::names::Names;
use anyhow::{Context, Result, anyhow, ensure};
use dataset_gen::Split;
use egraph::SortId;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use support::{thousands, write_atomic_with};

const MAGIC: &[u8; 16] = b"cairn-tokens-4\n\0";
/// Bytes of what is after the description.
const END: u64 = 8 * PARTS as u64 + 4;
/// Parts whose lengths stand at the end.
const PARTS: usize = 5;

/// What is said of the examples in their file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    /// SHA-256 of what the examples depend on in the dataset.
    dataset: String,
    /// The largest number of tokens of a term.
    max_tokens: usize,
    /// How literals become tokens.
    #[serde(default)]
    literals: Literals,
    /// Which names training examples have.
    #[serde(default)]
    names: Names,
    /// The content of `tokenizer.json`.
    tokenizer: String,
    /// Examples of the training split; the others are of the validation split.
    train: usize,
    /// Triples of each split that were left out, for a term of theirs is too long.
    left_out: [usize; 2],
    /// How often each token stands in a guide of the training split.
    counts: Vec<u64>,
}

/// The examples of a dataset.
pub struct Examples {
    /// The tokens.
    pub vocabulary: Vocabulary,
    /// The sets of allowed tokens that examples name.
    pub masks: Arc<Masks>,
    description: Description,
    lengths: Vec<Lengths>,
    offsets: Vec<u64>,
    /// Of the examples of the training split.
    seeds: Vec<u32>,
    file: Mutex<File>,
}

impl Examples {
    /// Opens the examples of `dataset` that a model of this configuration learns from, whose terms have at most
    /// `max_tokens` tokens, and makes their file if there is none that fits. They are of this vocabulary; of one that is built from the
    /// training split if none is given. Where the dataset's directory can't be written to, the file
    /// is in `other`.
    ///
    /// # Errors
    /// A row is no triple of the system's terms, a split has no example, or no file can be written; or
    /// [`ReadingStopped`] soon after `stop` is set, while the file is made, of which nothing is left then.
    ///
    /// [`ReadingStopped`]: crate::training::examples::data::ReadingStopped
    pub fn open(
        dataset: &Dataset,
        config: &Config,
        vocabulary: Option<&Vocabulary>,
        other: &Path,
        stop: &AtomicBool,
    ) -> Result<Examples> {
        let (max_tokens, literals) = (config.model.max_tokens, config.model.literals);
        let names = config.training.names;
        let tokenizer = vocabulary.map(Vocabulary::to_json).transpose()?;
        let hash = dataset.content_hash()?;
        // Who comes second waits, and then finds the file. Where directories can't be locked both
        // make it; what is half written is found by its checksum.
        let lock = File::open(dataset.directory()).ok();
        lock.as_ref().map(File::lock);
        let fits = |found: &Description| {
            found.dataset == hash
                && found.max_tokens == max_tokens
                && found.literals == literals
                && found.names == names
                && tokenizer.as_ref().is_none_or(|json| *json == found.tokenizer)
        };
        let paths = [dataset.directory(), other].map(|directory| path(directory, config));
        for path in &paths {
            if let Ok(found) = Examples::read(path, dataset)
                && fits(&found.description)
            {
                return found.complete();
            }
        }
        let built;
        let vocabulary = match vocabulary {
            Some(given) => given,
            None => {
                built = dataset.vocabulary(literals, stop)?;
                &built
            }
        };
        let make = |path: &Path| -> Result<Examples> {
            write_atomic_with(path, |file| write(file, dataset, &hash, config, vocabulary, stop))?;
            let found = Examples::read(path, dataset)
                .with_context(|| format!("cannot read {}", path.display()))?;
            ensure!(fits(&found.description), "{} is of another dataset", path.display());
            Ok(found)
        };
        match make(&paths[0]) {
            Ok(found) => found.complete(),
            // Only what the file system says is another in another directory.
            Err(error) if error.chain().any(|cause| cause.is::<std::io::Error>()) => {
                make(&paths[1])?.complete()
            }
            Err(error) => Err(error),
        }
    }

    fn read(path: &Path, dataset: &Dataset) -> Result<Examples> {
        let mut file = File::open(path)?;
        let bytes = file.metadata()?.len();
        ensure!(bytes >= MAGIC.len() as u64 + END, "too short");
        let [examples, lengths, seeds, sets, description] = check(&mut file, bytes)?;
        file.seek(SeekFrom::Start(MAGIC.len() as u64 + examples))?;
        let mut read = |bytes: u64| -> Result<Vec<u8>> {
            let mut part = vec![0; usize::try_from(bytes)?];
            file.read_exact(&mut part)?;
            Ok(part)
        };
        let (lengths, seeds) = (read(lengths)?, read(seeds)?);
        let (sets, description) = (read(sets)?, read(description)?);
        let description: Description = serde_json::from_slice(&description)?;
        let language = dataset.system.language.clone();
        let vocabulary = Vocabulary::from_json(language, description.tokenizer.as_bytes())?;
        let sets: Vec<u64> = sets.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
        let masks = Arc::new(Masks::from_bits(vocabulary.len(), &sets));
        let numbers: Vec<u16> =
            lengths.as_chunks().0.iter().map(|b| u16::from_le_bytes(*b)).collect();
        let lengths: Vec<Lengths> = numbers.as_chunks().0.to_vec();
        let mut offsets = Vec::with_capacity(lengths.len());
        let mut end = 0u64;
        for length in &lengths {
            offsets.push(MAGIC.len() as u64 + end);
            end += bytes_of(length) as u64;
        }
        let seeds: Vec<u32> = seeds.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        let trained = description.train == seeds.len() && description.train <= lengths.len();
        let whole = end == examples && trained;
        ensure!(whole && description.counts.len() == vocabulary.len(), "lengths that do not fit");
        let file = Mutex::new(file);
        Ok(Examples { vocabulary, masks, description, lengths, offsets, seeds, file })
    }

    /// Refuses what nothing can be learned from.
    fn complete(self) -> Result<Examples> {
        let max_tokens = self.description.max_tokens;
        let [train, validation] = self.counts();
        for (split, count) in [(Split::Train, train), (Split::Validation, validation)] {
            ensure!(
                count > 0,
                "the {} split has no triple of at most {max_tokens} tokens a term",
                split.name()
            );
        }
        Ok(self)
    }

    /// Examples of the training and the validation split.
    pub fn counts(&self) -> [usize; 2] {
        [self.description.train, self.lengths.len() - self.description.train]
    }

    /// Triples of the training and the validation split of the whole dataset that are left out, for a
    /// term of theirs has too many tokens.
    pub fn left_out(&self) -> [usize; 2] {
        self.description.left_out
    }

    /// A line on what is left out of a training on the whole dataset, if anything is.
    pub fn left_out_line(&self) -> Option<String> {
        let (kept, left_out) = (self.counts(), self.left_out());
        let part = |i: usize| {
            let [left_out, all] = [left_out[i], kept[i] + left_out[i]].map(|n| thousands(n as u64));
            format!("{left_out} of {all}")
        };
        (left_out != [0, 0]).then(|| {
            format!(
                "left out, for a term has more tokens than max_tokens = {} allows: {} triples of the \
                 training split, {} of the validation split",
                self.description.max_tokens,
                part(0),
                part(1)
            )
        })
    }

    /// How often each token stands in a guide of the training split.
    pub fn token_counts(&self) -> &[u64] {
        &self.description.counts
    }

    /// Tokens of the examples of the training split.
    pub fn train_lengths(&self) -> &[Lengths] {
        &self.lengths[..self.description.train]
    }

    /// An example of the training split.
    ///
    /// # Errors
    /// The file can't be read any more.
    pub fn train(&self, i: usize) -> Result<Example> {
        self.get(i)
    }

    /// At most `limit` examples of the validation split, evenly spread, sorted by length so that
    /// little is padding.
    ///
    /// # Errors
    /// The file can't be read any more.
    pub fn validation(&self, limit: usize) -> Result<Vec<Example>> {
        let [train, n] = self.counts();
        let kept = limit.min(n);
        let mut chosen: Vec<Example> =
            (0..kept).map(|i| self.get(train + i * n / kept)).collect::<Result<_>>()?;
        chosen.sort_by_key(Example::len);
        Ok(chosen)
    }

    /// The seed of each example of the training split.
    pub fn train_seeds(&self) -> &[u32] {
        &self.seeds
    }

    /// The same, without the examples of the training split of which `keep` does not want the seed.
    /// What is counted over the training split is counted anew; the tokens, and what was left out, are
    /// those of the whole dataset.
    ///
    /// # Errors
    /// The file can't be read any more.
    pub fn of_seeds(mut self, keep: impl Fn(u32) -> bool) -> Result<Examples> {
        let train = self.description.train;
        let kept: Vec<usize> = (0..train).filter(|i| keep(self.seeds[*i])).collect();
        let mut counts = vec![0u64; self.vocabulary.len()];
        for i in &kept {
            self.get(*i)?.tokens[2].iter().for_each(|token| counts[*token as usize] += 1);
        }
        let all = || kept.iter().copied().chain(train..self.lengths.len());
        let lengths = all().map(|i| self.lengths[i]).collect();
        let offsets = all().map(|i| self.offsets[i]).collect();
        self.seeds = kept.iter().map(|i| self.seeds[*i]).collect();
        (self.description.train, self.description.counts) = (kept.len(), counts);
        (self.lengths, self.offsets) = (lengths, offsets);
        Ok(self)
    }

    fn get(&self, i: usize) -> Result<Example> {
        let lengths = &self.lengths[i];
        let mut bytes = vec![0; bytes_of(lengths)];
        let mut read = || -> std::io::Result<()> {
            let mut file = self.file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            file.seek(SeekFrom::Start(self.offsets[i]))?;
            file.read_exact(&mut bytes)
        };
        read().context("cannot read the tokens of the dataset any more")?;
        let all: usize = lengths.iter().map(|n| usize::from(*n)).sum();
        let (tokens, masks) = bytes.split_at(2 + 2 * all);
        let mut tokens = tokens.as_chunks().0.iter().map(|b| u16::from_le_bytes(*b));
        let sort = SortId(tokens.next().unwrap_or_default());
        let mut side = |i: usize| -> Vec<Token> {
            tokens.by_ref().take(usize::from(lengths[i])).map(Token::from).collect()
        };
        let tokens = [side(0), side(1), side(2)];
        let masks: Vec<u32> = masks.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        let known = |mask: &u32| (*mask as usize) < self.masks.len();
        ensure!(masks.iter().all(known), "the tokens of the dataset have changed");
        Ok(Example { sort, tokens, masks })
    }
}

fn path(directory: &Path, config: &Config) -> PathBuf {
    let literals = match config.model.literals {
        Literals::Spelled => "",
        Literals::Named => "-named",
    };
    let names = match config.training.names {
        Names::First => "",
        Names::Spread => "-spread",
    };
    directory.join(format!(".tokens-{}{literals}{names}.bin", config.model.max_tokens))
}

fn bytes_of([start, target, guide]: &Lengths) -> usize {
    let all = [start, target, guide].map(|n| usize::from(*n));
    2 + 2 * all.iter().sum::<usize>() + 4 * all[2]
}

/// Reads the file once, compares its checksum and returns the lengths of its parts.
fn check(file: &mut File, bytes: u64) -> Result<[u64; PARTS]> {
    let mut reader = BufReader::with_capacity(1 << 20, &mut *file);
    let mut block = vec![0; 1 << 20];
    let mut last = Vec::new();
    let mut magic = [0; 16];
    reader.read_exact(&mut magic)?;
    ensure!(magic == *MAGIC, "another kind of file");
    let mut checksum = crc32c::crc32c(&magic);
    let mut left = bytes - magic.len() as u64 - 4;
    while left > 0 {
        let n = block.len().min(usize::try_from(left)?);
        reader.read_exact(&mut block[..n])?;
        checksum = crc32c::crc32c_append(checksum, &block[..n]);
        last.extend(&block[n.saturating_sub(8 * PARTS)..n]);
        last.drain(..last.len().saturating_sub(8 * PARTS));
        left -= n as u64;
    }
    let mut stored = [0; 4];
    reader.read_exact(&mut stored)?;
    ensure!(checksum == u32::from_le_bytes(stored), "damaged");
    let parts: Vec<u64> = last.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
    let parts = <[u64; PARTS]>::try_from(parts).map_err(|_| anyhow!("too short"))?;
    let sum = parts.iter().try_fold(MAGIC.len() as u64 + END, |sum, n| sum.checked_add(*n));
    ensure!(sum == Some(bytes), "parts that do not fit");
    Ok(parts)
}

/// Writes to a file and computes its checksum.
struct Checked<'a> {
    file: &'a mut BufWriter<File>,
    checksum: u32,
    bytes: u64,
}

impl Checked<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.checksum = crc32c::crc32c_append(self.checksum, bytes);
        self.bytes += bytes.len() as u64;
        Ok(self.file.write_all(bytes)?)
    }
}

/// Writes the file of the examples of a dataset.
fn write(
    file: &mut BufWriter<File>,
    dataset: &Dataset,
    hash: &str,
    config: &Config,
    vocabulary: &Vocabulary,
    stop: &AtomicBool,
) -> Result<()> {
    let (max_tokens, names) = (config.model.max_tokens, config.training.names);
    ensure!(
        vocabulary.len() <= usize::from(u16::MAX),
        "{} tokens: expected fewer operators, at most 65535 tokens",
        vocabulary.len()
    );
    let mut out = Checked { file, checksum: 0, bytes: 0 };
    out.write(MAGIC)?;
    let mut masks = Masks::new(vocabulary.len());
    let (mut lengths, mut seeds): (Vec<u8>, Vec<u8>) = Default::default();
    let mut counts = vec![0u64; vocabulary.len()];
    let (mut kept, mut left_out) = ([0usize; 2], [0usize; 2]);
    for (which, split) in [Split::Train, Split::Validation].into_iter().enumerate() {
        dataset.examples(split, vocabulary, max_tokens, names, stop, |chunk: Chunk| {
            let words = vocabulary.len().div_ceil(64);
            let numbers: Vec<u32> =
                chunk.masks.bits().chunks_exact(words).map(|set| masks.insert(set)).collect();
            let mut bytes = Vec::new();
            for example in &chunk.examples {
                bytes.extend(example.sort.0.to_le_bytes());
                for token in example.tokens.iter().flatten() {
                    bytes.extend((*token as u16).to_le_bytes());
                }
                for mask in &example.masks {
                    bytes.extend(numbers[*mask as usize].to_le_bytes());
                }
                lengths.extend(example.lengths().iter().flat_map(|n| (*n as u16).to_le_bytes()));
                if split == Split::Train {
                    example.tokens[2].iter().for_each(|token| counts[*token as usize] += 1);
                }
            }
            if split == Split::Train {
                seeds.extend(chunk.seeds.iter().flat_map(|seed| seed.to_le_bytes()));
            }
            kept[which] += chunk.examples.len();
            left_out[which] += chunk.left_out;
            out.write(&bytes)
        })?;
    }
    let tokenizer = vocabulary.to_json()?;
    let dataset = hash.to_owned();
    let description = Description {
        dataset,
        max_tokens,
        literals: vocabulary.literals(),
        names,
        tokenizer,
        train: kept[0],
        left_out,
        counts,
    };
    let description = serde_json::to_vec(&description)?;
    let sets: Vec<u8> = masks.bits().iter().flat_map(|set| set.to_le_bytes()).collect();
    let examples = out.bytes - MAGIC.len() as u64;
    let rest = [&lengths, &seeds, &sets, &description].map(|part| part.len() as u64);
    out.write(&lengths)?;
    out.write(&seeds)?;
    out.write(&sets)?;
    out.write(&description)?;
    out.write(&examples.to_le_bytes())?;
    out.write(&rest.map(u64::to_le_bytes).concat())?;
    let checksum = out.checksum.to_le_bytes();
    out.write(&checksum)
}
