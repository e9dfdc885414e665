//! How a dataset or a part of one was made, and what it came to.

use crate::config::Config;
use crate::proofs::one_seed::SeedReport;
use crate::proofs::prover::ProofTally;
use egraph::StopReason;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    pub config: Config,
    /// Whether the proofs are what searches found, so that of the configuration only the splitting, the splits
    /// and the files matter.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub found: bool,
    /// The Parquet files, by their paths in the directory.
    pub files: BTreeMap<String, FileInfo>,
    /// Sums over all seeds.
    pub totals: Totals,
    /// One report a seed.
    pub seeds: Vec<SeedReport>,
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
            found: self.found,
            seed: self.seed,
        }
    }
}

/// A file of a dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileInfo {
    /// Its size.
    pub bytes: u64,
    /// Its hash, in hexadecimal.
    pub sha256: String,
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
