//! Schedules: which rules run in which order, as `(repeat 3 (saturate (run fold)) (run))`. The language and its
//! meaning are egglog's, with the schedulers of egglog-experimental; there is no `:until`.

use crate::rules::options::{pairs, unexpected};
use crate::rules::rule::{Rule, RulesetId};
use crate::saturation::scheduler::BackOff;
use crate::text::sexpr::{ParseError, Place, Sexpr};
use crate::text::similar::did_you_mean;

/// A program over rules. One `run` is one iteration of saturation.
///
/// In Rust it is built of its parts: `Schedule::run(a).until_stable().then(Schedule::run(b)).times(3)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// `(run)`, `(run ruleset)` or a ruleset's name runs rules once, as the caller of the saturation
    /// schedules them; `(run-with scheduler …)` as a scheduler of the schedule does.
    Run(RuleChoice, Option<SchedulerPlace>),
    /// `(let-scheduler name (back-off …))` begins a scheduler, which is there until the `seq`, `repeat`
    /// or `saturate` around it ends, or comes to its next turn.
    LetScheduler(BackOff),
    /// `(saturate s…)` repeats until nothing changes.
    Saturate(Vec<Schedule>),
    /// `(repeat n s…)` repeats `n` times, fewer if nothing changes.
    Repeat(u64, Vec<Schedule>),
    /// `(seq s…)` runs one after the other.
    Seq(Vec<Schedule>),
}

/// Which rules a `run` runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleChoice {
    /// Every rule of the system.
    All,
    /// Those that belong to no ruleset.
    Unnamed,
    /// Those of this ruleset.
    Ruleset(RulesetId),
    /// All but those of this ruleset.
    AllBut(RulesetId),
}

impl RuleChoice {
    /// Whether a rule is one of them.
    pub fn holds(self, rule: &Rule) -> bool {
        match self {
            RuleChoice::All => true,
            RuleChoice::Unnamed => rule.ruleset.is_none(),
            RuleChoice::Ruleset(ruleset) => rule.ruleset == Some(ruleset),
            RuleChoice::AllBut(ruleset) => rule.ruleset != Some(ruleset),
        }
    }
}

/// Which of the schedulers that are there where it is named, from the outermost on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulerPlace(pub usize);

impl Schedule {
    /// What is run where a system has no schedule: all rules until nothing changes, except those of its
    /// normal form.
    pub(crate) fn unsaid(normal_form: Option<RulesetId>) -> Schedule {
        Schedule::run(normal_form.map_or(RuleChoice::All, RuleChoice::AllBut)).until_stable()
    }

    /// One iteration.
    pub fn run(rules: RuleChoice) -> Schedule {
        Schedule::Run(rules, None)
    }

    /// This again and again, until nothing changes.
    pub fn until_stable(self) -> Schedule {
        Schedule::Saturate(vec![self])
    }

    /// This so many times, fewer if nothing changes.
    pub fn times(self, times: u64) -> Schedule {
        Schedule::Repeat(times, vec![self])
    }

    /// This and then another one.
    pub fn then(self, next: Schedule) -> Schedule {
        Schedule::Seq(vec![self, next])
    }

    /// Whether every one of these rules is run by it.
    pub(crate) fn runs_all(&self, rules: &[Rule]) -> bool {
        rules.iter().all(|rule| self.runs(rule))
    }

    /// Whether a rule is run by it.
    pub(crate) fn runs(&self, rule: &Rule) -> bool {
        match self {
            Schedule::Run(rules, _) => rules.holds(rule),
            Schedule::LetScheduler(_) => false,
            Schedule::Saturate(body) | Schedule::Seq(body) => body.iter().any(|s| s.runs(rule)),
            Schedule::Repeat(times, body) => *times > 0 && body.iter().any(|s| s.runs(rule)),
        }
    }
}

/// Reads what stands in `(schedule S…)`.
pub(crate) fn read_schedule(body: &[Sexpr], rulesets: &[String]) -> Result<Schedule, ParseError> {
    if body.is_empty() {
        return Err(ParseError::new(Place { line: 1, column: 1 }, EXPECTED));
    }
    let mut body = Reader { rulesets, schedulers: Vec::new() }.body(body)?;
    Ok(if body.len() == 1 { body.remove(0) } else { Schedule::Seq(body) })
}

const EXPECTED: &str = "expected (run), (run ruleset), (run-with scheduler ruleset), (saturate S …), \
     (repeat n S …), (seq S …) or (let-scheduler name (back-off))";

struct Reader<'a> {
    rulesets: &'a [String],
    /// Those that are there, the outermost first.
    schedulers: Vec<String>,
}

impl Reader<'_> {
    /// Schedules in a row; the schedulers that they declare are there for those behind.
    fn body(&mut self, body: &[Sexpr]) -> Result<Vec<Schedule>, ParseError> {
        let scope = self.schedulers.len();
        let read = body.iter().map(|sexpr| self.schedule(sexpr)).collect();
        self.schedulers.truncate(scope);
        read
    }

    fn schedule(&mut self, sexpr: &Sexpr) -> Result<Schedule, ParseError> {
        let wrong = || ParseError::new(sexpr.place(), EXPECTED);
        if sexpr.atom().is_some() {
            return Ok(Schedule::run(self.rules(std::slice::from_ref(sexpr), sexpr.place())?));
        }
        let items = sexpr.list().ok_or_else(wrong)?;
        let keyword = items.first().and_then(Sexpr::atom).ok_or_else(wrong)?;
        match (keyword, &items[1..]) {
            ("run", rules @ ([] | [_])) => Ok(Schedule::run(self.rules(rules, sexpr.place())?)),
            ("run-with", [scheduler, rules @ ..]) if rules.len() < 2 => {
                let place = self.scheduler(scheduler)?;
                Ok(Schedule::Run(self.rules(rules, sexpr.place())?, Some(place)))
            }
            ("let-scheduler", [name, scheduler]) => {
                let name = name.atom().ok_or_else(wrong)?;
                if self.schedulers.iter().any(|before| before == name) {
                    let message = format!("a second scheduler '{name}' where the first still is");
                    return Err(ParseError::new(sexpr.place(), message));
                }
                let scheduler = read_back_off(scheduler)?;
                self.schedulers.push(name.to_owned());
                Ok(Schedule::LetScheduler(scheduler))
            }
            ("saturate", body @ [_, ..]) => Ok(Schedule::Saturate(self.body(body)?)),
            ("repeat", [times, body @ ..]) if !body.is_empty() => {
                let count = times.atom().and_then(|t| t.parse().ok()).ok_or_else(|| {
                    ParseError::new(times.place(), "expected a number of repetitions")
                })?;
                Ok(Schedule::Repeat(count, self.body(body)?))
            }
            ("seq", body @ [_, ..]) => Ok(Schedule::Seq(self.body(body)?)),
            _ => Err(wrong()),
        }
    }

    /// The rules of a ruleset, or of none if no name is given.
    fn rules(&self, name: &[Sexpr], place: Place) -> Result<RuleChoice, ParseError> {
        let [name] = name else { return Ok(RuleChoice::Unnamed) };
        let found = self.rulesets.iter().position(|r| Some(r.as_str()) == name.atom());
        let id = found.ok_or_else(|| {
            let name = name.atom().unwrap_or("(…)");
            let meant = did_you_mean(name, self.rulesets.iter().map(String::as_str));
            ParseError::new(place, format!("unknown ruleset '{name}'{meant}"))
        })?;
        Ok(RuleChoice::Ruleset(RulesetId(id as u32)))
    }

    fn scheduler(&self, name: &Sexpr) -> Result<SchedulerPlace, ParseError> {
        let found = self.schedulers.iter().position(|s| Some(s.as_str()) == name.atom());
        found.map(SchedulerPlace).ok_or_else(|| {
            let text = name.atom().unwrap_or("(…)");
            let meant = did_you_mean(text, self.schedulers.iter().map(String::as_str));
            ParseError::new(name.place(), format!("there is no scheduler '{text}' here{meant}"))
        })
    }
}

/// `(back-off :match-limit n :ban-length n)`, either of which may be missing.
fn read_back_off(sexpr: &Sexpr) -> Result<BackOff, ParseError> {
    let items = sexpr.list().unwrap_or(&[]);
    let Some(("back-off", options)) = items.split_first().and_then(|(k, o)| Some((k.atom()?, o)))
    else {
        let message = "expected (back-off), with :match-limit and :ban-length where they matter";
        return Err(ParseError::new(sexpr.place(), message));
    };
    let mut back_off = BackOff::default();
    for (key, at, value) in pairs(options)? {
        let number = || {
            let number = value.atom().and_then(|text| text.parse().ok());
            number.filter(|&number: &u32| number > 0).ok_or_else(|| {
                let message = format!("{key}: expected a number from 1 to {}", u32::MAX);
                ParseError::new(value.place(), message)
            })
        };
        match key {
            ":match-limit" => back_off.match_limit = number()? as usize,
            ":ban-length" => back_off.ban_length = number()?.into(),
            _ => {
                let known = [":match-limit", ":ban-length"];
                return Err(unexpected(":match-limit or :ban-length", &known, key, at));
            }
        }
    }
    Ok(back_off)
}
