//! The solvers that are named, or those that the `PATH` has.

use anyhow::{Result, anyhow};
use interop::{Solver, find_solvers};
use std::path::PathBuf;
use support::note;

/// The solvers that are named by their paths; where none is, those that are found, of which there may be none.
///
/// # Errors
/// One that is named can't be asked.
pub fn solvers(named: &[PathBuf]) -> Result<Vec<Solver>> {
    if !named.is_empty() {
        let named = named.iter().map(|program| Solver::at(program));
        return named.collect::<Result<_, _>>().map_err(|wrong| anyhow!("--solver {wrong}"));
    }
    let (found, wrong) = find_solvers(&std::env::var_os("PATH").unwrap_or_default());
    wrong.iter().for_each(|wrong| note(&format!("not asked: {wrong}")));
    Ok(found)
}
