//! Guided equality saturation: a search through small e-graphs that ends in one checked proof.
//!
//! A [`Method`] answers a [`Question`]. Most methods run the same search within a limit on work
//! ([`Budget`]), and differ in the guides that they propose and in the order of matches. Every proof is
//! checked, so a wrong guide only costs time.
//!
//! ```
//! use egraph::{System, TermBank, check};
//! use guided_search::{Aids, Asked, Budget, Cap, Method, Question, Schedulers, SearchSettings};
//! use std::sync::Arc;
//!
//! let rules = "(sort I) (variable I) (op + (I I) I) (rewrite (+ ?a ?b) (+ ?b ?a))
//!     (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))";
//! let system = Arc::new(System::parse(rules)?);
//! let mut bank = TermBank::new(system.language.clone());
//! let start = bank.parse("(+ a (+ b (+ c d)))", None)?;
//! let target = bank.parse("(+ (+ d c) (+ b a))", None)?;
//!
//! let budget = Budget { cap: Cap::Nodes(100), work: 10_000, scheduler: Schedulers::Simple };
//! let answer = "deep".parse::<Method>()?.answer(&mut Asked {
//!     system: &system,
//!     bank: &mut bank,
//!     question: Question { ends: [start, target], number: 0, deadline: None, cancel: None, threads: 1 },
//!     settings: SearchSettings::within(budget, 0),
//!     aids: Aids::default(),
//! })?;
//! check(&system, &bank, &answer.result.expect("a proof"))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The stages of a comparison: [`far_chains`] makes a [`TaskSet`], [`evaluate`] runs every method on every
//! task, [`write_report`] shows the results. [`learn`] learns which matches lead to proofs, and
//! [`optimise`] searches for the best term that equals a given one.
//!
//! What this crate must not know: networks that write guides (they implement [`GuideWriter`]), and the command line, except that the feature
//! `clap` makes command-line arguments of [`SearchOptions`] and the other options.

mod evaluation;
mod learning;
mod methods;
mod optimise;
mod options;
mod report;
mod search;
mod tasks;

pub use evaluation::comparison::{COMPARISON_FILE, Comparison, compare_optimisers};
pub use evaluation::described::{EVALUATION_FILE, Evaluation, RESULTS_FILE, SEEN_UNKNOWN};
pub use evaluation::evaluate::{Inputs, evaluate, evaluation_job, merge_evaluation};
pub use evaluation::results::Row;
pub use evaluation::trial::{Bed, Trial};
pub use evaluation::worth::{Chosen, WithoutForm, Worth};
pub use learning::guesses::{Guesses, guesses_of};
#[doc(hidden)] // for tests: what a round is gone on from
pub use learning::kept::{KeptRound, read_examples};
pub use learning::kept::{LEARNING_FILE, Learning, Optimising, Round};
pub use learning::parts::{merge_round, search_part};
pub use learning::plans::plans_of;
pub use learning::practice::{Found, Order, Practice, Searched};
pub use learning::rounds::{RANKER_FILE, Report, fit_next, learn};
pub use learning::searches::{Course, ROUND_PART};
pub use learning::seeds::SeedPractice;
pub use learning::studied::{Studied, studied};
pub use learning::tasks::TaskPractice;
pub use methods::asked::{AidFiles, Aids, Asked, Need};
pub use methods::expert::ExpertGuides;
pub use methods::frontier::Frontier;
pub use methods::guide_writer::{Drawn, GuideWriter, WrittenTerm};
pub use methods::oracle::Oracle;
pub use methods::table::{Method, Role};
pub use methods::watched::Watcher;
pub use methods::written::WrittenPlan;
pub use optimise::answer::{Best, Ended, Objective, OptimiseSettings, Outcome};
pub use optimise::guided::goals::load_goals;
pub use optimise::guided::planner::Planner;
pub use optimise::many::{
    OPTIMISATION_FILE, OPTIMISED_FILE, Optimisation, Terms, merge_optimised, optimise_job,
    optimise_many,
};
pub use optimise::optimisers::Optimiser;
pub use optimise::picture::picture;
pub use optimise::run::optimise;
pub use optimise::summary::{OptimisedInspection, OptimisedSummary, inspect_optimised};
pub use optimise::table::OptimisedRow;
pub use options::COST;
pub use options::budget::{Budget, Cap};
pub use options::evaluate::{FarChains, Preset};
pub use options::learn::{
    AnyOptions, AnySettings, GuessOptions, LearnOptions, LearnSettings, PlanOptions,
};
pub use options::optimise::{Beside, OptimiseAim, OptimiseLimits, OptimiseOptions};
pub use options::patience::Patience;
pub use options::prove::{NUCLEUS, SearchOptions, SearchSettings};
pub use options::schedulers::Schedulers;
pub use options::seconds::Seconds;
pub use options::tasks::{ChainSettings, Family, TaskOptions};
pub use report::comparison::{OptimiserSummary, Paired, optimiser_summaries, optimisers_table};
pub use report::inspect::{Inspection as ResultsInspection, inspect as inspect_results};
pub use report::page::write_report;
pub use report::proof::RulesSaid;
pub use report::proof::proof_page;
pub use report::summary::{Summary, summaries, text_table};
pub use report::verdict::headline;
pub use search::answer::{Answer, Failure, Question, checked};
pub use search::budget::Ledger;
pub use search::guide_source::{GuideRequest, GuideSet, GuideSource, NoGuides, Proposal, Waypoint};
pub use search::one_egraph::{InTurn, prove_in_turn};
pub use search::prove::prove;
pub use search::united::legs::united;
pub use tasks::chains::{CONFLICT, MEMORY, NEAR, NO_FRONTIER, SATURATED};
pub use tasks::gather::far_chains;
pub use tasks::held_out::{held_out, refuse_seen, refuse_seen_terms, seeds_of, without};
pub use tasks::inspect::{Inspection as TasksInspection, inspect as inspect_tasks};
pub use tasks::job::{TASKS_PART, TaskInputs, merge_tasks};
pub use tasks::origin::{HeldOutFrom, Source as HeldOutSource, TaskOrigin};
pub use tasks::question::{quoted, read_texts};
pub use tasks::scale::Scale;
pub use tasks::task::Task;
pub use tasks::task_set::TaskSet;
