//! Sealed text: what a program keeps to go on from later ends with the SHA-256 of all before, so that a
//! byte that changed meanwhile is noticed. A JSON object that others read, too, has it as its last key.
//!
//! A seal tells accidents and careless edits, not forgers: whoever knows the format can seal anew.

use crate::files::hash::sha256;
use crate::files::text::read_bytes;
use crate::files::whole_file::write_atomic;
use anyhow::{Result, bail, ensure};
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

/// The key of the hash in a sealed JSON object.
const KEY: &str = "\"sha256\"";

/// A JSON object with one more key at its end: `sha256`, the hash of all that stands before the comma in
/// front of it. The object has a key at least.
pub fn seal_json(object: &str) -> String {
    let open = object.trim_end();
    let open = open.strip_suffix('}').unwrap_or(open);
    let head = open.trim_end();
    let hash = sha256(head.as_bytes());
    // As the object is written: a line a key, or all on one.
    match open.ends_with('\n') {
        true => format!("{head},\n  {KEY}: \"{hash}\"\n}}\n"),
        false => format!("{head},{KEY}:\"{hash}\"}}\n"),
    }
}

/// The JSON object without its seal; `name` is that of the file, for messages.
///
/// # Errors
/// It has no seal, or is not as it was sealed.
pub fn unseal_json(name: &str, sealed: &str) -> Result<String> {
    let close = if sealed.ends_with("\n}\n") { "\n}" } else { "}" };
    let (open, seal) = sealed.rsplit_once(KEY).unwrap_or_default();
    let last = seal.trim_end().ends_with('}') && !seal.contains(',') && !seal.contains('{');
    let Some(head) = open.trim_end().strip_suffix(',').filter(|_| last) else {
        bail!(
            "{name} does not end with its key sha256: it is damaged, or an earlier version wrote it"
        );
    };
    let object = format!("{head}{close}");
    ensure!(
        seal_json(&object) == sealed,
        "{name} is not as it was written: its key sha256 is not the hash of what stands before it"
    );
    Ok(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_object_is_an_object_and_every_flipped_bit_in_it_is_noticed() {
        for object in ["{\"a\":[1,{\"sha256\":\"x\"}]}", "{\n  \"a\": {\n    \"sha256\": 1\n  }\n}"]
        {
            let sealed = seal_json(object);
            assert_eq!(unseal_json("f", &sealed).unwrap(), object);
            for at in 0..sealed.len() {
                for bit in 0..8 {
                    let mut damaged = sealed.clone().into_bytes();
                    damaged[at] ^= 1 << bit;
                    if let Ok(text) = String::from_utf8(damaged) {
                        assert!(unseal_json("f", &text).is_err(), "{text}");
                    }
                }
                assert!(unseal_json("f", &sealed[..at]).is_err(), "{at}");
            }
            let message = unseal_json("f", object).unwrap_err().to_string();
            assert!(message.starts_with("f does not end with its key sha256"), "{message}");
            let message = unseal_json("f", &sealed.replacen('a', "b", 1)).unwrap_err().to_string();
            assert!(message.starts_with("f is not as it was written"), "{message}");
        }
    }

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
