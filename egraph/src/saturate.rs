//! Saturation: searches all rules, applies what matched, rebuilds; until a limit or the goal.

use crate::egraph::EGraph;
use crate::matching::{Matches, search};
use crate::rewrite::{Rewrite, Scratch};
use crate::schedule::Schedule;
use crate::scheduler::{Bans, Scheduler};
use crate::system::{RuleId, RulesetId, System};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// When to stop, each `None` for never. Only `time` is not reproducible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the e-graph, see [`EGraph::heap_bytes`]. Holds inside an iteration.
    pub memory: Option<usize>,
    /// Canonical e-nodes. Holds inside an iteration.
    pub nodes: Option<usize>,
    /// Iterations.
    pub iterations: Option<u64>,
    /// Wall-clock time, looked at now and then inside an iteration.
    pub time: Option<Duration>,
}

/// How to saturate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaturationConfig {
    /// When to stop.
    pub limits: Limits,
    /// How rules that match too often are treated.
    pub scheduler: Scheduler,
}

/// Why saturation stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopReason {
    /// No rule changes anything, or the system's schedule came to its end.
    Saturated,
    /// The next match might have taken the e-graph over the memory limit.
    Memory,
    /// The next match might have taken the e-graph over the limit on e-nodes.
    Nodes,
    /// The limit on iterations.
    Iterations,
    /// The time limit.
    Time,
    /// The observer was satisfied.
    Goal,
    /// Two distinct literals were found equal; see [`EGraph::conflict`].
    Conflict,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Saturated => "saturated",
            StopReason::Memory => "memory",
            StopReason::Nodes => "nodes",
            StopReason::Iterations => "iterations",
            StopReason::Time => "time",
            StopReason::Goal => "goal",
            StopReason::Conflict => "conflict",
        })
    }
}

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
    /// Matches found.
    pub matches: u64,
    /// Matches that united two classes.
    pub unions: u64,
    /// Seconds spent on searching, applying and rebuilding.
    pub seconds: f64,
}

/// The course of a saturation.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// One entry per iteration, the start first.
    pub iterations: Vec<Iteration>,
    /// Why it ended.
    pub stop: StopReason,
}

/// Saturates `egraph` with its system's rules, in the order of the system's schedule.
///
/// All conditions and computed literals of an iteration are decided against the e-graph as it
/// was before the iteration. `observer` sees the rebuilt e-graph after every iteration,
/// including number 0, the start; `Break` stops with [`StopReason::Goal`].
pub fn saturate(
    egraph: &mut EGraph,
    config: &SaturationConfig,
    observer: &mut dyn FnMut(&EGraph, &Iteration) -> ControlFlow<()>,
) -> Report {
    let system = egraph.system().clone();
    let mut run = Run {
        rewrites: (0..system.rules.len())
            .map(|i| Rewrite::compile(&system.rules[i], RuleId(i as u32)))
            .collect(),
        bans: Bans::new(config.scheduler, system.rules.len()),
        system: system.clone(),
        egraph,
        config,
        observer,
        started: Instant::now(),
        iterations: Vec::new(),
    };
    let schedule = system.schedule.clone().unwrap_or_else(Schedule::all_rules);
    let stop = match run.start().map_break(|()| StopReason::Goal) {
        ControlFlow::Break(stop) => stop,
        ControlFlow::Continue(()) => match run.execute(&schedule) {
            ControlFlow::Break(stop) => stop,
            ControlFlow::Continue(_) => StopReason::Saturated,
        },
    };
    Report { iterations: run.iterations, stop }
}

struct Run<'a> {
    system: Arc<System>,
    rewrites: Vec<Rewrite>,
    bans: Bans,
    egraph: &'a mut EGraph,
    config: &'a SaturationConfig,
    observer: &'a mut dyn FnMut(&EGraph, &Iteration) -> ControlFlow<()>,
    started: Instant,
    iterations: Vec<Iteration>,
}

/// Matches are applied in runs of this many between looks at the clock.
const CLOCK_EVERY: usize = 1_024;

impl Run<'_> {
    fn start(&mut self) -> ControlFlow<()> {
        self.egraph.rebuild();
        self.report(0, 0, Duration::ZERO)
    }

    fn report(&mut self, matches: u64, unions: u64, took: Duration) -> ControlFlow<()> {
        let iteration = Iteration {
            iteration: self.iterations.len() as u64,
            e_nodes: self.egraph.node_count(),
            e_classes: self.egraph.class_count(),
            bytes: self.egraph.heap_bytes(),
            built: self.egraph.built(),
            matches,
            unions,
            seconds: took.as_secs_f64(),
        };
        let flow = (self.observer)(self.egraph, &iteration);
        self.iterations.push(iteration);
        flow
    }

    /// Runs a schedule; whether it changed the e-graph.
    fn execute(&mut self, schedule: &Schedule) -> ControlFlow<StopReason, bool> {
        match schedule {
            Schedule::Run(ruleset) => self.iterate(*ruleset),
            Schedule::Saturate(inner) => {
                let mut changed = false;
                while self.execute(inner)? {
                    changed = true;
                }
                ControlFlow::Continue(changed)
            }
            Schedule::Repeat(times, inner) => {
                let mut changed = false;
                for _ in 0..*times {
                    if !self.execute(inner)? {
                        break;
                    }
                    changed = true;
                }
                ControlFlow::Continue(changed)
            }
            Schedule::Seq(all) => {
                let mut changed = false;
                for inner in all {
                    changed |= self.execute(inner)?;
                }
                ControlFlow::Continue(changed)
            }
        }
    }

    fn out_of_time(&self) -> bool {
        self.config.limits.time.is_some_and(|limit| self.started.elapsed() >= limit)
    }

    /// One iteration; whether it changed the e-graph, or may do so once bans end.
    fn iterate(&mut self, ruleset: Option<RulesetId>) -> ControlFlow<StopReason, bool> {
        let number = self.iterations.len() as u64 - 1;
        if self.config.limits.iterations.is_some_and(|limit| number >= limit) {
            return ControlFlow::Break(StopReason::Iterations);
        }
        let began = Instant::now();
        let built = self.egraph.built();
        let (matches, mut stop) = self.search(ruleset, number);
        let mut found = 0;
        let mut unions = 0;
        let mut scratch = Scratch::default();
        'rules: for (rule, matches) in &matches {
            let rewrite = &self.rewrites[*rule];
            found += matches.len(rewrite) as u64;
            for (i, ids) in matches.ids.chunks_exact(rewrite.stride()).enumerate() {
                if i % CLOCK_EVERY == CLOCK_EVERY - 1 && self.out_of_time() {
                    stop = Some(StopReason::Time);
                    break 'rules;
                }
                if let Some(limit) = full(self.egraph, &self.config.limits, rewrite) {
                    stop = Some(limit);
                    break 'rules;
                }
                let rule = &self.system.rules[*rule];
                unions += u64::from(rewrite.apply(self.egraph, rule, ids, &mut scratch));
            }
        }
        self.egraph.rebuild();
        let changed = unions > 0 || self.egraph.built() > built;
        if self.report(found, unions, began.elapsed()).is_break() {
            return ControlFlow::Break(StopReason::Goal);
        }
        if self.egraph.conflict().is_some() {
            return ControlFlow::Break(StopReason::Conflict);
        }
        if let Some(stop) = stop {
            return ControlFlow::Break(stop);
        }
        if self.out_of_time() {
            return ControlFlow::Break(StopReason::Time);
        }
        if !changed && self.bans.any_banned(number + 1) {
            self.bans.lift_all(number + 1);
            return ControlFlow::Continue(true);
        }
        ControlFlow::Continue(changed)
    }

    /// The matches of all rules that may run, by rule. The matches too must fit into what the
    /// memory limit leaves; if they don't, the rest is left out, which ends the run.
    fn search(
        &mut self,
        ruleset: Option<RulesetId>,
        number: u64,
    ) -> (Vec<(usize, Matches)>, Option<StopReason>) {
        let mut room = match self.config.limits.memory {
            Some(limit) => limit.saturating_sub(self.egraph.heap_bytes()) / size_of::<u32>(),
            None => usize::MAX,
        };
        let mut all = Vec::new();
        for rule in 0..self.rewrites.len() {
            let in_ruleset = ruleset.is_none() || self.system.rules[rule].ruleset == ruleset;
            if !in_ruleset || self.bans.is_banned(rule, number) {
                continue;
            }
            if self.out_of_time() {
                return (all, Some(StopReason::Time));
            }
            let rewrite = &self.rewrites[rule];
            let enough = self.bans.match_limit(rule).saturating_add(1);
            let allowed = room.min(enough.saturating_mul(rewrite.stride()));
            let matches = search(self.egraph, rewrite, &self.system.rules[rule], allowed);
            if self.bans.refuse(rule, number, matches.len(rewrite)) {
                continue;
            }
            room -= matches.ids.len();
            let truncated = matches.truncated;
            all.push((rule, matches));
            if truncated {
                return (all, Some(StopReason::Memory));
            }
        }
        (all, None)
    }
}

/// The limit that applying one more match might break.
fn full(egraph: &mut EGraph, limits: &Limits, rewrite: &Rewrite) -> Option<StopReason> {
    if limits.nodes.is_some_and(|limit| egraph.node_count() + rewrite.room.nodes > limit) {
        return Some(StopReason::Nodes);
    }
    let limit = limits.memory.unwrap_or(usize::MAX);
    (!egraph.reserve(rewrite.room, limit)).then_some(StopReason::Memory)
}
