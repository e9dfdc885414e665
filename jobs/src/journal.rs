//! Finished items in one file, a line each, in the order in which they were finished:
//!
//! ```text
//! NUMBER SHA256 JSON
//! ```
//!
//! The hash is that of the number, a space and the JSON. A line that a killed process left half-written is cut off, and
//! its item is done again.

use anyhow::{Context, Result, anyhow, ensure};
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use support::hash::sha256;
use support::{cannot_write, note};

/// A file of finished items, and where in it each is.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    lines: Mutex<Lines>,
}

#[derive(Debug)]
struct Lines {
    file: File,
    /// Where the last one ends.
    end: u64,
    /// By number: where its line begins, and how long it is.
    places: FxHashMap<u64, (u64, usize)>,
}

impl Journal {
    /// The items in a file. Everything from the first line on that is not as it was written is cut off if the file is
    /// `open` to be gone on with, and refused otherwise.
    ///
    /// # Errors
    /// The file can't be read, or is not as it was written.
    pub fn read(path: &Path, open: bool) -> Result<Journal> {
        let mut options = File::options();
        let file = match open {
            true => options.read(true).append(true).create(true).open(path),
            false => options.read(true).open(path),
        };
        let file = file.with_context(|| format!("cannot open {}", path.display()))?;
        let mut places = FxHashMap::default();
        let mut reader = BufReader::new(&file);
        let (mut at, mut line) = (0, Vec::new());
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line)?;
            let Some(number) = checked(&line).map(|(number, _)| number) else { break };
            let twice = places.insert(number, (at, length)).is_some();
            ensure!(!twice, "{} has item {number} twice", path.display());
            at += length as u64;
        }
        if !line.is_empty() {
            let name = path.display();
            ensure!(open, "{name} is not as it was written: damaged at byte {at}");
            note(&format!(
                "{name} is cut off at byte {at}: what follows is not whole, and done again"
            ));
            file.set_len(at).with_context(|| cannot_write(path))?;
        }
        let lines = Mutex::new(Lines { file, end: at, places });
        Ok(Journal { path: path.to_owned(), lines })
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an item is there.
    pub fn has(&self, number: u64) -> bool {
        self.lines().places.contains_key(&number)
    }

    /// How many items are there.
    #[allow(clippy::len_without_is_empty)] // nobody asks
    pub fn len(&self) -> usize {
        self.lines().places.len()
    }

    /// Appends a finished item, durably.
    ///
    /// # Errors
    /// What the file system says, or another process has written to the file: the lock that keeps others away was lost,
    /// as when a node hangs and its part is made elsewhere.
    pub fn append(&self, number: u64, json: &str) -> Result<()> {
        let hash = sha256(format!("{number} {json}").as_bytes());
        let line = format!("{number} {hash} {json}\n");
        let Lines { file, end, places } = &mut *self.lines();
        let found = file.metadata().with_context(|| cannot_write(&self.path))?.len();
        ensure!(found == *end, "another process is writing to {}", self.path.display());
        let mut write = || -> std::io::Result<()> {
            file.write_all(line.as_bytes())?;
            file.sync_data()
        };
        // Half a line would look to other threads as if another process had written it.
        write()
            .inspect_err(|_| drop(file.set_len(*end)))
            .with_context(|| cannot_write(&self.path))?;
        places.insert(number, (*end, line.len()));
        *end += line.len() as u64;
        Ok(())
    }

    /// An item, if it is there.
    ///
    /// # Errors
    /// It can't be read, has changed since the file was opened, or is something else.
    pub fn item<T: DeserializeOwned>(&self, number: u64) -> Result<Option<T>> {
        let Lines { file, places, .. } = &mut *self.lines();
        let Some(&place) = places.get(&number) else { return Ok(None) };
        item_at(file, place)
            .map(Some)
            .with_context(|| format!("cannot read item {number} of {}", self.path.display()))
    }
}

/// The item whose line begins there and is so long.
pub(crate) fn item_at<T: DeserializeOwned>(
    file: &mut File,
    (at, length): (u64, usize),
) -> Result<T> {
    let mut line = vec![0; length];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut line)?;
    let (_, json) = checked(&line).ok_or_else(|| anyhow!("it has changed"))?;
    Ok(serde_json::from_str(json)?)
}

/// The number and the JSON of a line, if it is as it was written.
fn checked(line: &[u8]) -> Option<(u64, &str)> {
    let text = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (number, rest) = text.split_once(' ')?;
    let (hash, json) = rest.split_once(' ')?;
    let whole = sha256(format!("{number} {json}").as_bytes()) == hash;
    whole.then(|| number.parse().ok())?.map(|number| (number, json))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_after_another_process() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("items.jsonl");
        let slow = Journal::read(&path, true).unwrap();
        slow.append(1, "10").unwrap();
        let other = Journal::read(&path, true).unwrap();
        other.append(2, "20").unwrap();
        // The other one may have finished the part, and given it its name.
        std::fs::rename(&path, directory.path().join("whole.jsonl")).unwrap();
        let message = slow.append(2, "20").unwrap_err().to_string();
        assert!(message.starts_with("another process is writing to"), "{message}");
        other.append(3, "30").unwrap();
        let whole = Journal::read(&directory.path().join("whole.jsonl"), false).unwrap();
        assert_eq!([1, 2, 3].map(|n| whole.item::<u64>(n).unwrap()), [10, 20, 30].map(Some));
    }

    #[test]
    fn items_come_back_and_whatever_is_damaged_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("items.jsonl");
        let journal = Journal::read(&path, true).unwrap();
        for number in [5, 3, 8] {
            journal.append(number, &format!("[{number},\"two\\nlines\"]")).unwrap();
        }
        let journal = Journal::read(&path, false).unwrap();
        assert_eq!(journal.item(3).unwrap(), Some((3, "two\nlines".to_owned())));
        assert_eq!(journal.item::<(u64, String)>(4).unwrap(), None);
        assert!(journal.item::<String>(8).unwrap_err().to_string().contains("cannot read item 8"));
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, damaged).unwrap();
            assert!(Journal::read(&path, false).is_err(), "{at}");
            // What stands before it is kept, and gone on with.
            let journal = Journal::read(&path, true).unwrap();
            assert_eq!(journal.len(), whole[..at].iter().filter(|&&byte| byte == b'\n').count());
            journal.append(9, "1").unwrap();
            assert_eq!(Journal::read(&path, false).unwrap().item(9).unwrap(), Some(1));
            std::fs::write(&path, &whole[..at]).unwrap();
            let lines = whole[..at].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(Journal::read(&path, true).unwrap().len(), lines);
        }
    }
}
