//! What commands share of what they are given: arguments, files, what is shipped, signals.

pub(crate) mod aids;
pub(crate) mod args;
pub(crate) mod listed;
pub(crate) mod mlir_file;
pub(crate) mod old_names;
pub(crate) mod ranker_file;
pub(crate) mod shipped;
pub(crate) mod shipped_models;
pub(crate) mod signals;
pub(crate) mod solvers;
pub(crate) mod verdicts;
