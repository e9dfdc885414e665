//! Fitting the network to triples: data, the loop, the optimiser, checkpoints. Of decoding it knows
//! the grammar, so that the loss is over the tokens that a guide may have; not how guides are chosen.

pub mod adamw;
pub mod batches;
pub mod checkpoint;
pub mod data;
pub mod events;
pub mod forecast;
pub mod log;
pub mod loss;
pub mod masks;
pub mod runs;
pub mod step;
pub mod token_file;
pub(crate) mod train;
pub mod workers;
