//! Products of dense matrices on the processor, for a network of any size: the model's and the ranker's.

mod product;

pub use product::{Matrix, Product, product, transpose};
