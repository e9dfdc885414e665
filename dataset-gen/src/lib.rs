//! Uniform samples, proofs and (start, guide, target) triples from e-graphs.
//!
//! The road of a dataset: [`seeds`] → [`partition`] into splits → [`grow`] (an e-graph per seed,
//! [`counting`], [`sampling`], [`frontier`] terms, proofs) → a [`unit`] of files each → [`assemble`]
//! ([`splitting`], [`admission`] without [`duplicates`]) → Parquet files ([`triples`]) with their
//! [`card`] and [`info`].
//! [`generate`] goes all of it, [`merge`] from the units of several processes on, [`resplit`] from
//! the proofs of a dataset; [`inspect`] and [`verify`] look at the end.
//! Seeds may be random terms: [`term_numbers`] → [`random_terms`] → [`seed_filter`] →
//! [`random_seeds`] → [`seed_file`].
//! The crates above also use what every stage needs: [`files`], [`progress`], [`errors`],
//! [`toml_file`], [`random`] and the common options in [`cli`].
//!
//! What this crate must not know: models, search.

pub mod admission;
pub mod assemble;
mod bars;
pub mod card;
pub mod chain;
mod choices;
pub mod config;
pub mod counting;
pub mod csv;
pub mod dataset_page;
mod derivation;
mod difference;
mod differences;
pub mod drawing;
pub mod duplicates;
pub mod frontier;
pub mod generate;
mod grammar;
pub mod grow;
pub mod guide_sketch;
pub mod info;
pub mod inspect;
mod limbs;
pub mod merge;
mod narrow_unranking;
pub mod normal_form;
mod one_sort;
pub mod part;
pub mod partition;
pub mod proof_table;
pub mod prover;
pub mod random_seeds;
pub mod random_terms;
pub mod resplit;
mod row;
pub mod sampling;
pub mod seed_file;
pub mod seed_filter;
pub mod seeds;
pub mod splitting;
pub mod stage;
mod state;
pub mod stats;
pub mod term_numbers;
pub mod triples;
pub mod unit;
mod unranking;
pub mod verify;
pub mod waypoints;
