//! A look at a dataset: sizes of the splits, histograms, some triples.

use crate::card::{example, split_table};
use crate::info::{DatasetInfo, Provenance};
use crate::stats::Stats;
use crate::triples::{Split, Triple, read_triples};
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What [`inspect`] found.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The dataset's description.
    pub info: DatasetInfo,
    /// What its files hold.
    pub stats: BTreeMap<Split, Stats>,
    /// Some triples.
    pub examples: Vec<Triple>,
}

/// Reads a whole dataset and up to `examples` triples, evenly spaced over the training split.
///
/// # Errors
/// A missing or damaged file.
pub fn inspect(directory: &Path, examples: usize) -> Result<Inspection> {
    let info = DatasetInfo::load(directory)?;
    let mut stats = BTreeMap::new();
    let mut shown = Vec::new();
    for split in Split::ALL {
        let triples = read_triples(directory, split)?;
        stats.insert(split, Stats::of(&triples));
        if split == Split::Train && examples > 0 {
            let every = triples.len().div_ceil(examples).max(1);
            shown.extend(triples.iter().step_by(every).cloned());
        }
    }
    Ok(Inspection { info, stats, examples: shown })
}

impl Inspection {
    /// For a terminal.
    pub fn text(&self) -> String {
        let Provenance { version, system_hash, totals, seed, .. } = &self.info.cairn;
        let mut text = format!(
            "made by cairn {version} from {} seeds ({} conflicts), rewrite system {}, seed {seed}\n\n",
            totals.seeds,
            totals.conflicts,
            system_hash.get(..12).unwrap_or(system_hash)
        );
        text.push_str(&split_table(&self.info));
        let mut all = Stats::default();
        self.stats.values().for_each(|stats| all.merge(stats));
        for (title, histogram) in all.histograms() {
            text.push('\n');
            text.push_str(&histogram.text(title));
        }
        for triple in &self.examples {
            text.push('\n');
            text.push_str(&example(triple));
        }
        text
    }

    /// One JSON object.
    ///
    /// # Errors
    /// None that is known: all of it can be written as JSON.
    pub fn json(&self) -> Result<String> {
        #[derive(Serialize)]
        struct Report<'a> {
            cairn: &'a Provenance,
            splits: &'a BTreeMap<Split, Stats>,
            examples: &'a [Triple],
        }
        let report =
            Report { cairn: &self.info.cairn, splits: &self.stats, examples: &self.examples };
        Ok(serde_json::to_string_pretty(&report)?)
    }
}
