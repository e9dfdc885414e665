//! E-graphs as files that other programs read. It must not know how best terms are found.

pub(crate) mod dot;
pub(crate) mod serialize;
