//! Uniform samples, proofs and (start, guide, target) triples from e-graphs.
//!
//! The road of a dataset: [`seeds`] → for each of them [`proofs`] between terms that are
//! [counted](counting) and [drawn](drawing) → [`triples`] → a [`dataset`] in Parquet.
//! [`generate`] goes all of it, [`merge`] from the work of several processes on, [`resplit`] from
//! the proofs of a dataset; [`verify`] goes it again and compares.
//!
//! What this crate must not know: models, search.

pub mod config;
pub mod counting;
pub mod dataset;
pub mod drawing;
pub mod generate;
pub mod merge;
pub mod proofs;
pub mod resplit;
pub mod seeds;
pub mod triples;
pub mod verify;
