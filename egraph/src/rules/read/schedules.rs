//! Reading schedules and strategies.

use crate::rules::costs::declared::DeclaredCost;
use crate::rules::costs::function::CostFunction;
use crate::rules::options::{pairs, unexpected};
use crate::rules::rule::{Rule, RuleId, RulesetId};
use crate::rules::schedule::BackOff;
use crate::rules::schedule::{Goal, Rebase, RuleChoice, Schedule, SchedulerPlace};
use crate::rules::system::System;
use crate::stop::Limits;
use crate::term::bank::TermBank;
use crate::term::language::Language;
use crate::term::sketch::Sketch;
use crate::text::bytes::ByteSize;
use crate::text::sexpr::{ParseError, Place, Sexpr, parse_all};
use crate::text::similar::did_you_mean;
use std::sync::Arc;
use std::time::Duration;

/// What schedules speak of.
pub(super) struct Words<'a> {
    pub language: &'a Language,
    pub rules: &'a [Rule],
    pub rulesets: &'a [String],
    pub normal_form: Option<RulesetId>,
    pub costs: &'a [DeclaredCost],
    /// Those that are there already: their names and what stands behind these.
    pub strategies: &'a [(String, Vec<Sexpr>)],
}

impl System {
    /// The same system with another schedule; `text` is what would stand in `(schedule …)`.
    ///
    /// # Errors
    /// The text is wrong; the place is in it.
    pub fn with_schedule(&self, text: &str) -> Result<System, ParseError> {
        self.scheduled(text, false)
    }

    /// The same system with a strategy as its schedule: one that the file has by this name, or what would stand in
    /// `(strategy name …)`.
    ///
    /// # Errors
    /// The text is wrong; the place is in it.
    pub fn with_strategy(&self, text: &str) -> Result<System, ParseError> {
        self.scheduled(text, true)
    }

    fn scheduled(&self, text: &str, starts_over: bool) -> Result<System, ParseError> {
        let System { language, rules, rulesets, normal_form, costs, strategies, .. } = self;
        let normal_form = *normal_form;
        let words = Words { language, rules, rulesets, normal_form, costs, strategies };
        let schedule = Some(words.read(&parse_all(text)?, starts_over)?);
        Ok(System { schedule, ..self.clone() })
    }
}

impl Words<'_> {
    /// Reads what stands in `(schedule S…)` or, if it may start over, behind the name of a strategy.
    pub fn read(&self, body: &[Sexpr], starts_over: bool) -> Result<Schedule, ParseError> {
        if body.is_empty() {
            return Err(ParseError::new(Place { line: 1, column: 1 }, expected(starts_over)));
        }
        let mut reader = Reader { words: self, starts_over, schedulers: Vec::new(), parts: 0 };
        let mut body = reader.body(body)?;
        Ok(if body.len() == 1 { body.remove(0) } else { Schedule::Seq(body) })
    }
}

/// A schedule has no more parts than this, those of strategies that it names included.
const MOST_PARTS: usize = 10_000;

const EXPECTED: &str = "expected (run), (run ruleset), (run-with scheduler ruleset), (saturate S …), \
     (until-stable S …), (repeat n S …), (seq S …), (until GOAL S …), (limit :nodes n … S …), (backoff S …) or \
     (let-scheduler name (back-off))";

/// The forms that a strategy has beside those of a schedule.
const OF_STRATEGIES: [&str; 3] = ["rebase", "phase", "timeout"];

fn expected(starts_over: bool) -> String {
    let more = ", or in a strategy (rebase …), (phase … S …) or (timeout seconds S …)";
    format!("{EXPECTED}{}", if starts_over { more } else { "" })
}

/// A scheduler that is there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begun<'a> {
    /// By `let-scheduler`, with this name.
    Named(&'a str),
    /// By `backoff`: all that runs in it follows it.
    Around,
    /// Around the name of the strategy that is read: nothing to it.
    Outside,
}

struct Reader<'a> {
    words: &'a Words<'a>,
    /// Whether e-graphs may be started over, and time may count.
    starts_over: bool,
    /// Those that are there, the outermost first.
    schedulers: Vec<Begun<'a>>,
    /// How many were read.
    parts: usize,
}

impl<'a> Reader<'a> {
    /// Schedules in a row; the schedulers that they declare are there for those behind.
    fn body(&mut self, body: &'a [Sexpr]) -> Result<Vec<Schedule>, ParseError> {
        let scope = self.schedulers.len();
        let read = body.iter().map(|sexpr| self.schedule(sexpr)).collect();
        self.schedulers.truncate(scope);
        read
    }

    /// As [`Reader::body`], of one at least.
    fn some(&mut self, body: &'a [Sexpr], place: Place) -> Result<Vec<Schedule>, ParseError> {
        match body {
            [] => Err(ParseError::new(place, expected(self.starts_over))),
            body => self.body(body),
        }
    }

    fn schedule(&mut self, sexpr: &'a Sexpr) -> Result<Schedule, ParseError> {
        let place = sexpr.place();
        let wrong = || ParseError::new(place, expected(self.starts_over));
        self.parts += 1;
        if self.parts > MOST_PARTS {
            let message =
                format!("too large: at most {MOST_PARTS} parts, with those of strategies");
            return Err(ParseError::new(place, message));
        }
        if let Some(name) = sexpr.atom() {
            let mut strategies = self.words.strategies.iter();
            return match strategies.find(|(strategy, _)| strategy == name) {
                Some((_, body)) if self.starts_over => {
                    let outside = vec![Begun::Outside; self.schedulers.len()];
                    let schedulers = std::mem::replace(&mut self.schedulers, outside);
                    let body = self.body(body);
                    self.schedulers = schedulers;
                    body.map(Schedule::Seq)
                }
                _ => self.run(std::slice::from_ref(sexpr)),
            };
        }
        let items = sexpr.list().ok_or_else(wrong)?;
        let keyword = items.first().and_then(Sexpr::atom).ok_or_else(wrong)?;
        if OF_STRATEGIES.contains(&keyword) && !self.starts_over {
            let message = format!(
                "'{keyword}' in a schedule, which every e-graph follows: expected it in (strategy name …)"
            );
            return Err(ParseError::new(place, message));
        }
        match (keyword, &items[1..]) {
            ("run", rules) => self.run(rules),
            ("run-with", [scheduler, rules @ ..]) => {
                let by = self.scheduler(scheduler)?;
                Ok(Schedule::Run(self.rules(rules)?, Some(by)))
            }
            ("let-scheduler", [name, scheduler]) => {
                let name = name.atom().ok_or_else(wrong)?;
                if self.schedulers.contains(&Begun::Named(name)) {
                    let message = format!("a second scheduler '{name}' where the first still is");
                    return Err(ParseError::new(place, message));
                }
                let scheduler = read_back_off(scheduler)?;
                self.schedulers.push(Begun::Named(name));
                Ok(Schedule::LetScheduler(scheduler))
            }
            ("backoff", rest) => {
                let (options, body) = options(rest);
                let back_off = back_off_of(options)?;
                self.schedulers.push(Begun::Around);
                let body = self.some(body, place);
                self.schedulers.pop();
                let begin = Schedule::LetScheduler(back_off);
                Ok(Schedule::Seq(std::iter::once(begin).chain(body?).collect()))
            }
            ("saturate" | "until-stable", body @ [_, ..]) => {
                Ok(Schedule::Saturate(self.body(body)?))
            }
            ("repeat", [times, body @ ..]) if !body.is_empty() => {
                let count = number(times, "a number of repetitions")?;
                Ok(Schedule::Repeat(count, self.body(body)?))
            }
            ("seq", body @ [_, ..]) => Ok(Schedule::Seq(self.body(body)?)),
            ("until", [goal, body @ ..]) => {
                let goal = self.goal(goal)?;
                Ok(Schedule::Until(goal, self.some(body, place)?))
            }
            ("limit", rest) => {
                let (options, body) = options(rest);
                let limits = self.limits(options, place)?;
                Ok(Schedule::Limit(limits, self.some(body, place)?))
            }
            ("timeout", [time, body @ ..]) => {
                let limits = Limits { time: Some(seconds(time)?), ..Limits::default() };
                Ok(Schedule::Limit(limits, self.some(body, place)?))
            }
            ("rebase", options) => self.rebase(options).map(Schedule::Rebase),
            ("phase", rest) => {
                let (options, body) = options(rest);
                let rebase = self.rebase(options)?;
                let mut body = self.some(body, place)?;
                if rebase.goal != Sketch::Any {
                    let goal = Goal::Satisfied(rebase.goal.clone());
                    body = vec![Schedule::Until(goal, body)];
                }
                body.push(Schedule::Rebase(rebase));
                Ok(Schedule::Seq(body))
            }
            _ => Err(wrong()),
        }
    }

    /// One iteration, with the scheduler of the `backoff` around it.
    fn run(&self, rules: &[Sexpr]) -> Result<Schedule, ParseError> {
        let by = self.schedulers.iter().rposition(|scheduler| *scheduler == Begun::Around);
        Ok(Schedule::Run(self.rules(rules)?, by.map(SchedulerPlace)))
    }

    /// `:all`, or the rules with these names and those of rulesets with these names; those of no ruleset without names.
    fn rules(&self, names: &[Sexpr]) -> Result<RuleChoice, ParseError> {
        let Words { rules, rulesets, normal_form, .. } = *self.words;
        let mut these = Vec::new();
        for sexpr in names {
            let name = sexpr.atom().unwrap_or("(…)");
            let ruleset = rulesets.iter().position(|ruleset| ruleset == name);
            let ruleset = ruleset.map(|id| RulesetId(id as u32));
            match (names, ruleset) {
                ([_], Some(id)) => return Ok(RuleChoice::Ruleset(id)),
                ([_], None) if name == ":all" => return Ok(RuleChoice::all(normal_form)),
                _ => {}
            }
            let before = these.len();
            let is_meant = |rule: &Rule| match ruleset {
                Some(id) => rule.ruleset == Some(id),
                None => rule.name == name,
            };
            let ids = (0..).zip(rules).filter(|(_, rule)| is_meant(rule));
            these.extend(ids.map(|(id, _)| RuleId(id)));
            if ruleset.is_none() && these.len() == before {
                let strategies = self.words.strategies.iter().map(|(name, _)| name);
                let strategies = strategies.filter(|_| self.starts_over);
                let known =
                    rulesets.iter().chain(rules.iter().map(|rule| &rule.name)).chain(strategies);
                let meant = did_you_mean(name, known.map(String::as_str));
                let what = if self.starts_over { "strategy or ruleset" } else { "ruleset" };
                let message = format!("unknown {what} '{name}'{meant}");
                return Err(ParseError::new(sexpr.place(), message));
            }
        }
        Ok(if names.is_empty() { RuleChoice::Unnamed } else { RuleChoice::These(these.into()) })
    }

    fn scheduler(&self, name: &Sexpr) -> Result<SchedulerPlace, ParseError> {
        let text = name.atom().unwrap_or("(…)");
        let found = self.schedulers.iter().position(|begun| *begun == Begun::Named(text));
        found.map(SchedulerPlace).ok_or_else(|| {
            let names = self.schedulers.iter().filter_map(|begun| match begun {
                Begun::Named(name) => Some(*name),
                _ => None,
            });
            let meant = did_you_mean(text, names);
            ParseError::new(name.place(), format!("there is no scheduler '{text}' here{meant}"))
        })
    }

    /// `(= term term)` or `(goal sketch)`.
    fn goal(&self, sexpr: &Sexpr) -> Result<Goal, ParseError> {
        let items = sexpr.list().unwrap_or(&[]);
        match (items.first().and_then(Sexpr::atom), items.get(1..).unwrap_or(&[])) {
            (Some("="), [left, right]) => {
                let mut bank = TermBank::new(Arc::new(self.words.language.clone()));
                let left = bank.read(left, None)?;
                let right = bank.read(right, Some(bank.sort(left)))?;
                Ok(Goal::Equal([left, right].map(|term| Sketch::from_term(&bank, term))))
            }
            (Some("goal"), [sketch]) => {
                Sketch::read(self.words.language, sketch, None).map(Goal::Satisfied)
            }
            _ => Err(ParseError::new(sexpr.place(), "expected (= term term) or (goal sketch)")),
        }
    }

    fn limits(&self, options: &[Sexpr], place: Place) -> Result<Limits, ParseError> {
        let mut limits = Limits::default();
        for (key, at, value) in pairs(options)? {
            match key {
                ":iterations" => limits.iterations = Some(number(value, "a number of iterations")?),
                ":nodes" => limits.nodes = Some(number(value, "a number of e-nodes")? as usize),
                ":memory" => {
                    let size = value.atom().unwrap_or("(…)").parse::<ByteSize>();
                    let size = size.map_err(|why| ParseError::new(value.place(), why))?;
                    limits.memory = Some(size.0);
                }
                ":seconds" if self.starts_over => limits.time = Some(seconds(value)?),
                _ => {
                    let all = [":iterations", ":nodes", ":memory", ":seconds"];
                    let known = &all[..if self.starts_over { 4 } else { 3 }];
                    return Err(unexpected(&known.join(", "), known, key, at));
                }
            }
        }
        if limits == Limits::default() {
            return Err(ParseError::new(place, "expected (limit :nodes n :iterations n … S …)"));
        }
        Ok(limits)
    }

    fn rebase(&self, options: &[Sexpr]) -> Result<Rebase, ParseError> {
        let mut rebase = Rebase { cost: None, goal: Sketch::Any };
        for (key, at, value) in pairs(options)? {
            match key {
                ":cost" => {
                    let names = value.atom().unwrap_or("(…)");
                    CostFunction::of(self.words.costs, &Arc::default(), names)
                        .map_err(|why| ParseError::new(value.place(), why))?;
                    rebase.cost = Some(names.to_owned());
                }
                ":goal" => rebase.goal = Sketch::read(self.words.language, value, None)?,
                _ => return Err(unexpected(":cost or :goal", &[":cost", ":goal"], key, at)),
            }
        }
        Ok(rebase)
    }
}

/// The options at the beginning, `:key value …`, and what is behind them.
fn options(items: &[Sexpr]) -> (&[Sexpr], &[Sexpr]) {
    let is_key = |item: &Sexpr| item.atom().is_some_and(|atom| atom.starts_with(':'));
    let pairs = items.chunks(2).take_while(|pair| is_key(&pair[0])).count();
    items.split_at((2 * pairs).min(items.len()))
}

fn number(sexpr: &Sexpr, what: &str) -> Result<u64, ParseError> {
    let number = sexpr.atom().and_then(|text| text.parse().ok());
    number.ok_or_else(|| ParseError::new(sexpr.place(), format!("expected {what}")))
}

fn seconds(sexpr: &Sexpr) -> Result<Duration, ParseError> {
    let seconds = sexpr.atom().and_then(|text| text.parse().ok());
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| ParseError::new(sexpr.place(), "expected a number of seconds"))
}

/// `(back-off :match-limit n :ban-length n)`, either of which may be missing.
fn read_back_off(sexpr: &Sexpr) -> Result<BackOff, ParseError> {
    match sexpr.list().and_then(|items| items.split_first()) {
        Some((keyword, options)) if keyword.atom() == Some("back-off") => back_off_of(options),
        _ => {
            let message =
                "expected (back-off), with :match-limit and :ban-length where they matter";
            Err(ParseError::new(sexpr.place(), message))
        }
    }
}

fn back_off_of(options: &[Sexpr]) -> Result<BackOff, ParseError> {
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
