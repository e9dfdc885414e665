//! From proofs to (start, guide, target): segments, rows. It must not know e-graphs.

pub mod from_proofs;
pub mod segments;
pub mod triple_rows;
