//! The operations of the network, one a file or folder: its formula with shapes, its gradient, the loops of the
//! processor and, where a GPU needs more than candle has, the launch of a kernel for NVIDIA's. The kernel's source stands beside
//! it (`dropout.cu` beside `dropout.rs`). Who calls one need not know where its tensors are.
//!
//! What they have in common: [`rows`], loops over plain numbers in the widest vectors that the
//! processor has; `cuda`, memory and launches of a GPU; [`operation`] and [`tensors`]. They must not know layers, tokens, training.

pub mod adamw;
pub mod attention;
#[cfg(any(test, feature = "cuda"))]
#[allow(unsafe_code)] // the memory of a GPU, and kernels in another language
pub(crate) mod cuda;
pub mod dropout;
pub mod embedding;
pub mod linear;
pub mod loss;
pub mod norm;
pub(crate) mod operation;
pub(crate) mod recomputed;
pub mod rope;
pub(crate) mod rows;
pub mod squared_relu;
pub mod tensors;
