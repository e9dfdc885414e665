//! Learning which matches lead to proofs: e-graphs of training tasks are grown best-first, a ranker is
//! fitted to what their proofs used, and again with the ranker's own e-graphs. It must not know the
//! tasks that anything is measured on.

pub mod example_rows;
pub mod halves;
pub mod learn;
