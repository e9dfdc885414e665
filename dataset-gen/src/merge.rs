//! `cairn merge`: parts → a dataset, the same as if one process had made it.

use crate::dataset::admission::Survey;
use crate::dataset::assemble::{Begun, assemble, begin, refuse_other};
use crate::dataset::info::DatasetInfo;
use crate::dataset::part::{PART_FILE, PartInfo, Shard};
use crate::dataset::provenance::{Provenance, Totals};
use crate::dataset::seed_files::{SEED_FILES, SeedFiles};
use crate::proofs::checked::check_all;
use crate::proofs::proof_rows::ProofRow;
use crate::system_copy::system_of;
use anyhow::{Context, Result, bail, ensure};
use egraph::System;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use support::{Progress, Run, StagedDir};

/// Makes the dataset `out` of all parts of it, given in any order.
///
/// # Errors
/// A part that is missing, given twice, damaged, or made otherwise than the first; no triple at all, a
/// proof that is none of the system, or what the file system says.
pub fn merge(parts: &[PathBuf], out: &Path, run: &Run) -> Result<DatasetInfo> {
    refuse_other(out)?;
    let pool = run.build_pool()?;
    let infos = parts.iter().map(|part| PartInfo::load(part)).collect::<Result<Vec<_>>>()?;
    let (Some(first), Some(directory)) = (infos.first(), parts.first()) else {
        bail!("no part to merge");
    };
    check_parts(parts, &infos)?;
    let (system, rules) = system_of(directory, &first.cairn.system_hash)?;
    let files_of = |seed: u32| {
        let of = infos.iter().position(|info| info.shard.has(seed)).unwrap_or(0);
        SeedFiles::new(&parts[of].join(SEED_FILES), seed)
    };
    // Before there are files for each seed that is spoken of.
    for (path, info) in parts.iter().zip(&infos) {
        all_there(path, info)?;
    }
    let seeds: Vec<SeedFiles> = (0..first.seeds).map(files_of).collect();
    let staged = match begin(out, "merge ", &first.cairn)? {
        Begun::Finished(info) => return Ok(*info),
        Begun::New(staged) => staged,
    };
    pool.install(|| {
        // Damage must not come out as a whole dataset: it may have been done on the way here.
        let check = |rows: &[ProofRow]| check_all(&system, rows).map(drop);
        assemble_seeds(staged, &system, &rules, &first.cairn, &seeds, &check, run)
    })
}

/// Refuses a part that does not have the files of all its seeds.
fn all_there(path: &Path, info: &PartInfo) -> Result<()> {
    let Shard { index, count } = info.shard;
    let expected = info.seeds.saturating_sub(index).div_ceil(count) as usize;
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

fn check_parts(paths: &[PathBuf], infos: &[PartInfo]) -> Result<()> {
    let (first, count) = (&infos[0], infos[0].shard.count);
    for (path, info) in paths.iter().zip(infos) {
        ensure!(
            info.cairn == first.cairn && info.shard.count == count && info.seeds == first.seeds,
            "{} was not made with the same files and configuration as {}",
            path.display(),
            paths[0].display()
        );
    }
    for index in 0..count {
        let shard = Shard { index, count };
        let of: Vec<String> = paths
            .iter()
            .zip(infos)
            .filter(|(_, info)| info.shard == shard)
            .map(|(path, _)| path.display().to_string())
            .collect();
        ensure!(!of.is_empty(), "part {shard} is missing");
        ensure!(of.len() == 1, "part {shard} is given more than once: {}", of.join(", "));
    }
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
