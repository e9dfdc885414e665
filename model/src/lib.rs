//! A double-encoder, double-cross-attention tree transformer that writes guides.
//!
//! A task is a start and a target term; a guide is a term that may lie on the way between them.
//! The road of a task: [`tokens`] (terms to tokens and back) → [`network`] → [`decoding`], which
//! lets nothing but well-formed terms through. [`training`] fits the network to (start, guide,
//! target) triples, and [`GuideModel`] is the door: it loads the result and writes guides.
//!
//! Beside it stands the [`ranking`], a small network that orders the matches of best-first saturation.
//!
//! What this crate must not know: how e-graphs grow, proofs, searching. It sees terms and triples, and
//! matches as numbers.

pub mod config;
pub mod decoding;
#[cfg(test)]
mod fixtures;
pub mod guide_model;
pub mod inspect;
pub mod network;
pub mod ranking;
pub mod tokens;
pub mod training;

pub use candle_core::Device;
pub use decoding::decode::DecodeOptions;
pub use guide_model::{Guide, GuideModel};

/// The first NVIDIA GPU.
///
/// # Errors
/// None can be used; the reason on one line.
pub fn first_gpu() -> Result<Device, String> {
    // With a stream of its own, in which the work of all threads of this process follows one another.
    // Of an error only the first line: the rest is a backtrace.
    Device::new_cuda_with_stream(0)
        .map_err(|e| e.to_string().lines().next().unwrap_or_default().to_owned())
}
