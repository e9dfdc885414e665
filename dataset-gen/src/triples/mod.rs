//! From proofs to (start, guide, target): segments, rows, sketches of guides. It must not know
//! e-graphs.

pub mod from_proofs;
pub mod row;
pub mod sketch;
pub mod splitting;
