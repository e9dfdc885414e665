//! Fitting the network to triples: data, the loop, the optimiser, checkpoints. Of decoding it knows
//! the grammar, so that the loss is over the tokens that a guide may have; not how guides are chosen.

pub mod adamw;
pub mod checkpoint;
pub mod dry_run;
pub mod events;
pub mod examples;
pub mod forecast;
pub mod log;
pub mod options;
pub(crate) mod pace;
pub mod runs;
pub mod step;
pub(crate) mod train;
pub mod workers;
