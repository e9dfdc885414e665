//! The configuration of a dataset.

use crate::triples::segments::Splitting;
use anyhow::{Result, ensure};
use egraph::{ByteSize, Caps, Limits, MAX_DEPTH, SaturationConfig, Scheduler};
use serde::{Deserialize, Serialize};
use support::InputFile;
use terms::Terms;

/// How to make a dataset: everything but the seed of random choices. In TOML every key is
/// optional and an unknown key is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The rewrite system's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<InputFile>,
    /// The seed file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds: Option<InputFile>,
    /// Use only that many seeds, the first of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// How each seed's e-graph is grown.
    pub saturation: Saturation,
    /// Which terms are drawn from it.
    pub sampling: Sampling,
    /// Which proofs are kept.
    pub proofs: Proofs,
    /// Proofs across several e-graphs.
    pub chains: Chains,
    /// How they are split.
    pub splitting: Splitting,
    /// The shares of the seeds.
    pub splits: Splits,
    /// How large files become.
    pub files: Files,
}

/// Rows of one Parquet file at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Files {
    /// Triples.
    pub triples: usize,
    /// Proofs.
    pub proofs: usize,
}

/// When an e-graph is large enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Saturation {
    /// Bytes of an e-graph, and of the counts beside it: where they would take more, the largest
    /// size of drawn terms is lowered.
    pub memory: ByteSize,
    /// E-nodes of an e-graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<usize>,
    /// Iterations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// How rules that match too often are treated.
    pub scheduler: Scheduler,
}

/// Which terms are drawn from an e-graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sampling {
    /// E-classes per seed: that of the seed, and those of its largest subterms that are not
    /// equal to a literal.
    pub classes: usize,
    /// Subterms with fewer nodes than this give no class.
    pub least_subterm: u64,
    /// Distinct terms drawn per class. The seed, or subterm, itself is taken in addition.
    pub terms: usize,
    /// Largest size of a drawn term as a multiple of the size of the seed or subterm.
    pub size_factor: f64,
    /// Largest size of a drawn term in any case.
    pub max_size: u32,
    /// Distinct frontier terms drawn per class in addition: those that the e-graph of some
    /// iterations earlier did not represent in the class.
    pub frontier: usize,
    /// How many iterations earlier, at least 1.
    pub frontier_iterations: u64,
    /// Draws per class and size limit. If they don't give `terms` terms, because nearly all
    /// terms of the class are padded, the limit is lowered.
    pub attempts: u64,
    /// Whether padded terms are drawn, in which a subterm equals one of its own proper subterms.
    pub padded: bool,
    /// Whether a proper subterm that equals a literal may be written otherwise.
    pub constants: bool,
}

/// Which proofs are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Proofs {
    /// Pairs of terms per class that are explained at most, drawn from all ordered pairs.
    pub pairs: usize,
    /// Proofs per class that are kept; when there are enough, no further pair is explained.
    pub kept: usize,
    /// Whether proofs are shortened.
    pub shorten: bool,
    /// Proofs that have more steps, then, are dropped.
    pub max_steps: usize,
    /// Proofs that pass through a larger term are dropped.
    pub max_term_size: u64,
}

/// Proofs across several e-graphs: from a frontier term of one the next is grown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Chains {
    /// Chains per seed.
    pub count: u32,
    /// E-graphs of a chain.
    pub links: u32,
    /// Whether chains may not end at a term that one e-graph can prove equal to the seed.
    pub far: bool,
}

/// Shares of the seeds, which sum up to 1, and what must not be in two splits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Splits {
    /// To learn from.
    pub train: f64,
    /// To watch the learning.
    pub validation: f64,
    /// To measure at the end.
    pub test: f64,
    /// Whether terms that differ in literals only are one: seeds, and the starts and targets of
    /// triples.
    pub literals: bool,
}

impl Default for Saturation {
    fn default() -> Self {
        let memory = ByteSize(32 << 20);
        Saturation { memory, nodes: None, iterations: None, scheduler: Scheduler::default() }
    }
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling {
            classes: 3,
            least_subterm: 7,
            terms: 12,
            size_factor: 2.0,
            max_size: 60,
            frontier: 4,
            frontier_iterations: 1,
            attempts: 4_000,
            padded: false,
            constants: false,
        }
    }
}

impl Default for Proofs {
    fn default() -> Self {
        Proofs { pairs: 100, kept: 20, shorten: true, max_steps: 200, max_term_size: 150 }
    }
}

impl Default for Chains {
    fn default() -> Self {
        Chains { count: 0, links: 3, far: false }
    }
}

impl Default for Files {
    fn default() -> Self {
        Files { triples: 1_000_000, proofs: 50_000 }
    }
}

impl Default for Splits {
    fn default() -> Self {
        Splits { train: 0.8, validation: 0.1, test: 0.1, literals: false }
    }
}

/// A proof that is to be shortened may have this many times the most steps.
const SHORTENED_FROM: usize = 2;

impl Saturation {
    /// The limits as the e-graph crate takes them.
    pub fn config(&self) -> SaturationConfig {
        let limits = Limits {
            memory: Some(self.memory.0),
            nodes: self.nodes,
            iterations: self.iterations,
            ..Limits::default()
        };
        SaturationConfig { limits, scheduler: self.scheduler, ..SaturationConfig::default() }
    }
}

impl Sampling {
    /// Which terms are counted.
    pub fn counted(&self) -> Terms {
        Terms { padded: self.padded, constants: self.constants }
    }

    /// The largest size of a term that is drawn for a seed or subterm of this size.
    pub fn size_limit(&self, size: u64) -> u32 {
        let wanted = size as f64 * self.size_factor;
        // A float-to-integer cast saturates.
        (wanted as u32).min(self.max_size)
    }
}

impl Proofs {
    /// The caps on a proof as it comes from the e-graph, before it is shortened.
    pub fn caps(&self) -> Caps {
        let most = if self.shorten { SHORTENED_FROM } else { 1 };
        Caps { steps: self.max_steps.saturating_mul(most), term_size: self.max_term_size }
    }
}

impl Config {
    /// For a dataset of proofs that were found, of whose starts this share is for validation and none for a test.
    ///
    /// # Errors
    /// The share is not between 0 and 1.
    pub fn of_found(splitting: Splitting, validation: f64) -> Result<Config> {
        ensure!(
            validation > 0.0 && validation < 1.0,
            "--validation {validation}: expected a share between 0 and 1"
        );
        let splits = Splits { train: 1.0 - validation, validation, test: 0.0, literals: false };
        Ok(Config { splitting, splits, ..Config::default() })
    }

    /// Bytes that the counts of terms may take beside an e-graph: the same number as the e-graph.
    pub fn counts_memory(&self) -> usize {
        self.saturation.memory.0
    }

    /// Refuses values that can't give a dataset.
    ///
    /// # Errors
    /// The first such key with its value and what was expected.
    pub fn validate(&self) -> Result<()> {
        let Config {
            limit, saturation, sampling, proofs, chains, splitting, splits, files, ..
        } = self;
        ensure!(*limit != Some(0), "limit = 0: expected at least 1 seed");
        ensure!(saturation.memory.0 > 0, "saturation.memory = 0B: expected some memory");
        ensure!(saturation.nodes != Some(0), "saturation.nodes = 0: expected at least 1");
        ensure!(sampling.classes > 0, "sampling.classes = 0: expected at least 1");
        // All ordered pairs of the terms of a class are put in random order.
        let most = 1_000;
        ensure!(
            (1..=most).contains(&sampling.terms),
            "sampling.terms = {}: expected 1 to {most}",
            sampling.terms
        );
        ensure!(
            sampling.frontier <= most,
            "sampling.frontier = {}: expected at most {most}",
            sampling.frontier
        );
        ensure!(sampling.attempts > 0, "sampling.attempts = 0: expected at least 1");
        let deepest = MAX_DEPTH as u64;
        ensure!(
            (1..=deepest).contains(&u64::from(sampling.max_size)),
            "sampling.max_size = {}: expected 1 to {deepest}",
            sampling.max_size
        );
        ensure!(
            sampling.size_factor.is_finite() && sampling.size_factor > 0.0,
            "sampling.size_factor = {}: expected a positive number",
            sampling.size_factor
        );
        ensure!(proofs.pairs > 0, "proofs.pairs = 0: expected at least 1");
        ensure!(proofs.kept > 0, "proofs.kept = 0: expected at least 1");
        // Terms are kept as text, which is read to this depth.
        ensure!(
            (1..=deepest).contains(&proofs.max_term_size),
            "proofs.max_term_size = {}: expected 1 to {deepest}",
            proofs.max_term_size
        );
        ensure!(
            sampling.frontier_iterations > 0,
            "sampling.frontier_iterations = 0: expected at least 1"
        );
        ensure!(chains.links >= 2, "chains.links = {}: expected at least 2", chains.links);
        splitting.validate()?;
        ensure!(files.triples > 0, "files.triples = 0: expected at least 1");
        ensure!(files.proofs > 0, "files.proofs = 0: expected at least 1");
        let shares = [splits.train, splits.validation, splits.test];
        ensure!(
            shares.iter().all(|share| (0.0..=1.0).contains(share))
                && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-6,
            "splits = {shares:?}: expected shares from 0 to 1 whose sum is 1"
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The text of a shipped preset.
    fn preset(name: &str) -> String {
        let presets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/dataset");
        std::fs::read_to_string(presets.join(name).with_extension("toml")).unwrap()
    }

    /// The shipped preset shows every key with its default value, as it says.
    #[test]
    fn the_default_preset_is_the_default() {
        let text = preset("default");
        let preset: Config = toml::from_str(&text).unwrap();
        assert_eq!(Config { system: None, seeds: None, ..preset }, Config::default());
        for line in toml::to_string(&Config::default()).unwrap().lines() {
            let key = line.split('=').next().unwrap();
            assert!(text.contains(key), "{key} is missing");
        }
    }

    #[test]
    fn the_quickstart_preset_is_valid() {
        toml::from_str::<Config>(&preset("quickstart")).unwrap().validate().unwrap();
    }
}
