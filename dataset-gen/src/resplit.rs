//! `cairn split`: other triples from the proofs of a dataset, without new e-graphs.

use crate::dataset::admission::Survey;
use crate::dataset::assemble::{assemble, found_or_made, refuse_other};
use crate::dataset::info::DatasetInfo;
use crate::dataset::provenance::Provenance;
use crate::proofs::checked::check_all;
use crate::proofs::proof_rows::ProofRow;
use crate::splits::split::Split;
use crate::system_copy::system_of;
use crate::triples::segments::Splitting;
use anyhow::Result;
use std::path::Path;
use support::{Progress, Run, for_each_batch, numbered_files};

/// Gives the proofs of a dataset's split in order, all those of a seed at a time.
///
/// # Errors
/// A missing or damaged file, or what `sink` says.
pub fn for_each_proof(
    directory: &Path,
    split: Split,
    sink: &mut dyn FnMut(Vec<ProofRow>) -> Result<()>,
) -> Result<()> {
    let mut of_seed: Vec<ProofRow> = Vec::new();
    for file in numbered_files(&directory.join(split.proofs()))? {
        for_each_batch(&file, |rows: Vec<ProofRow>| {
            for row in rows {
                if of_seed.last().is_some_and(|last| last.seed != row.seed) {
                    sink(std::mem::take(&mut of_seed))?;
                }
                of_seed.push(row);
            }
            Ok(())
        })?;
    }
    if of_seed.is_empty() { Ok(()) } else { sink(of_seed) }
}

/// As [`for_each_proof`] of any split, counted when they are done with.
pub(crate) fn counted_proofs<'a>(
    directory: &'a Path,
    progress: &'a Progress,
) -> impl FnMut(Split, &mut dyn FnMut(Vec<ProofRow>) -> Result<()>) -> Result<()> + 'a {
    |split, sink| {
        for_each_proof(directory, split, &mut |rows| {
            let count = rows.len() as u64;
            sink(rows)?;
            progress.advance(count);
            Ok(())
        })
    }
}

/// Makes the dataset `out` of the proofs of the dataset in `from`, split in another way. A proof
/// that gives no triple now is in it all the same. Which proofs there are does not change: those
/// that could not be split when `from` was made are not among them.
///
/// # Errors
/// A dataset that can't be read, whose files are not those that it describes, or a proof of which
/// is wrong; no triple at all, or what the file system says.
pub fn resplit(from: &Path, splitting: &Splitting, out: &Path, run: &Run) -> Result<DatasetInfo> {
    splitting.validate()?;
    refuse_other(out)?;
    let pool = run.build_pool()?;
    let info = DatasetInfo::load(from)?;
    let (system, rules) = system_of(from, info.system_hash())?;
    for split in Split::ALL {
        for name in info.files_of(from, &split.proofs())? {
            info.expect_file(from, &name)?;
        }
    }
    let mut provenance = Provenance { files: Default::default(), ..info.cairn };
    provenance.config.splitting = splitting.clone();
    let kept = provenance.totals.proofs.kept;
    // No proof has more segments than steps.
    let most = provenance.totals.proofs.steps;
    pool.install(|| {
        found_or_made(out, "split ", &provenance, |staged| {
            let progress = Progress::new("proofs", Survey::passes(most) * kept, run.quiet);
            let mut counted = counted_proofs(from, &progress);
            // Damage must not come out as a whole dataset.
            let mut proofs = |split: Split, sink: &mut dyn FnMut(Vec<ProofRow>) -> Result<()>| {
                counted(split, &mut |rows| {
                    check_all(&system, &rows)?;
                    sink(rows)
                })
            };
            let made = assemble(staged, &system, &rules, provenance.clone(), most, &mut proofs);
            progress.finish();
            made
        })
    })
}
