//! What is said on the standard output and on the standard error. Nothing here panics.

use anyhow::{Context, Result};
use std::io::Write;

/// Writes to the standard output: what a command was asked for.
///
/// # Errors
/// It can't be written. That its reader went away is told apart by the kind of the
/// [`std::io::Error`], which stays in the chain.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.context("cannot write to the standard output")
}

/// Writes a line to the standard error: progress and remarks. Where that can't be read, nobody
/// misses it.
pub fn note(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
