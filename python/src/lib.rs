//! The Rust part of `cairn_eqsat`, the package for Python: a thin layer without algorithms of its own.
//!
//! - A call that may take long releases the interpreter's lock, and ends when it is interrupted
//!   (`interrupt.rs`).
//! - The bank of a term or of a proof never changes.
//! - An exception of a Python function is raised by the call that called the function.

mod egraph;
mod errors;
mod interrupt;
mod keywords;
mod matches;
mod proof;
mod run_report;
mod search;
mod shared;
mod system;
mod table;
mod term;
mod tokens;

use pyo3::prelude::*;
use std::ffi::OsString;

/// The program `cairn`: it does what the arguments say, of which the first is its name, and gives the exit code.
/// It may end the process.
#[pyfunction]
fn program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| cairn::program(arguments))
}

/// The arguments of a command of the program: of each its name, the struct that says what it is, its kind, and its help.
#[pyfunction]
fn arguments(command: &str) -> Vec<(String, String, &'static str, String)> {
    let all = cairn::arguments(command).into_iter();
    all.map(|one| (one.name, one.said_by, one.kind, one.sentence)).collect()
}

/// Says where the package keeps the models that come with it.
#[pyfunction]
fn keep_models_in(directory: std::path::PathBuf) {
    cairn::keep_models_in(directory);
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::arguments;
    #[pymodule_export]
    use crate::egraph::EGraph;
    #[pymodule_export]
    use crate::egraph::extraction::Extraction;
    #[pymodule_export]
    use crate::keep_models_in;
    #[pymodule_export]
    use crate::matches::{Match, Ranker};
    #[pymodule_export]
    use crate::program;
    #[pymodule_export]
    use crate::proof::{Proof, Step};
    #[pymodule_export]
    use crate::run_report::RunReport;
    #[pymodule_export]
    use crate::search::guides::{Model, Request};
    #[pymodule_export]
    use crate::search::optimise::{Optimised, optimise};
    #[pymodule_export]
    use crate::search::prove::{Answer, prove};
    #[pymodule_export]
    use crate::shared::System;
    #[pymodule_export]
    use crate::system::Operator;
    #[pymodule_export]
    use crate::table::{Table, read_parquet};
    #[pymodule_export]
    use crate::term::Term;
    #[pymodule_export]
    use crate::tokens::{Draft, Tokens};
}
