//! Terms: read from files or drawn at random, counted exactly and drawn uniformly from e-graphs.
//!
//! Seed terms come from files ([`load_seeds`]) or are drawn at random ([`RandomTerms`]). The terms that
//! an e-graph represents are counted exactly by class and size ([`Counts`]) and drawn uniformly:
//! those of a class ([`Sampler`]), or those that are new since an earlier state ([`Frontier`]). A term has a
//! normal form up to the names of variables ([`Renaming`]), which identifies seen seeds
//! ([`SeenSeeds`]).
//!
//! What this crate must not know: datasets, models, search.

mod counting;
mod drawing;
mod seeds;

pub use counting::counts::{Counts, Room, TooLarge, fitting};
pub use counting::terms::Terms;
pub use drawing::frontier::Frontier;
pub use drawing::sampling::{Sample, Sampler, is_padded};
pub use seeds::normal_form::{LITERAL, Renaming, rename_literals, rename_variables};
pub use seeds::one_sort::sort_of;
pub use seeds::random::draws::{RandomSeed, Source, Tally};
pub use seeds::random::file::SeedFile;
pub use seeds::random::filter::{SeedFilter, equals_constant};
pub use seeds::random::terms::{LeafSet, RandomTerms};
pub use seeds::read::{Seed, load_seeds, load_seeds_with_hash};
pub use seeds::seen_seeds::{SeenSeeds, digest, normal_text};
pub use seeds::term_file::{Layout, TermFile, TermLine};
