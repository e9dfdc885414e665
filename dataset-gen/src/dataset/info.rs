//! `dataset_info.json`: what a dataset is and how to make it again.

use crate::config::Config;
use crate::dataset::part::PART_FILE;
use crate::proofs::one_seed::SeedReport;
use crate::proofs::prover::ProofTally;
use crate::seeds::seen_seeds::SeenSeeds;
use crate::seeds::split::Split;
use crate::triples::triple_rows::COLUMNS;
use anyhow::{Context, Result, anyhow, ensure};
use arrow_schema::DataType;
use egraph::{StopReason, System};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use support::files::hash::of_file;
use support::files::numbered::numbered_files;
use support::files::whole_file::{named_inside, write_atomic};

/// The file that marks a directory as a dataset; written last.
pub const INFO_FILE: &str = "dataset_info.json";
/// The copy of the rewrite system that the dataset was made with.
pub const SYSTEM_FILE: &str = "system.rules";

/// The copy of the rewrite system in the directory of a dataset, of a part, of a model or of
/// results, with its file's content.
///
/// # Errors
/// It is missing, damaged, or not the one with this hash.
pub fn system_of(directory: &Path, hash: &str) -> Result<(System, Vec<u8>)> {
    let path = directory.join(SYSTEM_FILE);
    let (system, rules) = System::load_with_bytes(&path).map_err(|error| anyhow!("{error}"))?;
    ensure!(
        system.hash == hash,
        "{} is not the rewrite system that {} was made with: its hash is {}, expected {hash}",
        path.display(),
        directory.display(),
        system.hash
    );
    Ok((system, rules))
}

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

/// A file of a dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileInfo {
    /// Its size.
    pub bytes: u64,
    /// Its hash, in hexadecimal.
    pub sha256: String,
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

/// How a dataset was made: with the program of this version, the files with these hashes, this
/// configuration and this seed it is made again, byte by byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of the program.
    pub version: String,
    /// SHA-256 of the rewrite system, which is also in the directory as `system.rules`.
    pub system_hash: String,
    /// SHA-256 of the seed file.
    pub seeds_hash: String,
    /// Seed of all random choices.
    pub seed: u64,
    /// The configuration; of the files only the names.
    #[serde(deserialize_with = "without_sketches")]
    pub config: Config,
    /// The Parquet files, by their paths in the directory.
    pub files: BTreeMap<String, FileInfo>,
    /// Sums over all seeds.
    pub totals: Totals,
    /// One report a seed.
    pub seeds: Vec<SeedReport>,
}

/// Reads a configuration. Those of earlier versions say how sketches of guides are made.
fn without_sketches<'de, D: Deserializer<'de>>(from: D) -> Result<Config, D::Error> {
    let mut sections = serde_json::Map::deserialize(from)?;
    sections.remove("sketches");
    Config::deserialize(serde_json::Value::Object(sections)).map_err(D::Error::custom)
}

impl Provenance {
    /// What the dataset depends on, without what it came to.
    pub fn origin(&self) -> Provenance {
        Provenance {
            files: BTreeMap::new(),
            totals: Totals::default(),
            seeds: Vec::new(),
            version: self.version.clone(),
            system_hash: self.system_hash.clone(),
            seeds_hash: self.seeds_hash.clone(),
            config: self.config.clone(),
            seed: self.seed,
        }
    }
}

/// Sums over all seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Seeds.
    pub seeds: u64,
    /// Seeds whose e-graph found two distinct literals equal and was not used.
    pub conflicts: u64,
    /// Sampled e-classes.
    pub classes: u64,
    /// Draws.
    pub drawn: u64,
    /// Draws of padded terms.
    pub padded: u64,
    /// Draws of terms that were there already.
    pub repeated: u64,
    /// Distinct terms per class, summed up.
    pub terms: u64,
    /// Seeds that equal a literal.
    pub constant_seeds: u64,
    /// Those of them of whose class no frontier term was found.
    pub constant_without_frontier: u64,
    /// Frontier terms per class, summed up.
    pub frontier: u64,
    /// What came of pairs of terms, and of chains.
    pub proofs: ProofTally,
    /// Chains that were begun.
    pub chains_begun: u64,
    /// Chains that became a proof.
    pub chains: u64,
    /// Triples dropped because the same (start, guide, target) was there already.
    pub duplicates: u64,
    /// Triples dropped because their (start, target) is in another split, where test goes before
    /// validation and validation before train.
    pub shared: u64,
}

impl Totals {
    /// The sums of the reports; what merging drops is not in them.
    pub fn of(reports: &[SeedReport]) -> Totals {
        let mut totals = Totals { seeds: reports.len() as u64, ..Totals::default() };
        for report in reports {
            totals.conflicts += u64::from(report.stop == StopReason::Conflict);
            for class in &report.classes {
                totals.classes += 1;
                totals.drawn += class.drawn;
                totals.padded += class.padded;
                totals.repeated += class.repeated;
                totals.terms += class.terms;
                totals.frontier += class.frontier;
            }
            totals.proofs.add(&report.proofs());
            totals.chains_begun += report.chains.begun;
            totals.chains += report.chains.made;
            let constant = report.is_constant();
            let frontier = report.classes.first().map_or(0, |class| class.frontier);
            totals.constant_seeds += u64::from(constant);
            totals.constant_without_frontier += u64::from(constant && frontier == 0);
        }
        totals
    }
}

fn unknown_file(name: &str) -> String {
    format!("dataset_info.json does not speak of {name}")
}

/// What something is that is not a dataset, as far as the names of its files tell.
fn what_else(path: &Path) -> &'static str {
    let has = |name: &str| path.join(name).is_file();
    if has(PART_FILE) {
        "a part of a dataset, not a dataset (see cairn merge)"
    } else if has("config.json") && has("tokenizer.json") {
        "a model, not a dataset"
    } else if has("evaluation.json") {
        "the results of an evaluation, not a dataset (see cairn report)"
    } else if path.is_file() && path.extension().is_some_and(|ending| ending == "parquet") {
        "a file, not a dataset: expected the directory of one"
    } else {
        "not a dataset"
    }
}

impl DatasetInfo {
    /// The description of a dataset of triples.
    pub fn new(splits: BTreeMap<Split, SplitInfo>, cairn: Provenance) -> DatasetInfo {
        let feature = |(name, kind): &(&str, DataType)| {
            let dtype = match kind {
                DataType::UInt64 => "uint64",
                DataType::UInt32 => "uint32",
                _ => "string",
            };
            ((*name).to_owned(), Feature { dtype: dtype.to_owned(), kind: "Value".to_owned() })
        };
        DatasetInfo {
            description:
                "(start, guide, target) triples from checked proofs of equality saturation"
                    .to_owned(),
            features: COLUMNS.iter().map(feature).collect(),
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
    /// which its checkpoint is chosen. `None` for a dataset of an earlier version, which does not say.
    pub fn seen_seeds(&self) -> Option<SeenSeeds> {
        let seen = self.cairn.seeds.iter().filter(|report| report.split != Split::Test);
        let digests: BTreeSet<String> = seen.map(|report| report.digest.clone()).collect();
        let literals = self.cairn.config.splits.literals;
        (!digests.contains("")).then_some(SeenSeeds { literals, digests })
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
    /// There is none, or it is not one of ours; the file is named.
    pub fn load(directory: &Path) -> Result<DatasetInfo> {
        let path = directory.join(INFO_FILE);
        let name = path.display();
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!("{} is {}: cannot read {name}", directory.display(), what_else(directory))
        })?;
        serde_json::from_str(&text)
            .map_err(anyhow::Error::new)
            .and_then(|mut info: DatasetInfo| {
                // Datasets of earlier versions have the column; no reader asks for it.
                info.features.remove("sketch");
                info.cairn.config.validate()?;
                Ok(info)
            })
            .with_context(|| format!("{name} is not the description of a Cairn dataset"))
    }

    /// Writes `dataset_info.json`.
    ///
    /// # Errors
    /// What the file system says.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        write_atomic(path, text.as_bytes())
    }

    /// SHA-256 of the rewrite system's file in hexadecimal.
    pub fn system_hash(&self) -> &str {
        &self.cairn.system_hash
    }
}
