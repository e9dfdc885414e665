//! What comes of one seed, in files of its own: the unit in which work is kept and resumed.

use crate::proofs::one_seed::SeedReport;
use crate::proofs::row::ProofRow;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use support::files::table::{read_table, write_table};
use support::files::whole_file::write_atomic;

/// The directory of units, in a directory that is being made or in a part.
pub const UNITS: &str = "units";

/// The proofs and the report of a seed, by its index.
#[derive(Clone, Debug)]
pub struct Unit {
    proofs: PathBuf,
    report: PathBuf,
}

impl Unit {
    /// That of seed number `index` in `directory`.
    pub fn new(directory: &Path, index: u32) -> Unit {
        let file = |kind: &str| directory.join(format!("{index:07}.{kind}"));
        Unit { proofs: file("parquet"), report: file("json") }
    }

    /// Writes both files.
    ///
    /// # Errors
    /// What the file system says.
    pub fn save(&self, report: &SeedReport, proofs: &[ProofRow]) -> Result<()> {
        write_table(&self.proofs, proofs)?;
        // The report comes last: where it is, the proofs are whole.
        write_atomic(&self.report, serde_json::to_string(report)?.as_bytes())
    }

    /// The report, if the unit is finished.
    pub fn finished(&self) -> Option<SeedReport> {
        self.report().ok()
    }

    /// The report.
    ///
    /// # Errors
    /// It is missing or damaged; the file is named.
    pub fn report(&self) -> Result<SeedReport> {
        let name = self.report.display();
        let text = std::fs::read(&self.report).with_context(|| format!("cannot read {name}"))?;
        serde_json::from_slice(&text).with_context(|| format!("{name} is damaged"))
    }

    /// The proofs.
    ///
    /// # Errors
    /// As [`read_table`].
    pub fn proofs(&self) -> Result<Vec<ProofRow>> {
        read_table(&self.proofs)
    }
}
