//! Functions of MLIR in the generic form, and e-graphs in the dialect `equivalence` of xDSL.
//!
//! `ops.rs` is operations as data and their text, `read.rs` reads that. `table.rs` says which operations the
//! operators of a system are, `literal.rs` which constants its literals. `tool.rs` has another program
//! write the generic form. `functions.rs` finds functions,
//! `values.rs` makes terms of their values. `rewrite.rs` puts better terms in the place of terms, `classes.rs`
//! writes and reads e-graphs. `words/` does without a table: functions over words of several widths.

mod classes;
mod functions;
mod literal;
mod ops;
mod read;
mod rewrite;
mod table;
mod tool;
mod values;
mod words;

pub use crate::mlir::classes::{MLIR_EGRAPH, MlirTerms, write_mlir};
pub use crate::mlir::table::MlirTable;
pub use crate::mlir::tool::MlirTool;

use crate::ssa::Taken;
use crate::variables::NeededValue;
use crate::words::Words;
use egraph::{CostFunction, Language, OpId, ParseError, TermBank, TermId};
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

    /// Whether what is wrong with a text is that it may be well formed, but is not in the generic form.
    pub fn is_pretty(mistake: &ParseError) -> bool {
        mistake.message.starts_with(&format!("expected {}", read::GENERIC))
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

    /// The integers that operations use which are no operators on words, or other blocks, block by block. Regions of control
    /// flow are looked at, too.
    ///
    /// # Errors
    /// A value without a definition, with two, or of two types; an e-graph; the language has no words for MLIR.
    pub fn word_values(&self, bank: &mut TermBank) -> Result<Vec<NeededValue>, ParseError> {
        words::values(&self.0, &words_of(bank.language())?, bank)
    }

    /// Computes each integer by the term that `best` gives for its own, where MLIR leaves nothing open that it did not before,
    /// and the block costs less, equal parts counted once. Says of each value whether that was done, or why not.
    ///
    /// # Errors
    /// As [`Mlir::word_values`].
    pub fn rewrite_words(
        &mut self,
        bank: &mut TermBank,
        best: &dyn Fn(TermId) -> TermId,
        cost: &CostFunction,
    ) -> Result<Vec<Taken>, ParseError> {
        let words = words_of(bank.language())?;
        words::rewrite(&mut self.0, &words, bank, best, cost)
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

/// The operators on words that are no operation of MLIR; `None` if the language has no words of 32 and 64 bits and no truth
/// values.
pub fn mlir_lacks(language: &Language) -> Option<Vec<OpId>> {
    words::missing(language)
}

fn words_of(language: &Language) -> Result<Words, ParseError> {
    let message = "the system has no words for MLIR: those of 32 and of 64 bits, and truth values (see cairn's 'words')";
    Words::of(language).ok_or_else(|| ParseError::new(ops::START, message))
}
