//! Which rules may run in an iteration: all of them, or those that back-off does not ban.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How rules that match too often are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheduler {
    /// Every match of every rule is applied in every iteration.
    #[default]
    Simple,
    /// A rule with more than 1,000 matches, old ones included, is not applied and banned for 5
    /// iterations; both numbers double each time (egg's back-off scheduler, Willsey et al., POPL
    /// 2021).
    Backoff,
}

impl fmt::Display for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scheduler::Simple => "simple",
            Scheduler::Backoff => "backoff",
        })
    }
}

impl FromStr for Scheduler {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "simple" => Ok(Scheduler::Simple),
            "backoff" => Ok(Scheduler::Backoff),
            _ => Err(format!("expected simple or backoff, found '{text}'")),
        }
    }
}

const MATCH_LIMIT: usize = 1_000;
const BAN_LENGTH: u64 = 5;

#[derive(Clone, Copy, Default)]
struct RuleState {
    times_banned: u32,
    banned_until: u64,
}

/// The state of a scheduler over one run, with iterations counted from 0.
pub(crate) struct Bans {
    scheduler: Scheduler,
    rules: Vec<RuleState>,
}

impl Bans {
    pub fn new(scheduler: Scheduler, rules: usize) -> Bans {
        Bans { scheduler, rules: vec![RuleState::default(); rules] }
    }

    pub fn is_banned(&self, rule: usize, iteration: u64) -> bool {
        iteration < self.rules[rule].banned_until
    }

    /// The number of matches above which they are too many.
    pub fn match_limit(&self, rule: usize) -> usize {
        match self.scheduler {
            Scheduler::Simple => usize::MAX,
            Scheduler::Backoff => MATCH_LIMIT << self.rules[rule].times_banned.min(40),
        }
    }

    /// Bans a rule that has more matches than its limit.
    pub fn ban(&mut self, rule: usize, iteration: u64) {
        let state = &mut self.rules[rule];
        state.banned_until = iteration + (BAN_LENGTH << state.times_banned.min(40));
        state.times_banned += 1;
    }

    /// Whether a rule is still banned in `iteration`, so that an unchanged e-graph does not yet
    /// mean saturation.
    pub fn any_banned(&self, iteration: u64) -> bool {
        self.rules.iter().any(|r| iteration < r.banned_until)
    }

    /// As egg does: when nothing else changes the e-graph, bans are shortened to end now.
    pub fn lift_all(&mut self, iteration: u64) {
        for rule in &mut self.rules {
            rule.banned_until = rule.banned_until.min(iteration);
        }
    }
}
