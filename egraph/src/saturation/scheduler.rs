//! Which rules may run in an iteration, all of them or those that back-off does not ban, and which of
//! their matches are applied.

use crate::rules::schedule::BackOff;
use serde::de::{IntoDeserializer, value::Error as Unknown};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How rules that match too often are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")] // so it is read and printed, too
pub enum Scheduler {
    /// Every match of every rule is applied in every iteration.
    #[default]
    Simple,
    /// Rules that match too often are banned for a while; see [`BackOff`].
    Backoff,
    /// In every iteration the most promising of all matches that wait, a few in proportion to the
    /// e-graph: by default those after which the smallest term that uses them is smallest.
    BestFirst,
}

impl fmt::Display for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl FromStr for Scheduler {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let scheduler: Result<_, Unknown> = Scheduler::deserialize(text.into_deserializer());
        scheduler.map_err(|_| format!("expected simple, backoff or best-first, found '{text}'"))
    }
}

#[derive(Clone, Copy, Default)]
struct RuleState {
    times_banned: u32,
    banned_until: u64,
}

/// The state of a scheduler over one run, with iterations counted from 0.
pub(crate) struct Bans {
    /// Nothing is banned without.
    back_off: Option<BackOff>,
    rules: Vec<RuleState>,
}

impl Bans {
    pub fn new(back_off: Option<BackOff>, rules: usize) -> Bans {
        Bans { back_off, rules: vec![RuleState::default(); rules] }
    }

    /// Begins anew.
    pub fn forget(&mut self) {
        self.rules.fill(RuleState::default());
    }

    /// As an earlier run has left them, see [`Bans::after`].
    pub fn with(back_off: Option<BackOff>, before: &[(u32, u64)]) -> Bans {
        let state =
            |&(times_banned, banned_until): &(u32, u64)| RuleState { times_banned, banned_until };
        Bans { back_off, rules: before.iter().map(state).collect() }
    }

    /// By rule how often it was banned, and how many iterations a ban goes on after so many.
    pub fn after(&self, iterations: u64) -> Vec<(u32, u64)> {
        let left =
            |rule: &RuleState| (rule.times_banned, rule.banned_until.saturating_sub(iterations));
        self.rules.iter().map(left).collect()
    }

    pub fn is_banned(&self, rule: usize, iteration: u64) -> bool {
        iteration < self.rules[rule].banned_until
    }

    /// The number of matches above which they are too many.
    pub fn match_limit(&self, rule: usize) -> usize {
        let times_banned = self.rules[rule].times_banned.min(40);
        let doubled = |back_off: BackOff| back_off.match_limit.saturating_mul(1 << times_banned);
        self.back_off.map_or(usize::MAX, doubled)
    }

    /// Bans a rule that has more matches than its limit.
    pub fn ban(&mut self, rule: usize, iteration: u64) {
        let state = &mut self.rules[rule];
        let length = self.back_off.unwrap_or_default().ban_length;
        let length = length.saturating_mul(1 << state.times_banned.min(40));
        state.banned_until = iteration.saturating_add(length);
        state.times_banned += 1;
    }

    /// Whether a rule is still banned after this iteration.
    pub fn any_after(&self, iteration: u64) -> bool {
        self.rules.iter().any(|rule| rule.banned_until > iteration)
    }

    /// When an iteration changed nothing: whether a rule was banned in it or is banned since, so
    /// that this does not mean saturation. As egg does, brings all bans forward so that the first
    /// of them ends now.
    pub fn bring_forward(&mut self, iteration: u64) -> bool {
        let banned = || self.rules.iter().map(|rule| rule.banned_until);
        let Some(first) = banned().filter(|&until| until > iteration).min() else { return false };
        for rule in self.rules.iter_mut().filter(|rule| rule.banned_until > iteration) {
            rule.banned_until -= first - iteration;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bans_double_and_are_brought_forward_together() {
        let mut bans = Bans::new(Some(BackOff::default()), 3);
        bans.ban(0, 0);
        bans.ban(1, 3);
        bans.ban(1, 8);
        assert_eq!(bans.match_limit(1), 4 * BackOff::default().match_limit);
        let banned = |bans: &Bans, iteration| {
            (0..3).filter(|&rule| bans.is_banned(rule, iteration)).collect::<Vec<_>>()
        };
        assert_eq!((banned(&bans, 4), banned(&bans, 5)), (vec![0, 1], vec![1]));
        // Rule 0's ban ends with iteration 4: had that changed nothing, the rule has still to run.
        assert!(bans.bring_forward(4));
        // Rule 1's ended after 18; it now ends one iteration earlier, as that of rule 0 did.
        assert_eq!((banned(&bans, 16), banned(&bans, 17)), (vec![1], Vec::<usize>::new()));
        assert!(bans.bring_forward(10));
        assert_eq!(banned(&bans, 10), Vec::<usize>::new());
        assert!(!bans.bring_forward(10));
    }
}
