//! Explanation-producing e-graphs over rewrite systems given as text.
//!
//! A [`System`] (language and rules) is read from a file; terms live in a [`TermBank`]; an
//! [`EGraph`] is grown by [`saturate`] under [`Limits`].
//!
//! What this crate must not know: learning, data sets, files other than rules and proofs, the
//! command line.

mod extract;
mod graph;
mod id;
mod matching;
mod proof;
mod review;
mod rules;
mod saturation;
mod stop;
mod term;
mod text;

pub use extract::best::{BestTerms, LeastSizes, extract_best, extract_sketch, extract_smallest};
pub use extract::cost::{Cost, CostFunction};
pub use extract::dag::{DagSolver, DagWay};
pub use extract::dag_of_class::DagSearch;
pub use extract::satisfied::sketch_satisfied;
pub use graph::egraph::EGraph;
pub use graph::past::{History, Past, Snapshot};
pub use id::Id;
pub use proof::check::{CheckError, Problem, check, check_flat};
pub use proof::dag::{
    FactBy, FlatProof, FlatStep, How, Justification, Proof, Step, StepRef, Steps,
};
pub use proof::explain::{Explainer, explain};
pub use proof::file::{
    ProofFileError, justification_name, proof_from_json, proof_text, proof_to_json,
};
pub use proof::flatten::{Caps, TooLong};
pub use proof::shorten::Shortener;
pub use proof::used::used_matches;
pub use review::{Evaluated, Finding, Review, Severity, review};
pub use rules::analysis::{Analyses, Transfer, TransferId, TransferOf};
pub use rules::binding::TermFunction;
pub use rules::cost::{DeclaredCost, Read, Weight};
pub use rules::expression::{Condition, Expr};
pub use rules::pattern::{DisplayPattern, Pattern};
pub use rules::schedule::{RuleChoice, Schedule, SchedulerPlace};
pub use rules::system::{Rule, RuleId, RulesetId, System, SystemError};
pub use rules::variables::{FactOf, VarId, Variables};
pub use saturation::best_first::Chosen;
pub use saturation::match_order::{Above, Kind, MatchOrder, MatchView, Operators, SmallestFirst};
pub use saturation::report::{Iteration, Report, RuleReport, RuleTotals};
pub use saturation::run::{Limits, Observer, SaturationConfig, saturate, saturate_until};
pub use saturation::scheduler::{BackOff, Scheduler};
pub use stop::StopReason;
pub use term::bank::{TermBank, TermId};
pub use term::bits::{Bits, Width};
pub use term::builtin::{Builtin, evaluate};
pub use term::display::DisplayTerm;
pub use term::float::Float;
pub use term::language::{
    AnalysisId, AnalysisName, Language, Leaf, LeafValue, LiteralKind, OpId, Operator, SortId,
    Value, looks_numeric,
};
pub use term::leaves::{Head, Leaves, Node};
pub use term::rational::Rational;
pub use term::sketch::{DisplaySketch, Sketch};
pub use text::bytes::ByteSize;
pub use text::sexpr::{MAX_DEPTH, ParseError, Place, Sexpr, parse_all, parse_one, utf8};
pub use text::similar::did_you_mean;
