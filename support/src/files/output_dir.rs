//! Directories that one process at a time writes to.
//!
//! An [`OutputDir`] is filled in place, file by file, and may be resumed; a [`StagedDir`] is built
//! beside its final name and appears there in one step. Both hold an operating-system lock, so that
//! a second process is refused, while the lock of a killed process is simply free again.

use super::whole_file::{
    beside, cannot_write, own_directory, parent, sync_directory, write_atomic,
};
use anyhow::{Context, Result, bail, ensure};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const LOCK: &str = ".lock";

/// The exclusive use of a directory, for as long as the value lives.
#[derive(Debug)]
struct Lock {
    path: PathBuf,
    // Held for its lock, which the operating system gives back even if the process is killed.
    _file: File,
}

impl Lock {
    /// Takes the lock of `directory`, which is called `name` in messages.
    fn take(directory: &Path, name: &Path) -> Result<Lock> {
        let path = directory.join(LOCK);
        let file = open_lock(&path).with_context(|| cannot_write(&path))?;
        match file.try_lock() {
            // Between open and lock the file may have been removed, and another one be there.
            Ok(()) if is_at(&file, &path) => Ok(Lock { path, _file: file }),
            Ok(()) | Err(TryLockError::WouldBlock) => {
                bail!("another process is writing to {}", name.display())
            }
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("cannot lock {}", name.display()))
            }
        }
    }
}

/// The file of a lock, made if it is not there. Links are not followed.
fn open_lock(path: &Path) -> std::io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        fs::remove_file(path)?;
    }
    match File::create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            File::options().write(true).open(path)
        }
        opened => opened,
    }
}

/// Whether `file` is the one that is at `path` now.
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(open), Ok(there)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (open.dev(), open.ino()) == (there.dev(), there.ino())
    }
    #[cfg(not(unix))]
    {
        open.is_file() && there.is_file()
    }
}

/// Removes temporary files that a killed process left in a directory of ours, and in those in it.
/// The lock must be held.
fn remove_leftovers(directory: &Path, depth: u32) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 {
            remove_leftovers(&entry.path(), depth - 1);
        } else if !kind.is_dir() && is_temporary(&entry.file_name()) {
            fs::remove_file(entry.path()).ok();
        }
    }
}

fn is_temporary(name: &OsStr) -> bool {
    let text = name.to_string_lossy();
    text.starts_with('.') && text.ends_with(".tmp")
}

impl Drop for Lock {
    fn drop(&mut self) {
        fs::remove_file(&self.path).ok();
    }
}

/// The names in a directory, sorted, without those of locks and temporary files of ours.
fn contents(path: &Path) -> std::io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        if name != LOCK && !is_temporary(&name) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Refuses a path that is taken by something other than a directory that `accept`s its contents.
fn refuse_other(path: &Path, accept: impl Fn(&[OsString]) -> bool) -> Result<()> {
    match contents(path) {
        Ok(names) if accept(&names) => Ok(()),
        Ok(names) => bail!(
            "{} already holds something else ({}): choose another directory",
            path.display(),
            names.first().map(|n| n.to_string_lossy()).unwrap_or_default()
        ),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            bail!("{} is a file: a directory is expected", path.display())
        }
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// A directory that is filled in place and can be resumed: it is ours if it is new, empty, or
/// holds the marker file that says which kind of output it is.
#[derive(Debug)]
pub struct OutputDir {
    path: PathBuf,
    /// The directories that were made here, the outermost first.
    created: Vec<PathBuf>,
    // Option, so that drop can give the lock back before it looks whether the directory is empty.
    lock: Option<Lock>,
}

impl OutputDir {
    /// Whether [`OutputDir::create`] would accept the directory; writes nothing.
    ///
    /// # Errors
    /// The directory holds something, but no file called `marker`.
    pub fn check(path: &Path, marker: &str) -> Result<()> {
        refuse_other(path, |names| names.is_empty() || names.iter().any(|n| n == marker))
    }

    /// Makes or reopens a directory and locks it until the value is dropped. A directory that
    /// was made here and is still empty then is removed again, with those that were made around
    /// it. What a killed process left half-written is removed now.
    ///
    /// Look at what is in the directory after this and not before: until the lock is held, another
    /// process may be filling it.
    ///
    /// # Errors
    /// The directory holds something, but no file called `marker`; another process has it
    /// locked; or what the file system says.
    pub fn create(path: &Path, marker: &str) -> Result<OutputDir> {
        OutputDir::check(path, marker)?;
        let missing = path.ancestors().take_while(|a| !a.as_os_str().is_empty() && !a.exists());
        let mut created: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        created.reverse();
        fs::create_dir_all(path).with_context(|| cannot_write(path))?;
        let lock = Some(Lock::take(path, path)?);
        let directory = OutputDir { path: path.to_owned(), created, lock };
        OutputDir::check(path, marker)?;
        if directory.file(marker).exists() {
            remove_leftovers(path, 1);
        }
        Ok(directory)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in the directory.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for OutputDir {
    fn drop(&mut self) {
        self.lock.take();
        for path in self.created.iter().rev() {
            // Fails, as it should, if there is anything in it.
            fs::remove_dir(path).ok();
        }
    }
}

/// A directory that is built under a hidden name beside its final one and renamed when whole.
/// Dropped before that, it stays if work in it can be taken up again, and vanishes if there is
/// none.
#[derive(Debug)]
pub struct StagedDir {
    target: PathBuf,
    staging: PathBuf,
    /// Whether there was an empty directory, which was removed.
    emptied: bool,
    lock: Option<Lock>,
}

/// Holds the key of the work in a staging directory.
const KEY: &str = ".key";

impl StagedDir {
    /// Whether [`StagedDir::create`] would accept the directory; writes nothing.
    ///
    /// # Errors
    /// The directory exists and is not empty.
    pub fn check(target: &Path) -> Result<()> {
        refuse_other(target, <[OsString]>::is_empty)
    }

    /// Starts to build `target`, or goes on with what an earlier process left that worked under the
    /// same `key`, which should tell everything that the result depends on.
    ///
    /// # Errors
    /// `target` exists and is not empty; another process is building it; what an earlier process
    /// left was made under another key; or what the file system says.
    pub fn create(target: &Path, key: &str) -> Result<StagedDir> {
        StagedDir::check(target)?;
        let target = without_links(target)?;
        let (staging, lock) = lock_beside(&target)?;
        // Another process may have been ready in the meantime.
        StagedDir::check(&target)?;
        // What can't be replaced, as a mount point, is found out now and not when all is done.
        fs::remove_file(target.join(LOCK)).ok();
        let emptied = match fs::remove_dir(&target) {
            Ok(()) => true,
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => {
                return Err(error).with_context(|| {
                    format!("{} can't be replaced: name a directory in it", target.display())
                });
            }
        };
        expect_key(&staging, key)?;
        Ok(StagedDir { target, staging, emptied, lock: Some(lock) })
    }

    /// As [`StagedDir::create`], for work whose result is a file, or is in a directory that is there: nothing is published,
    /// and [`StagedDir::discard`] ends the work when the result is written.
    ///
    /// # Errors
    /// As there, but for what is at `target`.
    pub fn beside(target: &Path, key: &str) -> Result<StagedDir> {
        let target = without_links(target)?;
        let (staging, lock) = lock_beside(&target)?;
        expect_key(&staging, key)?;
        Ok(StagedDir { target, staging, emptied: false, lock: Some(lock) })
    }

    /// The directory in which the work is done.
    pub fn path(&self) -> &Path {
        &self.staging
    }

    /// Where to write: a path under the staging directory, whose parent exists.
    ///
    /// # Errors
    /// The parent directory can't be made.
    pub fn file(&self, name: &str) -> Result<PathBuf> {
        let mut path = self.staging.clone();
        let mut names = Path::new(name).iter().peekable();
        while let Some(name) = names.next() {
            path.push(name);
            if names.peek().is_some() {
                own_directory(&path)?;
            }
        }
        Ok(path)
    }

    /// A directory in the staging directory, made if it is not there.
    ///
    /// # Errors
    /// It can't be made, or is a link.
    pub fn directory(&self, name: &str) -> Result<PathBuf> {
        let path = self.file(name)?;
        own_directory(&path)?;
        Ok(path)
    }

    /// Removes from a finished directory what a process left that was killed after it gave the
    /// directory its name. Nothing happens where that can't be done: the output is whole.
    pub fn tidy(target: &Path) {
        if [KEY, LOCK].iter().any(|name| fs::symlink_metadata(target.join(name)).is_ok())
            && let Ok(lock) = Lock::take(target, target)
        {
            fs::remove_file(target.join(KEY)).ok();
            drop(lock);
        }
    }

    /// Gives the work up: nothing stays.
    ///
    /// # Errors
    /// What the file system says.
    pub fn discard(mut self) -> Result<()> {
        let staging = self.staging.clone();
        let mut remove = || -> std::io::Result<()> {
            for name in contents(&staging)? {
                let path = staging.join(&name);
                // The key goes last: without it nobody could go on with the rest.
                match fs::symlink_metadata(&path)?.is_dir() {
                    true => fs::remove_dir_all(path)?,
                    false if name != KEY => fs::remove_file(path)?,
                    false => {}
                }
            }
            self.lock.take();
            fs::remove_dir_all(&staging)
        };
        remove().with_context(|| format!("cannot remove {}", staging.display()))
    }

    /// Whether what will be a target was begun, and is not there yet.
    ///
    /// # Errors
    /// The path ends in no name.
    pub fn is_begun(target: &Path) -> Result<bool> {
        Ok(beside(target, ".partial")?.is_dir())
    }

    /// Removes what a process left beside a target that it had finished. Nothing happens where another one is at work, or
    /// where that can't be done: the output is whole.
    pub fn tidy_beside(target: &Path) {
        if let Ok(staging) = beside(target, ".partial")
            && fs::symlink_metadata(&staging).is_ok_and(|found| found.is_dir())
            && let Ok(lock) = Lock::take(&staging, target)
        {
            let (target, lock) = (target.to_owned(), Some(lock));
            StagedDir { target, staging, emptied: false, lock }.discard().ok();
        }
    }

    /// Gives the directory its final name.
    ///
    /// # Errors
    /// The final name was taken in the meantime, or what the file system says.
    pub fn publish(mut self) -> Result<()> {
        // The lock is held, and its file stays, until the directory has its final name; so does the
        // key, without which nobody could go on from here.
        fs::rename(&self.staging, &self.target).with_context(|| {
            let staging = self.staging.display();
            format!("{}, but {staging} is whole: rename it", cannot_write(&self.target))
        })?;
        fs::remove_file(self.target.join(KEY)).with_context(|| cannot_write(&self.target))?;
        if let Some(mut lock) = self.lock.take() {
            lock.path = self.target.join(LOCK);
        }
        sync_directory(parent(&self.target));
        Ok(())
    }
}

impl Drop for StagedDir {
    fn drop(&mut self) {
        let Some(lock) = self.lock.take() else { return };
        if is_untouched(&self.staging).unwrap_or(false) {
            drop(lock);
            fs::remove_dir_all(&self.staging).ok();
            if self.emptied {
                fs::create_dir(&self.target).ok();
            }
        }
    }
}

/// The staging directory of a target, made if it is not there, and its lock.
fn lock_beside(target: &Path) -> Result<(PathBuf, Lock)> {
    let staging = beside(target, ".partial")?;
    fs::create_dir_all(parent(&staging)).with_context(|| cannot_write(&staging))?;
    own_directory(&staging)?;
    let lock = Lock::take(&staging, target)?;
    Ok((staging, lock))
}

/// Refuses work under another key in a staging directory, whose lock is held; where there is none, this is the key.
fn expect_key(staging: &Path, key: &str) -> Result<()> {
    let key_file = staging.join(KEY);
    let is_file = fs::symlink_metadata(&key_file).is_ok_and(|found| found.is_file());
    let found = if is_file { fs::read(&key_file).ok() } else { None };
    if found.as_deref() == Some(key.as_bytes()) {
        remove_leftovers(staging, 1);
        return Ok(());
    }
    ensure!(
        is_untouched(staging)?,
        "{} holds the unfinished work of a run with other arguments or another version: \
         go on with those, or remove it",
        staging.display()
    );
    write_atomic(&key_file, key.as_bytes())
}

/// Whether no work was done in a staging directory: it has a key at most, and empty directories and files.
fn is_untouched(staging: &Path) -> std::io::Result<bool> {
    let is_empty = |name: &OsString| {
        let path = staging.join(name);
        contents(&path).is_ok_and(|in_it| in_it.is_empty())
            || fs::symlink_metadata(&path).is_ok_and(|found| found.is_file() && found.len() == 0)
    };
    Ok(contents(staging)?.iter().all(|name| name == KEY || is_empty(name)))
}

/// The path itself, or what it leads to if it is a link; "out/" and "out/." are "out".
fn without_links(path: &Path) -> Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(_) => fs::canonicalize(path)
            .with_context(|| format!("{} is a link that leads nowhere", path.display())),
        Err(_) => Ok(path.components().collect()),
    }
}
