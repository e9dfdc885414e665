//! Terms as tokens, and trees of tokens while they are written. It must not know tensors.

mod double;
pub mod literals;
pub mod spelling;
pub mod tree;
pub mod tree_builder;
pub mod vocabulary;
