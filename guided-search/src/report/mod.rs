//! The page about an evaluation. It must not change what was measured.

mod charts;
pub mod inspect;
pub mod page;
pub mod proof_page;
mod proof_view;
pub mod summary;
mod tables;
mod verdict;
mod words;
