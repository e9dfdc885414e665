//! Sums as products: which sums may be factors is tried, or a model says it, and the numbers in them are worked out.

pub(crate) mod divisor;
mod polynomial;
mod ring;
pub(crate) mod shape;
pub(crate) mod sums;
mod whole;
