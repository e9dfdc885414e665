//! Merging the seeds' triples into splits: no triple twice, no (start, target) in two splits.

use crate::files::{StagedDir, write_atomic_with};
use crate::stats::Stats;
use crate::triples::{Split, Triple, TripleWriter, read_file};
use anyhow::Result;
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// What was written and what was dropped.
#[derive(Clone, Debug, Default)]
pub struct Merged {
    /// The written triples.
    pub stats: Vec<(Split, Stats)>,
    /// A few triples of the training split, from different seeds.
    pub examples: Vec<Triple>,
    /// Triples that were there already.
    pub duplicates: u64,
    /// Triples whose (start, target) is in another split.
    pub shared: u64,
}

/// In this order splits get their triples: what test has, validation and train go without.
const ORDER: [Split; 3] = [Split::Test, Split::Validation, Split::Train];

const EXAMPLES: usize = 3;

/// Writes the splits' Parquet files from the seeds' shards. `splits[i]` is the split of the
/// seed with shard `shards[i]`. Terms are compared after renaming of variables, as they are
/// written. Rows are numbered in the order in which they are written.
///
/// # Errors
/// What the file system says.
pub fn merge(staged: &StagedDir, shards: &[PathBuf], splits: &[Split]) -> Result<Merged> {
    let mut merged = Merged::default();
    let mut owner: FxHashMap<u128, Split> = FxHashMap::default();
    let mut seen: FxHashSet<u128> = FxHashSet::default();
    let mut rows = 0;
    for split in ORDER {
        let mut stats = Stats::default();
        write_atomic_with(&staged.file(&split.file())?, |file| {
            let mut writer = TripleWriter::new(file)?;
            let of_split = shards.iter().zip(splits).filter(|(_, s)| **s == split);
            for (shard, _) in of_split {
                let mut triples = read_file(shard)?;
                triples.retain_mut(|triple| {
                    let pair = [&triple.start, &triple.target].map(String::as_str);
                    if *owner.entry(digest(&pair)).or_insert(split) != split {
                        merged.shared += 1;
                        return false;
                    }
                    if !seen.insert(digest(&[pair[0], pair[1], &triple.guide])) {
                        merged.duplicates += 1;
                        return false;
                    }
                    triple.id = rows;
                    rows += 1;
                    stats.add(triple);
                    true
                });
                if split == Split::Train && merged.examples.len() < EXAMPLES {
                    merged.examples.extend(triples.first().cloned());
                }
                writer.write(&triples)?;
            }
            writer.finish()?;
            Ok(())
        })?;
        merged.stats.push((split, stats));
    }
    merged.stats.sort_by_key(|(split, _)| *split);
    Ok(merged)
}

/// 128 bits of SHA-256: two different texts never have the same in practice.
fn digest(texts: &[&str]) -> u128 {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update(text.as_bytes());
        hasher.update([0]);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize()[..16]);
    u128::from_le_bytes(bytes)
}
