//! Uniform samples, proofs and (start, guide, target) triples from e-graphs.
//!
//! The road of a dataset: [`seeds`] → an e-graph per seed → triples, written as [`triples`] with
//! their [`info`]. The crates above also use what every stage needs: [`files`], [`progress`],
//! [`errors`] and the common options in [`cli`].

pub mod cli;
pub mod counting;
pub mod csv;
pub mod errors;
pub mod files;
mod grammar;
pub mod info;
mod limbs;
pub mod normal_form;
pub mod progress;
pub mod random;
pub mod sampling;
pub mod seeds;
pub mod triples;
