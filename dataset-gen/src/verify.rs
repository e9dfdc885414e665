//! `cairn verify`: whether a dataset is what it says it is.
//!
//! Everything is done again that does not need an e-graph: files are hashed, each proof goes
//! through the checker, triples are taken from the proofs and compared with those in the files,
//! row by row, and counted.

use crate::dataset::admission::{Admission, Survey};
use crate::dataset::assemble::{Ids, survey};
use crate::dataset::duplicates::ORDER;
use crate::dataset::info::{DatasetInfo, SplitInfo};
use crate::dataset::provenance::Totals;
use crate::proofs::checked::check_all;
use crate::resplit::{counted_proofs, for_each_proof};
use crate::splits::split::Split;
use crate::system_copy::system_of;
use crate::triples::from_proofs::triples_of;
use crate::triples::triple_rows::Triple;
use anyhow::{Context, Result, anyhow, bail, ensure};
use egraph::System;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use support::{Progress, Run, for_each_batch, numbered_files};

/// What was verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Files whose size and hash are right.
    pub files: u64,
    /// Proofs that the checker accepted.
    pub proofs: u64,
    /// Their steps.
    pub steps: u64,
    /// Triples that are pieces of these proofs.
    pub triples: u64,
}

/// Verifies the dataset in `directory`.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn verify(directory: &Path, run: &Run) -> Result<Verified> {
    let pool = run.build_pool()?;
    let info = DatasetInfo::load(directory)?;
    let (system, _) = system_of(directory, info.system_hash())?;
    let mut verified = Verified { files: files(directory, &info)?, ..Verified::default() };
    let proofs = &info.cairn.totals.proofs;
    let all = Survey::passes(proofs.triples) * proofs.kept;
    let progress = Progress::new("proofs", all, run.quiet);
    let mut counted = counted_proofs(directory, &progress);
    // The directory may be read-only.
    let temporary = std::env::temp_dir();
    let (config, most) = (&info.cairn.config, proofs.triples);
    let admission = pool.install(|| survey(&system, config, most, &temporary, &mut counted))?;
    let mut expected = Expected { admission, ids: Ids::default(), segments: 0 };
    let mut triples = BTreeMap::new();
    for split in ORDER {
        let before = verified.triples;
        pool.install(|| {
            of_split(directory, split, &info, &system, &mut expected, &mut verified, &progress)
        })?;
        triples.insert(split, verified.triples - before);
    }
    progress.finish();
    let totals = &info.cairn.totals;
    let Expected { admission: Admission { repeated, shared, .. }, segments, .. } = expected;
    let found = [verified.proofs, verified.steps, segments, repeated, shared];
    let said = [proofs.kept, proofs.steps, proofs.triples, totals.duplicates, totals.shared];
    ensure!(
        found == said,
        "dataset_info.json speaks of [proofs, steps, segments, duplicates, shared] = {said:?}: \
         found {found:?}"
    );
    let sums = Totals { duplicates: repeated, shared, ..Totals::of(&info.cairn.seeds) };
    description(&info, &triples, &sums)?;
    Ok(verified)
}

/// Whether the files of a dataset are those that its description speaks of, and no others.
fn files(directory: &Path, info: &DatasetInfo) -> Result<u64> {
    let described = info.cairn.files.keys();
    described.clone().try_for_each(|name| info.expect_file(directory, name))?;
    for split in Split::ALL {
        info.files_of(directory, &split.data())?;
        info.files_of(directory, &split.proofs())?;
    }
    Ok(described.len() as u64)
}

/// Whether the description says of the tables and of the seeds what follows from the rest of it,
/// which is verified.
fn description(info: &DatasetInfo, triples: &BTreeMap<Split, u64>, totals: &Totals) -> Result<()> {
    let split = |(&name, &num_examples): (&Split, &u64)| {
        let prefix = format!("{}-", name.data());
        let files = info.cairn.files.iter().filter(|(file, _)| file.starts_with(&prefix));
        let num_bytes = files.map(|(_, file)| file.bytes).sum();
        (name, SplitInfo { name, num_examples, num_bytes })
    };
    let right = DatasetInfo::new(triples.iter().map(split).collect(), info.cairn.clone());
    let said = |what: &str| format!("dataset_info.json: {what} is not that of these files");
    for (name, split) in &right.splits {
        let found = info.splits.get(name).with_context(|| said(&format!("splits.{name}")))?;
        ensure!(
            found.num_bytes == split.num_bytes,
            "{}: {}, expected {}",
            said(&format!("splits.{name}.num_bytes")),
            found.num_bytes,
            split.num_bytes
        );
    }
    ensure!(info.splits == right.splits, said("splits"));
    ensure!(
        info.download_size == right.download_size,
        "{}: {}, expected {}",
        said("download_size"),
        info.download_size,
        right.download_size
    );
    for (name, feature) in &right.features {
        ensure!(info.features.get(name) == Some(feature), said(&format!("features.{name}")));
    }
    ensure!(info.features == right.features, said("features"));
    ensure!(info.cairn.totals == *totals, said("cairn.totals"));
    Ok(())
}

/// What triples the proofs give.
struct Expected {
    admission: Admission,
    ids: Ids,
    /// Triples before duplicates are dropped.
    segments: u64,
}

fn of_split(
    directory: &Path,
    split: Split,
    info: &DatasetInfo,
    system: &System,
    expected: &mut Expected,
    verified: &mut Verified,
    progress: &Progress,
) -> Result<()> {
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<Vec<Triple>>(2);
        let reader = scope.spawn(move || -> Result<()> {
            for file in numbered_files(&directory.join(split.data()))? {
                let mut heard = true;
                for_each_batch(&file, |rows| {
                    heard &= sender.send(rows).is_ok();
                    Ok(())
                })?;
                if !heard {
                    // Something else was wrong already.
                    break;
                }
            }
            Ok(())
        });
        let mut found = Rows { receiver, batch: Vec::new().into_iter() };
        let before = verified.triples;
        let compared = for_each_proof(directory, split, &mut |rows| {
            let count = rows.len() as u64;
            let numbered = expected.ids.proofs(rows.clone());
            if let Some((row, right)) = rows.iter().zip(&numbered).find(|(a, b)| a.id != b.id) {
                bail!("{split}: proof {} has a number where {} belongs", row.id, right.id);
            }
            verified.steps += check_all(system, &rows)?;
            verified.proofs += count;
            for triples in triples_of(system, &rows, &info.cairn.config.splitting)? {
                expected.segments += triples.len() as u64;
                let mut admitted = expected.admission.admitted(split, triples)?;
                expected.ids.triples(&mut admitted);
                for triple in admitted {
                    let row = found.next();
                    ensure!(
                        row.as_ref() == Some(&triple),
                        "{split}: triple {} is not that piece of proof {} which belongs there",
                        triple.id,
                        triple.proof
                    );
                    verified.triples += 1;
                }
            }
            progress.advance(count);
            Ok(())
        });
        let more = compared.is_ok().then(|| found.next()).flatten();
        drop(found);
        // First: rows that could not be read can't be compared either.
        reader.join().map_err(|_| anyhow!("the reader of {split} failed"))??;
        compared?;
        ensure!(more.is_none(), "{split}: there are triples that are no pieces of its proofs");
        let count = verified.triples - before;
        ensure!(
            count == info.rows(split),
            "{split}: dataset_info.json speaks of {} triples, found {count}",
            info.rows(split)
        );
        Ok(())
    })
}

/// Rows that are read by another thread.
struct Rows {
    receiver: Receiver<Vec<Triple>>,
    batch: std::vec::IntoIter<Triple>,
}

impl Rows {
    fn next(&mut self) -> Option<Triple> {
        loop {
            if let Some(row) = self.batch.next() {
                return Some(row);
            }
            self.batch = self.receiver.recv().ok()?.into_iter();
        }
    }
}
