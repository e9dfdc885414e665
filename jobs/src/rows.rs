//! Results that fill a directory in place: each finished item has a sealed file of its own in it.

use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use support::{OutputDir, named_inside, note, read_sealed, write_sealed};

/// The directory of the items' files.
pub const ROWS: &str = "rows";
/// The directory of the proofs that they speak of.
pub const PROOFS: &str = "proofs";

/// The file of an item, in the directory of the results.
pub fn row_file(name: &str) -> String {
    format!("{ROWS}/{name}.json")
}

/// Writes the file of an item. What it speaks of must be there: where it is, the item is finished.
///
/// # Errors
/// What the file system says.
pub fn write_row(directory: &OutputDir, name: &str, row: &impl Serialize) -> Result<()> {
    write_sealed(&directory.file(&row_file(name)), &serde_json::to_string(row)?)
}

/// What the file of an item holds.
///
/// # Errors
/// It can't be read, or is not as it was written.
pub fn read_row<T: DeserializeOwned>(directory: &Path, name: &str) -> Result<T> {
    let path = named_inside(directory, &row_file(name))?;
    Ok(serde_json::from_str(&read_sealed(&path, ROWS)?)?)
}

/// What an earlier run kept of an item, if it is what is expected. If it is not, that is said, and the item is done again.
pub fn found_row<T: DeserializeOwned>(
    directory: &OutputDir,
    name: &str,
    expect: impl FnOnce(&T) -> Result<()>,
) -> Option<T> {
    let path = directory.file(&row_file(name));
    std::fs::symlink_metadata(&path).ok()?;
    read_row(directory.path(), name)
        .and_then(|row| expect(&row).map(|()| row))
        .inspect_err(|error| {
            note(&format!("{} is not used, it is made again: {error:#}", path.display()));
        })
        .ok()
}
