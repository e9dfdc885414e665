//! What the tests of rules as queries share.

use egraph::System;
use interop::{Solver, Statement, find_solvers};

/// The solvers of this machine; none is a reason to skip a test, which is said.
pub fn solvers() -> Option<Vec<Solver>> {
    let (solvers, _) = find_solvers(&std::env::var_os("PATH").unwrap_or_default());
    if solvers.is_empty() {
        println!("skipped: neither z3 nor cvc5 nor bitwuzla is on the PATH");
        return None;
    }
    Some(solvers)
}

/// The rules of a file as statements, with their names.
pub fn statements(text: &str) -> Vec<(String, Statement)> {
    let system = System::parse(text).unwrap();
    let said = system.rules.iter().map(|rule| {
        let statement = Statement::of(&system, rule);
        (rule.name.clone(), statement.unwrap_or_else(|why| panic!("{}: {why}", rule.name)))
    });
    said.collect()
}
