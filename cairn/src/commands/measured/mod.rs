//! Methods beside each other, and the page about them.

pub(crate) mod evaluate;
pub(crate) mod evaluate_terms;
pub(crate) mod report;
