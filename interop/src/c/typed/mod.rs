//! Functions and expressions of C with their types, over words of several widths and truth values.
//!
//! `types.rs` has C's integer types and conversions, `read.rs` reads expressions, `operations.rs` makes terms of their operators,
//! `statements.rs` of functions; `print.rs` makes C of terms, put together by `piece.rs`, and `helpers.rs` the functions that it calls
//! where C has no operator or no value.

mod helpers;
mod operations;
mod piece;
mod print;
mod read;
mod statements;
mod types;

pub use print::c_function;
pub use statements::{CFile, CFunction, read_c_expression, read_c_file};
pub use types::CType;
