//! Bytes in: s-expressions with their places, texts without some of them, sizes of memory as text, misspelt names. It must not know what is
//! written in them.

pub(crate) mod bytes;
pub(crate) mod forms;
pub(crate) mod sexpr;
pub(crate) mod similar;
