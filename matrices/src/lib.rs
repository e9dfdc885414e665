//! Products of dense matrices on the processor, for the networks of the model and of the ranker.

mod product;

pub use product::{Matrix, Product, product, transpose};
