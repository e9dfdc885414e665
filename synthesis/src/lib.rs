//! Rewrite rules found from operators alone, after Ruler and Enumo.
//!
//! A rules file says which operators there are. [`find`] enumerates small terms, of which one stands for all that the rules so
//! far make of it, and compares their values at many inputs. Two terms with equal values are a candidate; what follows from
//! the rules so far is left out, the rest is proved, by all assignments or by a solver, and becomes a rule. What is refuted
//! never does: its assignment becomes an input.
//!
//! ```
//! use std::sync::Arc;
//! use support::Run;
//! use synthesis::{FindOptions, find};
//!
//! let language = "(sort B) (op && (B B) B) (op ! (B) B) (literal bool B) (variable B) (analysis constant)";
//! let (aim, ends) = FindOptions { size: Some(3), ..FindOptions::default() }.settle()?;
//! let out = tempfile::tempdir()?;
//! let run = Run { threads: Some(1), seed: 0, quiet: true };
//! let place = out.path().join("found");
//! let outcome = find(("and.rules", language), None, (&aim, ends), Vec::new(), (&run, Arc::default()), &place)?;
//! let text = std::fs::read_to_string(outcome.file)?;
//! assert!(text.contains("(rewrite (! (! ?a)) ?a"));
//! assert!(text.contains("(rewrite (&& ?a ?b) (&& ?b ?a)"));
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! What this crate must not know: learning, data sets, searches, the command line.

mod find;
mod language;
mod missing;
mod options;
mod prune;
mod rules;
mod small;
mod values;

pub use find::description::Ended;
pub use find::run::{Outcome, find};
pub use language::tables::TablesFile;
pub use missing::run::{Missing, missing};
pub use options::{Ends, FindAim, FindOptions, MissingAim, MissingOptions, PruneAim, PruneOptions};
pub use prune::{Followed, Need, Pruned, prune};
pub use rules::following::Reach;
pub use rules::found::{Found, with_rules};
