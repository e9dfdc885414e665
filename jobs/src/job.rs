//! A job, and the parts of it that processes make which know nothing of each other.

use crate::each::each;
use crate::journal::Journal;
use crate::part::{PART_FILE, Part};
use crate::shard::Shard;
use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use support::hash::of_file;
use support::{Progress, StagedDir, write_atomic};

/// The finished items of a part.
pub const ITEMS_FILE: &str = "items.jsonl";
/// Items after which it is asked whether there are enough. Fixed, so that the number of threads can't show.
const BATCH: usize = 32;

/// Long work on numbered items, each of which depends on nothing but its number.
pub struct Job<'a, S, W> {
    /// What the items of all parts become, as "a dataset".
    pub kind: &'a str,
    /// What items are called while they are done, as "seeds", and how many there are.
    pub items: (&'a str, u64),
    /// All that the items depend on. It is the same in all parts.
    pub settings: S,
    /// What else a part says; it may be another in each.
    pub told: Option<&'a str>,
    /// A file that lies beside the items, for those who read them: its name, and what it holds.
    pub beside: Option<(&'a str, &'a [u8])>,
    /// Does an item.
    pub work: W,
}

/// When a part has enough items before it has all of its own: how many, and which count.
pub type Enough<'a, T> = (usize, &'a dyn Fn(&T) -> bool);

/// The finished items of a job that one process does.
#[derive(Debug)]
pub struct Kept {
    journal: Journal,
    items: u64,
    staged: StagedDir,
}

impl Kept {
    /// All items in their order, up to the last one that is there.
    pub fn items<T: DeserializeOwned>(&self) -> impl Iterator<Item = Result<T>> {
        (0..self.items).map_while(|number| self.journal.item(number).transpose())
    }

    /// Removes them: what they become is written.
    ///
    /// # Errors
    /// What the file system says.
    pub fn discard(self) -> Result<()> {
        self.staged.discard()
    }
}

/// What was done for a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is finished now.
    Made {
        /// How many items it has.
        items: usize,
    },
    /// It was finished before.
    Already,
}

impl<S: Serialize + Sync, W> Job<'_, S, W> {
    /// Makes a part in the new directory `out`, or goes on with one that was stopped, on as many threads as the current
    /// rayon pool has. Its items are in a journal: all of them, or those until there are enough.
    ///
    /// # Errors
    /// `out` holds something else, what the work says of the first item that fails, or the file system.
    pub fn part<T>(
        &self,
        (shard, out): (Shard, &Path),
        enough: Option<Enough<'_, T>>,
        quiet: bool,
    ) -> Result<Outcome>
    where
        T: Serialize + DeserializeOwned,
        W: Fn(u64) -> Result<T> + Sync,
    {
        let part = Part { told: self.told.map(str::to_owned), ..self.as_part(shard)? };
        make_part(part, self.beside, out, |staged, own| {
            let (journal, path) = self.journal(staged, own, enough, quiet)?;
            Ok((journal.len(), Some(of_file(&path)?.0)))
        })
    }

    /// Does all items in one process, or those until there are enough, or goes on with what a process left that was
    /// stopped. They are kept beside `out`, the file or the directory that they become, until that is written and
    /// [`Kept::discard`] is called.
    ///
    /// # Errors
    /// Another process does it, one that was stopped had other settings, what the work says of the first item that
    /// fails, or the file system.
    pub fn kept<T>(&self, out: &Path, enough: Option<Enough<'_, T>>, quiet: bool) -> Result<Kept>
    where
        T: Serialize + DeserializeOwned,
        W: Fn(u64) -> Result<T> + Sync,
    {
        let key = self.as_part(Shard { index: 0, count: 1 })?.key();
        let staged = StagedDir::beside(out, &serde_json::to_string(&key)?)?;
        let all: Vec<u64> = (0..self.items.1).collect();
        let (journal, _) = self.journal(&staged, &all, enough, quiet)?;
        Ok(Kept { journal, items: self.items.1, staged })
    }

    fn as_part(&self, shard: Shard) -> Result<Part> {
        Part::new(self.kind, shard, self.items.1, &self.settings)
    }

    /// Does the items of these numbers that the journal of a directory lacks, all or until there are enough.
    fn journal<T>(
        &self,
        staged: &StagedDir,
        own: &[u64],
        enough: Option<Enough<'_, T>>,
        quiet: bool,
    ) -> Result<(Journal, PathBuf)>
    where
        T: Serialize + DeserializeOwned,
        W: Fn(u64) -> Result<T> + Sync,
    {
        let path = staged.file(ITEMS_FILE)?;
        let journal = Journal::read(&path, true)?;
        let (batch, total) = enough.map_or((own.len().max(1), own.len()), |(n, _)| (BATCH, n));
        let progress = Progress::new(self.items.0, total as u64, quiet);
        let mut counted = 0;
        for batch in own.chunks(batch) {
            if counted >= total {
                break;
            }
            let found = |number| journal.has(number).then_some(());
            each(batch, true, &progress, found, |number| {
                journal.append(number, &serde_json::to_string(&(self.work)(number)?)?)
            })?;
            if let Some((_, counts)) = enough {
                for &number in batch {
                    counted += usize::from(journal.item(number)?.is_some_and(|i| counts(&i)));
                }
            }
        }
        progress.finish();
        Ok((Journal::read(&path, false)?, path))
    }

    /// Does all items that `find` does not find, in one process, on as many threads as the current rayon pool has; and
    /// gives what `keep` makes of each, in their order.
    ///
    /// # Errors
    /// What the work or `keep` says of the first item that fails.
    pub fn run<T, K: Send>(
        &self,
        quiet: bool,
        find: impl Fn(u64) -> Option<K> + Sync,
        keep: impl Fn(u64, T) -> Result<K> + Sync,
    ) -> Result<Vec<K>>
    where
        W: Fn(u64) -> Result<T> + Sync,
    {
        let (name, count) = self.items;
        let (all, progress) = ((0..count).collect::<Vec<u64>>(), Progress::new(name, count, quiet));
        let make = |number| keep(number, (self.work)(number)?);
        let kept = each(&all, true, &progress, find, make);
        progress.finish();
        kept
    }
}

/// Makes a part in the new directory `out`, or goes on with one that was stopped: `fill` keeps the items of these numbers in
/// a directory, and says how many are there and what their hash is, if they are in one file.
///
/// # Errors
/// `out` holds something else, or what `fill` or the file system says.
pub fn make_part(
    part: Part,
    beside: Option<(&str, &[u8])>,
    out: &Path,
    fill: impl FnOnce(&StagedDir, &[u64]) -> Result<(usize, Option<String>)>,
) -> Result<Outcome> {
    if part.is_there(out)? {
        StagedDir::tidy(out);
        return Ok(Outcome::Already);
    }
    let staged = StagedDir::create(out, &serde_json::to_string(&part.key())?)?;
    if let Some((name, bytes)) = beside {
        write_atomic(&staged.file(name)?, bytes)?;
    }
    let own: Vec<u64> = part.shard.of(part.items).collect();
    let (items, items_hash) = fill(&staged, &own)?;
    Part { items_hash, ..part }.save(&staged.file(PART_FILE)?)?;
    staged.publish()?;
    Ok(Outcome::Made { items })
}
