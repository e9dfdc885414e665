//! What comes of one seed, in two files of its own, so that work is kept and resumed seed by seed.

use crate::proofs::one_seed::SeedReport;
use crate::proofs::proof_rows::ProofRow;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use support::hash::{of_file, sha256};
use support::{read_table, write_atomic, write_table};

/// The directory of all seeds' files, in a directory that is being made or in a part.
pub const SEED_FILES: &str = "units";

/// The file of a report.
#[derive(Serialize, Deserialize)]
struct ReportFile {
    /// SHA-256 of the file of proofs.
    proofs: String,
    /// SHA-256 of the report as compact JSON.
    sha256: String,
    report: SeedReport,
}

/// The files of a seed, by its index: its proofs and its report.
#[derive(Clone, Debug)]
pub struct SeedFiles {
    proofs: PathBuf,
    report: PathBuf,
}

impl SeedFiles {
    /// Those of seed number `index` in `directory`.
    pub fn new(directory: &Path, index: u32) -> SeedFiles {
        let file = |kind: &str| directory.join(format!("{index:07}.{kind}"));
        SeedFiles { proofs: file("parquet"), report: file("json") }
    }

    /// Writes both files. The report's has the hashes of both.
    ///
    /// # Errors
    /// What the file system says.
    pub fn save(&self, report: &SeedReport, proofs: &[ProofRow]) -> Result<()> {
        write_table(&self.proofs, proofs)?;
        // The report comes last: where it is, the proofs are whole.
        let file = ReportFile {
            proofs: of_file(&self.proofs)?.0,
            sha256: sha256(serde_json::to_string(report)?.as_bytes()),
            report: report.clone(),
        };
        write_atomic(&self.report, serde_json::to_string(&file)?.as_bytes())
    }

    /// The report, if both files are there and neither is damaged.
    pub fn finished(&self) -> Option<SeedReport> {
        self.whole_proofs().and_then(|()| self.report()).ok()
    }

    /// The report.
    ///
    /// # Errors
    /// It is missing or damaged; the file is named.
    pub fn report(&self) -> Result<SeedReport> {
        let name = self.report.display();
        let ReportFile { report, sha256: said, .. } = self.file()?;
        let found = sha256(serde_json::to_string(&report)?.as_bytes());
        ensure!(found == said, "{name} is damaged: it does not have the hash that it names");
        Ok(report)
    }

    fn file(&self) -> Result<ReportFile> {
        let name = self.report.display();
        let text = std::fs::read(&self.report).with_context(|| format!("cannot read {name}"))?;
        serde_json::from_slice(&text).with_context(|| format!("{name} is damaged"))
    }

    /// The proofs.
    ///
    /// # Errors
    /// The file is not the one that the report describes; or as [`read_table`].
    pub fn proofs(&self) -> Result<Vec<ProofRow>> {
        self.whole_proofs()?;
        read_table(&self.proofs)
    }

    fn whole_proofs(&self) -> Result<()> {
        let (found, _) = of_file(&self.proofs)?;
        ensure!(
            found == self.file()?.proofs,
            "{} is damaged: it does not have the hash that {} names",
            self.proofs.display(),
            self.report.display()
        );
        Ok(())
    }
}
