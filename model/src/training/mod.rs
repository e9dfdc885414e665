//! Fitting the network to triples: data, the loop, the optimiser, checkpoints. It must not know how
//! guides are decoded.

pub mod adamw;
pub mod checkpoint;
pub mod data;
pub mod log;
pub mod runs;
pub(crate) mod train;
