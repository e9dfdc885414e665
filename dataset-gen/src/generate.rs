//! The pipeline: seeds → an e-graph each, in parallel → triples, merged in order.
//!
//! The triples of a seed are kept in a shard of the staging directory as soon as they are there,
//! so that memory is bounded by the e-graphs in work, and a run that was stopped goes on where
//! it was. Merging reads the shards in a fixed order, so that the number of threads and the
//! order in which seeds were finished can't show.

use crate::card::card;
use crate::cli::Common;
use crate::config::Config;
use crate::files::{StagedDir, write_atomic};
use crate::grow::{SeedReport, grow};
use crate::info::{DatasetInfo, Feature, INFO_FILE, Provenance, SYSTEM_FILE, SplitInfo, Totals};
use crate::merge::{Merged, merge};
use crate::partition::partition;
use crate::progress::Progress;
use crate::seeds::{Seed, load_seeds};
use crate::triples::{COLUMNS, Split, write_triples};
use anyhow::{Context, Result, anyhow, bail};
use egraph::{System, TermBank};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const SHARDS: &str = "shards";

/// Makes a dataset in the new directory `out`.
///
/// # Errors
/// Bad input: a configuration, rewrite system or seed file that can't be used, a directory that
/// holds something else, no triple at all. An [`Internal`](crate::errors::Internal) error if a proof is refused.
pub fn generate(config: &Config, out: &Path, common: &Common) -> Result<DatasetInfo> {
    config.validate()?;
    StagedDir::check(out)?;
    let pool = common.build_pool()?;
    let input = Input::read(config, common)?;
    let staged = StagedDir::create(out, &serde_json::to_string(&input.provenance)?)?;
    let run = Run { input: &input, config, common, staged: &staged };
    let reports = pool.install(|| run.grow_all())?;

    let shards: Vec<PathBuf> =
        (0..input.seeds.len()).map(|index| run.shard(index, "parquet")).collect::<Result<_>>()?;
    let splits = input.splits;
    let merged = merge(&staged, &shards, &splits)?;
    let totals =
        Totals { duplicates: merged.duplicates, shared: merged.shared, ..Totals::of(&reports) };
    if merged.stats.iter().all(|(_, stats)| stats.triples == 0) {
        staged.discard()?;
        bail!(no_triple(&totals, config));
    }
    staged.remove_part(SHARDS)?;
    write_atomic(&staged.file(SYSTEM_FILE)?, &input.rules)?;
    let provenance = Provenance { totals, seeds: reports, ..input.provenance };
    let info = describe(provenance, &merged, &staged)?;
    write_atomic(&staged.file("README.md")?, card(&info, &merged).as_bytes())?;
    info.save(&staged.file(INFO_FILE)?)?;
    staged.publish()?;
    Ok(info)
}

/// Everything that is read before any work is done.
struct Input {
    system: Arc<System>,
    /// The rule file as it is.
    rules: Vec<u8>,
    bank: TermBank,
    seeds: Vec<Seed>,
    splits: Vec<Split>,
    /// Without what comes out of the work.
    provenance: Provenance,
}

impl Input {
    fn read(config: &Config, common: &Common) -> Result<Input> {
        let system_path = required(&config.system, "rewrite system", "system")?;
        let seeds_path = required(&config.seeds, "seed file", "seeds")?;
        // The message alone: it has the place and all that its source says.
        let system = System::load(system_path).map_err(|error| anyhow!("{error}"))?;
        let system = Arc::new(system);
        let mut bank = TermBank::new(system.language.clone());
        let seeds = load_seeds(seeds_path, &system, &mut bank, config.limit)?;
        let splits = partition(&mut bank, &seeds, config.splits, common.seed);
        let seed_bytes = read_bytes(seeds_path)?;
        let provenance = Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            system_hash: system.hash.clone(),
            seeds_hash: Sha256::digest(&seed_bytes).iter().map(|b| format!("{b:02x}")).collect(),
            seed: common.seed,
            config: Config {
                system: Some(file_name(system_path)),
                seeds: Some(file_name(seeds_path)),
                ..config.clone()
            },
            totals: Totals::default(),
            seeds: Vec::new(),
        };
        let rules = read_bytes(system_path)?;
        Ok(Input { system, rules, bank, seeds, splits, provenance })
    }
}

fn required<'a>(path: &'a Option<PathBuf>, what: &str, key: &str) -> Result<&'a Path> {
    path.as_deref().with_context(|| {
        format!("no {what}: expected --{key} FILE, or '{key}' in the configuration")
    })
}

fn file_name(path: &Path) -> PathBuf {
    path.file_name().map(PathBuf::from).unwrap_or_default()
}

fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn no_triple(totals: &Totals, config: &Config) -> String {
    format!(
        "no triple came of {} seeds: of {} proofs {} had fewer than {} steps, {} more than {} and \
         {} passed through a term of more than {} nodes; {} e-graphs had a conflict",
        totals.seeds,
        totals.proofs,
        totals.too_short,
        config.proofs.cutoff,
        totals.too_long,
        config.proofs.max_steps,
        totals.too_large,
        config.proofs.max_term_size,
        totals.conflicts
    )
}

struct Run<'a> {
    input: &'a Input,
    config: &'a Config,
    common: &'a Common,
    staged: &'a StagedDir,
}

impl Run<'_> {
    /// The file that a seed's triples (`parquet`) or report (`json`) are kept in.
    fn shard(&self, index: usize, kind: &str) -> Result<PathBuf> {
        self.staged.file(&format!("{SHARDS}/{index:07}.{kind}"))
    }

    /// Makes all shards that are not there yet, on the threads of the current pool.
    fn grow_all(&self) -> Result<Vec<SeedReport>> {
        let progress = Progress::new("seeds", self.input.seeds.len() as u64, self.common.quiet);
        let triples = AtomicU64::new(0);
        let one = |index: usize| {
            let report = self.grow_one(index).with_context(|| {
                let seed = &self.input.seeds[index];
                format!("seed {} ({})", seed.id, self.input.bank.text(seed.term))
            })?;
            let new: u64 = report.classes.iter().map(|class| class.triples).sum();
            let all = triples.fetch_add(new, Ordering::Relaxed) + new;
            progress.message(format!("{all} triples"));
            progress.advance(1);
            Ok(report)
        };
        let reports =
            (0..self.input.seeds.len()).into_par_iter().with_max_len(1).map(one).collect();
        progress.finish();
        reports
    }

    fn grow_one(&self, index: usize) -> Result<SeedReport> {
        let report_file = self.shard(index, "json")?;
        if let Ok(text) = std::fs::read_to_string(&report_file)
            && let Ok(report) = serde_json::from_str(&text)
        {
            return Ok(report);
        }
        let Input { system, bank, seeds, .. } = self.input;
        let grown = grow(system, bank, index as u32, &seeds[index], self.config, self.common.seed);
        let (report, triples) = grown?;
        // The report comes last: where it is, the triples are whole.
        write_triples(&self.shard(index, "parquet")?, &triples)?;
        write_atomic(&report_file, serde_json::to_string(&report)?.as_bytes())?;
        Ok(report)
    }
}

fn describe(cairn: Provenance, merged: &Merged, staged: &StagedDir) -> Result<DatasetInfo> {
    let mut splits = std::collections::BTreeMap::new();
    for (split, stats) in &merged.stats {
        let path = staged.file(&split.file())?;
        let num_bytes = std::fs::metadata(&path)
            .with_context(|| format!("cannot read {}", path.display()))?
            .len();
        splits.insert(*split, SplitInfo { name: *split, num_examples: stats.triples, num_bytes });
    }
    let feature = |(name, kind): &(&str, arrow_schema::DataType)| {
        let dtype = match kind {
            arrow_schema::DataType::UInt64 => "uint64",
            arrow_schema::DataType::UInt32 => "uint32",
            _ => "string",
        };
        ((*name).to_owned(), Feature { dtype: dtype.to_owned(), kind: "Value".to_owned() })
    };
    Ok(DatasetInfo {
        description: "(start, guide, target) triples from checked proofs of equality saturation"
            .to_owned(),
        features: COLUMNS.iter().map(feature).collect(),
        download_size: splits.values().map(|info: &SplitInfo| info.num_bytes).sum(),
        splits,
        cairn,
    })
}

/// The number of triples of a dataset's split.
pub fn rows(info: &DatasetInfo, split: Split) -> u64 {
    info.splits.get(&split).map_or(0, |info| info.num_examples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_run_goes_on_where_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let rules = "(sort I) (literal i64 I) (variable I) (op + (I I) I)
            (rewrite (+ ?a ?b) (+ ?b ?a))
            (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))";
        let mut config = Config {
            system: Some(file("sums.rules", rules)),
            seeds: Some(file("seeds.txt", "(+ a (+ b (+ c (+ d e))))\n(+ (+ a 1) (+ b (+ c c)))")),
            ..Config::default()
        };
        config.proofs.cutoff = 2;
        config.saturation.nodes = Some(200);
        let common = Common { quiet: true, ..Common::default() };
        let out = directory.path().join("data");

        let input = Input::read(&config, &common).unwrap();
        let key = serde_json::to_string(&input.provenance).unwrap();
        let staged = StagedDir::create(&out, &key).unwrap();
        let run = Run { input: &input, config: &config, common: &common, staged: &staged };
        let mut report = run.grow_one(0).unwrap();
        // A mark, to see that the report is used again.
        report.e_nodes = 424_242;
        let report = serde_json::to_string(&report).unwrap();
        std::fs::write(run.shard(0, "json").unwrap(), report).unwrap();
        drop(staged);

        let info = generate(&config, &out, &common).unwrap();
        assert_eq!(info.cairn.seeds[0].e_nodes, 424_242);
        assert!(info.cairn.seeds[1].e_nodes < 300);
    }
}
