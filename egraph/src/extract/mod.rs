//! The best term of a class. It must not know how the e-graph was grown.

pub(crate) mod sketch;
