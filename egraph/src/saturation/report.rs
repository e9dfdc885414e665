//! What a saturation did, iteration by iteration and rule by rule. Iterations are shown to the
//! observer and not kept: there can be more of them than memory has room for.

use crate::id::Id;
use crate::proof::dag::Proof;
use crate::rules::costs::function::Cost;
use crate::rules::rule::RuleId;
use crate::saturation::best_first::Chosen;
use crate::stop::StopReason;
use serde::Serialize;

/// What one iteration did, and the e-graph after it.
#[derive(Clone, Debug, Serialize)]
pub struct Iteration {
    /// 0 is the start, before any rule.
    pub iteration: u64,
    /// Canonical e-nodes after the iteration.
    pub e_nodes: usize,
    /// E-classes after the iteration.
    pub e_classes: usize,
    /// Bytes of the e-graph after the iteration.
    pub bytes: usize,
    /// E-nodes ever built, up to now.
    pub built: u64,
    /// Matches seen whose e-nodes have changed since the rule was searched for last.
    pub matches: u64,
    /// Those of them that the e-graph did not yet know to hold. Of a rule nearly all of whose matches are such, not each
    /// is looked at, and some that it knew count, too.
    pub new: u64,
    /// Those of them that united two classes; others did the same before them.
    pub unions: u64,
    /// E-nodes tried while searching, see [`crate::Limits::visits`].
    pub visits: u64,
    /// Seconds spent on the iteration: searching, applying and rebuilding.
    pub seconds: f64,
    /// Seconds spent on searching.
    pub search_seconds: f64,
    /// Seconds spent on applying.
    pub apply_seconds: f64,
    /// Seconds spent on rebuilding.
    pub rebuild_seconds: f64,
    /// The rules that had matches or were banned.
    pub rules: Vec<RuleReport>,
    /// What the e-graph was grown from: [`crate::SaturationConfig::sides`], until a strategy starts over.
    #[serde(skip)]
    pub sides: [Vec<Id>; 2],
}

/// What one rule did in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RuleReport {
    /// The rule.
    pub rule: RuleId,
    /// As in [`Iteration::matches`].
    pub matches: u64,
    /// As in [`Iteration::new`].
    pub new: u64,
    /// As in [`Iteration::unions`].
    pub unions: u64,
    /// Whether it had too many matches, which were dropped, and is banned for some iterations.
    pub banned: bool,
}

/// What one rule did in all iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RuleTotals {
    /// The rule.
    pub rule: RuleId,
    /// As in [`Iteration::matches`].
    pub matches: u64,
    /// As in [`Iteration::new`].
    pub new: u64,
    /// As in [`Iteration::unions`].
    pub unions: u64,
    /// How often it had too many matches and was banned.
    pub bans: u64,
}

impl std::ops::AddAssign<RuleReport> for RuleTotals {
    fn add_assign(&mut self, more: RuleReport) {
        self.matches += more.matches;
        self.new += more.new;
        self.unions += more.unions;
        self.bans += u64::from(more.banned);
    }
}

/// The course of a saturation. Each single iteration is what an observer is shown.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Number of iterations, the start not counted.
    pub iterations: u64,
    /// The rules that had matches or were banned, in the order of the system.
    pub rules: Vec<RuleTotals>,
    /// Why it ended.
    pub stop: StopReason,
    /// Matches of the last iteration that were found and not applied, because of a limit. There
    /// may be others that were not even found.
    pub left_out: u64,
    /// What best-first chose, in that order, if [`crate::SaturationConfig::log`] asks for it.
    #[serde(skip)]
    pub chosen: Vec<Chosen>,
    /// The e-graphs before this one, if the schedule is a strategy that started over.
    #[serde(skip)]
    pub rebased: Vec<Rebased>,
    /// As in [`Iteration::sides`], at the end.
    #[serde(skip)]
    pub sides: [Vec<Id>; 2],
}

/// An e-graph that was left for a fresh one.
#[derive(Clone, Debug)]
pub struct Rebased {
    /// By side: the proof from each term that it was grown from to the one that the next is grown from.
    pub proofs: [Vec<Proof>; 2],
    /// What the first of these costs, by the cost that was asked for.
    pub cost: Cost,
    /// E-nodes that were built in it.
    pub built: u64,
    /// Its bytes.
    pub bytes: usize,
}

/// What applying has done.
#[derive(Default)]
pub(crate) struct Applied {
    pub rules: Vec<RuleReport>,
    pub unions: u64,
    pub visits: usize,
    pub stop: Option<StopReason>,
}
