//! Rows in Parquet files.

use super::whole_file::write_atomic_with;
use crate::allocator::reading;
use anyhow::{Context, Result, anyhow, bail, ensure};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::properties::WriterProperties;
use std::cell::Cell;
use std::fs::{self, File};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Once};

/// A kind of row. No column has missing values, but for those that say so.
pub trait Record: Sized {
    /// What the rows are, for messages: "triples".
    const NAME: &'static str;

    /// Rows of a row group, which is held in memory when it is written, encoded and compressed.
    const ROW_GROUP: usize;

    /// Rows that are made columns of at a time: the text of a column must stay below 2 GiB.
    const BATCH: usize;

    /// Columns that files of earlier versions lack.
    const LATER: &'static [&'static str] = &[];

    /// The columns, in order.
    fn fields() -> Vec<Field>;

    /// The values of each column.
    fn columns(rows: &[Self]) -> Vec<ArrayRef>;

    /// Appends the rows of a batch whose columns have the types of [`Record::fields`].
    ///
    /// # Errors
    /// A value that no row can have.
    fn read(batch: &Columns<'_>, rows: &mut Vec<Self>) -> Result<()>;
}

/// The columns of a batch by name.
pub struct Columns<'a>(&'a RecordBatch);

impl<'a> Columns<'a> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.0.num_rows()
    }

    /// A column that may have missing values.
    ///
    /// # Errors
    /// There is no such column.
    pub fn optional(&self, name: &str) -> Result<&'a ArrayRef> {
        self.0.column_by_name(name).with_context(|| no_column(name))
    }

    /// A column without missing values.
    ///
    /// # Errors
    /// There is no such column, or a value is missing.
    pub fn get(&self, name: &str) -> Result<&'a ArrayRef> {
        let column = self.optional(name)?;
        ensure!(column.null_count() == 0, "column '{name}' has missing values");
        Ok(column)
    }
}

fn no_column(name: &str) -> String {
    format!("no column '{name}'")
}

/// Writes rows to a Parquet file (zstd), row group by row group.
pub struct TableWriter<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: Arc<Schema>,
}

impl<W: Write + Send> TableWriter<W> {
    /// Starts a file for rows of a kind.
    ///
    /// # Errors
    /// What Parquet says.
    pub fn new<R: Record>(output: W) -> Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(R::ROW_GROUP))
            .build();
        let schema = Arc::new(Schema::new(R::fields()));
        let writer = ArrowWriter::try_new(output, schema.clone(), Some(properties))?;
        Ok(TableWriter { writer, schema })
    }

    /// Appends rows, of the kind that the file was started for.
    ///
    /// # Errors
    /// What Parquet or the file system says.
    pub fn write<R: Record>(&mut self, rows: &[R]) -> Result<()> {
        for rows in rows.chunks(R::BATCH) {
            let batch = RecordBatch::try_new(self.schema.clone(), R::columns(rows))?;
            self.writer.write(&batch)?;
        }
        Ok(())
    }

    /// Adds a text about the whole table, which [`read_note`] finds.
    pub fn note(&mut self, key: &str, text: String) {
        self.writer.append_key_value_metadata(KeyValue::new(key.to_owned(), text));
    }

    /// Writes the footer and gives the output back.
    ///
    /// # Errors
    /// What Parquet or the file system says.
    pub fn finish(self) -> Result<W> {
        Ok(self.writer.into_inner()?)
    }
}

/// Writes one whole Parquet file.
///
/// # Errors
/// What Parquet or the file system says; then the file does not appear.
pub fn write_table<R: Record>(path: &Path, rows: &[R]) -> Result<()> {
    write_atomic_with(path, |file| {
        let mut writer = TableWriter::new::<R>(file)?;
        writer.write(rows)?;
        writer.finish()?;
        Ok(())
    })
}

/// Reads all rows of one Parquet file.
///
/// # Errors
/// The file is missing, is not a whole Parquet file, or a column is missing, has another type or
/// has nulls: the file and the column are named.
pub fn read_table<R: Record>(path: &Path) -> Result<Vec<R>> {
    let mut rows = Vec::new();
    for_each_batch(path, |batch: Vec<R>| {
        rows.extend(batch);
        Ok(())
    })?;
    Ok(rows)
}

/// Gives the rows of a Parquet file some at a time, in order.
///
/// # Errors
/// As [`read_table`], or what `each` says.
pub fn for_each_batch<R: Record>(
    path: &Path,
    mut each: impl FnMut(Vec<R>) -> Result<()>,
) -> Result<()> {
    let place = || format!("cannot read {} from {}", R::NAME, path.display());
    let mut batches = shielded(path, || open::<R>(path)).with_context(place)?;
    loop {
        let mut rows = Vec::new();
        let more = shielded(path, || {
            let Some(batch) = batches.next() else { return Ok(false) };
            let batch = batch.map_err(|e| anyhow!("damaged Parquet file: {e}"))?;
            R::read(&Columns(&batch), &mut rows)?;
            Ok(true)
        });
        if !more.with_context(place)? {
            return Ok(());
        }
        each(rows)?;
    }
}

/// The text that was [noted](TableWriter::note) under a key, if there is one.
///
/// # Errors
/// The file is missing, or is not a whole Parquet file.
pub fn read_note(path: &Path, key: &str) -> Result<Option<String>> {
    let read = || {
        let reader = builder(path)?;
        let notes = reader.metadata().file_metadata().key_value_metadata();
        let found = notes.and_then(|all| all.iter().find(|note| note.key == key));
        Ok(found.and_then(|note| note.value.clone()))
    };
    shielded(path, read).with_context(|| format!("cannot read {}", path.display()))
}

thread_local! {
    /// Whether what panics on this thread is the reading of a damaged file.
    static SHIELDED: Cell<bool> = const { Cell::new(false) };
}

/// Reads from a file with a library that panics at some kinds of damage: an error then, and not a
/// word of the panic. At others it asks for all the memory of the world.
fn shielded<T>(path: &Path, read: impl FnOnce() -> Result<T>) -> Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !SHIELDED.get() {
                usual(panic);
            }
        }));
    });
    let before = SHIELDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(|| reading(path, read)));
    SHIELDED.set(before);
    result.unwrap_or_else(|_| Err(anyhow!("damaged Parquet file")))
}

fn builder(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    // A pipe would let us wait for ever.
    let metadata = fs::metadata(path)?;
    ensure!(!metadata.is_dir(), "a directory: expected a file");
    ensure!(metadata.is_file(), "not a regular file");
    let file = File::open(path)?;
    // How the writer had a column in memory (pandas and polars: large strings) does not matter.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let reader = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)
        .map_err(|e| anyhow!("not a whole Parquet file: {e}"))?;
    refuse_other_compression(reader.metadata())?;
    Ok(reader)
}

fn refuse_other_compression(metadata: &ParquetMetaData) -> Result<()> {
    for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let known = matches!(
            column.compression(),
            Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_)
        );
        ensure!(
            known,
            "compressed with {}, which is not supported: write it with zstd, Snappy, or uncompressed",
            column.compression().to_string().split('(').next().unwrap_or_default()
        );
    }
    Ok(())
}

/// A type in words that are not Arrow's.
fn said(kind: &DataType) -> String {
    match kind {
        DataType::Utf8 => "strings".to_owned(),
        other => other.to_string(),
    }
}

fn open<R: Record>(path: &Path) -> Result<parquet::arrow::arrow_reader::ParquetRecordBatchReader> {
    let reader = builder(path)?;
    for expected in R::fields() {
        let (name, kind) = (expected.name(), expected.data_type());
        match reader.schema().column_with_name(name).map(|(_, field)| field.data_type()) {
            Some(found) if found.equals_datatype(kind) => {}
            Some(found) => bail!("column '{name}' has type {found}: expected {}", said(kind)),
            None if R::LATER.contains(&name.as_str()) => {}
            None => bail!(no_column(name)),
        }
    }
    Ok(reader.with_batch_size(R::BATCH).build()?)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::columns_of;
    use arrow_array::types::Int32Type;
    use arrow_array::{DictionaryArray, LargeStringArray, UInt64Array};

    /// A row with a number.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) struct Numbered(pub u64);

    impl Record for Numbered {
        const NAME: &'static str = "numbers";
        const ROW_GROUP: usize = 100;
        const BATCH: usize = 4;

        fn fields() -> Vec<Field> {
            vec![Field::new("id", DataType::UInt64, false)]
        }

        fn columns(rows: &[Self]) -> Vec<ArrayRef> {
            vec![Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.0)))]
        }

        fn read(batch: &Columns<'_>, rows: &mut Vec<Self>) -> Result<()> {
            let ids = batch.get("id")?.as_any().downcast_ref::<UInt64Array>();
            rows.extend(ids.context("no numbers")?.values().iter().map(|&id| Numbered(id)));
            Ok(())
        }
    }

    /// A file as another program writes it.
    fn parquet_of(batch: &RecordBatch, compression: Compression) -> Vec<u8> {
        let properties = WriterProperties::builder().set_compression(compression).build();
        let writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties));
        let mut writer = writer.unwrap();
        writer.write(batch).unwrap();
        writer.into_inner().unwrap()
    }

    #[test]
    fn no_damaged_byte_makes_the_reader_panic() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("numbers.parquet");
        let rows: Vec<_> = (0..40).map(Numbered).collect();
        write_table(&path, &rows).unwrap();
        let zstd = fs::read(&path).unwrap();
        let columns = [("id", Numbered::columns(&rows).remove(0))];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let snappy = parquet_of(&batch, Compression::SNAPPY);
        for (whole, place) in [&zstd, &snappy]
            .into_iter()
            .flat_map(|whole| (0..whole.len()).map(move |at| (whole, at)))
        {
            for flip in [1, 0x10, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[place] ^= flip;
                fs::write(&path, bytes).unwrap();
                // Rows or an error that names the file, and no panic.
                if let Err(error) = read_table::<Numbered>(&path) {
                    assert!(format!("{error:#}").contains("numbers.parquet"), "{error:#}");
                }
            }
        }
    }

    #[test]
    fn a_panic_of_the_reader_is_an_error() {
        let read = || -> Result<()> { panic!("index out of bounds") };
        assert_eq!(shielded(Path::new("x"), read).unwrap_err().to_string(), "damaged Parquet file");
        assert!(!SHIELDED.get());
    }

    #[test]
    fn another_compression_is_called_by_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("numbers.parquet");
        write_table(&path, &[Numbered(1), Numbered(2)]).unwrap();
        let metadata = |path: &Path| {
            let file = File::open(path).unwrap();
            let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
            reader.metadata().as_ref().clone()
        };
        let written = metadata(&path);
        refuse_other_compression(&written).unwrap();
        let group = written.row_group(0).clone();
        let column = group.column(0).clone().into_builder();
        let column = column.set_compression(Compression::LZ4_RAW).build().unwrap();
        let group = group.into_builder().set_column_metadata(vec![column]).build().unwrap();
        let other = written.into_builder().set_row_groups(vec![group]).build();
        let message = refuse_other_compression(&other).unwrap_err().to_string();
        assert!(
            message.starts_with("compressed with LZ4_RAW, which is not supported"),
            "{message}"
        );
    }

    /// A row with a text, and perhaps another.
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Named {
        name: String,
        other: Option<String>,
    }

    impl Record for Named {
        const NAME: &'static str = "names";
        const ROW_GROUP: usize = 100;
        const BATCH: usize = 4;
        const LATER: &'static [&'static str] = &["other"];

        columns_of!(Named: name, other);
    }

    /// As pandas and polars write tables: large strings, any of which may be missing, with Snappy.
    #[test]
    fn strings_are_strings_however_their_writer_had_them() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("names.parquet");
        let large = LargeStringArray::from(vec!["a", "b"]);
        let codes: DictionaryArray<Int32Type> = vec!["x", "x"].into_iter().collect();
        let columns: [(&str, ArrayRef); 2] =
            [("name", Arc::new(large)), ("other", Arc::new(codes))];
        let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(n, c)| (n, c, true)));
        let batch = batch.unwrap();
        fs::write(&path, parquet_of(&batch, Compression::SNAPPY)).unwrap();
        let named = |name: &str| Named { name: name.into(), other: Some("x".into()) };
        assert_eq!(read_table::<Named>(&path).unwrap(), ["a", "b"].map(named));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_no_table() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe.parquet");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let message = format!("{:#}", read_table::<Numbered>(&path).unwrap_err());
        assert!(message.ends_with("not a regular file"), "{message}");
    }

    #[test]
    fn a_note_is_found_under_its_key() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("numbers.parquet");
        let mut writer = TableWriter::new::<Numbered>(Vec::new()).unwrap();
        writer.write(&[Numbered(1)]).unwrap();
        writer.note("about", "ones".to_owned());
        fs::write(&path, writer.finish().unwrap()).unwrap();
        assert_eq!(read_note(&path, "about").unwrap().as_deref(), Some("ones"));
        assert_eq!(read_note(&path, "other").unwrap(), None);
    }
}
