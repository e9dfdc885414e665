//! Learning which matches lead to proofs: e-graphs of training tasks are grown best-first, a ranker is
//! fitted to what their proofs used, and again with the ranker's own e-graphs. It must not know the
//! tasks that anything is measured on.

pub(crate) mod examples;
pub(crate) mod halves;
pub(crate) mod learn;
