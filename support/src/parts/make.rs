//! Making a part: its items are done one after the other, each kept as soon as it is there.

use crate::files::hash::of_file;
use crate::files::output_dir::StagedDir;
use crate::files::whole_file::write_atomic;
use crate::own_threads::in_order;
use crate::parts::journal::Journal;
use crate::parts::part::{PART_FILE, Part};
use crate::show::progress::Progress;
use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::path::Path;

/// The finished items of a part.
pub const ITEMS_FILE: &str = "items.jsonl";

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

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Made { items } => write!(f, "{items} items"),
            Outcome::Already => f.write_str("was there already"),
        }
    }
}

/// A part that is being made.
pub struct Making<'a> {
    part: &'a Part,
    staged: StagedDir,
    journal: Journal,
}

impl Making<'_> {
    /// Does the items of these that are not there yet, so many at a time.
    ///
    /// # Errors
    /// What `work` says of the first that fails, or the file system.
    pub fn each<T: Serialize>(
        &self,
        items: &[u64],
        threads: usize,
        progress: &Progress,
        work: impl Fn(u64) -> Result<T> + Sync,
    ) -> Result<()> {
        let (found, open): (Vec<u64>, Vec<u64>) = items.iter().partition(|&&n| self.journal.has(n));
        progress.found(found.len() as u64);
        in_order(open.len(), threads, |i| {
            self.journal.append(open[i], &serde_json::to_string(&work(open[i])?)?)?;
            progress.advance(1);
            Ok(())
        })?;
        Ok(())
    }

    /// An item that an earlier process has done.
    ///
    /// # Errors
    /// It can't be read, or is something else.
    pub fn found<T: DeserializeOwned>(&self, number: u64) -> Result<Option<T>> {
        self.journal.item(number)
    }

    /// Gives the part its name.
    fn finish(self) -> Result<usize> {
        let path = self.staged.path().join(ITEMS_FILE);
        let items = Journal::read(&path, false)?.len();
        let items_hash = Some(of_file(&path)?.0);
        Part { items_hash, ..self.part.clone() }.save(&self.staged.file(PART_FILE)?)?;
        self.staged.publish()?;
        Ok(items)
    }
}

/// Makes a part in the new directory `out`, or goes on with one that was stopped: `work` does its items. With it may
/// be the rules: their file's name, and its text.
///
/// # Errors
/// `out` holds something else, or what `work` or the file system says.
pub fn make_part(
    part: &Part,
    rules: Option<(&str, &str)>,
    out: &Path,
    work: impl FnOnce(&Making<'_>) -> Result<()>,
) -> Result<Outcome> {
    if part.is_there(out)? {
        StagedDir::tidy(out);
        return Ok(Outcome::Already);
    }
    let staged = StagedDir::create(out, &serde_json::to_string(&part.key())?)?;
    if let Some((name, text)) = rules {
        write_atomic(&staged.file(name)?, text.as_bytes())?;
    }
    let journal = Journal::read(&staged.file(ITEMS_FILE)?, true)?;
    let making = Making { part, staged, journal };
    work(&making)?;
    Ok(Outcome::Made { items: making.finish()? })
}

/// As [`make_part`], of items each of which `work` does, so many at a time. They are called `label` on the way.
///
/// # Errors
/// As [`make_part`].
pub fn make_items<T: Serialize>(
    part: &Part,
    rules: Option<(&str, &str)>,
    out: &Path,
    (label, threads, quiet): (&str, usize, bool),
    work: impl Fn(u64) -> Result<T> + Sync,
) -> Result<Outcome> {
    make_part(part, rules, out, |making| {
        let own: Vec<u64> = part.shard.of(part.items).collect();
        let progress = Progress::new(label, own.len() as u64, quiet);
        let made = making.each(&own, threads, &progress, work);
        progress.finish();
        made
    })
}
