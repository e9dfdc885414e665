//! Terms as tokens, and where a token stands in its tree. It must not know tensors.

mod double;
pub mod positions;
pub mod relations;
pub mod spelling;
pub mod tree;
pub mod vocabulary;
