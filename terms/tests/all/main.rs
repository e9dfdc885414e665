//! What the crate promises: each module is named after what it shows.

mod frontier_is_uniform;
mod random_terms_are_uniform;
mod sampling_is_uniform;
mod small_system;
