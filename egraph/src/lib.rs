//! Explanation-producing e-graphs over rewrite systems given as text.
//!
//! A [`System`] (language and rules) is read from a file; terms live in a [`TermBank`]; an
//! [`EGraph`] is grown by [`saturate`] under [`Limits`].
//!
//! ```
//! use egraph::*;
//! use std::sync::Arc;
//!
//! let rules = "(sort Int) (op + (Int Int) Int) (literal i64 Int) (variable Int)
//!     (analysis constant)
//!     (rewrite (+ ?a ?b) (+ ?b ?a)                  :name commute)
//!     (rewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c)    :name associate)";
//! let system = Arc::new(System::parse(rules)?);
//! let mut bank = TermBank::new(system.language.clone());
//! let start = bank.parse("(+ 1 (+ x 2))", None)?;
//! let goal = bank.parse("(+ x 3)", None)?;
//!
//! // All terms that the rules derive from the start, in one e-graph.
//! let mut egraph = EGraph::new(system.clone());
//! let class = egraph.add_term(&bank, start);
//! let limits = Limits { nodes: Some(1_000), ..Limits::default() };
//! let config = SaturationConfig { limits, ..SaturationConfig::default() };
//! let report = saturate_until(&mut egraph, &config, |_| false);
//! assert_eq!(report.stop, StopReason::Saturated);
//!
//! // The smallest of these terms, and a proof that the goal equals the start; checking needs no e-graph.
//! let best = extract_smallest(&egraph, &mut bank, class);
//! assert_eq!(bank.size(best), 3);
//! let proof = explain(&egraph, &mut bank, start, goal).expect("the goal is in the e-graph");
//! check(&system, &bank, &proof)?;
//! assert_eq!((proof.start(), proof.end()), (start, goal));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Further items:
//!
//! - goals that are terms with holes: [`Sketch`], [`extract_sketch`], [`sketch_satisfied`];
//! - costs other than the size: [`CostFunction`], [`extract_best`]; shared subterms counted once:
//!   [`Extraction`], [`DagSearch`], [`DagSolver`];
//! - which rules run when: [`Schedule`], [`Scheduler`], [`MatchOrder`];
//! - proofs as single steps, shortened, as text or as files: [`Proof::flatten`], [`Shortener`],
//!   [`proof_text`], [`proof_to_json`];
//! - errors in a rules file: [`review`].
//!
//! What this crate must not know: learning, data sets, files other than rules and proofs, the
//! command line.

mod bounds;
mod building;
mod extract;
mod graph;
mod id;
mod matching;
mod normal;
mod proof;
mod review;
mod room;
mod rules;
mod saturation;
mod stop;
mod term;
mod text;

pub use bounds::{Bounds, count_bytes, count_step, without_bounds};
pub use extract::best::{BestTerms, LeastSizes, extract_best, extract_sketch, extract_smallest};
pub use extract::by_function::{NoCost, extract_by};
pub use extract::dag::of_class::DagSearch;
pub use extract::dag::solver::{DagSolver, DagWay};
pub use extract::satisfied::sketch_satisfied;
pub use extract::way::{Extracted, Extraction};
pub use graph::egraph::{EGraph, NotStored, begins_as_egraph};
pub use graph::past::{History, Past, Snapshot};
pub use id::Id;
pub use normal::normalise::{NormalForm, normalise};
pub use proof::check::{CheckError, Problem, check, check_flat};
pub use proof::dag::{
    FactBy, FlatProof, FlatStep, How, Justification, Proof, Step, StepRef, Steps,
};
pub use proof::explain::{Explainer, explain};
pub use proof::file::{
    PROOF_FORMAT, ProofFileError, justification_name, proof_from_json, proof_text, proof_to_json,
};
pub use proof::flatten::{Caps, TooLong};
pub use proof::shorten::Shortener;
pub use proof::used::used_matches;
pub use review::finding::{Evaluated, Finding, Severity};
pub use review::one_way::{one_way_rules, rules_with_a_way_back};
pub use review::{Review, forms_of_rules, review};
pub use rules::analysis::{Analyses, Transfer, TransferId, TransferOf};
pub use rules::costs::declared::{DeclaredCost, Weight};
pub use rules::costs::function::{Cost, CostFunction};
pub use rules::costs::read::Read;
pub use rules::costs::unit::Amount;
pub use rules::costs::whole::WholeCost;
pub use rules::expression::{Condition, DisplayExpr, Expr};
pub use rules::pattern::{DisplayPattern, Pattern, TermFunction};
pub use rules::read::SystemError;
pub use rules::rule::{Rule, RuleId, RulesetId};
pub use rules::schedule::{BackOff, Goal, Rebase, RuleChoice, Schedule, SchedulerPlace};
pub use rules::system::System;
pub use rules::variables::{FactOf, VarId, Variables};
pub use saturation::best_first::Chosen;
pub use saturation::match_order::{Above, Kind, MatchOrder, MatchView, Operators, SmallestFirst};
pub use saturation::report::{Iteration, Rebased, Report, RuleReport, RuleTotals};
pub use saturation::run::{Observer, SaturationConfig, follow, saturate, saturate_until};
pub use saturation::scheduler::Scheduler;
pub use stop::{Cancel, Limits, StopReason};
pub use term::bank::{TermBank, TermId};
pub use term::builtin::{Builtin, evaluate};
pub use term::display::DisplayTerm;
pub use term::import::Import;
pub use term::language::{
    AnalysisId, AnalysisName, Language, Leaf, LeafValue, OpId, Operator, SortId, looks_numeric,
};
pub use term::leaves::{Head, Leaves, Node};
pub use term::literal::{LiteralKind, Value};
pub use term::sketch::{DisplaySketch, Sketch};
pub use term::values::bits::{Bits, Width};
pub use term::values::float::Float;
pub use term::values::rational::Rational;
pub use text::bytes::ByteSize;
pub use text::forms::{Form, forms, text_without};
pub use text::sexpr::{
    MAX_DEPTH, MAX_TERM_DEPTH, ParseError, Place, Sexpr, parse_all, parse_one, parse_term,
    parse_terms,
};
pub use text::similar::did_you_mean;
