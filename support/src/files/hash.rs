//! SHA-256 of contents, which tells whether a file at the same path is still the same.

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256, in hexadecimal, of what a file holds, and how many bytes these are.
///
/// # Errors
/// The file can't be read.
pub fn of_file(path: &Path) -> Result<(String, u64)> {
    let mut hasher = Sha256::new();
    let bytes = read_into(&mut hasher, path)?;
    Ok((hex(&hasher.finalize()), bytes))
}

/// SHA-256, in hexadecimal, of what several files hold, one after the other.
///
/// # Errors
/// One of the files can't be read.
pub fn of_files<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<String> {
    let mut hasher = Sha256::new();
    for path in paths {
        read_into(&mut hasher, path.as_ref())?;
    }
    Ok(hex(&hasher.finalize()))
}

/// SHA-256, in hexadecimal, of bytes that come in parts.
pub fn of_parts<B: AsRef<[u8]>>(parts: impl IntoIterator<Item = B>) -> String {
    let mut hasher = Sha256::new();
    parts.into_iter().for_each(|part| hasher.update(part.as_ref()));
    hex(&hasher.finalize())
}

fn read_into(hasher: &mut Sha256, path: &Path) -> Result<u64> {
    let mut read = || -> std::io::Result<u64> {
        let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
        let mut bytes = 0;
        loop {
            let block = file.fill_buf()?;
            if block.is_empty() {
                return Ok(bytes);
            }
            hasher.update(block);
            let length = block.len();
            bytes += length as u64;
            file.consume(length);
        }
    };
    read().with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_hashed_one_after_the_other() {
        let directory = tempfile::tempdir().unwrap();
        let paths = ["a", "b"].map(|name| directory.path().join(name));
        std::fs::write(&paths[0], "one").unwrap();
        std::fs::write(&paths[1], "two").unwrap();
        assert_eq!(of_files(&paths).unwrap(), sha256(b"onetwo"));
        assert_eq!(of_file(&paths[0]).unwrap(), (sha256(b"one"), 3));
        assert_eq!(of_parts(["one", "two"]), sha256(b"onetwo"));
        std::fs::remove_file(&paths[1]).unwrap();
        assert!(of_files(&paths).unwrap_err().to_string().contains("cannot read"));
    }
}
