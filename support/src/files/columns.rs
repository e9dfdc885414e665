//! Columns of a table, made of rows and read back, by the types that fields of rows have.

use super::table::Columns;
use anyhow::{Context, Result, anyhow};
use arrow_array::builder::StringBuilder;
use arrow_array::builder::{ArrayBuilder, BooleanBuilder, ListBuilder, PrimitiveBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
pub use arrow_array::{Array, ArrayRef};
use arrow_array::{ArrowPrimitiveType, BooleanArray, PrimitiveArray, new_null_array};
pub use arrow_schema::{DataType, Field};
use std::sync::Arc;

/// What a column has of a row.
pub trait Cell: Sized {
    /// Makes columns.
    type Builder: ArrayBuilder + Default;

    /// Whether a value may be missing.
    const OPTIONAL: bool = false;

    /// The type of the column.
    fn kind() -> DataType;

    /// Appends a value, or that one is missing.
    fn append(value: Option<&Self>, column: &mut Self::Builder);

    /// The values of a column of this type, some of which may be missing.
    ///
    /// # Errors
    /// It has another type, or a value that none can be.
    fn values(column: &dyn Array) -> Result<Vec<Option<Self>>>;
}

macro_rules! number_cell {
    ($($number:ty: $arrow:ty),*) => {$(
        impl Cell for $number {
            type Builder = PrimitiveBuilder<$arrow>;

            fn kind() -> DataType {
                <$arrow>::DATA_TYPE
            }

            fn append(value: Option<&Self>, column: &mut Self::Builder) {
                column.append_option(value.copied());
            }

            fn values(column: &dyn Array) -> Result<Vec<Option<Self>>> {
                Ok(column.as_primitive_opt::<$arrow>().context(WRONG_TYPE)?.iter().collect())
            }
        }
    )*};
}
number_cell!(u32: UInt32Type, u64: UInt64Type, f64: Float64Type);

impl Cell for bool {
    type Builder = BooleanBuilder;

    fn kind() -> DataType {
        DataType::Boolean
    }

    fn append(value: Option<&Self>, column: &mut Self::Builder) {
        column.append_option(value.copied());
    }

    fn values(column: &dyn Array) -> Result<Vec<Option<Self>>> {
        Ok(column.as_boolean_opt().context(WRONG_TYPE)?.iter().collect())
    }
}

impl Cell for String {
    type Builder = StringBuilder;

    fn kind() -> DataType {
        DataType::Utf8
    }

    fn append(value: Option<&Self>, column: &mut Self::Builder) {
        column.append_option(value);
    }

    fn values(column: &dyn Array) -> Result<Vec<Option<Self>>> {
        let texts = column.as_string_opt::<i32>().context(WRONG_TYPE)?;
        Ok(texts.iter().map(|text| text.map(str::to_owned)).collect())
    }
}

impl<T: Cell> Cell for Vec<T> {
    type Builder = ListBuilder<T::Builder>;

    fn kind() -> DataType {
        DataType::new_list(T::kind(), true)
    }

    fn append(value: Option<&Self>, column: &mut Self::Builder) {
        for item in value.into_iter().flatten() {
            T::append(Some(item), column.values());
        }
        column.append(value.is_some());
    }

    fn values(column: &dyn Array) -> Result<Vec<Option<Self>>> {
        let lists = column.as_list_opt::<i32>().context(WRONG_TYPE)?;
        let list = |items: ArrayRef| {
            T::values(&items)?.into_iter().collect::<Option<_>>().context(MISSING)
        };
        lists.iter().map(|items| items.map(list).transpose()).collect()
    }
}

impl<T: Cell> Cell for Option<T> {
    type Builder = T::Builder;

    const OPTIONAL: bool = true;

    fn kind() -> DataType {
        T::kind()
    }

    fn append(value: Option<&Self>, column: &mut Self::Builder) {
        T::append(value.and_then(Option::as_ref), column);
    }

    fn values(column: &dyn Array) -> Result<Vec<Option<Self>>> {
        Ok(T::values(column)?.into_iter().map(Some).collect())
    }
}

const WRONG_TYPE: &str = "has another type";
const MISSING: &str = "has missing values";

/// The column of a field of a row, which `get` gives.
pub fn field<R, C: Cell>(name: &str, _get: fn(&R) -> &C) -> Field {
    Field::new(name, C::kind(), C::OPTIONAL)
}

/// A column of what `get` gives.
pub fn column<R, C: Cell>(rows: &[R], get: fn(&R) -> &C) -> ArrayRef {
    let mut column = C::Builder::default();
    rows.iter().for_each(|row| C::append(Some(get(row)), &mut column));
    column.finish()
}

/// A column of numbers.
pub fn numbers<T: ArrowPrimitiveType, R>(rows: &[R], get: fn(&R) -> T::Native) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::from_iter_values(rows.iter().map(get)))
}

impl<'a> Columns<'a> {
    /// The values of a column. Where values may be missing, the whole column may be.
    ///
    /// # Errors
    /// There is no such column, it has another type, a value is missing, or is none of this type.
    pub fn cells<C: Cell>(&self, name: &str) -> Result<Vec<C>> {
        let column = match self.optional(name) {
            Err(_) if C::OPTIONAL => new_null_array(&C::kind(), self.rows()),
            column => column?.clone(),
        };
        let cells =
            C::values(&column).and_then(|c| c.into_iter().collect::<Option<_>>().context(MISSING));
        cells.map_err(|error| match error.to_string().as_str() {
            text @ (MISSING | WRONG_TYPE) => anyhow!("column '{name}' {text}"),
            text => anyhow!("column '{name}': {text}"),
        })
    }

    /// A column of numbers.
    ///
    /// # Errors
    /// There is no such column, it has another type, or a value is missing.
    pub fn numbers<T: ArrowPrimitiveType>(&self, name: &str) -> Result<&'a PrimitiveArray<T>> {
        self.get(name)?.as_primitive_opt().with_context(|| format!("column '{name}' {WRONG_TYPE}"))
    }

    /// A column of truth values, some of which may be missing.
    ///
    /// # Errors
    /// There is no such column, or it has another type.
    pub fn flags(&self, name: &str) -> Result<&'a BooleanArray> {
        self.optional(name)?
            .as_boolean_opt()
            .with_context(|| format!("column '{name}' {WRONG_TYPE}"))
    }
}

/// The functions of a [`Record`](crate::Record) that has a column for each of these fields, which are all
/// that it has.
#[macro_export]
macro_rules! columns_of {
    ($row:ident: $($name:ident),+ $(,)?) => {
        fn fields() -> Vec<$crate::columns::Field> {
            vec![$($crate::columns::field(stringify!($name), |row: &$row| &row.$name)),+]
        }

        fn columns(rows: &[$row]) -> Vec<$crate::columns::ArrayRef> {
            vec![$($crate::columns::column(rows, |row| &row.$name)),+]
        }

        fn read(batch: &$crate::Columns<'_>, rows: &mut Vec<$row>) -> anyhow::Result<()> {
            $(let mut $name = batch.cells(stringify!($name))?.into_iter();)+
            // All columns of a batch have the same length.
            while let ($(Some($name)),+) = ($($name.next()),+) {
                rows.push($row { $($name),+ });
            }
            Ok(())
        }
    };
}
