//! A double-encoder, double-cross-attention tree transformer that writes guides.
//!
//! A task is a start and a target term; a guide is a term that may lie on the way between them.
//! The road of a task: [`tree_tokens`] and [`tree_positions`] (terms to tokens and back) →
//! [`batch`] (tokens to tensors) → [`transformer`] over [`attention`] → [`decoding`] under a
//! [`grammar`] that lets nothing but well-formed terms through. [`training`] fits the network to
//! (start, guide, target) triples, and [`GuideModel`] loads the result.
//!
//! What this crate must not know: e-graphs, proofs, searching. It sees terms and triples.

pub mod adamw;
pub mod attention;
mod attention_kernel;
pub mod batch;
pub mod checkpoint;
pub mod config;
pub mod decoding;
pub mod dropout;
pub mod embedding;
#[cfg(test)]
mod fixtures;
pub mod fused;
pub mod grammar;
pub mod guide_model;
pub mod parameters;
mod small_matrix;
pub mod spelling;
pub mod threads;
pub mod train_log;
mod trainer;
pub mod training;
pub mod training_data;
pub mod transformer;
pub mod tree_builder;
pub mod tree_positions;
pub mod tree_tokens;
pub mod vocabulary;

pub use candle_core::Device;
pub use decoding::{DecodeOptions, Strategy};
pub use guide_model::{Guide, GuideModel};

/// The first NVIDIA GPU.
///
/// # Errors
/// None can be used; the reason on one line.
pub fn first_gpu() -> Result<Device, String> {
    // Only the first line: the rest is a backtrace.
    Device::new_cuda(0).map_err(|e| e.to_string().lines().next().unwrap_or_default().to_owned())
}
