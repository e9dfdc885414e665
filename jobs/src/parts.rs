//! The parts of a run, and their items in any order, as if one process had done them.

use crate::job::ITEMS_FILE;
use crate::part::{PART_FILE, Part, load_parts};
use crate::whole_journal::WholeJournal;
use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use support::Progress;

/// Most parts whose files stay open. A process may have 1,024 of them on many systems, and 256 on some.
const MOST_OPEN: usize = 128;

/// All parts of a run, by number, each with its items if they are in a journal.
pub struct Parts(Vec<(PathBuf, Part, Option<WholeJournal>)>);

impl Parts {
    /// The parts in directories, given in any order.
    ///
    /// # Errors
    /// As [`load_parts`], or the items of one are not as they were written.
    pub fn open(paths: &[PathBuf]) -> Result<Parts> {
        let keep_open = paths.len() <= MOST_OPEN;
        let with_items = |(path, part): (PathBuf, Part)| {
            let Some(hash) = &part.items_hash else { return Ok((path, part, None)) };
            let [items, of] = [ITEMS_FILE, PART_FILE].map(|name| path.join(name));
            let items = WholeJournal::open(&items, hash, &of, keep_open)?;
            Ok((path, part, Some(items)))
        };
        load_parts(paths)?.into_iter().map(with_items).collect::<Result<_>>().map(Parts)
    }

    /// What they become.
    pub fn kind(&self) -> &str {
        &self.0[0].1.kind
    }

    /// All that the items depend on.
    ///
    /// # Errors
    /// They are of another kind.
    pub fn settings<T: DeserializeOwned>(&self) -> Result<T> {
        let (path, part, _) = &self.0[0];
        let of = || format!("{} does not describe {}", path.join(PART_FILE).display(), part.kind);
        serde_json::from_value(part.settings.clone()).with_context(of)
    }

    /// What else the first part says.
    pub fn told(&self) -> &str {
        self.0[0].1.told.as_deref().unwrap_or_default()
    }

    /// How many items there are in all.
    pub fn items(&self) -> u64 {
        self.0[0].1.items
    }

    /// The directory of the first part.
    pub fn first(&self) -> &Path {
        &self.0[0].0
    }

    /// The directories, each with how many items it has if it has all of its own.
    pub fn shares(&self) -> impl Iterator<Item = (&Path, usize)> {
        self.0.iter().map(|(path, part, _)| (path.as_path(), part.shard.of(part.items).count()))
    }

    /// The part that an item belongs to.
    pub fn of(&self, number: u64) -> &Path {
        &self.place(number).0
    }

    /// An item, if its part has it.
    ///
    /// # Errors
    /// It can't be read, or is something else.
    pub fn find<T: DeserializeOwned>(&self, number: u64) -> Result<Option<T>> {
        self.place(number).2.as_ref().map_or(Ok(None), |items| items.item(number))
    }

    /// What `keep` makes of each item, in their order; all are there.
    ///
    /// # Errors
    /// An item is missing or can't be read, or what `keep` says of it; its part is named.
    pub fn each<T: DeserializeOwned, K>(
        &self,
        quiet: bool,
        mut keep: impl FnMut(u64, T) -> Result<K>,
    ) -> Result<Vec<K>> {
        let progress = Progress::new("items merged", self.items(), quiet);
        let one = |number| {
            let items = self.of(number).join(ITEMS_FILE);
            let missing = || format!("{} lacks item {number} of {}", items.display(), self.items());
            let kept = keep(number, self.find(number)?.with_context(missing)?)
                .with_context(|| format!("item {number} of {}", self.of(number).display()))?;
            progress.advance(1);
            Ok(kept)
        };
        let kept = (0..self.items()).map(one).collect();
        progress.finish();
        kept
    }

    fn place(&self, number: u64) -> &(PathBuf, Part, Option<WholeJournal>) {
        // All are there, by number.
        &self.0[(number % self.0.len() as u64) as usize]
    }
}
