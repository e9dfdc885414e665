//! The journal of a finished part, for those who read its items in any order.

use crate::journal::item_at;
use anyhow::{Context, Result, bail, ensure};
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use support::hash::of_file;

/// A file of finished items that has the hash which it should have, and where in it each is.
#[derive(Debug)]
pub struct WholeJournal {
    path: PathBuf,
    /// Nothing where there are too many such files to keep all of them open.
    file: Option<Mutex<File>>,
    /// By number: where its line begins, and how long it is.
    places: FxHashMap<u64, (u64, usize)>,
}

impl WholeJournal {
    /// The items in a file, whose SHA-256 `of` names. It stays open if `keep_open`, and is opened for each item otherwise.
    ///
    /// # Errors
    /// The file can't be read, or is not as it was written.
    pub fn open(path: &Path, hash: &str, of: &Path, keep_open: bool) -> Result<WholeJournal> {
        let name = path.display();
        let other =
            || format!("{name} is not as it was written: {} expects another hash", of.display());
        ensure!(of_file(path)?.0 == hash, other());
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let (mut places, mut at, mut line) = (FxHashMap::default(), 0, Vec::new());
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line)?;
            if length == 0 {
                break;
            }
            // Whether the rest of the line is as it was written, is asked when it is read.
            let Some(number) = number_of(&line) else {
                bail!("{name} is not as it was written: damaged at byte {at}")
            };
            let twice = places.insert(number, (at, length)).is_some();
            ensure!(!twice, "{name} has item {number} twice");
            at += length as u64;
        }
        let file = keep_open.then(|| Mutex::new(reader.into_inner()));
        Ok(WholeJournal { path: path.to_owned(), file, places })
    }

    /// An item, if it is there.
    ///
    /// # Errors
    /// It can't be read, has changed since the file was opened, or is something else.
    pub fn item<T: DeserializeOwned>(&self, number: u64) -> Result<Option<T>> {
        let Some(&place) = self.places.get(&number) else { return Ok(None) };
        let item = match &self.file {
            Some(file) => item_at(&mut file.lock().unwrap_or_else(PoisonError::into_inner), place),
            None => File::open(&self.path)
                .map_err(Into::into)
                .and_then(|mut file| item_at(&mut file, place)),
        };
        item.map(Some)
            .with_context(|| format!("cannot read item {number} of {}", self.path.display()))
    }
}

/// The number that a line begins with.
fn number_of(line: &[u8]) -> Option<u64> {
    let end = line.iter().position(|&byte| byte == b' ')?;
    std::str::from_utf8(&line[..end]).ok()?.parse().ok()
}
