//! `cairn merge`: parts → a dataset, the same as if one process had made it.

use crate::dataset::admission::Survey;
use crate::dataset::assemble::{assemble, found_or_made, refuse_other};
use crate::dataset::info::DatasetInfo;
use crate::dataset::provenance::{Provenance, Totals};
use crate::dataset::seed_files::{SEED_FILES, SeedFiles};
use crate::proofs::checked::check_all;
use crate::proofs::proof_rows::ProofRow;
use crate::system_copy::system_of;
use anyhow::{Context, Result, ensure};
use egraph::System;
use jobs::{PART_FILE, Parts};
use std::fs::DirEntry;
use std::path::Path;
use support::{Progress, Run, StagedDir};

/// What the parts of `generate` become.
pub const DATASET_PART: &str = "a dataset";

/// Makes the dataset `out` of all parts of it.
///
/// # Errors
/// A part that is damaged, no triple at all, a
/// proof that is none of the system, or what the file system says.
pub fn merge(parts: &Parts, out: &Path, run: &Run) -> Result<DatasetInfo> {
    refuse_other(out)?;
    let provenance: Provenance = parts.settings()?;
    provenance.config.validate()?;
    let (system, rules) = system_of(parts.first(), &provenance.system_hash)?;
    // Before there are files for each seed that is spoken of.
    parts.shares().try_for_each(|(path, seeds)| all_there(path, seeds))?;
    let files = |seed| SeedFiles::new(&parts.of(seed).join(SEED_FILES), seed as u32);
    let seeds: Vec<SeedFiles> = (0..parts.items()).map(files).collect();
    // Damage must not come out as a whole dataset: it may have been done on the way here.
    let check = |rows: &[ProofRow]| check_all(&system, rows).map(drop);
    run.build_pool()?.install(|| {
        found_or_made(out, "merge ", &provenance, |staged| {
            assemble_seeds(staged, &system, &rules, &provenance, &seeds, &check, run)
        })
    })
}

/// Refuses a part that does not have the files of all its seeds.
fn all_there(path: &Path, expected: usize) -> Result<()> {
    let directory = path.join(SEED_FILES);
    let entries = std::fs::read_dir(&directory)
        .with_context(|| format!("cannot read {}", directory.display()))?;
    let is_report = |entry: &std::io::Result<DirEntry>| {
        entry.as_ref().is_ok_and(|e| Path::new(&e.file_name()).extension() == Some("json".as_ref()))
    };
    let found = entries.filter(is_report).count();
    ensure!(
        found == expected,
        "{} speaks of {expected} seeds in this part, but {} has the reports of {found}",
        path.join(PART_FILE).display(),
        directory.display()
    );
    Ok(())
}

/// As [`assemble`], of the proofs in the files of finished seeds, in their order, all of which must
/// pass `check`.
///
/// # Errors
/// As [`assemble`], or a damaged file.
pub fn assemble_seeds(
    staged: StagedDir,
    system: &System,
    rules: &[u8],
    provenance: &Provenance,
    seeds: &[SeedFiles],
    check: &dyn Fn(&[ProofRow]) -> Result<()>,
    run: &Run,
) -> Result<DatasetInfo> {
    let reports = seeds.iter().map(SeedFiles::report).collect::<Result<Vec<_>>>()?;
    let splits: Vec<_> = reports.iter().map(|report| report.split).collect();
    let totals = Totals::of(&reports);
    let most = totals.proofs.triples;
    let provenance = Provenance { totals, seeds: reports, ..provenance.clone() };
    let all = Survey::passes(most) * seeds.len() as u64;
    let progress = Progress::new("seeds merged", all, run.quiet);
    let info = assemble(staged, system, rules, provenance, most, &mut |split, sink| {
        for (files, _) in seeds.iter().zip(&splits).filter(|(_, s)| **s == split) {
            let rows = files.proofs()?;
            check(&rows)?;
            sink(rows)?;
            progress.advance(1);
        }
        Ok(())
    });
    progress.finish();
    info
}
