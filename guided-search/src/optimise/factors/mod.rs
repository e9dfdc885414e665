//! Products of which a model says the shape, in which sums are multiplied; the numbers in them are worked out.

mod divisor;
mod polynomial;
mod ring;
pub(crate) mod shape;
