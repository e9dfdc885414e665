//! (start, guide, target) triples, and their Parquet files in the Hugging Face layout.

use crate::files::write_atomic_with;
use anyhow::{Context, Result, anyhow, bail, ensure};
use arrow_array::builder::{StringBuilder, UInt32Builder, UInt64Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use egraph::ParseError;
use egraph::{TermBank, TermId};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// A part of a dataset. The order is that of the names in the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// To learn from.
    Train,
    /// To watch the learning.
    Validation,
    /// To measure at the end.
    Test,
}

impl Split {
    /// All splits.
    pub const ALL: [Split; 3] = [Split::Train, Split::Validation, Split::Test];

    /// `train`, `validation` or `test`.
    pub fn name(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::Validation => "validation",
            Split::Test => "test",
        }
    }

    /// The split's file, relative to the dataset's directory.
    pub fn file(self) -> String {
        format!("data/{}-00000-of-00001.parquet", self.name())
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A piece of a proof: from `start` over `guide` to `target`, as s-expressions whose variables
/// are in normal form over (start, target, guide).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Triple {
    /// Number of the row, unique in its dataset.
    pub id: u64,
    /// Index of the seed, from 0, in the order of the seed file.
    pub seed: u32,
    /// The seed's id in the seed file.
    pub seed_id: String,
    /// Where the proof starts.
    pub start: String,
    /// A term half-way.
    pub guide: String,
    /// Where the proof ends.
    pub target: String,
    /// Number of rewrite steps from start to guide.
    pub steps_start_guide: u32,
    /// Number of rewrite steps from guide to target.
    pub steps_guide_target: u32,
    /// Number of nodes of the start.
    pub start_size: u32,
    /// Number of nodes of the guide.
    pub guide_size: u32,
    /// Number of nodes of the target.
    pub target_size: u32,
    /// How often the proof was halved: 0 for a whole proof.
    pub depth: u32,
}

impl Triple {
    /// Number of rewrite steps from start to target.
    pub fn steps(&self) -> u32 {
        self.steps_start_guide + self.steps_guide_target
    }

    /// The terms [start, guide, target], read into `bank`.
    ///
    /// The three have one sort, but a lone literal does not show which; it takes the sort of the
    /// others, so that the `1` that equals `(<= v0 v0)` is a truth value.
    ///
    /// # Errors
    /// A text that is not a term of the bank's language, or not of the sort of the others.
    pub fn terms(&self, bank: &mut TermBank) -> Result<[TermId; 3], ParseError> {
        let texts = [&self.start, &self.guide, &self.target];
        let application = texts.iter().find(|text| text.starts_with('('));
        let sort = match application {
            Some(text) => {
                let term = bank.parse(text, None)?;
                Some(bank.sort(term))
            }
            None => None,
        };
        let mut terms = [TermId(0); 3];
        for (term, text) in terms.iter_mut().zip(texts) {
            *term = bank.parse(text, sort)?;
        }
        Ok(terms)
    }
}

/// Name and type of every column, in order.
pub const COLUMNS: [(&str, DataType); 12] = [
    ("id", DataType::UInt64),
    ("seed", DataType::UInt32),
    ("seed_id", DataType::Utf8),
    ("start", DataType::Utf8),
    ("guide", DataType::Utf8),
    ("target", DataType::Utf8),
    ("steps_start_guide", DataType::UInt32),
    ("steps_guide_target", DataType::UInt32),
    ("start_size", DataType::UInt32),
    ("guide_size", DataType::UInt32),
    ("target_size", DataType::UInt32),
    ("depth", DataType::UInt32),
];

fn schema() -> Arc<Schema> {
    let field = |(name, kind): &(&str, DataType)| Field::new(*name, kind.clone(), false);
    Arc::new(Schema::new(COLUMNS.iter().map(field).collect::<Vec<_>>()))
}

/// Rows of one row group, the unit in which rows are held in memory.
const ROW_GROUP: usize = 16_384;

/// Writes triples to a Parquet file, row group by row group.
pub struct TripleWriter<W: Write + Send> {
    writer: ArrowWriter<W>,
    rows: u64,
}

impl<W: Write + Send> TripleWriter<W> {
    /// Starts a file.
    ///
    /// # Errors
    /// What Parquet says.
    pub fn new(output: W) -> Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .build();
        let writer = ArrowWriter::try_new(output, schema(), Some(properties))?;
        Ok(TripleWriter { writer, rows: 0 })
    }

    /// Appends triples.
    ///
    /// # Errors
    /// What Parquet or the file system says.
    pub fn write(&mut self, triples: &[Triple]) -> Result<()> {
        if !triples.is_empty() {
            self.writer.write(&to_batch(triples)?)?;
            self.rows += triples.len() as u64;
        }
        Ok(())
    }

    /// Writes the footer and gives the number of rows and the output back.
    ///
    /// # Errors
    /// What Parquet or the file system says.
    pub fn finish(self) -> Result<(u64, W)> {
        Ok((self.rows, self.writer.into_inner()?))
    }
}

fn to_batch(triples: &[Triple]) -> Result<RecordBatch> {
    let strings = |get: fn(&Triple) -> &str| -> ArrayRef {
        let mut builder = StringBuilder::new();
        triples.iter().for_each(|t| builder.append_value(get(t)));
        Arc::new(builder.finish())
    };
    let numbers = |get: fn(&Triple) -> u32| -> ArrayRef {
        let mut builder = UInt32Builder::with_capacity(triples.len());
        triples.iter().for_each(|t| builder.append_value(get(t)));
        Arc::new(builder.finish())
    };
    let mut ids = UInt64Builder::with_capacity(triples.len());
    triples.iter().for_each(|t| ids.append_value(t.id));
    let columns: Vec<ArrayRef> = vec![
        Arc::new(ids.finish()),
        numbers(|t| t.seed),
        strings(|t| &t.seed_id),
        strings(|t| &t.start),
        strings(|t| &t.guide),
        strings(|t| &t.target),
        numbers(|t| t.steps_start_guide),
        numbers(|t| t.steps_guide_target),
        numbers(|t| t.start_size),
        numbers(|t| t.guide_size),
        numbers(|t| t.target_size),
        numbers(|t| t.depth),
    ];
    Ok(RecordBatch::try_new(schema(), columns)?)
}

/// Writes one whole Parquet file of triples.
///
/// # Errors
/// What Parquet or the file system says; then the file does not appear.
pub fn write_triples(path: &Path, triples: &[Triple]) -> Result<()> {
    write_atomic_with(path, |file| {
        let mut writer = TripleWriter::new(file)?;
        writer.write(triples)?;
        writer.finish()?;
        Ok(())
    })
}

/// Reads all triples of a split of the dataset in `directory`.
///
/// # Errors
/// The file is missing, is not a whole Parquet file, or a column is missing, has another type or
/// has nulls: the file and the column are named.
pub fn read_triples(directory: &Path, split: Split) -> Result<Vec<Triple>> {
    read_file(&directory.join(split.file()))
}

/// Reads all triples of one Parquet file.
///
/// # Errors
/// As [`read_triples`].
pub fn read_file(path: &Path) -> Result<Vec<Triple>> {
    read(path).with_context(|| format!("cannot read triples from {}", path.display()))
}

fn read(path: &Path) -> Result<Vec<Triple>> {
    let file = File::open(path)?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .map_err(|e| anyhow!("not a whole Parquet file: {e}"))?;
    check_schema(reader.schema())?;
    let mut triples = Vec::new();
    for batch in reader.build()? {
        let batch = batch.map_err(|e| anyhow!("damaged Parquet file: {e}"))?;
        from_batch(&batch, &mut triples)?;
    }
    Ok(triples)
}

fn check_schema(schema: &Schema) -> Result<()> {
    for (name, kind) in &COLUMNS {
        let found = schema.column_with_name(name).map(|(_, field)| field.data_type());
        match found {
            Some(found) if found == kind => {}
            Some(found) => bail!("column '{name}' has type {found}: expected {kind}"),
            None => bail!("no column '{name}'"),
        }
    }
    Ok(())
}

fn from_batch(batch: &RecordBatch, triples: &mut Vec<Triple>) -> Result<()> {
    let column = |name: &str| -> Result<&ArrayRef> {
        let column = batch.column_by_name(name).with_context(|| format!("no column '{name}'"))?;
        ensure!(column.null_count() == 0, "column '{name}' has missing values");
        Ok(column)
    };
    // The schema was checked, so the typed views below exist.
    let ids = column("id")?.as_primitive::<UInt64Type>();
    let number = |name| column(name).map(|c| c.as_primitive::<UInt32Type>());
    let string = |name| column(name).map(|c| c.as_string::<i32>());
    let (seed, seed_id) = (number("seed")?, string("seed_id")?);
    let (start, guide, target) = (string("start")?, string("guide")?, string("target")?);
    let first_steps = number("steps_start_guide")?;
    let second_steps = number("steps_guide_target")?;
    let start_size = number("start_size")?;
    let guide_size = number("guide_size")?;
    let target_size = number("target_size")?;
    let depth = number("depth")?;
    triples.extend((0..batch.num_rows()).map(|row| Triple {
        id: ids.value(row),
        seed: seed.value(row),
        seed_id: seed_id.value(row).to_owned(),
        start: start.value(row).to_owned(),
        guide: guide.value(row).to_owned(),
        target: target.value(row).to_owned(),
        steps_start_guide: first_steps.value(row),
        steps_guide_target: second_steps.value(row),
        start_size: start_size.value(row),
        guide_size: guide_size.value(row),
        target_size: target_size.value(row),
        depth: depth.value(row),
    }));
    Ok(())
}
