//! The network: tokens as tensors in, logits out. It must not know how it is trained, or which tokens
//! may follow.

pub mod batch;
pub mod cache;
pub mod encoded;
pub mod ops;
pub mod parameters;
pub mod threads;
pub mod transformer;
