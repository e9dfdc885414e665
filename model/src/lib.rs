//! placeholder
pub mod attention;
mod attention_kernel;
mod small_matrix;
pub mod spelling;
pub mod tree_builder;
pub mod tree_positions;
pub mod tree_tokens;
pub mod vocabulary;
#[cfg(test)]
mod fixtures;
