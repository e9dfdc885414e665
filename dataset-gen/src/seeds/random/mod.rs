//! Random terms of exact size as seeds: numbered, drawn, filtered, written.

pub mod draws;
pub mod file;
pub mod filter;
pub mod term_numbers;
pub mod terms;
