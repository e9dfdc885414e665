//! A small network that says how promising a match is: best-first saturation with a learned order.

pub mod fit;
mod layers;
pub mod numbers;
pub mod ranker;
pub mod weights;
