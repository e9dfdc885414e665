//! Schedules: which rules run in which order, as `(repeat 3 (saturate (run fold)) (run))`, until what holds, within
//! which limits. Their core and its meaning are egglog's, with the schedulers of egglog-experimental.
//!
//! A *strategy* is a schedule with a name that may also start over from the best term ([`Schedule::Rebase`]).

use crate::rules::rule::{Rule, RuleId, RulesetId};
use crate::stop::Limits;
use crate::term::sketch::Sketch;
use std::sync::Arc;

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
    /// `(limit :nodes n … s…)` ends what is in it at these limits, and goes on behind it. Iterations and time count from
    /// its beginning.
    Limit(Limits, Vec<Schedule>),
    /// `(until goal s…)` ends what is in it in the iteration after which the goal holds, and does nothing where it
    /// holds before.
    Until(Goal, Vec<Schedule>),
    /// `(rebase …)` starts over: a fresh e-graph, grown from the best term of each class that the old one was grown from.
    /// What repeats it counts as changing something while it finds better terms.
    Rebase(Rebase),
}

/// What may hold of an e-graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// `(= t u)`: both terms are in it, and equal. They are plain terms.
    Equal([Sketch; 2]),
    /// `(goal s)`: the class that it was grown from first holds a term that satisfies the sketch.
    Satisfied(Sketch),
}

/// Which terms are best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebase {
    /// Names of costs; those of the saturation without.
    pub cost: Option<String>,
    /// What the first of them must satisfy; otherwise the run ends there.
    pub goal: Sketch,
}

/// Which rules a `run` runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleChoice {
    /// Every rule of the system.
    All,
    /// Those that belong to no ruleset.
    Unnamed,
    /// Those of this ruleset.
    Ruleset(RulesetId),
    /// All but those of this ruleset.
    AllBut(RulesetId),
    /// These.
    These(Arc<[RuleId]>),
}

impl RuleChoice {
    /// Whether a rule, which has this id, is one of them.
    pub fn holds(&self, id: RuleId, rule: &Rule) -> bool {
        match self {
            RuleChoice::All => true,
            RuleChoice::Unnamed => rule.ruleset.is_none(),
            RuleChoice::Ruleset(ruleset) => rule.ruleset == Some(*ruleset),
            RuleChoice::AllBut(ruleset) => rule.ruleset != Some(*ruleset),
            RuleChoice::These(rules) => rules.contains(&id),
        }
    }

    /// Every rule but those of the normal form.
    pub(crate) fn all(normal_form: Option<RulesetId>) -> RuleChoice {
        normal_form.map_or(RuleChoice::All, RuleChoice::AllBut)
    }
}

/// Which of the schedulers that are there where it is named, from the outermost on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulerPlace(pub usize);

impl Schedule {
    /// What is run where a system has no schedule: all rules until nothing changes, except those of its
    /// normal form.
    pub(crate) fn unsaid(normal_form: Option<RulesetId>) -> Schedule {
        Schedule::run(RuleChoice::all(normal_form)).until_stable()
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

    /// This within limits.
    pub fn within(self, limits: Limits) -> Schedule {
        Schedule::Limit(limits, vec![self])
    }

    /// This until a goal holds.
    pub fn until(self, goal: Goal) -> Schedule {
        Schedule::Until(goal, vec![self])
    }

    /// Whether every one of these rules is run by it.
    pub(crate) fn runs_all(&self, rules: &[Rule]) -> bool {
        (0..).zip(rules).all(|(id, rule)| self.runs(RuleId(id), rule))
    }

    /// Whether a rule is run by it.
    pub(crate) fn runs(&self, id: RuleId, rule: &Rule) -> bool {
        match self {
            Schedule::Run(rules, _) => rules.holds(id, rule),
            Schedule::LetScheduler(_) | Schedule::Rebase(_) => false,
            Schedule::Saturate(body)
            | Schedule::Seq(body)
            | Schedule::Limit(_, body)
            | Schedule::Until(_, body) => body.iter().any(|s| s.runs(id, rule)),
            Schedule::Repeat(times, body) => *times > 0 && body.iter().any(|s| s.runs(id, rule)),
        }
    }
}

/// A rule with more matches than this, old ones included, is not applied and banned; both numbers
/// double each time (egg's back-off scheduler, Willsey et al., POPL 2021).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackOff {
    /// Matches that are not too many the first time.
    pub match_limit: usize,
    /// Iterations that the first ban lasts.
    pub ban_length: u64,
}

impl Default for BackOff {
    fn default() -> BackOff {
        BackOff { match_limit: 1_000, ban_length: 5 }
    }
}
