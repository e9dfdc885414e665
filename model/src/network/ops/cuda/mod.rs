//! What the kernels of an NVIDIA GPU have in common, and how they are launched.
//!
//! Beside the source of a kernel stands the `.rs` file of its operation, which repeats the struct of its arguments
//! and says with how many blocks and threads it runs. That needs no GPU: the tests compile the same kernels for the
//! host (`twin`) and compare what they compute, launched as on a GPU, with the CPU's operations. Only `device` knows
//! CUDA; without it the twin has its place.

#[cfg(feature = "cuda")]
pub(crate) mod device;
mod launch;
pub(crate) mod sums;
#[cfg(not(feature = "cuda"))]
pub(crate) mod twin;
#[cfg(not(feature = "cuda"))]
use twin as device;

pub(crate) use device::{Gpu, Memory, Operand, Uploaded, address_of, room, run, upload};
pub(crate) use launch::{
    Address, Arguments, LANES, Launch, Number, THREADS, arguments, blocks_of_threads, over,
};
