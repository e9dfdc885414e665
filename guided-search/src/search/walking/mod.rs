//! Walks of a search from what one e-graph led to to the next, one or several at a time.

pub(crate) mod agenda;
pub(crate) mod ahead;
pub(crate) mod begun;
mod walks;
