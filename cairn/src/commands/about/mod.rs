//! The program itself: its pages, completions for shells, the first run.

pub(crate) mod completions;
pub(crate) mod man;
pub(crate) mod quickstart;
