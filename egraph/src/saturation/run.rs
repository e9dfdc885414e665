//! Saturation: searches all rules, applies what matched, rebuilds; until a limit or the goal.

use crate::graph::egraph::EGraph;
use crate::graph::seen::Seen;
use crate::id::Id;
use crate::matching::all_rules::{MatchRoom, Matches, Request, search};
use crate::rules::costs::function::CostFunction;
use crate::rules::rule::RuleId;
use crate::rules::schedule::BackOff;
use crate::rules::schedule::{RuleChoice, Schedule};
use crate::rules::system::System;
use crate::saturation::best_first::{Choice, Chosen, Waiting};
use crate::saturation::match_order::{MatchOrder, SmallestFirst};
use crate::saturation::progress::{Done, Sought};
use crate::saturation::report::{Applied, Iteration, Rebased, Report, RuleTotals};
use crate::saturation::scheduler::{Bans, Scheduler};
use crate::stop::{Cancel, Limits, StopReason, Watch};
use crate::term::bank::{TermBank, TermId};
use rayon::ThreadPool;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How to saturate.
#[derive(Clone, Debug, Default)]
pub struct SaturationConfig {
    /// When to stop.
    pub limits: Limits,
    /// How rules that match too often are treated.
    pub scheduler: Scheduler,
    /// Threads to search with; the result is the same without.
    pub pool: Option<Arc<ThreadPool>>,
    /// Stops the run soon, as a time limit does.
    pub cancel: Option<Cancel>,
    /// What the e-graph was grown from, the start's side and the target's. For [`Scheduler::BestFirst`]: matches are
    /// judged by what they bring in the terms of these classes; of every class if there are none. For strategies: what
    /// goals are about, and what is started over from.
    pub sides: [Vec<Id>; 2],
    /// For [`Scheduler::BestFirst`]: which matches are promising; [`SmallestFirst`] by default.
    pub order: Option<Arc<dyn MatchOrder>>,
    /// For [`Scheduler::BestFirst`]: whether the report says what was chosen.
    pub keep_chosen: bool,
    /// Go on from the last run on the e-graph, and look only at what is new since, as a term that was added. Where that run
    /// left matches out, or was best-first, everything is looked at again.
    pub go_on: bool,
    /// In which order rules run; as the system says without.
    pub schedule: Option<Arc<Schedule>>,
    /// What is best where a strategy starts over and does not say so; the cost called `cost` without.
    pub cost: Option<CostFunction>,
}

/// Saturates `egraph` with its system's rules, in the order of the schedule.
///
/// All conditions and computed literals of an iteration are decided against the e-graph as it
/// was before the iteration. `observer` sees the rebuilt e-graph after every iteration,
/// including number 0, the start; `Break` stops with [`StopReason::Goal`]. A schedule that starts over needs
/// [`follow`]: it ends here with [`StopReason::Lost`] where it would.
pub fn saturate(
    egraph: &mut EGraph,
    config: &SaturationConfig,
    observer: &mut Observer<'_>,
) -> Report {
    in_pool(egraph, None, config, observer)
}

/// As [`saturate`], with a schedule that may be a strategy: it may start over from the best terms of the classes of
/// `terms`, the start's side and the target's, which take the place of `config.sides`. The e-graph is then another one, and its classes are those of [`Iteration::sides`] and
/// [`Report::sides`]; the proofs between what it was grown from before and after are in [`Report::rebased`], of terms of
/// the bank.
pub fn follow(
    egraph: &mut EGraph,
    bank: &mut TermBank,
    terms: [&[TermId]; 2],
    config: &SaturationConfig,
    observer: &mut Observer<'_>,
) -> Report {
    let sides = terms.map(|side| side.iter().map(|&t| egraph.add_term(bank, t)).collect());
    let config = SaturationConfig { sides, ..config.clone() };
    in_pool(egraph, Some((bank, terms.map(<[TermId]>::to_vec))), &config, observer)
}

/// What is started over from: terms of a bank, of the start's side and the target's. They are not always the terms of the
/// ids in `sides`: those may have been there before, as equals.
pub(super) type Begun<'a> = (&'a mut TermBank, [Vec<TermId>; 2]);

fn in_pool(
    egraph: &mut EGraph,
    from: Option<Begun<'_>>,
    config: &SaturationConfig,
    observer: &mut Observer<'_>,
) -> Report {
    match &config.pool {
        // On a thread of the pool: then what it shares out it begins itself, at once, and the
        // others join as they wake.
        Some(pool) if pool.current_num_threads() > 1 => {
            pool.install(|| saturate_here(egraph, from, config, observer))
        }
        _ => saturate_here(egraph, from, config, observer),
    }
}

/// As [`saturate`], until `holds` says so of the rebuilt e-graph after an iteration, or of the start.
pub fn saturate_until(
    egraph: &mut EGraph,
    config: &SaturationConfig,
    mut holds: impl FnMut(&EGraph) -> bool + Send,
) -> Report {
    saturate(egraph, config, &mut |egraph, _| match holds(egraph) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    })
}

/// Sees the e-graph after an iteration, and says whether to go on.
pub type Observer<'a> = dyn FnMut(&EGraph, &Iteration) -> ControlFlow<()> + Send + 'a;

fn saturate_here(
    egraph: &mut EGraph,
    from: Option<Begun<'_>>,
    config: &SaturationConfig,
    observer: &mut Observer<'_>,
) -> Report {
    let system = egraph.system().clone();
    let mut run = Run {
        bans: Vec::new(),
        unsettled: false,
        system: system.clone(),
        egraph,
        from,
        config,
        observer,
        limits: config.limits.clone(),
        sides: config.sides.clone(),
        goals: Vec::new(),
        reached: None,
        done: Done::default(),
        rebased: Vec::new(),
        watch: Watch::new(config.limits.time, config.cancel.clone()),
        iterations: 0,
        totals: Vec::new(),
        visits: 0,
        left_out: 0,
        cut: false,
        lost: config.scheduler == Scheduler::BestFirst,
        waiting: (config.scheduler == Scheduler::BestFirst).then(|| Waiting::new(&system)),
        chosen: Vec::new(),
    };
    let rules = (0..system.rules.len() as u32).map(RuleId);
    run.totals.extend(rules.map(|rule| RuleTotals {
        rule,
        matches: 0,
        new: 0,
        unions: 0,
        bans: 0,
    }));
    let back_off = (config.scheduler == Scheduler::Backoff).then(BackOff::default);
    let rules = system.rules.len();
    if !config.go_on || run.egraph.seen().epochs.is_empty() {
        *run.egraph.seen() = Seen::nothing(rules);
    }
    run.bans.push(Bans::with(back_off, &run.egraph.seen().bans));
    let said = config.schedule.as_deref().or(system.schedule.as_ref());
    let schedule = said.cloned().unwrap_or_else(|| Schedule::unsaid(system.normal_form));
    let stop = match run.start().map_break(|()| StopReason::Goal) {
        ControlFlow::Break(stop) => stop,
        ControlFlow::Continue(()) => match run.execute_all(&schedule) {
            ControlFlow::Break(stop) => stop,
            ControlFlow::Continue(true) => StopReason::Saturated,
            ControlFlow::Continue(false) => StopReason::Schedule,
        },
    };
    let done = run.iterations - 1;
    let bans = run.bans[0].after(done);
    let seen = run.egraph.seen();
    if run.lost || run.cut {
        *seen = Seen::default()
    } else {
        seen.bans = bans
    }
    let mut rules = std::mem::take(&mut run.totals);
    rules.retain(|rule| rule.matches > 0 || rule.bans > 0);
    let Run { chosen, rebased, sides, left_out, .. } = run;
    Report { iterations: done, rules, stop, left_out, chosen, rebased, sides }
}

pub(super) struct Run<'a> {
    pub(super) system: Arc<System>,
    /// The bans of the scheduler that was asked for, followed by those of each scheduler that the schedule has opened.
    pub(super) bans: Vec<Bans>,
    /// Whether a scheduler of the schedule ended while it banned a rule.
    pub(super) unsettled: bool,
    pub(super) egraph: &'a mut EGraph,
    /// What the e-graph was grown from, if it may be started over from.
    pub(super) from: Option<Begun<'a>>,
    pub(super) config: &'a SaturationConfig,
    observer: &'a mut Observer<'a>,
    /// The limits of the part of the schedule that runs now; iterations count from the beginning of the run.
    pub(super) limits: Limits,
    pub(super) watch: Watch,
    /// What the e-graph was grown from.
    pub(super) sides: [Vec<Id>; 2],
    /// The goals of the parts of the schedule around the one that runs now, the outermost first.
    pub(super) goals: Vec<Sought>,
    /// The index of the goal that was reached and has ended its part.
    pub(super) reached: Option<usize>,
    pub(super) done: Done,
    /// The e-graphs before this one.
    pub(super) rebased: Vec<Rebased>,
    /// Iterations that have been reported, the start included.
    pub(super) iterations: u64,
    /// By rule.
    totals: Vec<RuleTotals>,
    /// E-nodes tried in all iterations, and gone through to rebuild.
    pub(super) visits: usize,
    pub(super) left_out: u64,
    /// Whether matches that were seen were left out, because of a limit.
    pub(super) cut: bool,
    /// Whether matches that were seen may wait in `waiting`.
    lost: bool,
    /// What best-first has found and not applied.
    pub(super) waiting: Option<Waiting>,
    chosen: Vec<Chosen>,
}

/// What matches may take for each e-node of a limit, in bytes.
const NODE_BYTES: usize = 128;

/// All iterations together may try this many times as many e-nodes as one iteration may.
const VISITS_OF_ALL: usize = 4;

/// The index in `Run::bans` of the outermost scheduler that kept matches back in a part of a schedule, if any did: running
/// the part again may then still change something.
pub(super) type Waits = Option<usize>;

impl Run<'_> {
    fn start(&mut self) -> ControlFlow<()> {
        self.egraph.rebuild();
        self.egraph.give_back();
        self.report(Applied::default(), [Duration::ZERO; 3])
    }

    /// Reports an iteration; `took` is the time for searching, applying, rebuilding.
    fn report(&mut self, applied: Applied, took: [Duration; 3]) -> ControlFlow<()> {
        let [search, apply, rebuild] = took.map(|time| time.as_secs_f64());
        let iteration = Iteration {
            iteration: self.iterations,
            e_nodes: self.egraph.node_count(),
            e_classes: self.egraph.class_count(),
            bytes: self.egraph.heap_bytes(),
            built: self.egraph.built(),
            matches: applied.rules.iter().map(|rule| rule.matches).sum(),
            new: applied.rules.iter().map(|rule| rule.new).sum(),
            unions: applied.unions,
            visits: applied.visits as u64,
            seconds: search + apply + rebuild,
            search_seconds: search,
            apply_seconds: apply,
            rebuild_seconds: rebuild,
            rules: applied.rules,
            sides: self.sides.clone(),
        };
        self.iterations += 1;
        iteration.rules.iter().for_each(|rule| self.totals[rule.rule.0 as usize] += *rule);
        self.visits = self.visits.saturating_add(applied.visits).saturating_add(iteration.e_nodes);
        (self.observer)(self.egraph, &iteration)
    }

    /// One iteration, by the scheduler of this number.
    pub(super) fn iterate(
        &mut self,
        rules: &RuleChoice,
        by: usize,
    ) -> ControlFlow<StopReason, Waits> {
        let number = self.iterations - 1;
        if self.limits.iterations.is_some_and(|limit| number >= limit) {
            return ControlFlow::Break(StopReason::Iterations);
        }
        if let Some(stop) = self.watch.expired() {
            return ControlFlow::Break(stop);
        }
        if self.visits > self.most_visits().saturating_mul(VISITS_OF_ALL) {
            return ControlFlow::Break(StopReason::Visits);
        }
        let built = self.egraph.built();
        let began = Instant::now();
        let mut matches = self.search(rules, by, number);
        let chosen = match self.waiting {
            Some(_) => self.choose(rules, number, &mut matches),
            None => 0,
        };
        let searched = Instant::now();
        let applied = self.apply(matches);
        let done = Instant::now();
        self.egraph.rebuild();
        self.egraph.give_back();
        let changed = applied.unions > 0 || self.egraph.built() > built;
        self.done.changes += u64::from(changed);
        let stop = applied.stop;
        let took = [searched - began, done - searched, done.elapsed()];
        if self.report(applied, took).is_break() {
            return ControlFlow::Break(StopReason::Goal);
        }
        if self.egraph.conflict().is_some() {
            return ControlFlow::Break(StopReason::Conflict);
        }
        self.reached = self.goals.iter().position(|goal| goal.holds(self.egraph, &self.sides));
        if self.reached.is_some() {
            return ControlFlow::Break(StopReason::Goal);
        }
        if let Some(stop) = stop.or_else(|| self.watch.expired()) {
            return ControlFlow::Break(stop);
        }
        let mut waits = None;
        if !changed && self.bans[by].bring_forward(number) {
            waits = Some(by);
        } else if let Some(waiting) = &self.waiting
            && !changed
        {
            if chosen > 0 {
                // The next best may change something.
                waits = Some(0);
            } else if waiting.gave_up {
                return ControlFlow::Break(self.no_room());
            }
        }
        ControlFlow::Continue(waits)
    }

    /// Where best-first chooses, only the best of all matches that wait go on; how many these are.
    #[cold] // apart, so that the other schedulers' loop is what it would be without
    fn choose(&mut self, rules: &RuleChoice, number: u64, matches: &mut Matches) -> u64 {
        let [by_memory, by_nodes] = self.room_by_limits();
        let Some(waiting) = &mut self.waiting else { return 0 };
        waiting.take_in(matches, number);
        let runs = |rule: usize| rules.holds(RuleId(rule as u32), &self.system.rules[rule]);
        let order = self.config.order.as_deref().unwrap_or(&SmallestFirst);
        let choice = Choice {
            egraph: self.egraph,
            sides: &self.sides,
            order,
            iteration: number,
            runs: &runs,
            room: by_memory.min(by_nodes),
            pool: self.config.pool.as_deref(),
        };
        let log = self.config.keep_chosen.then_some(&mut self.chosen);
        let chosen = waiting.choose(&choice, log);
        if by_memory < by_nodes {
            waiting.shrink();
        }
        matches.rules = chosen.rules;
        matches.queues = chosen.queues;
        matches.queues.iter().map(|queue| queue.len() as u64).sum()
    }

    /// The e-nodes that this e-graph may have.
    pub(super) fn most_nodes(&self) -> Option<usize> {
        let spent: u64 = self.rebased.iter().map(|before| before.built).sum();
        let left = self.limits.work.map(|work| work.saturating_sub(spent));
        let left = left.map(|left| usize::try_from(left).unwrap_or(usize::MAX));
        self.limits.nodes.into_iter().chain(left).min()
    }

    /// Why there is no room for matches. A limit on them says how many are worth while for so many e-nodes.
    pub(super) fn no_room(&self) -> StopReason {
        match (self.limits.memory, self.limits.matches) {
            (Some(_), None) => StopReason::Memory,
            _ => StopReason::Nodes,
        }
    }

    /// E-nodes that one iteration may try.
    fn most_visits(&self) -> usize {
        let Limits { memory, visits, .. } = self.limits;
        let nodes = self.most_nodes();
        let by_nodes = nodes.map(|nodes| nodes.saturating_mul(NODE_BYTES));
        visits.or(memory.into_iter().chain(by_nodes).min()).unwrap_or(usize::MAX)
    }

    /// What the matches of an iteration may take.
    fn room(&self) -> MatchRoom {
        let bytes = self.room_by_limits().into_iter().fold(usize::MAX, usize::min);
        MatchRoom { bytes, visits: self.most_visits() }
    }

    /// The bytes that what is found may take by the limits on memory and on e-nodes.
    fn room_by_limits(&self) -> [usize; 2] {
        let (memory, nodes) = (self.limits.memory, self.most_nodes());
        let left = memory.map(|bytes| bytes.saturating_sub(self.egraph.heap_bytes()));
        let by_nodes = nodes.map(|nodes| nodes.saturating_mul(NODE_BYTES));
        let by_nodes = self.limits.matches.or(by_nodes);
        let [left, by_nodes] = [left, by_nodes].map(|bytes| bytes.unwrap_or(usize::MAX));
        match &self.waiting {
            Some(waiting) => {
                [waiting.room(self.egraph, left), by_nodes.saturating_sub(waiting.heap_bytes())]
            }
            None => [left, by_nodes],
        }
    }

    /// The new matches of all rules that may run. They too must fit into what the memory limit
    /// leaves; if they don't, the rest is left out, which ends the run.
    fn search(&mut self, rules: &RuleChoice, by: usize, number: u64) -> Matches {
        let room = self.room();
        let bans = &mut self.bans[by];
        let runs = |&rule: &usize| {
            rules.holds(RuleId(rule as u32), &self.system.rules[rule])
                && !bans.is_banned(rule, number)
        };
        // Best-first judges matches by what they bring.
        let exact = self.waiting.is_some();
        let seen = self.egraph.seen();
        let request = |rule: usize| Request {
            rule,
            seen: seen.epochs[rule],
            match_limit: bans.match_limit(rule),
            before: seen.matches[rule],
            exact,
        };
        let rules = 0..self.system.rules.len();
        let mut requests: Vec<Request> = Vec::with_capacity(rules.len());
        requests.extend(rules.filter(runs).map(request));
        let pool = self.config.pool.as_deref();
        let matches = search(self.egraph, &requests, room, pool, &self.watch);
        let now = self.egraph.now();
        let seen = self.egraph.seen();
        requests.iter().for_each(|request| seen.epochs[request.rule] = Some(now));
        for found in &matches.rules {
            if let Some(all) = found.all {
                seen.matches[found.rule] = all;
            } else {
                bans.ban(found.rule, number);
                let request = requests.iter().find(|request| request.rule == found.rule);
                seen.epochs[found.rule] = request.and_then(|request| request.seen);
            }
        }
        self.egraph.advance();
        matches
    }
}
