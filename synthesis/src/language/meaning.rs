//! What an operator computes: what is built in under its name, or what a table says.

use egraph::{Builtin, Value};
use interop::{Lack, apply};
use std::sync::Arc;

/// The most arguments that an operator has.
pub const MOST_ARGS: usize = 3;

/// What an operator computes.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// What is built in.
    Builtin(Builtin),
    /// What a table says.
    Table(Arc<Table>),
}

/// A value for each choice of arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// By argument: how many values it may have.
    pub counts: Vec<u64>,
    /// The values, those that differ in the last argument only beside each other.
    pub values: Vec<Value>,
}

impl Table {
    /// Whether its values are words or truth values.
    pub fn is_of_words(&self) -> bool {
        self.values.first().is_some_and(|value| value.to_bits().is_some())
    }
}

impl Meaning {
    /// The value at these arguments.
    ///
    /// # Errors
    /// Why it has none.
    pub fn value(&self, args: &[Result<Value, Lack>]) -> Result<Value, Lack> {
        match self {
            Meaning::Builtin(builtin) => apply(*builtin, args),
            Meaning::Table(table) => {
                let mut row = 0;
                for (arg, count) in args.iter().zip(&table.counts) {
                    let number = (*arg)?.to_bits().filter(|number| number < count);
                    row = row * count + number.ok_or(Lack::Undefined)?;
                }
                table.values.get(row as usize).copied().ok_or(Lack::Undefined)
            }
        }
    }
}
