//! Proofs of candidates: by all assignments, or by solvers.

use crate::language::{self, Language};
use crate::rules::found::Found;
use crate::rules::known::Known;
use crate::rules::tabled::asked_of_tables;
use egraph::{System, Value};
use interop::{Limits, Solver, Statement, Verdict, go_through, judge};
use rustc_hash::FxHashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Assignments that are gone through before solvers are asked, and where they don't know.
const FEW: u64 = 1 << language::parts::FEW;
const MANY: u64 = 1 << 24;

/// What a candidate is called while it is asked about.
pub const NEW_RULE: &str = "new-rule";

/// Who proves.
#[derive(Debug)]
pub struct Prover {
    language: Arc<Language>,
    solvers: Vec<Solver>,
    time: Duration,
    asked: Arc<AtomicBool>,
    known: Mutex<FxHashMap<String, Known>>,
}

impl Prover {
    /// Asks these solvers, a query at most so long; ends them when `asked` is set.
    pub fn new(
        language: Arc<Language>,
        solvers: Vec<Solver>,
        time: Duration,
        asked: Arc<AtomicBool>,
    ) -> Prover {
        Prover { language, solvers, time, asked, known: Mutex::default() }
    }

    /// Whether somebody wants the end.
    pub fn is_stopped(&self) -> bool {
        self.asked.load(std::sync::atomic::Ordering::SeqCst)
    }

    /// What is known of a candidate, asked if need be; `input` has values for variables that it does not have.
    pub fn known(&self, found: &Found, input: &[Value]) -> Known {
        let line = found.line(NEW_RULE);
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&line) {
            return known.clone();
        }
        let known = self.asked_about(&line, input);
        if !self.is_stopped() {
            lock().insert(line, known.clone());
        }
        known
    }

    fn asked_about(&self, line: &str, input: &[Value]) -> Known {
        let limits = Limits { time: self.time, assignments: FEW };
        let (names, known) = match self.asked_of_tables(line) {
            Some(known) => known,
            None => asked_of(&self.language.text, line, &self.solvers, limits, &self.asked),
        };
        let Known::Refuted(values) = known else { return known };
        let mut all = input.to_vec();
        for (name, value) in names.iter().zip(&values) {
            let bare = name.trim_start_matches('?');
            if let Some(v) = self.language.variables.iter().position(|v| v.name == bare) {
                all[v] = *value;
            }
        }
        Known::Refuted(all)
    }

    /// The same of a line with an operator that a table says.
    fn asked_of_tables(&self, line: &str) -> Option<(Vec<String>, Known)> {
        if !self.language.has_tables() {
            return None;
        }
        let system = System::parse(&format!("{}{line}", self.language.text)).ok()?;
        let rule = system.rules.iter().find(|rule| rule.name == NEW_RULE)?;
        let known = asked_of_tables(&self.language, rule, &self.asked)?;
        Some((rule.variables.names.clone(), known))
    }
}

/// What is known of the rule `new-rule`, a line behind a rules file; with the names of its variables, of which values refute it.
pub fn asked_of(
    text: &str,
    line: &str,
    solvers: &[Solver],
    limits: Limits,
    asked: &AtomicBool,
) -> (Vec<String>, Known) {
    let unknown = |why: &str| (Vec::new(), Known::Unknown(why.to_owned()));
    let Ok(system) = System::parse(&format!("{text}{line}")) else {
        return unknown("it is no rule");
    };
    let rule = system.rules.iter().find(|rule| rule.name == NEW_RULE);
    let statement = match rule.map(|rule| Statement::of(&system, rule)) {
        Some(Ok(statement)) => statement,
        Some(Err(why)) => return unknown(&why),
        None => return unknown("it is no rule"),
    };
    let known = match judge(&statement, solvers, limits, asked) {
        Verdict::Proved(by) => Known::Proved(by),
        Verdict::Refuted(found) => Known::Refuted(found.values),
        Verdict::NotExpressible(why) => Known::Unknown(why),
        Verdict::Unknown(why) => match go_through(&statement, MANY, asked) {
            Some(Ok(all)) => Known::Proved(format!("all {all} assignments")),
            Some(Err(values)) => Known::Refuted(values),
            None if solvers.is_empty() => Known::Unknown("no solver was found".to_owned()),
            None => Known::Unknown(why),
        },
    };
    (statement.names, known)
}
