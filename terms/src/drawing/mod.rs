//! From a number to a term: uniform draws from a class, and from what is new in it. It must not know
//! what the terms are for.

pub(crate) mod derivation;
pub(crate) mod fresh_terms;
pub(crate) mod frontier;
pub(crate) mod running_sums;
pub(crate) mod sampling;
pub(crate) mod unrank;
pub(crate) mod unrank_narrow;
