//! What a run does, in a file that marks the directory which it fills.

use crate::part::difference;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use support::{OutputDir, own_directory, read_text, seal_json, unseal_json, write_atomic};

/// The description of a run. Two runs with the same description make the same files, so that one goes on with what the
/// other has left.
pub trait Described: Serialize + DeserializeOwned + Clone {
    /// What it describes, as "an evaluation".
    const KIND: &'static str;
    /// What was done there, as "what was compared"; for messages.
    const WHAT: &'static str;
    /// What it was done to, as "tasks"; for messages.
    const INPUT: &'static str;
    /// The file that it is in.
    const FILE: &'static str;
    /// Whether the file is sealed.
    const SEALED: bool = true;

    /// This description, with all that makes no difference as `now` has it.
    fn as_of(&self, _now: &Self) -> Self {
        self.clone()
    }

    /// What a directory says from now on that says `before`.
    ///
    /// # Errors
    /// It is of another run, with which this one does not go on.
    fn after(&self, before: &Self, directory: &Path) -> Result<Self> {
        let (expected, found) =
            (serde_json::to_value(self)?, serde_json::to_value(before.as_of(self))?);
        if let Some(difference) = difference("", &expected, &found) {
            bail!(
                "{} already holds {} otherwise, or other {}: choose another directory ({difference})",
                directory.display(),
                Self::WHAT,
                Self::INPUT
            );
        }
        Ok(self.clone())
    }

    /// That of a directory.
    ///
    /// # Errors
    /// There is none, or it is not as it was written.
    fn load(directory: &Path) -> Result<Self> {
        let path = directory.join(Self::FILE);
        let name = path.display().to_string();
        let text = read_text(&path, Self::WHAT)?;
        let text = if Self::SEALED { unseal_json(&name, &text)? } else { text };
        serde_json::from_str(&text)
            .with_context(|| format!("{name} does not describe {}", Self::KIND))
    }

    /// Writes it.
    ///
    /// # Errors
    /// What the file system says.
    fn save(&self, directory: &OutputDir) -> Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        let text = if Self::SEALED { seal_json(&text) } else { text + "\n" };
        write_atomic(&directory.file(Self::FILE), text.as_bytes())
    }

    /// What the directory says from now on, whether it says something yet or not. Writes nothing.
    ///
    /// # Errors
    /// As [`Described::after`] and [`Described::load`].
    fn in_place(&self, directory: &Path) -> Result<Self> {
        match directory.join(Self::FILE).exists() {
            true => self.after(&Self::load(directory)?, directory),
            false => Ok(self.clone()),
        }
    }

    /// Begins a directory, or goes on with it; with these files and folders in it.
    ///
    /// # Errors
    /// It holds something else or another run, another process is writing to it, or what the file system says.
    fn begin(&self, out: &Path, files: &[(&str, &[u8])], folders: &[&str]) -> Result<OutputDir> {
        // Nothing is looked at before the lock is held: another process may be at work here.
        let directory = OutputDir::create(out, Self::FILE)?;
        self.in_place(out)?.save(&directory)?;
        for (name, bytes) in files {
            write_atomic(&directory.file(name), bytes)?;
        }
        folders.iter().try_for_each(|name| own_directory(&directory.file(name)))?;
        Ok(directory)
    }
}
