//! The verdict on a statement: gone through, or asked of one solver after the other.

use super::all_values::go_through;
use super::answer::Answer;
use super::evaluated::{Compared, compare};
use super::query::{Extent, has, query};
use super::solver::Solver;
use super::statement::{Statement, assigned};
use egraph::{DisplayExpr, LiteralKind, Value};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The part of the time that a query has which is asked again with hints.
const GLIMPSE: u32 = 5;

/// How much may be spent on a statement.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For a query, of which there are six at most for each solver.
    pub time: Duration,
    /// Assignments that are gone through; where there are more, solvers are asked.
    pub assignments: u64,
}

/// What is known of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is true, by this.
    Proved(String),
    /// It is false, by this.
    Refuted(Refutation),
    /// Neither, and why.
    Unknown(String),
    /// It can't be put to a solver, and why.
    NotExpressible(String),
}

/// An assignment on which Cairn evaluates the two sides differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// Who found it.
    pub by: String,
    /// The sides and their values, and those of the variables: a sentence.
    pub shown: String,
    /// The values of the variables.
    pub values: Vec<Value>,
}

/// The verdict on a statement. It is unknown where `asked` is set meanwhile.
///
/// Who says that the sides differ is not believed: they are evaluated under that assignment.
pub fn judge(
    statement: &Statement,
    solvers: &[Solver],
    limits: Limits,
    asked: &AtomicBool,
) -> Verdict {
    if let Some(gone) = go_through(statement, limits.assignments, asked) {
        return match gone {
            Ok(1) => Verdict::Proved("evaluation".to_owned()),
            Ok(all) => Verdict::Proved(format!("all {all} assignments")),
            Err(values) => match refutation(statement, &values, "going through all") {
                Some(found) => Verdict::Refuted(found),
                None => Verdict::Unknown("its sides were not evaluated twice alike".to_owned()),
            },
        };
    }
    Asker { statement, solvers, limits, asked }.ask()
}

/// What refutes a statement under an assignment, if it does.
fn refutation(statement: &Statement, values: &[Value], by: &str) -> Option<Refutation> {
    let Compared::Differs(left, right) = compare(statement, values) else { return None };
    let side = |expr, value: Option<Value>| {
        let is = value.map_or("has no value".to_owned(), |value| format!("is {value}"));
        format!("{} {is}", DisplayExpr { names: &statement.names, expr })
    };
    let sides = [side(&statement.left, left), side(&statement.right, right)];
    let at = assigned(&statement.names, values);
    let shown = format!("{}{at}", sides.join(", and "));
    Some(Refutation { by: by.to_owned(), shown, values: values.to_vec() })
}

/// A statement that is put to solvers.
struct Asker<'a> {
    statement: &'a Statement,
    solvers: &'a [Solver],
    limits: Limits,
    asked: &'a AtomicBool,
}

/// What one extent came to.
enum Step {
    Done(Verdict),
    /// There is an assignment, which Cairn can't evaluate.
    Beyond(String),
    Open,
}

impl Asker<'_> {
    fn ask(&self) -> Verdict {
        let mut why: Vec<String> = Vec::new();
        let mut beyond = None;
        let mut last = String::new();
        for &extent in Extent::of(self.statement) {
            let made = query(self.statement, extent, false)
                .and_then(|text| Ok([text, query(self.statement, extent, true)?]));
            let texts: [String; 2] = match made {
                Ok(texts) => texts,
                Err(operator) => return Verdict::NotExpressible(operator),
            };
            let with_hints = texts[0] != texts[1];
            for (text, hinted) in texts.into_iter().zip([false, true]) {
                if text == last {
                    continue;
                }
                last = text;
                // What solvers know by themselves they know at once.
                let time = self.limits.time / if with_hints && !hinted { GLIMPSE } else { 1 };
                match self.step(&last, time, extent, beyond.as_deref(), &mut why) {
                    Step::Done(verdict) => return verdict,
                    Step::Beyond(shown) => {
                        beyond = Some(shown);
                        break;
                    }
                    Step::Open => {}
                }
            }
        }
        if let Some(shown) = beyond {
            why.push(format!("false where nothing need fit: {shown}"));
        }
        why.dedup();
        Verdict::Unknown(why.join("; "))
    }

    /// Puts one query to all solvers until one answers it.
    fn step(
        &self,
        text: &str,
        time: Duration,
        extent: Extent,
        beyond: Option<&str>,
        why: &mut Vec<String>,
    ) -> Step {
        let kinds: &[LiteralKind] = &self.statement.kinds;
        for solver in self.solvers {
            if self.asked.load(Ordering::SeqCst) {
                return Step::Done(Verdict::Unknown("it was stopped".to_owned()));
            }
            let answer = solver.ask(text, kinds, time, self.asked);
            let mut note = |reason: String| {
                let line = format!("{solver}: {reason}");
                if !why.contains(&line) {
                    why.push(line);
                }
            };
            match answer {
                Ok(Answer::Unsat) if extent != Extent::Evaluates => {
                    return Step::Done(Verdict::Proved(solver.to_string()));
                }
                Ok(Answer::Unsat) => {
                    let false_beyond = beyond.map_or_else(String::new, |shown| {
                        format!(", and false for larger numbers: {shown}")
                    });
                    let reason =
                        format!("true where everything fits in 64 bits{false_beyond} ({solver})");
                    return Step::Done(Verdict::Unknown(reason));
                }
                Ok(Answer::Unknown) => note("it does not know".to_owned()),
                Ok(Answer::Sat { shown, values: None }) => return Step::Beyond(shown),
                Ok(Answer::Sat { shown, values: Some(values) }) => {
                    if let Some(found) = refutation(self.statement, &values, &solver.to_string()) {
                        return Step::Done(Verdict::Refuted(found));
                    }
                    return match compare(self.statement, &values) {
                        // Expected where it was not asked that everything fits.
                        Compared::TooLarge | Compared::DoesNotApply
                            if extent != Extent::Evaluates && has_large(self.statement) =>
                        {
                            Step::Beyond(shown)
                        }
                        _ => Step::Done(Verdict::Unknown(format!(
                            "{solver} says that the sides differ for {shown}, where Cairn finds no difference"
                        ))),
                    };
                }
                Err(reason) => note(reason),
            }
        }
        Step::Open
    }
}

/// Whether there are numbers whose size a solver does not bound.
fn has_large(statement: &Statement) -> bool {
    has(statement, |kind| matches!(kind, LiteralKind::I64 | LiteralKind::Rational))
}
