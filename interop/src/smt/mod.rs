//! Rules as queries of SMT-LIB 2, put to solvers: what a rule says over built-in operators, whether it is true,
//! and an assignment of literals where it is not.
//!
//! `statement.rs` is what a rule says, `widths.rs` the same at other widths of words. `operators.rs` has the formula
//! of each built-in operator, `hints.rs` facts of arithmetic,
//! `conjunctions.rs` words combined bit by bit as sums, and `query.rs` makes a query of a rule. `answer.rs` reads what a solver says, and
//! `solver.rs` runs one. `evaluated.rs` evaluates both sides as Cairn does, and `all_values.rs` goes through all
//! assignments. `judge.rs` asks one after the other and comes to a verdict.

mod all_values;
mod answer;
mod conjunctions;
mod evaluated;
mod hints;
mod judge;
mod operators;
mod query;
mod solver;
mod statement;
mod widths;

pub use all_values::go_through;
pub use evaluated::{Compared, Lack, apply, compare};
pub use judge::{Limits, Refutation, Verdict, judge};
pub use query::{Extent, queries, query};
pub use solver::{NoSolver, Solver, find_solvers};
pub use statement::{Statement, assumption};
