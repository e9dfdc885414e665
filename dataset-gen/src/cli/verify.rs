//! `cairn verify`.

use super::Common;
use crate::console::print;
use crate::verify::Verified;
use anyhow::Result;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  cairn verify data/halide

Hashes the files, checks every proof again, takes the triples from the proofs again and compares
them, row by row; counts. What is wrong first is reported with its place, and the exit code is 2.";

/// Check a dataset: its files, proofs, triples and counts
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct VerifyArgs {
    /// Directory of the dataset
    #[arg(value_name = "DIR")]
    pub data: PathBuf,
    /// Options of every subcommand.
    #[command(flatten)]
    pub common: Common,
}

/// `cairn verify`: prints what was verified.
///
/// # Errors
/// As [`crate::verify::verify`].
pub fn verify(args: &VerifyArgs) -> Result<()> {
    let Verified { files, proofs, steps, triples } =
        crate::verify::verify(&args.data, &args.common)?;
    print(&format!(
        "{files} files, {proofs} proofs of {steps} steps accepted by the checker, {triples} triples\n"
    ))
}
