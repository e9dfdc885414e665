//! The operations of the network, one a file, each with a backward pass of its own. Who calls one need not
//! know where its tensors are: the loops of the processor are in [`cpu`], those of an NVIDIA GPU in
//! `cuda`. What this must not know: layers, tokens, training.

pub(crate) mod attention;
pub(crate) mod cpu;
#[cfg(any(test, feature = "cuda"))]
#[allow(unsafe_code)] // the memory of a GPU, and kernels in another language
pub(crate) mod cuda;
pub mod dropout;
pub mod embedding;
pub mod linear;
pub mod rms_norm;
pub mod rope;
pub mod squared_relu;
pub(crate) mod tensors;
