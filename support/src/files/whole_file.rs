//! Files that appear under their final name only when they are whole.
//!
//! [`write_atomic`] writes a file of a directory that is ours; an [`OutputFile`] is a single file
//! that the user named.

use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// Writes a whole file: to a temporary name in the same directory, synced, then renamed.
///
/// # Errors
/// What the file system says, with the path. Then nothing has the final name that had not before.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    write_atomic_with(path, |file| Ok(file.write_all(bytes)?))
}

/// As [`write_atomic`], with the content written by `fill`.
///
/// # Errors
/// As [`write_atomic`], and whatever `fill` returns.
pub fn write_atomic_with(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
) -> Result<()> {
    write_over(&beside(path, ".tmp")?, path, fill)
}

/// Writes `temporary` and renames it to `path`.
fn write_over(
    temporary: &Path,
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
) -> Result<()> {
    let write = || -> Result<()> {
        let file = create_anew(temporary)?;
        // For as long as the process lives: see `remove_orphans`.
        file.try_lock().ok();
        let mut file = BufWriter::new(file);
        fill(&mut file)?;
        file.flush()?;
        file.get_ref().sync_all()?;
        fs::rename(temporary, path)?;
        sync_directory(parent(path));
        Ok(())
    };
    write().inspect_err(|_| drop(fs::remove_file(temporary))).with_context(|| cannot_write(path))
}

/// Creates a file that was not there. What a killed process left under the name is removed, and so
/// is a link, which is not followed: nothing outside the directory is written to.
pub(super) fn create_anew(path: &Path) -> std::io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::create_new(path)
}

/// Makes a directory in one that is ours, unless it is there already. A link is refused: it would
/// lead what is written, or removed, out of our directory.
///
/// # Errors
/// There is a link or a file of that name, or what the file system says.
pub fn own_directory(path: &Path) -> Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let kind = fs::symlink_metadata(path).with_context(|| cannot_write(path))?.file_type();
            let name = path.display();
            ensure!(!kind.is_symlink(), "{name} is a link: expected a directory, remove the link");
            ensure!(kind.is_dir(), "{name} is a file: a directory is expected");
            Ok(())
        }
        made => made.with_context(|| cannot_write(path)),
    }
}

/// The path of a file that another file of `directory` names, which must be a plain relative name
/// of a regular file in there: what is unpacked from elsewhere must not make us read anything else.
///
/// # Errors
/// The name is absolute, leads out of the directory or over a link, or there is no regular file.
pub fn named_inside(directory: &Path, name: &str) -> Result<PathBuf> {
    let relative = Path::new(name);
    let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
    ensure!(
        plain && !name.is_empty(),
        "'{name}' is not the name of a file inside {}",
        directory.display()
    );
    let mut path = directory.to_owned();
    let mut kind = None;
    for part in relative {
        path.push(part);
        let found = fs::symlink_metadata(&path)
            .with_context(|| format!("cannot read {}", path.display()))?
            .file_type();
        ensure!(!found.is_symlink(), "{} is a link: expected a regular file", path.display());
        kind = Some(found);
    }
    ensure!(kind.is_some_and(|kind| kind.is_file()), "{} is not a regular file", path.display());
    Ok(path)
}

/// A kind of file that a command writes wherever its user likes.
#[derive(Clone, Copy, Debug)]
pub struct FileKind {
    /// What such a file is, with an article: "a proof".
    pub name: &'static str,
    /// Whether the file at a path is one, as far as can be told without reading all of it.
    pub recognise: fn(&Path) -> bool,
}

/// A file that the user has named for the output of a command. It replaces nothing but an earlier
/// output of the same kind (or an empty file); where its path is a link, the file that the link
/// leads to is replaced.
#[derive(Clone, Debug)]
pub struct OutputFile {
    given: PathBuf,
    kind: FileKind,
}

impl OutputFile {
    /// Looks whether the file can be written, so that nothing is done in vain; writes nothing.
    ///
    /// # Errors
    /// The path is taken by something else than a file of this kind, or lies in no directory.
    pub fn new(path: &Path, kind: FileKind) -> Result<OutputFile> {
        let file = OutputFile { given: path.to_owned(), kind };
        file.target()?;
        Ok(file)
    }

    /// Writes the whole file, as [`write_atomic_with`].
    ///
    /// # Errors
    /// As [`OutputFile::new`] and [`write_atomic_with`].
    pub fn write(&self, fill: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
        let target = self.target()?;
        // No lock keeps another process from writing the same file: its temporary name is another.
        remove_orphans(&target);
        let temporary = beside(&target, &format!(".{}.tmp", std::process::id()))?;
        write_over(&temporary, &target, fill)
    }

    /// The path without links.
    fn target(&self) -> Result<PathBuf> {
        let (name, kind) = (self.given.display(), self.kind.name);
        if fs::symlink_metadata(&self.given).is_err() {
            let directory = parent(&self.given);
            ensure!(directory.is_dir(), "cannot write {name}: there is no such directory");
            ensure!(self.given.file_name().is_some(), "{name} is not the name of a file");
            return Ok(self.given.clone());
        }
        let metadata = fs::metadata(&self.given).with_context(|| cannot_write(&self.given))?;
        ensure!(!metadata.is_dir(), "{name} is a directory: expected the name of a file");
        ensure!(
            metadata.is_file(),
            "{name} is not a regular file and can't be replaced: choose another file"
        );
        ensure!(
            metadata.len() == 0 || (self.kind.recognise)(&self.given),
            "{name} exists and is not {kind}: choose another file, or remove it first"
        );
        fs::canonicalize(&self.given).with_context(|| cannot_write(&self.given))
    }
}

/// Removes temporary files that killed processes left beside an output: those that no living
/// process has locked, and that were not made just now, to be locked the next moment.
fn remove_orphans(target: &Path) {
    let Ok(prefix) = beside(target, ".") else { return };
    let prefix = prefix.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Ok(entries) = fs::read_dir(parent(target)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|n| n.strip_prefix(&prefix)?.strip_suffix(".tmp"));
        let ours = number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        if ours
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && File::options().write(true).open(entry.path()).is_ok_and(|f| is_orphan(&f))
        {
            fs::remove_file(entry.path()).ok();
        }
    }
}

fn is_orphan(file: &File) -> bool {
    let age = file.metadata().and_then(|m| m.modified()).ok().and_then(|at| at.elapsed().ok());
    age.is_some_and(|age| age > Duration::from_secs(60)) && file.try_lock().is_ok()
}

/// The first bytes of a file as text, as many as are enough to recognise most kinds.
///
/// # Errors
/// What the file system says.
pub fn first_bytes(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(1_024).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// `path` with its last component made hidden and `suffix` appended.
pub(super) fn beside(path: &Path, suffix: &str) -> Result<PathBuf> {
    let name = path
        .file_name()
        .with_context(|| format!("{} is not the name of a file or directory", path.display()))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(suffix);
    Ok(path.with_file_name(hidden))
}

pub(super) fn parent(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes a rename durable. Some file systems can't sync a directory; the rename is done anyway.
pub(super) fn sync_directory(path: &Path) {
    if let Ok(directory) = File::open(path) {
        directory.sync_all().ok();
    }
}

/// The message of what the file system refuses.
pub fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
