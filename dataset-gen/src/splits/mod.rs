//! The split that each seed belongs to.

pub(crate) mod assign_splits;
pub(crate) mod split;
