//! The copy of the rewrite system that a dataset, a model or results keep.

use anyhow::{Result, anyhow, ensure};
use egraph::System;
use std::path::Path;

/// The copy of the rewrite system that the directory's content was made with.
pub const SYSTEM_FILE: &str = "system.rules";

/// The copy of the rewrite system in the directory of a dataset, of a part, of a model or of
/// results, with its file's content.
///
/// # Errors
/// It is missing, damaged, or not the one with this hash.
pub fn system_of(directory: &Path, hash: &str) -> Result<(System, Vec<u8>)> {
    let path = directory.join(SYSTEM_FILE);
    let (system, rules) = System::load_with_bytes(&path).map_err(|error| anyhow!("{error}"))?;
    ensure!(
        system.hash == hash,
        "{} is not the rewrite system that {} was made with: its hash is {}, expected {hash}",
        path.display(),
        directory.display(),
        system.hash
    );
    Ok((system, rules))
}
