//! Functions and expressions of C with their types, over words of several widths and truth values.
//!
//! `types.rs` has C's integer types and conversions, `words.rs` finds the operators of a system by what they compute and on
//! which sorts, `read.rs` makes terms of expressions, `statements.rs` of functions, `print.rs` makes C of terms and
//! `helpers.rs` the functions that it calls where C has no operator or no value.

mod helpers;
mod print;
mod read;
mod statements;
mod types;
mod words;

pub use print::c_function;
pub use statements::{CFile, CFunction, read_c_expression, read_c_file};
pub use types::CType;
