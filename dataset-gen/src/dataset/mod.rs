//! What comes out: the work on one seed, parts, a dataset without duplicates, its description and a
//! look at it. It must not know how terms and proofs are made.

pub mod admission;
pub mod assemble;
pub(crate) mod bars;
pub mod card;
pub mod duplicates;
pub mod info;
pub mod inspect;
pub mod page;
pub mod part;
pub mod seed_files;
pub mod stats;
