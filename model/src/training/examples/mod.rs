//! Triples as tokens: read from a dataset, kept in one file, put into batches. It must not know the
//! network.

pub mod batches;
pub mod data;
pub mod mask_maker;
pub mod names;
pub mod part;
pub mod token_file;
pub mod unigram;
