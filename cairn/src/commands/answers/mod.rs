//! One question or many, and the proofs of their answers.

pub(crate) mod check;
pub(crate) mod explain;
pub(crate) mod optimise;
pub(crate) mod prove;
pub(crate) mod prove_shape;
pub(crate) mod saturate;
