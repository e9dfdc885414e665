//! From proofs to (start, guide, target): segments, rows. It must not know e-graphs.

pub(crate) mod from_proofs;
pub(crate) mod segments;
pub(crate) mod triple_rows;
