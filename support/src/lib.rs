//! What every stage needs and none owns: files that appear whole, tables, hashes; pages, charts,
//! progress; errors, threads, random choices.
//!
//! What this crate must not know: terms, e-graphs, models, the command line.

pub mod allocator;
pub mod errors;
pub mod files;
pub mod own_threads;
pub mod random;
pub mod run;
pub mod show;
