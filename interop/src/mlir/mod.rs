//! Functions of MLIR in the generic form, and e-graphs in the dialect `equivalence` of xDSL.
//!
//! `ops.rs` is operations as data and their text, `read.rs` reads that. `table.rs` says which operations the
//! operators of a system are, `literal.rs` which constants its literals. `functions.rs` finds functions,
//! `values.rs` makes terms of their values. `rewrite.rs` puts better terms in the place of terms, `classes.rs`
//! writes and reads e-graphs.

mod classes;
mod functions;
mod literal;
mod ops;
mod read;
mod rewrite;
mod table;
mod values;

pub use crate::mlir::classes::{MLIR_EGRAPH, MlirTerms, write_mlir};
pub use crate::mlir::table::MlirTable;

use crate::variables::NeededValue;
use egraph::{CostFunction, ParseError, TermBank, TermId};
use std::fmt;

/// A text of MLIR that was read; displays in the generic form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mlir(ops::Module);

impl Mlir {
    /// Reads the generic form, as `mlir-opt --mlir-print-op-generic` and `xdsl-opt --print-op-generic` write it.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub fn parse(text: &str) -> Result<Mlir, ParseError> {
        read::read(text).map(Mlir)
    }

    /// The values that operations use which the system has no operator for: those that functions return or
    /// store, and so on; in the order of their uses.
    ///
    /// # Errors
    /// A value without a definition, with two, or with an operand of a wrong type; an e-graph.
    pub fn values(
        &self,
        table: &MlirTable,
        bank: &mut TermBank,
    ) -> Result<Vec<NeededValue>, ParseError> {
        rewrite::values(&self.0, table, bank)
    }

    /// Computes each value by the term that `best` gives for its own, unless the block would cost more, equal
    /// parts counted once. Says of each value whether that was done.
    ///
    /// # Errors
    /// As [`Mlir::values`].
    pub fn rewrite(
        &mut self,
        table: &MlirTable,
        bank: &mut TermBank,
        best: &dyn Fn(TermId) -> TermId,
        cost: &CostFunction,
    ) -> Result<Vec<bool>, ParseError> {
        rewrite::rewrite(&mut self.0, table, bank, best, cost)
    }

    /// The terms of the one function that there is, and which of them it says are equal.
    ///
    /// # Errors
    /// There is not one function of one block; or a value without a definition, or without a finite term.
    pub fn terms(&self, table: &MlirTable, bank: &mut TermBank) -> Result<MlirTerms, ParseError> {
        classes::terms(&self.0, table, bank)
    }
}

impl fmt::Display for Mlir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
