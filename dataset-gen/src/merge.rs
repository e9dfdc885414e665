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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triples::write_triples;
    use std::path::Path;

    fn triple(start: &str, guide: &str, target: &str) -> Triple {
        let own = |text: &str| text.to_owned();
        Triple { start: own(start), guide: own(guide), target: own(target), ..Triple::default() }
    }

    /// The guides of a split's triples, with their ids.
    fn guides(path: &Path) -> Vec<(u64, String)> {
        read_file(path).unwrap().into_iter().map(|t| (t.id, t.guide)).collect()
    }

    #[test]
    fn a_pair_stays_in_the_split_that_goes_first_and_a_triple_stays_once() {
        let directory = tempfile::tempdir().unwrap();
        let staged = StagedDir::create(&directory.path().join("data"), "key").unwrap();
        let seeds = [
            vec![triple("a", "one", "b"), triple("c", "two", "d"), triple("e", "three", "f")],
            vec![triple("c", "four", "d"), triple("a", "five", "b"), triple("c", "four", "d")],
            vec![triple("a", "six", "b")],
            vec![triple("e", "three", "f"), triple("f", "seven", "e")],
        ];
        let shards: Vec<PathBuf> = seeds
            .iter()
            .enumerate()
            .map(|(i, triples)| {
                let path = directory.path().join(format!("{i}.parquet"));
                write_triples(&path, triples).unwrap();
                path
            })
            .collect();
        let splits = [Split::Train, Split::Validation, Split::Test, Split::Train];
        let merged = merge(&staged, &shards, &splits).unwrap();
        let of = |split: Split| guides(&staged.file(&split.file()).unwrap());
        let numbered = |id: u64, guide: &str| (id, guide.to_owned());
        assert_eq!(of(Split::Test), [numbered(0, "six")]);
        assert_eq!(of(Split::Validation), [numbered(1, "four")]);
        assert_eq!(of(Split::Train), [numbered(2, "three"), numbered(3, "seven")]);
        assert_eq!((merged.shared, merged.duplicates), (3, 2));
        let rows: Vec<_> = merged.stats.iter().map(|(s, stats)| (*s, stats.triples)).collect();
        assert_eq!(rows, [(Split::Train, 2), (Split::Validation, 1), (Split::Test, 1)]);
    }
}
