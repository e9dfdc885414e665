//! Explanation-producing e-graphs over rewrite systems given as text.
//!
//! A [`System`] (language and rules) is read from a file; terms live in a [`TermBank`]; an
//! [`EGraph`] is grown by [`saturate`] under [`Limits`].
//!
//! What this crate must not know: learning, data sets, files other than rules and proofs, the
//! command line.

mod applier;
mod builtin;
mod bytes;
mod candidates;
mod check;
mod class_index;
mod dense;
mod display_term;
mod egraph;
mod explain;
mod extract;
mod findings;
mod flatten;
mod forest;
mod gather;
mod language;
mod leaves;
mod matching;
mod memo;
mod node_table;
mod past;
mod pattern;
mod program;
mod proof;
mod proof_file;
mod queue;
mod recipe;
mod report;
mod rewrite;
mod rule_file;
mod saturate;
mod schedule;
mod scheduler;
mod search;
mod sexpr;
mod shorten;
mod sketch;
mod stamps;
mod system;
mod term;
mod unionfind;
mod uses;
mod watch;

pub use builtin::{Builtin, evaluate};
pub use bytes::ByteSize;
pub use check::{CheckError, Problem, check, check_flat};
pub use display_term::DisplayTerm;
pub use egraph::{EGraph, Id};
pub use explain::{Explainer, explain};
pub use extract::{extract_sketch, extract_smallest, sketch_satisfied};
pub use flatten::{Caps, TooLong};
pub use language::{
    Language, Leaf, LeafValue, LiteralKind, OpId, Operator, SortId, Value, looks_numeric,
};
pub use leaves::{Head, Leaves, Node};
pub use past::{History, Past, Snapshot};
pub use pattern::{Condition, DisplayPattern, Expr, Pattern, VarId, Variables};
pub use proof::{FlatProof, FlatStep, How, Justification, Proof, Step, StepRef, Steps};
pub use proof_file::{
    ProofFileError, justification_name, proof_from_json, proof_text, proof_to_json,
};
pub use report::{Iteration, Report, RuleReport};
pub use saturate::{Limits, Observer, SaturationConfig, StopReason, saturate};
pub use schedule::Schedule;
pub use scheduler::Scheduler;
pub use sexpr::{MAX_DEPTH, ParseError, Place, Sexpr, parse_all, parse_one, utf8};
pub use shorten::Shortener;
pub use sketch::{DisplaySketch, Sketch};
pub use system::{Rule, RuleId, RulesetId, System, SystemError};
pub use term::{TermBank, TermId};
