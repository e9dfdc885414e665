//! A look at a dataset: sizes of the splits, histograms, some triples.

use crate::dataset::card::{example, split_table};
use crate::dataset::info::DatasetInfo;
use crate::dataset::provenance::Provenance;
use crate::dataset::stats::Stats;
use crate::splits::split::Split;
use crate::triples::triple_rows::Triple;
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use support::{for_each_batch, numbered_files};

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

/// Goes through a whole dataset and shows up to `examples` triples, evenly spaced over the training split.
///
/// # Errors
/// A missing or damaged file.
pub fn inspect(directory: &Path, examples: usize) -> Result<Inspection> {
    let info = DatasetInfo::load(directory)?;
    let mut stats = BTreeMap::new();
    let mut shown = Vec::new();
    for split in Split::ALL {
        let rows = info.splits.get(&split).map_or(0, |part| part.num_examples);
        let wanted = if split == Split::Train { examples as u64 } else { 0 };
        let every = rows.checked_div(wanted).unwrap_or(rows).max(1);
        let mut of_split = Stats::default();
        for file in numbered_files(&directory.join(split.data()))? {
            for_each_batch(&file, |triples: Vec<Triple>| {
                for triple in triples {
                    let is_example = of_split.triples % every == 0;
                    of_split.add(&triple);
                    if is_example && (shown.len() as u64) < wanted {
                        shown.push(triple);
                    }
                }
                Ok(())
            })?;
        }
        stats.insert(split, of_split);
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
        for (title, histogram) in Stats::of_all(self.stats.values()).histograms() {
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
