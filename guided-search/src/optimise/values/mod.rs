//! Smaller terms that have the values of a given one: gone through by their values at a few points, and proved to be equal
//! by what the rules say.

mod halves;
mod literal;
mod points;
pub(crate) mod proved;
mod small_terms;
pub(crate) mod smaller;
mod sums;
mod words;
