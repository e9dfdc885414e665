//! A double-encoder, double-cross-attention tree transformer that writes guides.
//!
//! A task is a start and a target term; a guide is a term that a proof from start to target may pass through. [`GuideModel`]
//! is a trained model, loaded to write guides; [`train`] makes one from a dataset.
//!
//! ```
//! use egraph::TermBank;
//! use model::{DecodeOptions, Device, GuideModel};
//! use std::path::Path;
//!
//! /// Four terms that may lie between two others, the likeliest first.
//! fn guides(directory: &Path, start: &str, target: &str) -> anyhow::Result<Vec<String>> {
//!     let model = GuideModel::load(directory, &Device::Cpu)?;
//!     let mut bank = TermBank::new(model.language().clone());
//!     let task = (bank.parse(start, None)?, bank.parse(target, None)?);
//!     let options =
//!         DecodeOptions { nucleus: 0.99, temperature: 1.0, guides: 4, max_size: 40, seed: 0 };
//!     let written = model.guides(&mut bank, &[task], &options)?;
//!     Ok(written[0].iter().map(|guide| bank.text(guide.term)).collect())
//! }
//!
//! let nothing_there = guides(Path::new("no/such/model"), "(+ a 0)", "a").unwrap_err();
//! assert!(nothing_there.to_string().contains("is not a model"));
//! ```
//!
//! The path of a task: `tokens` (terms to tokens and back) → `network` → `decoding`, which produces only
//! well-formed terms; `training` fits the network. `network::ops` has one file for each operation of the network.
//!
//! What this crate must not know: how e-graphs grow, proofs, searching. It sees terms and triples.

#[doc(hidden)] // for tests and benches, as all that is hidden here
mod by_name;
pub mod config;
pub(crate) mod decoding;
#[cfg(test)]
mod fixtures;
#[doc(hidden)]
pub mod geometry;
pub(crate) mod guide_model;
mod guide_writer;
pub(crate) mod inspect;
#[doc(hidden)]
pub mod network;
#[doc(hidden)]
pub mod tokens;
#[doc(hidden)]
pub mod training;

pub use candle_core::Device;
pub use config::Config;
pub use decoding::decode::DecodeOptions;
pub use decoding::draft::{Draft, Nodes, Tokens};
pub use guide_model::{Elsewhere, Guide, GuideModel};
pub use inspect::{Inspection, inspect};
pub use training::checkpoint::{CONFIG_FILE, content_hash, load_seen_seeds};
pub use training::dry_run::DryRun;
pub use training::examples::data::ReadingStopped;
pub use training::options::{End, TrainOptions, TrainReport};
pub use training::runs::train;

/// The first NVIDIA GPU.
///
/// # Errors
/// None can be used; the reason on one line.
pub fn first_gpu() -> Result<Device, String> {
    // With a stream of its own, in which the work of all threads of this process follows one another.
    // Of an error only the first line: the rest is a backtrace.
    let gpu = Device::new_cuda_with_stream(0)
        .map_err(|e| e.to_string().lines().next().unwrap_or_default().to_owned())?;
    // Events tell streams to wait for each other, and each operation makes some.
    #[cfg(feature = "cuda")]
    #[allow(unsafe_code)] // there is one stream
    if let Device::Cuda(gpu) = &gpu {
        unsafe { gpu.disable_event_tracking() };
    }
    Ok(gpu)
}
