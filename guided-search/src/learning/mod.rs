//! Learning which matches lead to proofs, or to better terms: e-graphs are grown best-first, a ranker is fitted to
//! what proofs used, and again with the ranker's own e-graphs. It must not know the tasks that anything is
//! measured on.

pub(crate) mod examples;
pub(crate) mod guesses;
pub(crate) mod halves;
pub(crate) mod kept;
pub(crate) mod parts;
pub(crate) mod plans;
pub(crate) mod practice;
pub(crate) mod rounds;
pub(crate) mod searches;
pub(crate) mod seeds;
pub(crate) mod studied;
pub(crate) mod tasks;
