//! Operations with a backward pass of their own, on the processor.

pub(crate) mod attention;
#[cfg(any(test, feature = "cuda"))]
#[allow(unsafe_code)] // the memory of a GPU, and kernels in another language
pub(crate) mod cuda;
pub mod fused;
pub(crate) mod product;
pub mod rope;
pub(crate) mod rows;
pub(crate) mod turned_keys;
