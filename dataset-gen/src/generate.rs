//! The pipeline: seeds → an e-graph each, in parallel → proofs → triples, in order.
//!
//! The proofs of a seed are kept in files of the staging directory as soon as they are there, so
//! that a run that was stopped goes on where it was. They are read in a fixed order, so that the
//! number of threads and the order in which seeds were finished can't show. Several processes can
//! make those of a part of the seeds each.

use crate::config::Config;
use crate::dataset::assemble::{found_or_made, refuse_other};
use crate::dataset::info::DatasetInfo;
use crate::dataset::provenance::{Provenance, Totals};
use crate::dataset::seed_files::{SEED_FILES, SeedFiles};
use crate::merge::{DATASET_PART, assemble_seeds};
use crate::proofs::one_seed::grow;
use crate::splits::assign_splits::partition;
use crate::splits::split::Split;
use crate::system_copy::SYSTEM_FILE;
use anyhow::{Context, Result, anyhow};
use egraph::{System, TermBank};
use jobs::{Outcome, PART_FILE, Part, Shard, each, make_part};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use support::{InputFile, Progress, Run, StagedDir};
use terms::{Seed, load_seeds_with_hash};

/// Makes a dataset in the new directory `out`.
///
/// # Errors
/// Bad input: a configuration, rewrite system or seed file that can't be used, a directory that
/// holds something else, no triple at all. An [`Internal`](support::Internal) error if a proof is refused.
pub fn generate(config: &Config, out: &Path, run: &Run) -> Result<DatasetInfo> {
    config.validate()?;
    refuse_other(out)?;
    let pool = run.build_pool()?;
    let input = Input::read(config, run)?;
    let seeds: Vec<u64> = (0..input.seeds.len() as u64).collect();
    let Input { system, rules, provenance, .. } = &input;
    pool.install(|| {
        found_or_made(out, "", provenance, |staged| {
            let seeds = input.grow_all(&seeds, &staged, config, run)?;
            // Each proof was checked when it was made, and the files of each seed have their hashes.
            assemble_seeds(staged, system, rules, provenance, &seeds, &|_| Ok(()), run)
        })
    })
}

/// Makes one part of a dataset in the new directory `out`, for [`crate::merge::merge`]. If it is
/// there already nothing is done; what is returned says so.
///
/// # Errors
/// As [`generate`].
pub fn generate_part(config: &Config, shard: Shard, out: &Path, run: &Run) -> Result<Outcome> {
    config.validate()?;
    if !out.join(PART_FILE).exists() {
        StagedDir::check(out)?;
    }
    let pool = run.build_pool()?;
    let input = Input::read(config, run)?;
    let part = Part::new(DATASET_PART, shard, input.seeds.len() as u64, &input.provenance)?;
    let rules = Some((SYSTEM_FILE, &input.rules[..]));
    pool.install(|| {
        make_part(part, rules, out, |staged, own| {
            Ok((input.grow_all(own, staged, config, run)?.len(), None))
        })
    })
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
    fn read(config: &Config, run: &Run) -> Result<Input> {
        let system_file = required(&config.system, "rewrite system", "system")?;
        let seeds_file = required(&config.seeds, "seed file", "seeds")?;
        // Each file once: it may be a pipe. The message alone: it has the place and all that its
        // source says.
        let rules = system_file.read("the rewrite system")?;
        let system = System::from_bytes(&system_file.to_string(), rules.clone())
            .map_err(|error| anyhow!("{error}"))?;
        anyhow::ensure!(
            system.analyses.is_empty(),
            "{system_file} has analyses: a row of a data set has no place for the facts that a proof \
             rests on; expected a system with (analysis constant) at most"
        );
        let system = Arc::new(system);
        let mut bank = TermBank::new(system.language.clone());
        let (seeds, seeds_hash) =
            load_seeds_with_hash(seeds_file, &system, &mut bank, config.limit)?;
        let splits = partition(&mut bank, &seeds, config.splits, run.seed);
        let provenance = Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            system_hash: system.hash.clone(),
            seeds_hash,
            seed: run.seed,
            config: Config {
                system: Some(system_file.file_name().into()),
                seeds: Some(seeds_file.file_name().into()),
                ..config.clone()
            },
            found: false,
            files: BTreeMap::new(),
            totals: Totals::default(),
            seeds: Vec::new(),
        };
        Ok(Input { system, rules, bank, seeds, splits, provenance })
    }

    /// Makes the files of these seeds that are not there yet, on the threads of the current pool.
    fn grow_all(
        &self,
        numbers: &[u64],
        staged: &StagedDir,
        config: &Config,
        run: &Run,
    ) -> Result<Vec<SeedFiles>> {
        let directory = staged.directory(SEED_FILES)?;
        let progress = Progress::new("seeds", numbers.len() as u64, run.quiet);
        let (began, triples) = (Instant::now(), AtomicU64::new(0));
        let files = |number| SeedFiles::new(&directory, number as u32);
        let find = |number| Some(files(number)).filter(|files| files.finished().is_some());
        let files = each(numbers, false, &progress, find, |number| {
            let Input { system, bank, seeds, splits, .. } = self;
            let (seed, split) = (&seeds[number as usize], splits[number as usize]);
            let (report, proofs) = grow(system, bank, number as u32, seed, split, config, run.seed)
                .with_context(|| format!("seed {} ({})", seed.id, bank.text(seed.term)))?;
            let files = files(number);
            files.save(&report, &proofs)?;
            let new = report.proofs().triples;
            let all = triples.fetch_add(new, Ordering::Relaxed) + new;
            let rate = all as f64 / began.elapsed().as_secs_f64().max(1e-3);
            progress.message(format!("{all} new triples, {rate:.0}/s"));
            Ok(files)
        });
        progress.finish();
        files
    }
}

fn required<'a>(file: &'a Option<InputFile>, what: &str, key: &str) -> Result<&'a InputFile> {
    file.as_ref().with_context(|| {
        format!("no {what}: expected --{key} FILE, or '{key}' in the configuration")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proofs::one_seed::SeedReport;

    #[test]
    fn a_stopped_run_goes_on_where_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            InputFile::Path(path)
        };
        let rules = "(sort I) (literal i64 I) (variable I) (op + (I I) I)
            (rewrite (+ ?a ?b) (+ ?b ?a))
            (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))";
        let mut config = Config {
            system: Some(file("sums.rules", rules)),
            seeds: Some(file("seeds.txt", "(+ a (+ b (+ c (+ d e))))\n(+ (+ a 1) (+ b (+ c c)))")),
            ..Config::default()
        };
        config.splitting.cutoff = 2;
        config.saturation.nodes = Some(200);
        let run = Run { quiet: true, ..Run::default() };
        let out = directory.path().join("data");

        let input = Input::read(&config, &run).unwrap();
        let key = serde_json::to_string(&input.provenance).unwrap();
        let staged = StagedDir::create(&out, &key).unwrap();
        let files = input.grow_all(&[0], &staged, &config, &run).unwrap().remove(0);
        // A mark, to see that the report is used again.
        let marked = SeedReport { e_nodes: 424_242, ..files.report().unwrap() };
        files.save(&marked, &files.proofs().unwrap()).unwrap();
        drop(staged);

        let info = generate(&config, &out, &run).unwrap();
        assert_eq!(info.cairn.seeds[0].e_nodes, 424_242);
        assert!(info.cairn.seeds[1].e_nodes < 300);
    }
}
