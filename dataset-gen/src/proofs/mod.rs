//! From terms to proofs: the e-graph of a seed, the terms drawn from it, proofs between them, chains.
//! It must not know how proofs are cut into segments.

pub mod chain;
pub mod checked;
pub mod drawn;
pub mod grown;
pub mod one_seed;
pub mod proof_rows;
pub mod prover;
