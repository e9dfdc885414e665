//! `cairn verify`: whether a dataset is what it says it is.
//!
//! Everything is done again that does not need an e-graph: files are hashed, each proof goes
//! through the checker, triples are taken from the proofs and compared with those in the files,
//! row by row, and counted.

use crate::assemble::{Ids, describe_file};
use crate::cli::Common;
use crate::duplicates::{Duplicates, ORDER};
use crate::info::{DatasetInfo, FileInfo};
use crate::progress::Progress;
use crate::proof_table::ProofRow;
use crate::resplit::{for_each_proof, system_of};
use crate::table::{for_each_batch, numbered_files};
use crate::triples::{Split, Triple};
use crate::waypoints::triples_of;
use anyhow::{Context, Result, anyhow, bail, ensure};
use egraph::{System, TermBank, check_flat};
use rayon::prelude::*;
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};

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
pub fn verify(directory: &Path, common: &Common) -> Result<Verified> {
    let pool = common.build_pool()?;
    let info = DatasetInfo::load(directory)?;
    let (system, _) = system_of(directory, &info)?;
    let mut verified = Verified { files: files(directory, &info)?, ..Verified::default() };
    let progress = Progress::new("proofs", info.cairn.totals.proofs.kept, common.quiet);
    let mut expected = Expected { duplicates: Duplicates::default(), ids: Ids::default() };
    for split in ORDER {
        pool.install(|| {
            of_split(directory, split, &info, &system, &mut expected, &mut verified, &progress)
        })?;
    }
    progress.finish();
    let totals = &info.cairn.totals;
    let found =
        (verified.proofs, verified.steps, expected.duplicates.repeated, expected.duplicates.shared);
    let said = (totals.proofs.kept, totals.proofs.steps, totals.duplicates, totals.shared);
    ensure!(
        found == said,
        "dataset_info.json speaks of (proofs, steps, duplicates, shared) = {said:?}: found {found:?}"
    );
    Ok(verified)
}

fn files(directory: &Path, info: &DatasetInfo) -> Result<u64> {
    for (name, said) in &info.cairn.files {
        let path = directory.join(name);
        let FileInfo { bytes, sha256 } = describe_file(&path)?;
        ensure!(
            bytes == said.bytes && sha256 == said.sha256,
            "{} is not the file that dataset_info.json describes: it has {bytes} bytes and \
             SHA-256 {sha256}",
            path.display()
        );
    }
    Ok(info.cairn.files.len() as u64)
}

/// What triples the proofs give.
struct Expected {
    duplicates: Duplicates,
    ids: Ids,
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
                // If nobody listens any more, something was wrong already.
                for_each_batch(&file, |rows| Ok(sender.send(rows)?))?;
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
            for triples in triples_of(system, &rows, &info.cairn.config)? {
                let mut triples: Vec<Triple> =
                    triples.into_iter().filter(|t| expected.duplicates.admit(split, t)).collect();
                expected.ids.triples(&mut triples);
                for triple in triples {
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
        let read = reader.join().map_err(|_| anyhow!("the reader of {split} failed"))?;
        if compared.is_ok() {
            read?;
        }
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

/// Checks proofs; gives their number of steps.
fn check_all(system: &System, rows: &[ProofRow]) -> Result<u64> {
    let one = |row: &ProofRow| -> Result<u64> {
        let mut bank = TermBank::new(system.language.clone());
        let check = || -> Result<u64> {
            let proof = row.proof(system, &mut bank)?;
            check_flat(system, &bank, &proof).map_err(|e| anyhow!("{e}"))?;
            Ok(proof.steps.len() as u64)
        };
        let mut check = check;
        check().with_context(|| format!("proof {} of seed {} is wrong", row.id, row.seed_id))
    };
    rows.par_iter().map(one).sum()
}
