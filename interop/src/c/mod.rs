//! Expressions in the infix syntax of C, over words of bits or 64-bit integers.
//!
//! `tokens.rs` takes text apart. For systems with one sort, `dialect.rs` says which operators are C's, `read.rs` makes
//! terms of text, `print.rs` text of terms. For systems with words of several widths `typed/` does, by C's types.

mod dialect;
mod print;
mod read;
mod tokens;
mod typed;

pub use crate::c::print::c_text;
pub use crate::c::read::read_c;
pub use crate::c::typed::{CFile, CFunction, CType, c_function, read_c_expression, read_c_file};
