//! Random terms of exact size as seeds: numbered, drawn, filtered, written.

pub(crate) mod draws;
pub(crate) mod file;
pub(crate) mod filter;
pub(crate) mod term_numbers;
pub(crate) mod terms;
