//! `cairn verify`.

use crate::inputs::args::RunArgs;
use anyhow::Result;
use dataset_gen::{Verified, verify};
use std::path::PathBuf;
use support::print;

const EXAMPLES: &str = "\
Examples:
  cairn verify data/halide

It compares the hashes of the files, checks every proof again, takes the triples from the proofs again, \
compares them row by row, and compares the counts. The first fault is reported with its place, and the \
exit code is then 2.";

/// Check a dataset: its files, proofs, triples and counts
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct VerifyArgs {
    /// Directory of the dataset
    #[arg(value_name = "DIR")]
    data: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command: prints what was verified.
///
/// # Errors
/// As [`dataset_gen::verify`].
pub fn run(args: &VerifyArgs) -> Result<()> {
    let Verified { files, proofs, steps, triples } = verify(&args.data, &args.run.run())?;
    print(&format!(
        "{files} files, {proofs} proofs of {steps} steps accepted by the checker, {triples} triples\n"
    ))
}
