//! Tables for pandas, polars, DuckDB and PyArrow, which take them by Arrow's C interface: no value is copied.

use crate::errors::{any, bad};
use anyhow::Context;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::fs::File;
use std::path::PathBuf;

/// Rows of a batch.
const BATCH: usize = 65_536;

/// A table in memory, as Arrow has it: `polars.DataFrame(table)`, `pyarrow.table(table)`,
/// `pandas.DataFrame.from_arrow(table)`.
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

/// Reads Parquet files of one kind, one after the other, as one table.
#[pyfunction]
#[pyo3(signature = (paths, /))]
pub fn read_parquet(py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<Table> {
    let read = || -> anyhow::Result<Table> {
        let (mut schema, mut batches) = (None, Vec::new());
        for path in &paths {
            let name = || path.display().to_string();
            let file = File::open(path).with_context(name)?;
            let builder = ParquetRecordBatchReaderBuilder::try_new(file).with_context(name)?;
            // What a file notes beside its columns is no part of them.
            let plain = SchemaRef::new(Schema::new(builder.schema().fields().clone()));
            schema.get_or_insert_with(|| plain.clone());
            for batch in builder.with_batch_size(BATCH).build().with_context(name)? {
                batches.push(batch?.with_schema(plain.clone()).with_context(name)?);
            }
        }
        let schema = schema.context("there is no file to read")?;
        Ok(Table { schema, batches })
    };
    let table = py.detach(read).map_err(any)?;
    if table.batches.iter().any(|batch| batch.schema() != table.schema) {
        return Err(bad("the files have different columns"));
    }
    Ok(table)
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Arrow's interface for streams (the Arrow PyCapsule interface). Another schema can't be asked for.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface asks for best effort: what was asked for need not be given.
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, self.schema.clone());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __repr__(&self) -> String {
        format!("<Table of {} rows: {}>", self.__len__(), self.columns().join(", "))
    }
}
