//! Uniform samples, proofs and (start, guide, target) triples from e-graphs.
//!
//! The stages of a dataset: seed terms ([`terms::load_seeds`], or [`terms::RandomTerms`] drawn at random) → an
//! e-graph for each seed, whose terms are counted exactly ([`terms::Counts`]) and drawn uniformly
//! ([`terms::Sampler`], [`terms::Frontier`]) → proofs between these terms ([`ProofRow`]) → segments of the
//! proofs ([`Splitting`], [`Triple`]) → a dataset in Parquet ([`DatasetInfo`]).
//! [`generate()`] runs all stages. [`merge()`] begins with the work of several processes, [`resplit()`]
//! with the proofs of a dataset. [`verify()`] runs the stages again and compares, [`inspect`] describes a dataset.
//!
//! ```
//! use dataset_gen::{Config, Split, generate, read_triples};
//! use support::Run;
//!
//! # fn main() -> anyhow::Result<()> {
//! let place = tempfile::tempdir()?;
//! let (system, seeds) = (place.path().join("sums.rules"), place.path().join("seeds.txt"));
//! std::fs::write(
//!     &system,
//!     "(sort Int) (variable Int) (op + (Int Int) Int)
//!      (rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
//!      (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc)",
//! )?;
//! std::fs::write(&seeds, "(+ (+ a b) (+ c (+ d e)))\n")?;
//! let config =
//!     Config { system: Some(system.into()), seeds: Some(seeds.into()), ..Config::default() };
//! let out = place.path().join("dataset");
//! let info = generate(&config, &out, &Run { quiet: true, ..Run::default() })?;
//! let triples = read_triples(&out, Split::Train)?;
//! assert_eq!(triples.len() as u64, info.rows(Split::Train));
//! # Ok(())
//! # }
//! ```
//!
//! What this crate must not know: models, search.

mod config;
mod dataset;
mod found;
mod generate;
mod merge;
mod proofs;
mod resplit;
mod splits;
mod system_copy;
mod triples;
mod verify;

pub use config::{Chains, Config, Files, Proofs, Sampling, Saturation, Splits};
pub use dataset::card::summary;
pub use dataset::info::{DatasetInfo, Feature, INFO_FILE, SplitInfo};
pub use dataset::inspect::{Inspection, inspect};
pub use dataset::page::{PAGE_TITLE, dataset_page};
pub use dataset::provenance::{FileInfo, Provenance, Totals};
pub use dataset::stats::{Bucket, Histogram, Stats, Summary};
pub use found::dataset_of;
pub use generate::{generate, generate_part};
pub use merge::{DATASET_PART, merge};
pub use proofs::chain::ChainReport;
pub use proofs::drawn::ClassReport;
pub use proofs::one_seed::SeedReport;
pub use proofs::packed::PackedRow;
pub use proofs::proof_rows::{ProofRow, place_text};
pub use proofs::prover::ProofTally;
pub use resplit::{for_each_proof, resplit};
pub use splits::split::Split;
pub use system_copy::{SYSTEM_FILE, system_of};
pub use triples::segments::{Scheme, Splitting};
pub use triples::triple_rows::{Triple, read_triples, write_triples};
pub use verify::{Verified, verify};
