//! From proofs to the files of a dataset: triples without duplicates, proofs, card, description.

use crate::config::Config;
use crate::dataset::admission::{Admission, Survey};
use crate::dataset::card::{Written, card};
use crate::dataset::duplicates::ORDER;
use crate::dataset::info::{DatasetInfo, INFO_FILE, SplitInfo};
use crate::dataset::provenance::{FileInfo, Provenance, Totals};
use crate::dataset::seed_files::SEED_FILES;
use crate::dataset::stats::Stats;
use crate::proofs::one_seed::SeedReport;
use crate::proofs::proof_rows::ProofRow;
use crate::splits::split::Split;
use crate::system_copy::SYSTEM_FILE;
use crate::triples::from_proofs::triples_of;
use crate::triples::triple_rows::Triple;
use anyhow::{Context, Result, bail, ensure};
use egraph::System;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use support::hash::of_file;
use support::{Internal, NumberedFiles, StagedDir, write_atomic};

/// Gives the proofs of a split, all those of a seed at a time and always in the same order.
pub type Proofs<'a> =
    dyn FnMut(Split, &mut dyn FnMut(Vec<ProofRow>) -> Result<()>) -> Result<()> + 'a;

const EXAMPLES: usize = 3;

/// Makes a whole dataset in `staged`, publishes it, and gives its description. Proofs and triples
/// are numbered in the order in which they are written. `provenance` has the reports of the seeds;
/// the sums over them, and what depends on how proofs are split, are put in here. There may be `most`
/// triples about; if they are many the proofs are asked for twice. Work is done on the threads of the
/// current pool.
///
/// # Errors
/// No triple at all (then nothing stays), a proof that is none of `system`, or what the file
/// system says.
pub fn assemble(
    staged: StagedDir,
    system: &System,
    rules: &[u8],
    provenance: Provenance,
    most: u64,
    proofs: &mut Proofs<'_>,
) -> Result<DatasetInfo> {
    let config = provenance.config.clone();
    let mut admission = survey(system, &config, most, staged.path(), proofs)?;
    let mut written = Written::default();
    let mut segments = Segments::default();
    let mut splits = BTreeMap::new();
    let mut files = BTreeMap::new();
    let mut ids = Ids::default();
    for split in ORDER {
        let mut table = SplitTables::new(&staged, &config, split)?;
        let mut stats = Stats::default();
        proofs(split, &mut |rows| {
            let rows = ids.proofs(rows);
            let found = triples_of(system, &rows, &config.splitting)?;
            segments.count(&rows, &found);
            let mut admitted = Vec::new();
            for triples in found {
                let before = admitted.len();
                admitted.extend(admission.admitted(split, triples)?);
                let first = admitted.get(before).filter(|_| split == Split::Train);
                if written.examples.len() < EXAMPLES {
                    written.examples.extend(first.cloned());
                }
            }
            ids.triples(&mut admitted);
            admitted.iter().for_each(|t| stats.add(t));
            table.triples.write(&admitted)?;
            table.proofs.write(&rows)
        })?;
        let (triples, proofs) = table.finish()?;
        let described = |paths: &[PathBuf]| describe_files(&staged, paths);
        let (triples, proofs) = (described(&triples)?, described(&proofs)?);
        let num_bytes = triples.values().map(|file| file.bytes).sum();
        let num_examples = stats.triples;
        splits.insert(split, SplitInfo { name: split, num_examples, num_bytes });
        files.extend(triples.into_iter().chain(proofs));
        written.stats.push((split, stats));
    }
    written.stats.sort_by_key(|(split, _)| *split);
    if written.stats.iter().all(|(_, stats)| stats.triples == 0) {
        staged.discard()?;
        bail!(no_triple(&provenance));
    }
    let mut provenance = Provenance { files, ..provenance };
    segments.tell(&mut provenance.seeds);
    provenance.totals = Totals::of(&provenance.seeds);
    provenance.totals.duplicates = admission.repeated;
    provenance.totals.shared = admission.shared;
    let info = DatasetInfo::new(splits, provenance);
    write_atomic(&staged.file(SYSTEM_FILE)?, rules)?;
    write_atomic(&staged.file("README.md")?, card(&info, &written).as_bytes())?;
    // Last: where it is, the dataset is whole.
    info.save(&staged.file(INFO_FILE)?)?;
    publish(staged)?;
    Ok(info)
}

/// Goes through all triples beforehand, with temporary files in `directory`, if there may be too
/// many to remember: `most` about.
///
/// # Errors
/// As [`assemble`].
pub(crate) fn survey(
    system: &System,
    config: &Config,
    most: u64,
    directory: &Path,
    proofs: &mut Proofs<'_>,
) -> Result<Admission> {
    if !Survey::is_needed(most) {
        return Ok(Admission::new(config.splits));
    }
    let mut survey = Survey::new(most, config.splits, directory)?;
    for split in ORDER {
        proofs(split, &mut |rows| {
            let mut triples = triples_of(system, &rows, &config.splitting)?.into_iter().flatten();
            triples.try_for_each(|triple| survey.add(split, &triple))
        })?;
    }
    survey.finish(directory)
}

/// Refuses a directory in which no dataset can be made, and there is none; writes nothing.
///
/// # Errors
/// It holds something else.
pub fn refuse_other(out: &Path) -> Result<()> {
    if out.join(INFO_FILE).exists() { Ok(()) } else { StagedDir::check(out) }
}

/// The dataset `out`: as it is there, or as `make` makes it in a new directory or in one that was begun. `origin` has
/// everything that it depends on, but for what the command `way` does with it.
///
/// # Errors
/// `out` holds something else, or a dataset that was made otherwise; or what `make` or the file system says.
pub fn found_or_made(
    out: &Path,
    way: &str,
    origin: &Provenance,
    make: impl FnOnce(StagedDir) -> Result<DatasetInfo>,
) -> Result<DatasetInfo> {
    if out.join(INFO_FILE).exists() {
        let info = DatasetInfo::load(out)?;
        // What is split anew has its proofs already.
        let kept = [origin, &info.cairn].map(|provenance| provenance.totals.proofs.kept);
        ensure!(
            info.cairn.origin() == origin.origin() && (kept[0] == 0 || kept[0] == kept[1]),
            "{} already holds a finished dataset that was made with other arguments: choose \
             another directory",
            out.display()
        );
        StagedDir::tidy(out);
        return Ok(info);
    }
    let staged = StagedDir::create(out, &format!("{way}{}", serde_json::to_string(origin)?))?;
    // All of it may have been written before the process was stopped.
    if !staged.file(INFO_FILE)?.exists() {
        return make(staged);
    }
    let info = DatasetInfo::load(staged.path())?;
    publish(staged)?;
    Ok(info)
}

/// Gives a whole dataset its name, without what it was made of.
///
/// # Errors
/// What the file system says.
fn publish(staged: StagedDir) -> Result<()> {
    let files = staged.path().join(SEED_FILES);
    if files.exists() {
        std::fs::remove_dir_all(&files)
            .with_context(|| format!("cannot remove {}", files.display()))?;
    }
    staged.publish()
}

/// How many triples the proofs of a class or chain give, before duplicates are dropped: by seed,
/// class, and whether they are chains. Reports have it of the splitting that the seeds were grown
/// for, which may be another.
#[derive(Default)]
struct Segments(FxHashMap<(u32, u32, bool), u64>);

impl Segments {
    fn count(&mut self, rows: &[ProofRow], triples: &[Vec<Triple>]) {
        for (row, triples) in rows.iter().zip(triples) {
            let place = (row.seed, row.class, row.links > 1);
            *self.0.entry(place).or_default() += triples.len() as u64;
        }
    }

    fn tell(&self, reports: &mut [SeedReport]) {
        let of = |place| self.0.get(&place).copied().unwrap_or(0);
        for report in reports {
            for (class, number) in report.classes.iter_mut().zip(0..) {
                class.proofs.triples = of((report.seed, number, false));
            }
            report.chains.proofs.triples = of((report.seed, 0, true));
        }
    }
}

/// Gives proofs and triples their numbers.
#[derive(Default)]
pub(crate) struct Ids {
    proofs: u64,
    triples: u64,
}

impl Ids {
    pub fn proofs(&mut self, mut rows: Vec<ProofRow>) -> Vec<ProofRow> {
        rows.iter_mut().zip(self.proofs..).for_each(|(row, id)| row.id = id);
        self.proofs += rows.len() as u64;
        rows
    }

    pub fn triples(&mut self, triples: &mut [Triple]) {
        triples.iter_mut().zip(self.triples..).for_each(|(triple, id)| triple.id = id);
        self.triples += triples.len() as u64;
    }
}

/// The two tables of a split.
struct SplitTables {
    triples: NumberedFiles,
    proofs: NumberedFiles,
}

impl SplitTables {
    fn new(staged: &StagedDir, config: &Config, split: Split) -> Result<SplitTables> {
        let stem = |name: String| staged.file(&name);
        Ok(SplitTables {
            triples: NumberedFiles::new(&stem(split.data())?, config.files.triples),
            proofs: NumberedFiles::new(&stem(split.proofs())?, config.files.proofs),
        })
    }

    fn finish(self) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
        Ok((self.triples.finish::<Triple>()?, self.proofs.finish::<ProofRow>()?))
    }
}

fn describe_files(staged: &StagedDir, paths: &[PathBuf]) -> Result<BTreeMap<String, FileInfo>> {
    let one = |path: &PathBuf| {
        let name = path.strip_prefix(staged.path()).map_err(|_| {
            Internal::new(format!("{} is not in the directory of the dataset", path.display()))
        })?;
        let (sha256, bytes) = of_file(path)?;
        Ok((name.to_string_lossy().into_owned(), FileInfo { bytes, sha256 }))
    };
    paths.iter().map(one).collect()
}

fn no_triple(provenance: &Provenance) -> String {
    let Provenance { totals, config, .. } = provenance;
    format!(
        "no triple came of {} seeds: of {} proofs {} had too few steps to be split, {} more than \
         {} and {} passed through a term of more than {} nodes; {} e-graphs had a conflict",
        totals.seeds,
        totals.proofs.proofs,
        totals.proofs.too_short,
        totals.proofs.too_long,
        config.proofs.max_steps,
        totals.proofs.too_large,
        config.proofs.max_term_size,
        totals.conflicts
    )
}
