//! From terms to proofs: the e-graph of a seed, the terms drawn from it, proofs between them, chains.
//! It must not know how proofs are split.

pub mod chain;
pub mod checked;
pub mod drawn;
pub mod one_seed;
pub mod prover;
pub mod row;
pub mod stage;
