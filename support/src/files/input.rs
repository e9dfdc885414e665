//! A file to read: on disk, or carried in the program.

use super::text::read_bytes;
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// A file to read. In configurations and descriptions it is its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "PathBuf", into = "PathBuf")]
pub enum InputFile {
    /// On disk.
    Path(PathBuf),
    /// In the program.
    Carried(CarriedFile),
}

/// A file whose text is part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarriedFile {
    /// What users call it.
    pub name: &'static str,
    /// The name of the file that it was made from.
    pub file: &'static str,
    /// What that file holds.
    pub text: &'static str,
}

impl InputFile {
    /// What a file of `what` holds.
    ///
    /// # Errors
    /// It is on disk and can't be read.
    pub fn read(&self, what: &str) -> Result<Vec<u8>> {
        match self {
            InputFile::Path(path) => read_bytes(path, what),
            InputFile::Carried(carried) => Ok(carried.text.as_bytes().to_vec()),
        }
    }

    /// What it is called: its path, or the name of a carried one.
    pub fn path(&self) -> &Path {
        match self {
            InputFile::Path(path) => path,
            InputFile::Carried(carried) => carried.name.as_ref(),
        }
    }

    /// The name of the file without its directory; of a carried one, of the file that it was made
    /// from.
    pub fn file_name(&self) -> PathBuf {
        match self {
            InputFile::Path(path) => path.file_name().map(PathBuf::from).unwrap_or_default(),
            InputFile::Carried(carried) => carried.file.into(),
        }
    }
}

impl fmt::Display for InputFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path().display().fmt(f)
    }
}

impl From<PathBuf> for InputFile {
    fn from(path: PathBuf) -> InputFile {
        InputFile::Path(path)
    }
}

impl From<InputFile> for PathBuf {
    fn from(file: InputFile) -> PathBuf {
        file.path().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carried_file_is_as_one_on_disk() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.rules");
        std::fs::write(&path, "text").unwrap();
        let on_disk = InputFile::from(path);
        let carried = CarriedFile { name: "a", file: "a.rules", text: "text" };
        let carried = InputFile::Carried(carried);
        assert_eq!(on_disk.read("rules").unwrap(), carried.read("rules").unwrap());
        assert_eq!(on_disk.file_name(), carried.file_name());
        assert_eq!(carried.to_string(), "a");
    }
}
