//! Examples in Parquet files: a column each for the e-graph, whether the match was used, its picks,
//! its sets and its values.

use anyhow::{Result, ensure};
use arrow_array::types::{Float32Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, BooleanArray, Float32Array, UInt16Array, UInt64Array};
use arrow_schema::{DataType, Field};
use ranking::Example;
use ranking::numbers::{Numbers, PICKS, SETS, VALUES};
use std::sync::Arc;
use support::columns::numbers;
use support::{Columns, Record};

/// A row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExampleRow(pub Example);

fn pick(i: usize) -> String {
    format!("pick{i}")
}

fn value(i: usize) -> String {
    format!("value{i}")
}

fn set(i: usize) -> String {
    format!("set{i}")
}

impl Record for ExampleRow {
    const NAME: &'static str = "examples";
    const ROW_GROUP: usize = 1 << 16;
    const BATCH: usize = 1 << 13;

    fn fields() -> Vec<Field> {
        let mut fields = vec![
            Field::new("e_graph", DataType::UInt32, false),
            Field::new("used", DataType::Boolean, false),
        ];
        fields.extend((0..PICKS).map(|i| Field::new(pick(i), DataType::UInt16, false)));
        fields.extend((0..SETS).map(|i| Field::new(set(i), DataType::UInt64, false)));
        fields.extend((0..VALUES).map(|i| Field::new(value(i), DataType::Float32, false)));
        fields
    }

    fn columns(rows: &[Self]) -> Vec<ArrayRef> {
        let used: BooleanArray = rows.iter().map(|row| Some(row.0.used)).collect();
        let mut columns: Vec<ArrayRef> =
            vec![numbers::<UInt32Type, _>(rows, |row| row.0.e_graph), Arc::new(used)];
        columns.extend((0..PICKS).map(|i| -> ArrayRef {
            Arc::new(UInt16Array::from_iter_values(rows.iter().map(|row| row.0.seen.picks[i])))
        }));
        columns.extend((0..SETS).map(|i| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.0.seen.sets[i])))
        }));
        columns.extend((0..VALUES).map(|i| -> ArrayRef {
            Arc::new(Float32Array::from_iter_values(rows.iter().map(|row| row.0.seen.values[i])))
        }));
        columns
    }

    fn read(batch: &Columns<'_>, rows: &mut Vec<Self>) -> Result<()> {
        let (e_graph, used) = (batch.numbers::<UInt32Type>("e_graph")?, batch.flags("used")?);
        let picks = (0..PICKS).map(|i| batch.numbers::<UInt16Type>(&pick(i)));
        let picks = picks.collect::<Result<Vec<_>>>()?;
        let sets = (0..SETS).map(|i| batch.numbers::<UInt64Type>(&set(i)));
        let sets = sets.collect::<Result<Vec<_>>>()?;
        let values = (0..VALUES).map(|i| batch.numbers::<Float32Type>(&value(i)));
        let values = values.collect::<Result<Vec<_>>>()?;
        for row in 0..batch.rows() {
            let seen = Numbers {
                picks: std::array::from_fn(|i| picks[i].value(row)),
                values: std::array::from_fn(|i| values[i].value(row)),
                sets: std::array::from_fn(|i| sets[i].value(row)),
            };
            ensure!(seen.values.iter().all(|value| value.is_finite()), "a value is no number");
            let (e_graph, used) = (e_graph.value(row), used.value(row));
            rows.push(ExampleRow(Example { e_graph, used, seen }));
        }
        Ok(())
    }
}
