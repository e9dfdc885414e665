//! Rows of proofs through the checker, once more.

use crate::proofs::proof_rows::ProofRow;
use anyhow::{Context, Result, anyhow};
use egraph::{System, TermBank, check_flat};
use rayon::prelude::*;

/// Checks proofs on the threads of the current pool; gives their number of steps.
///
/// # Errors
/// One is refused, or is none of `system`.
pub fn check_all(system: &System, rows: &[ProofRow]) -> Result<u64> {
    let one = |row: &ProofRow| -> Result<u64> {
        let mut bank = TermBank::new(system.language.clone());
        let mut check = || -> Result<u64> {
            let proof = row.proof(system, &mut bank)?;
            check_flat(system, &bank, &proof).map_err(|e| anyhow!("{e}"))?;
            Ok(proof.steps.len() as u64)
        };
        check().with_context(|| format!("proof {} of seed {} is wrong", row.id, row.seed_id))
    };
    rows.par_iter().map(one).sum()
}
