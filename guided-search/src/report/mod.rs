//! The page about an evaluation. It must not change what was measured.

mod charts;
pub(crate) mod comparison;
pub(crate) mod inspect;
pub(crate) mod page;
pub(crate) mod proof;
pub(crate) mod summary;
mod tables;
pub(crate) mod verdict;
mod words;
