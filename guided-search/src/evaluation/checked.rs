//! Whether results hold: each proof that they speak of is there, is accepted by the checker, and
//! answers the question that was asked.

use crate::evaluation::results::Row;
use anyhow::{Context, Result, ensure};
use egraph::{Proof, RuleId, System, TermBank, TermId, check, proof_from_json};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use support::hash::sha256;
use support::named_inside;

/// Larger terms are no question that stood in a task file.
const LARGEST: u64 = 1 << 24;

/// SHA-256 of a start and a target as they are printed, with a line feed after each.
///
/// # Errors
/// A term is larger than any in a task file.
pub fn question_hash(bank: &TermBank, start: TermId, target: TermId) -> Result<String> {
    let size = bank.size(start).max(bank.size(target));
    ensure!(size <= LARGEST, "a term has {size} nodes: expected at most {LARGEST}");
    Ok(sha256(format!("{}\n{}\n", bank.text(start), bank.text(target)).as_bytes()))
}

/// Reads the proof of a row that is said to be solved from the directory of the results, and checks
/// it.
///
/// # Errors
/// The row names no file in the directory, it can't be read, the checker refuses it, or it is a
/// proof of something else; the file is named.
pub fn proof_of(
    directory: &Path,
    system: &System,
    bank: &mut TermBank,
    row: &Row,
) -> Result<Proof> {
    let path = named_inside(directory, &row.proof_file)?;
    let name = path.display();
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {name}"))?;
    let proof = proof_from_json(system, bank, &text).with_context(|| format!("{name}"))?;
    check(system, bank, &proof).with_context(|| format!("{name} was refused"))?;
    ensure!(
        question_hash(bank, proof.start(), proof.end())? == row.question,
        "{name} is not a proof of task {}",
        row.task
    );
    Ok(proof)
}

/// Checks every proof that the rows speak of, and says which rules they use. Works on the threads of the current pool.
///
/// # Errors
/// As [`proof_of`], of the first row whose proof is not as it should be.
pub fn check_proofs(directory: &Path, system: &System, rows: &[Row]) -> Result<BTreeSet<RuleId>> {
    let rules = |row: &Row| {
        let mut bank = TermBank::new(system.language.clone());
        let proof = proof_of(directory, system, &mut bank, row)
            .with_context(|| format!("task {}, method {}", row.task, row.method))?;
        Ok(proof.rules())
    };
    let solved = rows.par_iter().filter(|row| row.solved);
    solved.map(rules).try_reduce(BTreeSet::new, |a, b| Ok(a.into_iter().chain(b).collect()))
}
