//! What the crate promises: each module is named after what it shows.

mod a_dataset_is_sound;
mod chains_are_proofs;
mod frontier_is_uniform;
mod proofs_are_kept;
mod random_terms_are_uniform;
mod sampling_is_uniform;
mod small_system;
mod splits_do_not_leak;
mod triples_survive_parquet;
