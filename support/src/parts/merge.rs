//! Reading the items of all parts, in any order, as if one process had done them.

use crate::files::hash::of_file;
use crate::parts::journal::Journal;
use crate::parts::make::ITEMS_FILE;
use crate::parts::part::{PART_FILE, Part, load_parts};
use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// All parts of some work, as they were written.
pub struct Parts {
    parts: Vec<(PathBuf, Part)>,
    journals: Vec<Journal>,
}

impl Parts {
    /// The parts in directories, given in any order.
    ///
    /// # Errors
    /// As [`load_parts`], or the items of one are not as they were written.
    pub fn open(paths: &[PathBuf]) -> Result<Parts> {
        let parts = load_parts(paths)?;
        let mut journals = Vec::new();
        for (path, part) in &parts {
            let items = path.join(ITEMS_FILE);
            let hash = of_file(&items)?.0;
            ensure!(
                part.items_hash.as_ref() == Some(&hash),
                "{} is not as it was written: {} expects another hash",
                items.display(),
                path.join(PART_FILE).display()
            );
            journals.push(Journal::read(&items, false)?);
        }
        Ok(Parts { parts, journals })
    }

    /// What the work depends on.
    ///
    /// # Errors
    /// It is of another kind.
    pub fn settings<T: DeserializeOwned>(&self) -> Result<T> {
        let (path, part) = &self.parts[0];
        let of = || format!("{} does not describe {}", path.join(PART_FILE).display(), part.kind);
        serde_json::from_value(part.settings.clone()).with_context(of)
    }

    /// What else the first part says.
    pub fn told(&self) -> &str {
        self.parts[0].1.told.as_deref().unwrap_or_default()
    }

    /// How many items there are in all.
    pub fn items(&self) -> u64 {
        self.parts[0].1.items
    }

    /// The directory of the first part.
    pub fn first(&self) -> &Path {
        &self.parts[0].0
    }

    /// The part that an item belongs to.
    pub fn of(&self, number: u64) -> &Path {
        &self.parts[self.place(number)].0
    }

    /// An item, if its part has it.
    ///
    /// # Errors
    /// It can't be read, or is something else.
    pub fn find<T: DeserializeOwned>(&self, number: u64) -> Result<Option<T>> {
        self.journals[self.place(number)].item(number)
    }

    /// An item, which its part has.
    ///
    /// # Errors
    /// As [`Parts::find`], or it is missing.
    pub fn item<T: DeserializeOwned>(&self, number: u64) -> Result<T> {
        let missing = || {
            let items = self.of(number).join(ITEMS_FILE);
            format!("{} lacks item {number} of {}", items.display(), self.items())
        };
        self.find(number)?.with_context(missing)
    }

    fn place(&self, number: u64) -> usize {
        self.parts.iter().position(|(_, part)| part.shard.has(number)).unwrap_or(0)
    }
}
