//! Columns of a table, made of rows and read back, by the types that tables have.

use super::table::Columns;
use anyhow::{Context, Result, ensure};
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, ListArray, PrimitiveArray, StringArray,
};
use std::sync::Arc;

/// A column of texts.
pub fn texts<R>(rows: &[R], get: fn(&R) -> &str) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(rows.iter().map(get)))
}

/// A column of texts, some of which may be missing.
pub fn some_texts<R>(rows: &[R], get: fn(&R) -> Option<&str>) -> ArrayRef {
    Arc::new(rows.iter().map(get).collect::<StringArray>())
}

/// A column of numbers.
pub fn numbers<T: ArrowPrimitiveType, R>(rows: &[R], get: fn(&R) -> T::Native) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::from_iter_values(rows.iter().map(get)))
}

/// A column of truth values, some of which may be missing.
pub fn flags<R>(rows: &[R], get: fn(&R) -> Option<bool>) -> ArrayRef {
    Arc::new(rows.iter().map(get).collect::<BooleanArray>())
}

/// A column of lists of texts.
pub fn text_lists<R>(rows: &[R], get: fn(&R) -> &[String]) -> ArrayRef {
    let mut builder = ListBuilder::new(StringBuilder::new());
    for row in rows {
        get(row).iter().for_each(|text| builder.values().append_value(text));
        builder.append(true);
    }
    Arc::new(builder.finish())
}

/// Lists of texts, by row.
pub struct TextLists<'a> {
    name: String,
    lists: &'a ListArray,
}

impl TextLists<'_> {
    /// The list of a row.
    ///
    /// # Errors
    /// A text of it is missing.
    pub fn value(&self, row: usize) -> Result<Vec<String>> {
        let values = self.lists.value(row);
        ensure!(values.null_count() == 0, "column '{}' has missing values", self.name);
        let texts = values.as_string_opt::<i32>().with_context(|| wrong_type(&self.name))?;
        Ok(texts.iter().flatten().map(str::to_owned).collect())
    }
}

fn wrong_type(name: &str) -> String {
    format!("column '{name}' has another type")
}

impl<'a> Columns<'a> {
    /// A column of texts.
    ///
    /// # Errors
    /// There is no such column, it has another type, or a value is missing.
    pub fn texts(&self, name: &str) -> Result<&'a StringArray> {
        self.get(name)?.as_string_opt().with_context(|| wrong_type(name))
    }

    /// A column of texts that files of earlier versions lack, by row; some of the texts may be missing.
    ///
    /// # Errors
    /// It has another type.
    pub fn later_texts(&self, name: &str) -> Result<impl Fn(usize) -> Option<&'a str> + use<'a>> {
        let column = self.optional(name).ok();
        let texts = column.map(|c| c.as_string_opt::<i32>().with_context(|| wrong_type(name)));
        let texts = texts.transpose()?;
        Ok(move |row| texts.filter(|texts| texts.is_valid(row)).map(|texts| texts.value(row)))
    }

    /// A column of numbers.
    ///
    /// # Errors
    /// As [`Columns::texts`].
    pub fn numbers<T: ArrowPrimitiveType>(&self, name: &str) -> Result<&'a PrimitiveArray<T>> {
        self.get(name)?.as_primitive_opt().with_context(|| wrong_type(name))
    }

    /// A column of truth values, some of which may be missing.
    ///
    /// # Errors
    /// There is no such column, or it has another type.
    pub fn flags(&self, name: &str) -> Result<&'a BooleanArray> {
        self.optional(name)?.as_boolean_opt().with_context(|| wrong_type(name))
    }

    /// A column of lists of texts.
    ///
    /// # Errors
    /// As [`Columns::texts`].
    pub fn text_lists(&self, name: &str) -> Result<TextLists<'a>> {
        let lists = self.get(name)?.as_list_opt().with_context(|| wrong_type(name))?;
        Ok(TextLists { name: name.to_owned(), lists })
    }
}
