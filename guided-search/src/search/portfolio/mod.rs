//! Guided search with e-graphs of the question beside it.

pub(crate) mod beside;
mod doors;
mod grower;
mod growing;
mod normal_forms;
