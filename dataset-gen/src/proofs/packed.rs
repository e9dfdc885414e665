//! Rows of proofs that wait in memory for a dataset. The terms of a proof are nearly alike, one after the other, so
//! that a row packed takes a few hundredths of what it takes as it is: hundreds of kilobytes, for a normal form of a
//! hundred steps.

use crate::proofs::proof_rows::ProofRow;
use anyhow::{Context, Result};

/// A row of a proof in little memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedRow(Box<[u8]>);

/// Higher levels take many times as long, and a fifth less room.
const LEVEL: i32 = 1;

impl PackedRow {
    /// Packs a row.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn of(row: &ProofRow) -> Result<PackedRow> {
        let text = serde_json::to_vec(row)?;
        let packed = zstd::bulk::compress(&text, LEVEL).context("cannot pack a proof")?;
        Ok(PackedRow(packed.into_boxed_slice()))
    }

    /// The row, as it was.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn row(&self) -> Result<ProofRow> {
        let text = zstd::decode_all(&self.0[..]).context("cannot unpack a proof")?;
        Ok(serde_json::from_slice(&text)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_as_it_was_and_takes_little() {
        let sum = |n: usize| (0..n).fold("x".to_owned(), |sum, i| format!("(+ {sum} (* {i} y))"));
        let row = ProofRow {
            id: u64::MAX,
            seed_id: "a \"name\"\n".to_owned(),
            place: "0.1".to_owned(),
            terms: (20..60).map(sum).collect(),
            rules: vec!["assoc".to_owned(); 39],
            forward: (0..39).map(|i| i % 3 == 0).collect(),
            paths: vec![String::new(); 39],
            substitutions: (20..59).map(|n| vec![sum(n - 1), sum(n / 2)]).collect(),
            ..ProofRow::default()
        };
        let packed = PackedRow::of(&row).unwrap();
        assert_eq!(packed.row().unwrap(), row);
        let whole: usize =
            row.terms.iter().chain(row.substitutions.iter().flatten()).map(String::len).sum();
        assert!(packed.0.len() < whole / 10, "{} of {whole} bytes", packed.0.len());
        assert_eq!(
            PackedRow::of(&ProofRow::default()).unwrap().row().unwrap(),
            ProofRow::default()
        );
    }
}
