//! Tables as numbered files of bounded size, in the Hugging Face layout.

use super::table::{Record, TableWriter};
use super::whole_file::create_anew;
use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Writes a table as numbered files `stem-00000-of-00032.parquet` of bounded size. They have
/// their names when it is known how many there are; until then they are called otherwise.
pub struct NumberedFiles {
    stem: PathBuf,
    rows_per_file: usize,
    /// The current file, and the rows that it has.
    current: Option<(TableWriter<BufWriter<File>>, usize)>,
    files: Vec<PathBuf>,
}

impl NumberedFiles {
    /// Starts the table `stem`: the directory and how the names begin.
    pub fn new(stem: &Path, rows_per_file: usize) -> NumberedFiles {
        NumberedFiles { stem: stem.to_owned(), rows_per_file, current: None, files: Vec::new() }
    }

    /// Appends rows.
    ///
    /// # Errors
    /// What Parquet or the file system says.
    pub fn write<R: Record>(&mut self, mut rows: &[R]) -> Result<()> {
        while !rows.is_empty() {
            if self.current.as_ref().is_none_or(|(_, count)| *count == self.rows_per_file) {
                self.begin::<R>()?;
            }
            let Some((writer, count)) = &mut self.current else { unreachable!("begun") };
            let (now, later) = rows.split_at(rows.len().min(self.rows_per_file - *count));
            let path = self.files.last().unwrap_or(&self.stem);
            writer.write(now).with_context(|| format!("cannot write {}", path.display()))?;
            *count += now.len();
            rows = later;
        }
        Ok(())
    }

    fn begin<R: Record>(&mut self) -> Result<()> {
        self.end()?;
        let path = with_suffix(&self.stem, &format!("-{:05}.unfinished", self.files.len()));
        let file =
            create_anew(&path).with_context(|| format!("cannot write {}", path.display()))?;
        self.current = Some((TableWriter::new::<R>(BufWriter::new(file))?, 0));
        self.files.push(path);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if let Some((writer, _)) = self.current.take() {
            let path = self.files.last().unwrap_or(&self.stem);
            let finish = || -> Result<()> {
                let file = writer.finish()?.into_inner().map_err(|e| e.into_error())?;
                Ok(file.sync_all()?)
            };
            finish().with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }

    /// Ends the table, which has one file at least, and gives the files their names.
    ///
    /// # Errors
    /// What Parquet or the file system says.
    pub fn finish<R: Record>(mut self) -> Result<Vec<PathBuf>> {
        if self.files.is_empty() {
            self.begin::<R>()?;
        }
        self.end()?;
        let count = self.files.len();
        let mut named = Vec::with_capacity(count);
        for (i, path) in self.files.iter().enumerate() {
            let name = with_suffix(&self.stem, &format!("-{i:05}-of-{count:05}.parquet"));
            fs::rename(path, &name).with_context(|| format!("cannot write {}", name.display()))?;
            named.push(name);
        }
        Ok(named)
    }
}

fn with_suffix(stem: &Path, suffix: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The files of the table `stem`, in order.
///
/// # Errors
/// There is none, one is missing, or there are those of two tables.
pub fn numbered_files(stem: &Path) -> Result<Vec<PathBuf>> {
    let directory = stem.parent().unwrap_or(Path::new("."));
    let prefix = stem.file_name().unwrap_or_default().to_string_lossy().into_owned() + "-";
    let entries = fs::read_dir(directory)
        .with_context(|| format!("cannot read {}-*.parquet", stem.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) && name.ends_with(".parquet") {
            names.push(name);
        }
    }
    names.sort();
    let count = names.len();
    for (i, name) in names.iter().enumerate() {
        let expected = format!("{prefix}{i:05}-of-{count:05}.parquet");
        ensure!(
            *name == expected,
            "{} has {name}: expected {expected}, for there are {count} files of that name",
            directory.display()
        );
    }
    ensure!(count > 0, "there is no file {}-*.parquet", stem.display());
    Ok(names.into_iter().map(|name| directory.join(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::table::read_table;
    use crate::files::table::tests::Numbered;

    #[test]
    fn rows_come_back_in_order_from_as_many_files_as_they_need() {
        let directory = tempfile::tempdir().unwrap();
        let stem = directory.path().join("train");
        let rows: Vec<Numbered> = (0..23).map(Numbered).collect();
        let mut files = NumberedFiles::new(&stem, 10);
        for part in rows.chunks(7) {
            files.write(part).unwrap();
        }
        let written = files.finish::<Numbered>().unwrap();
        assert_eq!(written, numbered_files(&stem).unwrap());
        assert_eq!(written.len(), 3);
        assert!(written[2].ends_with("train-00002-of-00003.parquet"));
        let read: Vec<Vec<Numbered>> = written.iter().map(|f| read_table(f).unwrap()).collect();
        assert_eq!(read.iter().map(Vec::len).collect::<Vec<_>>(), [10, 10, 3]);
        assert_eq!(read.concat(), rows);

        fs::remove_file(&written[1]).unwrap();
        let message = numbered_files(&stem).unwrap_err().to_string();
        assert!(message.contains("expected train-00000-of-00002.parquet"), "{message}");
    }

    #[test]
    fn a_table_without_rows_has_one_file() {
        let directory = tempfile::tempdir().unwrap();
        let stem = directory.path().join("test");
        let files = NumberedFiles::new(&stem, 10).finish::<Numbered>().unwrap();
        assert_eq!(files, numbered_files(&stem).unwrap());
        assert!(read_table::<Numbered>(&files[0]).unwrap().is_empty());
        assert!(numbered_files(&directory.path().join("train")).is_err());
    }
}
