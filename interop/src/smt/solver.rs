//! Solvers as programs: where they are, and one run of one.

use super::answer::{Answer, read_answer};
use crate::program::{GRACE, run};
use egraph::LiteralKind;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The solvers whose options are known, in the order in which they are asked.
const KNOWN: [&str; 3] = ["z3", "cvc5", "bitwuzla"];
/// How long a solver may take to say its version.
const VERSION_TIME: Duration = Duration::from_secs(5);
/// More output is not read.
const MOST_OUTPUT: u64 = 1 << 20;

/// A solver.
#[derive(Clone, Debug)]
pub struct Solver {
    known: &'static str,
    program: PathBuf,
    version: String,
}

/// That a program can't be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSolver(pub String);

impl fmt::Display for NoSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The known solvers that stand in a list of directories as that of the variable `PATH`, and what was wrong with
/// those that can't be asked.
pub fn find_solvers(path: &std::ffi::OsStr) -> (Vec<Solver>, Vec<NoSolver>) {
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    for known in KNOWN {
        let programs = std::env::split_paths(path).map(|directory| directory.join(known));
        match programs.into_iter().find(|program| program.is_file()).map(|p| Solver::at(&p)) {
            Some(Ok(solver)) => found.push(solver),
            Some(Err(no)) => wrong.push(no),
            None => {}
        }
    }
    (found, wrong)
}

impl Solver {
    /// The solver that a program is, by its name: one that begins with `z3`, `cvc5` or `bitwuzla`.
    ///
    /// # Errors
    /// It has another name, can't be run, or does not say its version.
    pub fn at(program: &Path) -> Result<Solver, NoSolver> {
        let shown = program.display();
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let Some(known) = KNOWN.into_iter().find(|known| name.starts_with(known)) else {
            let message = format!("{shown}: expected a program called z3, cvc5 or bitwuzla");
            return Err(NoSolver(message));
        };
        let never = AtomicBool::new(false);
        let ran =
            run(Command::new(program).arg("--version"), "", VERSION_TIME, MOST_OUTPUT, &never);
        let said = ran
            .map(|ran| ran.output)
            .map_err(|why| NoSolver(format!("{shown} --version: {why}")))?;
        let digits =
            |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        match said.split_whitespace().find(digits) {
            Some(version) => {
                Ok(Solver { known, program: program.to_owned(), version: version.to_owned() })
            }
            None => Err(NoSolver(format!("{shown} --version says no version: {}", begun(&said)))),
        }
    }

    /// What it answers to a query whose variables have these kinds, within some time; it is ended when `asked` is set.
    ///
    /// # Errors
    /// Why there is no answer.
    pub(super) fn ask(
        &self,
        query: &str,
        kinds: &[LiteralKind],
        time: Duration,
        asked: &AtomicBool,
    ) -> Result<Answer, String> {
        let mut command = Command::new(&self.program);
        let milliseconds = time.as_millis().max(1);
        match self.known {
            "z3" => command.args(["-in", "-smt2", &format!("-t:{milliseconds}")]),
            "cvc5" => command.args(["--lang=smt2", &format!("--tlimit={milliseconds}"), "-"]),
            _ => command.args(["--lang", "smt2", "-t", &milliseconds.to_string()]),
        };
        let output = run(&mut command, query, time + GRACE, MOST_OUTPUT, asked)?.output;
        read_answer(&output, kinds).ok_or_else(|| match output.trim() {
            // So ends cvc5 where its time is over.
            "" | "cvc5 interrupted by timeout." => "it gave no answer".to_owned(),
            said => format!("it said {}", begun(said)),
        })
    }
}

impl fmt::Display for Solver {
    /// Its name and version.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.known, self.version)
    }
}

/// The first characters of what a program said, in quotes.
fn begun(said: &str) -> String {
    let first: String = said.trim().chars().take(80).collect();
    format!("{first:?}")
}
