//! What the crate promises: each module is named after what it shows.

mod a_dataset_is_sound;
mod chains_are_proofs;
mod proofs_are_kept;
mod small_dataset;
mod splits_do_not_leak;
mod triples_survive_parquet;
