//! What comes out: the work on one seed, parts, a dataset without duplicates, its description and a
//! look at it. It must not know how terms and proofs are made.

pub(crate) mod admission;
pub(crate) mod assemble;
pub(crate) mod bars;
pub(crate) mod card;
pub(crate) mod duplicates;
pub(crate) mod info;
pub(crate) mod inspect;
pub(crate) mod page;
pub(crate) mod provenance;
pub(crate) mod seed_files;
pub(crate) mod stats;
