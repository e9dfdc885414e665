//! How the tasks of a file were made.

use crate::options::tasks::Family;
use anyhow::Result;
use dataset_gen::INFO_FILE;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use support::hash::of_file;

/// How the tasks of a file were made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskOrigin {
    /// SHA-256 of the rewrite system.
    pub system_hash: String,
    /// Links per chain; 0 for tasks from elsewhere.
    pub links: u32,
    /// E-nodes per link (L); 0 for tasks from elsewhere.
    pub link_nodes: usize,
    /// The cap, in e-nodes, under which no start reaches its target; 0 for tasks from elsewhere.
    pub cap: usize,
    /// Seed of the random choices.
    pub seed: u64,
    /// Chains that were begun.
    pub begun: u64,
    /// Chains that came to nothing, by reason.
    pub failures: BTreeMap<String, u64>,
    /// The family that was asked for, if one was.
    pub family: Option<Family>,
    /// Seeds with which no chain was begun, as they are of the other family.
    #[serde(default)]
    pub other_family: u64,
    /// What the seeds were held out from; not known of files of earlier versions.
    #[serde(default)]
    pub held_out_from: Vec<HeldOutFrom>,
}

/// What the seeds of tasks were held out from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldOutFrom {
    /// What it is.
    pub kind: Source,
    /// Its path, as it was given.
    pub path: String,
    /// SHA-256 of the file of tasks, or of the file that describes the dataset.
    pub sha256: String,
}

/// What seeds can be held out from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The training and validation splits of a dataset.
    Dataset,
    /// Other tasks.
    Tasks,
}

impl HeldOutFrom {
    /// A dataset.
    ///
    /// # Errors
    /// Its description can't be read.
    pub fn dataset(directory: &Path) -> Result<HeldOutFrom> {
        HeldOutFrom::of(Source::Dataset, directory, &directory.join(INFO_FILE))
    }

    /// Other tasks.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn tasks(path: &Path) -> Result<HeldOutFrom> {
        HeldOutFrom::of(Source::Tasks, path, path)
    }

    fn of(kind: Source, given: &Path, file: &Path) -> Result<HeldOutFrom> {
        let (sha256, _) = of_file(file)?;
        Ok(HeldOutFrom { kind, path: given.display().to_string(), sha256 })
    }
}

impl Source {
    /// For a terminal.
    pub fn name(self) -> &'static str {
        match self {
            Source::Dataset => "the dataset",
            Source::Tasks => "the tasks",
        }
    }
}
