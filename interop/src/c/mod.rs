//! Expressions in the infix syntax of C, over words of bits or 64-bit integers.
//!
//! `dialect.rs` says which operators of a system are C's, `read.rs` makes terms of text, `print.rs` text of
//! terms.

mod dialect;
mod print;
mod read;

pub use crate::c::print::c_text;
pub use crate::c::read::read_c;
