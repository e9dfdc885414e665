//! From a data set to a model, and from tasks or seeds to a ranker.

pub(crate) mod any;
pub(crate) mod guesses;
pub(crate) mod learn;
pub(crate) mod plans;
pub(crate) mod train;
