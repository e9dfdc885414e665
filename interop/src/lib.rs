//! Formats of other programs: egglog programs in; e-graphs out, for Graphviz and in the JSON of the crate
//! `egraph-serialize`.
//!
//! A program of egglog becomes the text of a rules file, as far as a rules file can say the same. What is
//! left out is listed with its place and the reason, and the caller decides whether that will do:
//!
//! ```
//! let program = "(datatype Math (Num i64) (Add Math Math))
//!     (relation path (Math Math))
//!     (rewrite (Add a b) (Add b a))
//!     (rewrite (Add (Num a) (Num b)) (Num (+ a b)))";
//! let imported = interop::import_egglog(program)?;
//! let system = egraph::System::parse(&imported.rules)?;
//! assert_eq!(system.rules.len(), 2);
//! assert_eq!(imported.left_out[0].place.line, 2);
//! assert_eq!(imported.left_out[0].why, interop::Why::Refused);
//! # Ok::<(), egraph::ParseError>(())
//! ```
//!
//! An e-graph is written with the best terms of its classes under some cost:
//!
//! ```
//! use egraph::{BestTerms, CostFunction, EGraph, SaturationConfig, System, TermBank, saturate};
//! use std::ops::ControlFlow;
//! use std::sync::Arc;
//!
//! let rules = "(sort S) (op f (S) S) (op a () S) (rewrite (f ?x) ?x)";
//! let system = Arc::new(System::parse(rules)?);
//! let mut bank = TermBank::new(system.language.clone());
//! let term = bank.parse("(f a)", None)?;
//! let mut egraph = EGraph::new(system.clone());
//! let root = egraph.add_term(&bank, term);
//! saturate(&mut egraph, &SaturationConfig::default(), &mut |_, _| ControlFlow::Continue(()));
//! let size = CostFunction::named(&system, "size").expect("every system has it");
//! let best = BestTerms::of(&egraph, &size);
//! let mut text = Vec::new();
//! interop::write_dot(&best, &[root], &mut text).expect("memory takes all");
//! assert!(text.starts_with(b"digraph egraph {"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What this crate must not know: learning, data sets, the command line, how the engine works inside.

mod dot;
mod egglog;
mod serialize;

pub use dot::write_dot;
pub use egglog::{Imported, LeftOut, Why, import_egglog};
pub use serialize::write_serialized;
