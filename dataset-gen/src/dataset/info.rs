//! `dataset_info.json`: what a dataset is and how to make it again.

use crate::dataset::provenance::Provenance;
use crate::splits::split::Split;
use crate::triples::triple_rows::Triple;
use anyhow::{Context, Result, ensure};
use jobs::PART_FILE;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use support::columns::{DataType, Field};
use support::hash::of_file;
use support::{Record, named_inside, numbered_files, seal_json, unseal_json, write_atomic};
use terms::SeenSeeds;

/// The file that marks a directory as a dataset; written last.
pub const INFO_FILE: &str = "dataset_info.json";

/// The content of `dataset_info.json`. The names outside of `cairn` are those of the
/// Hugging Face `datasets` library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetInfo {
    /// One sentence.
    pub description: String,
    /// Column name to type.
    pub features: BTreeMap<String, Feature>,
    /// Rows and bytes by split name.
    pub splits: BTreeMap<Split, SplitInfo>,
    /// Bytes of all Parquet files of triples.
    pub download_size: u64,
    /// Everything that is needed to make the dataset again.
    pub cairn: Provenance,
}

/// The type of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feature {
    /// `string`, `uint32`, …
    pub dtype: String,
    /// Always `Value`: a plain column.
    #[serde(rename = "_type")]
    pub kind: String,
}

/// One split.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitInfo {
    /// The split's name again, as Hugging Face has it.
    pub name: Split,
    /// Number of triples.
    pub num_examples: u64,
    /// Bytes of its Parquet files of triples.
    pub num_bytes: u64,
}

fn unknown_file(name: &str) -> String {
    format!("dataset_info.json does not speak of {name}")
}

/// What something is that is not a dataset, as far as the names of its files tell.
fn what_else(path: &Path) -> &'static str {
    let has = |name: &str| path.join(name).is_file();
    if has(PART_FILE) {
        "a part, not a dataset (see cairn merge)"
    } else if has("config.json") && has("tokenizer.json") {
        "a model, not a dataset"
    } else if has("evaluation.json") {
        "the results of an evaluation, not a dataset (see cairn report)"
    } else if has("learning.json") {
        "a learning of a ranker, not a dataset (the same `cairn learn` goes on with it)"
    } else if has("optimisation.json") {
        "optimised terms, not a dataset"
    } else if path.is_file() && path.extension().is_some_and(|ending| ending == "parquet") {
        "a file, not a dataset: expected the directory of one"
    } else {
        "not a dataset"
    }
}

impl DatasetInfo {
    /// The description of a dataset of triples.
    pub fn new(splits: BTreeMap<Split, SplitInfo>, cairn: Provenance) -> DatasetInfo {
        let feature = |field: &Field| {
            let dtype = match field.data_type() {
                DataType::UInt64 => "uint64",
                DataType::UInt32 => "uint32",
                _ => "string",
            };
            (field.name().clone(), Feature { dtype: dtype.to_owned(), kind: "Value".to_owned() })
        };
        DatasetInfo {
            description:
                "(start, guide, target) triples from checked proofs of equality saturation"
                    .to_owned(),
            features: Triple::fields().iter().map(feature).collect(),
            download_size: splits.values().map(|info: &SplitInfo| info.num_bytes).sum(),
            splits,
            cairn,
        }
    }

    /// The number of triples of a split.
    pub fn rows(&self, split: Split) -> u64 {
        self.splits.get(&split).map_or(0, |info| info.num_examples)
    }

    /// The seeds that a model of this dataset sees: those of training, and those of validation, by
    /// which its checkpoint is chosen.
    pub fn seen_seeds(&self) -> SeenSeeds {
        let seen = self.cairn.seeds.iter().filter(|report| report.split != Split::Test);
        let digests: BTreeSet<String> = seen.map(|report| report.digest.clone()).collect();
        let literals = self.cairn.config.splits.literals;
        SeenSeeds { literals, digests, ..SeenSeeds::default() }
    }

    /// Refuses a file of the dataset in `directory` that is not the one which this describes.
    ///
    /// # Errors
    /// It is another, is not there, or is not described; the name leads out of the directory.
    pub fn expect_file(&self, directory: &Path, name: &str) -> Result<()> {
        let said = self.cairn.files.get(name).with_context(|| unknown_file(name))?;
        let path = named_inside(directory, name)?;
        let (sha256, bytes) = of_file(&path)?;
        ensure!(
            bytes == said.bytes && sha256 == said.sha256,
            "{} is not the file that dataset_info.json describes: it has {bytes} bytes and \
             SHA-256 {sha256}",
            path.display()
        );
        Ok(())
    }

    /// The names of the files of a table, all of which are described.
    ///
    /// # Errors
    /// One is missing or is not described.
    pub fn files_of(&self, directory: &Path, stem: &str) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for path in numbered_files(&directory.join(stem))? {
            let name = path.strip_prefix(directory).unwrap_or(&path).to_string_lossy().into_owned();
            ensure!(self.cairn.files.contains_key(&name), unknown_file(&name));
            names.push(name);
        }
        Ok(names)
    }

    /// Reads `dataset_info.json` of a dataset's directory.
    ///
    /// # Errors
    /// There is none, it is not one of ours, or not as it was written; the file is named.
    pub fn load(directory: &Path) -> Result<DatasetInfo> {
        let path = directory.join(INFO_FILE);
        let name = path.display();
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!("{} is {}: cannot read {name}", directory.display(), what_else(directory))
        })?;
        let info = serde_json::from_str(&text)
            .map_err(anyhow::Error::new)
            .and_then(|info: DatasetInfo| {
                info.cairn.config.validate()?;
                Ok(info)
            })
            .with_context(|| {
                format!(
                    "{name} is not the description of a Cairn dataset, or an earlier version made it: \
                     make it again"
                )
            })?;
        unseal_json(&name.to_string(), &text)?;
        Ok(info)
    }

    /// Writes `dataset_info.json`.
    ///
    /// # Errors
    /// What the file system says.
    pub fn save(&self, path: &Path) -> Result<()> {
        write_atomic(path, seal_json(&serde_json::to_string_pretty(self)?).as_bytes())
    }

    /// SHA-256 of the rewrite system's file in hexadecimal.
    pub fn system_hash(&self) -> &str {
        &self.cairn.system_hash
    }
}
