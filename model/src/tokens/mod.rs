//! Terms as tokens, trees of tokens while they are written, and which tokens a term may go on with. It must not know tensors.

mod double;
pub mod grammar;
pub(crate) mod grammars;
pub mod literals;
pub mod spelling;
pub mod tree;
pub mod tree_builder;
pub mod vocabulary;
