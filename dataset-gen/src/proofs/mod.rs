//! From terms to proofs: the e-graph of a seed, the terms drawn from it, proofs between them, chains.
//! It must not know how proofs are cut into segments.

pub(crate) mod chain;
pub(crate) mod checked;
pub(crate) mod drawn;
pub(crate) mod grown;
pub(crate) mod one_seed;
pub(crate) mod packed;
pub(crate) mod proof_rows;
pub(crate) mod prover;
