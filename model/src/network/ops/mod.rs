//! The operations of the network, one a file or folder: its formula with shapes, the loops of the processor with their
//! gradient, and the same in candle's operations, for a GPU. Who calls one need not know where its tensors are.
//!
//! What they have in common: [`rows`], loops over plain numbers in the widest vectors that the
//! processor has; [`operation`] and [`tensors`]. They must not know layers, tokens, training.

pub mod adamw;
pub mod attention;
pub mod dropout;
pub mod embedding;
pub mod linear;
pub mod loss;
pub mod norm;
pub(crate) mod operation;
pub mod rope;
pub(crate) mod rows;
pub mod squared_relu;
pub mod tensors;
