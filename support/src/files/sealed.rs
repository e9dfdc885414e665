//! Sealed text: what a program keeps to go on from later ends with the SHA-256 of all before, so that a
//! byte that changed meanwhile is noticed.

use crate::files::hash::sha256;
use crate::files::text::read_bytes;
use crate::files::whole_file::write_atomic;
use anyhow::{Result, ensure};
use std::path::Path;

/// Hexadecimal digits of a hash, and the line feeds around them.
const SEAL: usize = 1 + 64 + 1;

/// Writes a text and, in a last line of its own, its hash; whole, as [`write_atomic`] does.
///
/// # Errors
/// What the file system says.
pub fn write_sealed(path: &Path, text: &str) -> Result<()> {
    write_atomic(path, format!("{text}\n{}\n", sha256(text.as_bytes())).as_bytes())
}

/// The text of a sealed file of `what`, without its seal.
///
/// # Errors
/// The file can't be read, or does not hold what was written into it.
pub fn read_sealed(path: &Path, what: &str) -> Result<String> {
    let mut bytes = read_bytes(path, what)?;
    let seal = bytes.split_off(bytes.len().saturating_sub(SEAL));
    ensure!(
        seal == format!("\n{}\n", sha256(&bytes)).as_bytes(),
        "{} is not as it was written: its hash is another",
        path.display()
    );
    // What has the hash of a text is that text.
    Ok(String::from_utf8(bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("kept");
        for text in ["", "{\"a\": 1}", "two\nlines\n"] {
            write_sealed(&path, text).unwrap();
            assert_eq!(read_sealed(&path, "what was kept").unwrap(), text);
            let whole = std::fs::read(&path).unwrap();
            for at in 0..whole.len() {
                for bit in 0..8 {
                    let mut damaged = whole.clone();
                    damaged[at] ^= 1 << bit;
                    std::fs::write(&path, damaged).unwrap();
                    assert!(read_sealed(&path, "what was kept").is_err(), "{at} {bit}");
                }
                std::fs::write(&path, &whole[..at]).unwrap();
                assert!(read_sealed(&path, "what was kept").is_err(), "{at}");
            }
        }
    }
}
