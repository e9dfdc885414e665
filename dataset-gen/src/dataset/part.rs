//! A part of a dataset: what one of several processes, on whatever machines, made of its seeds.

use crate::dataset::provenance::Provenance;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use support::{seal_json, unseal_json, write_atomic};

/// The file that marks a directory as a finished part.
pub const PART_FILE: &str = "part.json";

/// One of `count` parts of the seeds: every `count`-th seed, from number `index` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// From 0.
    pub index: u32,
    /// How many parts there are.
    pub count: u32,
}

impl Shard {
    /// Whether a seed is in this part.
    pub fn has(self, seed: u32) -> bool {
        seed % self.count == self.index
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').and_then(|(index, count)| {
            let shard = Shard { index: index.parse().ok()?, count: count.parse().ok()? };
            (shard.index < shard.count).then_some(shard)
        });
        numbers.ok_or_else(|| "expected I/N with I from 0 to N-1, as 0/8".to_owned())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// The content of `part.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartInfo {
    /// Which part.
    pub shard: Shard,
    /// Seeds of all parts together.
    pub seeds: u32,
    /// How it was made; without sums and reports, so that it is the same in all parts.
    pub cairn: Provenance,
}

impl PartInfo {
    /// Reads `part.json` of a directory.
    ///
    /// # Errors
    /// There is none, it is not one of ours, or not as it was written; the file is named.
    pub fn load(directory: &Path) -> Result<PartInfo> {
        let path = directory.join(PART_FILE);
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!(
                "{} is not a finished part of a dataset: cannot read {}",
                directory.display(),
                path.display()
            )
        })?;
        let part = serde_json::from_str(&text)
            .map_err(anyhow::Error::new)
            .and_then(PartInfo::validated)
            .with_context(|| format!("{} does not describe a part of a dataset", path.display()))?;
        unseal_json(&path.display().to_string(), &text)?;
        Ok(part)
    }

    fn validated(self) -> Result<PartInfo> {
        let Shard { index, count } = self.shard;
        ensure!(index < count, "there is no shard {index}/{count}");
        self.cairn.config.validate()?;
        Ok(self)
    }

    /// Writes `part.json`.
    ///
    /// # Errors
    /// What the file system says.
    pub fn save(&self, path: &Path) -> Result<()> {
        write_atomic(path, seal_json(&serde_json::to_string_pretty(self)?).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_is_in_one_shard() {
        for text in ["3/3", "1", "a/2", "-1/2", "0/0", "1/2/3", ""] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
        let shards: Vec<Shard> = (0..3).map(|i| format!("{i}/3").parse().unwrap()).collect();
        for seed in 0..10 {
            assert_eq!(shards.iter().filter(|shard| shard.has(seed)).count(), 1);
        }
    }
}
