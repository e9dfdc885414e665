//! Formats of other programs: egglog programs, read; e-graphs, written for Graphviz and in the JSON of the crate
//! `egraph-serialize`; expressions in the syntax of C and functions of LLVM IR and MLIR, read and written.
//!
//! An egglog program becomes the text of a rules file, as far as a rules file can express it. Each construct that is
//! left out is listed with its place and the reason, and the caller decides whether the result is enough:
//!
//! ```
//! let program = "(datatype Math (Num i64) (Add Math Math))
//!     (relation path (Math Math))
//!     (rewrite (Add a b) (Add b a))
//!     (rewrite (Add (Num a) (Num b)) (Num (+ a b)))";
//! let imported = interop::import_egglog(program, &|file| Err(format!("there is no {file}")))?;
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
//! An expression of C becomes a term over words of bits, and a term an expression:
//!
//! ```
//! use egraph::{System, TermBank};
//!
//! let rules = "(sort Word) (literal (bits 32) Word) (variable Word)
//!     (op + (Word Word) Word) (op - (Word Word) Word) (op & (Word Word) Word)";
//! let mut bank = TermBank::new(System::parse(rules)?.language.clone());
//! let term = interop::read_c(&mut bank, "x + (y & 0xff) - 1")?;
//! assert_eq!(bank.text(term), "(- (+ x (& y 255)) 1)");
//! let less = bank.parse("(+ x 4294967293)", None)?;
//! assert_eq!(interop::c_text(&bank, less, 100).as_deref(), Ok("x - 3"));
//! assert_eq!(interop::read_c(&mut bank, "x +").unwrap_err().place.column, 4);
//! # Ok::<(), egraph::ParseError>(())
//! ```
//!
//! What this crate must not know: learning, data sets, the command line, the internals of the engine.

mod c;
mod dot;
mod egglog;
mod llvm;
mod mlir;
mod program;
mod serialize;
mod smt;
mod ssa;
mod variables;
mod words;
mod worthwhile;

pub use c::{CFile, CFunction, CType, c_function, c_text, read_c, read_c_expression, read_c_file};
pub use dot::write_dot;
pub use egglog::{Imported, Include, LeftOut, Why, import_egglog};
pub use llvm::Llvm;
pub use mlir::{MLIR_EGRAPH, Mlir, MlirTable, MlirTerms, MlirTool, mlir_lacks, write_mlir};
pub use serialize::write_serialized;
pub use smt::{
    Compared, Extent, Lack, Limits, NoSolver, Refutation, Solver, Statement, Verdict, apply,
    assumption, compare, find_solvers, go_through, judge, queries, query,
};
pub use ssa::Taken;
pub use variables::NeededValue;
