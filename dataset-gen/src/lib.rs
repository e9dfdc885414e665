//! Uniform samples, proofs and (start, guide, target) triples from e-graphs.
//!
//! The road of a dataset: [`seeds`] → [`partition`] into splits → [`grow`] (an e-graph per seed,
//! [`counting`], [`sampling`], [`frontier`] terms, proofs, [`splitting`]) → [`merge`] → Parquet files ([`triples`])
//! with their [`card`] and [`info`]; [`generate`] goes all of it, [`inspect`] looks at the end.
//! The crates above also use what every stage needs: [`files`], [`progress`], [`errors`],
//! [`toml_file`], [`random`] and the common options in [`cli`].
//!
//! What this crate must not know: models, search.

pub mod card;
pub mod cli;
pub mod config;
pub mod console;
pub mod counting;
pub mod csv;
mod difference;
pub mod errors;
pub mod files;
pub mod frontier;
pub mod generate;
mod grammar;
pub mod grow;
pub mod info;
pub mod inspect;
mod limbs;
pub mod merge;
mod narrow_unranking;
pub mod normal_form;
pub mod partition;
pub mod progress;
pub mod random;
mod row;
pub mod sampling;
pub mod seeds;
pub mod splitting;
pub mod stats;
pub mod text_file;
pub mod toml_file;
pub mod triples;
mod unranking;
