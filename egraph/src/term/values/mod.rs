//! Values of literals, a kind a file, and what operators make of them. They must not know terms.

pub(crate) mod bits;
pub(crate) mod float;
pub(crate) mod rational;
pub(crate) mod scalar;
