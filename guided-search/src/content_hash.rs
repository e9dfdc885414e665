//! Hashes of the contents of input files, which tell whether a file at the same path is still the
//! same.

use anyhow::{Context, Result};
use model::checkpoint::{CONFIG_FILE, MODEL_FILE};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// SHA-256 of a file's bytes, in hexadecimal.
///
/// # Errors
/// The file can't be read.
pub fn of_file(path: &Path) -> Result<String> {
    of_files(&[path.to_owned()])
}

/// SHA-256 of what a model's answers depend on: its `config.json`, `tokenizer.json` and
/// `model.safetensors`, one after the other.
///
/// # Errors
/// One of the files can't be read.
pub fn of_model(directory: &Path) -> Result<String> {
    of_files(&[CONFIG_FILE, "tokenizer.json", MODEL_FILE].map(|name| directory.join(name)))
}

fn of_files(paths: &[PathBuf]) -> Result<String> {
    let mut hasher = Sha256::new();
    for path in paths {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        hasher.update(&bytes);
    }
    Ok(hasher.finalize().iter().map(|b| format!("{b:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_told_from_another_by_its_weights() {
        let directory = tempfile::tempdir().unwrap();
        for name in [CONFIG_FILE, "tokenizer.json", MODEL_FILE] {
            std::fs::write(directory.path().join(name), name).unwrap();
        }
        let before = of_model(directory.path()).unwrap();
        assert_eq!(of_model(directory.path()).unwrap(), before);
        std::fs::write(directory.path().join(MODEL_FILE), "other weights").unwrap();
        assert_ne!(of_model(directory.path()).unwrap(), before);
        std::fs::remove_file(directory.path().join(MODEL_FILE)).unwrap();
        assert!(of_model(directory.path()).unwrap_err().to_string().contains(MODEL_FILE));
    }
}
