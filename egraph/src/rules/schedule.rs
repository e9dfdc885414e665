//! Schedules: in which order rulesets run, as `(repeat 3 (seq (saturate (run fold)) (run)))`.

use crate::rules::system::{RulesetId, System};
use crate::text::sexpr::{ParseError, Sexpr};
use crate::text::similar::did_you_mean;

/// A program over rule sets. One `run` is one iteration of saturation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// `(run)` runs all rules once, `(run ruleset)` those of one ruleset.
    Run(Option<RulesetId>),
    /// `(saturate s)` repeats `s` until it changes nothing.
    Saturate(Box<Schedule>),
    /// `(repeat n s)` repeats `s` at most `n` times, and stops early when it changes nothing.
    Repeat(u64, Box<Schedule>),
    /// `(seq s…)` runs one after the other.
    Seq(Vec<Schedule>),
}

impl Schedule {
    /// All rules, until nothing changes: what is run where a system says nothing.
    pub fn all_rules() -> Schedule {
        Schedule::Saturate(Box::new(Schedule::Run(None)))
    }

    /// Whether every rule of the system is run by it.
    pub(crate) fn runs_all(&self, system: &System) -> bool {
        system.rules.iter().all(|rule| self.runs(rule.ruleset))
    }

    /// Whether the rules of a ruleset are run by it.
    pub(crate) fn runs(&self, ruleset: Option<RulesetId>) -> bool {
        match self {
            Schedule::Run(None) => true,
            Schedule::Run(some) => *some == ruleset,
            Schedule::Saturate(inner) => inner.runs(ruleset),
            Schedule::Repeat(times, inner) => *times > 0 && inner.runs(ruleset),
            Schedule::Seq(all) => all.iter().any(|inner| inner.runs(ruleset)),
        }
    }
}

pub(crate) fn read_schedule(sexpr: &Sexpr, rulesets: &[String]) -> Result<Schedule, ParseError> {
    let at = |message: &str| ParseError::new(sexpr.place(), message);
    let expected = "expected (run), (run ruleset), (saturate S), (repeat n S) or (seq S …)";
    let items = sexpr.list().ok_or_else(|| at(expected))?;
    let keyword = items.first().and_then(Sexpr::atom).ok_or_else(|| at(expected))?;
    match (keyword, &items[1..]) {
        ("run", []) => Ok(Schedule::Run(None)),
        ("run", [name]) => {
            let found = rulesets.iter().position(|r| Some(r.as_str()) == name.atom());
            let id = found.ok_or_else(|| {
                let name = name.atom().unwrap_or("(…)");
                let meant = did_you_mean(name, rulesets.iter().map(String::as_str));
                ParseError::new(sexpr.place(), format!("unknown ruleset '{name}'{meant}"))
            })?;
            Ok(Schedule::Run(Some(RulesetId(id as u32))))
        }
        ("saturate", [inner]) => Ok(Schedule::Saturate(Box::new(read_schedule(inner, rulesets)?))),
        ("repeat", [times, inner]) => {
            let count = times.atom().and_then(|t| t.parse().ok()).ok_or_else(|| {
                ParseError::new(times.place(), "expected a number of repetitions")
            })?;
            Ok(Schedule::Repeat(count, Box::new(read_schedule(inner, rulesets)?)))
        }
        ("seq", inner @ [_, ..]) => {
            let all = inner.iter().map(|s| read_schedule(s, rulesets)).collect::<Result<_, _>>()?;
            Ok(Schedule::Seq(all))
        }
        _ => Err(at(expected)),
    }
}
