//! A stage: one fresh e-graph grown from both sides of a question, until they meet.

use crate::search::schedulers::Schedulers;
use egraph::{
    Chosen, EGraph, History, Id, Past, SaturationConfig, Scheduler, Sketch, StopReason, System,
    TermBank, TermId, saturate_until, sketch_satisfied,
};
use std::sync::Arc;
use std::time::Instant;

/// E-nodes of the first turn of [`Stage::grow_in_turn`].
const FIRST_TURN: usize = 4_096;

/// An e-graph that was grown from two sides. All terms of a side are known to be equal.
#[derive(Debug)]
pub struct Stage {
    /// The e-graph at the end.
    pub egraph: EGraph,
    /// What the e-graph was one iteration earlier, if asked for and if there was one.
    pub before: Option<Past>,
    /// The terms of the start's side.
    pub starts: Vec<TermId>,
    /// The terms of the target's side; may be empty.
    pub targets: Vec<TermId>,
    /// A term of each side, equal in the e-graph.
    pub met: Option<(TermId, TermId)>,
    /// A term of each side that equal different literals.
    pub opposed: Option<(TermId, TermId)>,
    /// Why growth ended.
    pub stop: StopReason,
    /// The matches that best-first chose, if they were to be logged.
    pub chosen: Vec<Chosen>,
}

/// The two sides of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The side of the start.
    Start,
    /// The side of the target.
    Target,
}

/// Both of them.
pub const SIDES: [Side; 2] = [Side::Start, Side::Target];

impl Stage {
    /// Grows a fresh e-graph from the terms of both sides until a term of one equals a term of
    /// the other, or they equal different literals, or `config` ends it. What it was an iteration before is kept on request.
    pub fn grow(
        system: &Arc<System>,
        bank: &TermBank,
        starts: &[TermId],
        targets: &[TermId],
        config: &SaturationConfig,
        keep_before: bool,
    ) -> Stage {
        let mut egraph = EGraph::new(system.clone());
        let start_ids: Vec<Id> = starts.iter().map(|&t| egraph.add_term(bank, t)).collect();
        let target_ids: Vec<Id> = targets.iter().map(|&t| egraph.add_term(bank, t)).collect();
        egraph.rebuild();
        let mut past = Earlier::new(config, keep_before);
        let config =
            SaturationConfig { sides: [start_ids.clone(), target_ids.clone()], ..config.clone() };
        let report = saturate_until(&mut egraph, &config, |egraph| {
            let over = meeting(egraph, &start_ids, &target_ids).is_some()
                || opposition(egraph, &start_ids, &target_ids).is_some();
            past.see(egraph, over);
            over
        });
        // Two different literals became equal: nothing in this e-graph says anything.
        let sound = report.stop != StopReason::Conflict;
        let terms = |(s, t): (usize, usize)| (starts[s], targets[t]);
        let met = meeting(&egraph, &start_ids, &target_ids).filter(|_| sound).map(terms);
        let opposed = opposition(&egraph, &start_ids, &target_ids).filter(|_| sound).map(terms);
        let before = past.of(&egraph);
        Stage {
            egraph,
            before,
            starts: starts.to_vec(),
            targets: targets.to_vec(),
            met,
            opposed,
            stop: report.stop,
            chosen: report.chosen,
        }
    }

    /// As [`Stage::grow`], with the schedulers in turn, in e-graphs that may have four times as many
    /// e-nodes from one turn to the next, until the sides meet or none of them can grow further: what
    /// one scheduler proves early is found before the other has spent much.
    pub fn grow_in_turn(
        system: &Arc<System>,
        bank: &TermBank,
        [start, target]: [TermId; 2],
        config: &SaturationConfig,
        schedulers: Schedulers,
    ) -> Stage {
        let began = Instant::now();
        let grow = |scheduler: Scheduler, nodes: Option<usize>| {
            let mut config = SaturationConfig { scheduler, ..config.clone() };
            config.limits.nodes = nodes;
            config.limits.time = config.limits.time.map(|t| t.saturating_sub(began.elapsed()));
            Stage::grow(system, bank, &[start], &[target], &config, false)
        };
        let most = config.limits.nodes;
        let (first, other) = schedulers.in_turn();
        let Some(other) = other else { return grow(first, most) };
        let mut turns = vec![first, other];
        let mut nodes = FIRST_TURN;
        loop {
            let last_turn = most.is_some_and(|most| nodes >= most);
            let limit = Some(most.map_or(nodes, |most| nodes.min(most)));
            let mut growing = Vec::new();
            for (turn, &scheduler) in (1..).zip(&turns) {
                // One e-graph at a time: there is no memory for two.
                let stage = grow(scheduler, limit);
                if stage.met.is_some() || stage.opposed.is_some() {
                    return stage;
                }
                if stage.stop == StopReason::Nodes && !last_turn {
                    growing.push(scheduler);
                }
                if turn == turns.len() && growing.is_empty() {
                    return stage;
                }
            }
            turns = growing;
            nodes = nodes.saturating_mul(4);
        }
    }

    /// Grows a fresh e-graph from a term until a term equal to it satisfies `until`, if that is given, or
    /// `config` ends it. What it was an iteration before is kept on request.
    pub fn grow_from(
        system: &Arc<System>,
        bank: &TermBank,
        start: TermId,
        until: Option<&Sketch>,
        config: &SaturationConfig,
        keep_before: bool,
    ) -> Stage {
        let mut egraph = EGraph::new(system.clone());
        let id = egraph.add_term(bank, start);
        let mut past = Earlier::new(config, keep_before);
        let config = SaturationConfig { sides: [vec![id], Vec::new()], ..config.clone() };
        let report = saturate_until(&mut egraph, &config, |egraph| {
            let over = until.is_some_and(|s| sketch_satisfied(egraph, egraph.find(id), s));
            past.see(egraph, over);
            over
        });
        let before = past.of(&egraph);
        Stage {
            egraph,
            before,
            starts: vec![start],
            targets: Vec::new(),
            met: None,
            opposed: None,
            stop: report.stop,
            chosen: report.chosen,
        }
    }

    /// The classes of a side, ascending and distinct.
    pub fn classes(&self, bank: &TermBank, side: Side) -> Vec<Id> {
        let class = |&term: &TermId| self.egraph.lookup(bank, term);
        let mut classes: Vec<Id> = self.terms(side).iter().filter_map(class).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }

    /// The terms of a side.
    pub fn terms(&self, side: Side) -> &[TermId] {
        match side {
            Side::Start => &self.starts,
            Side::Target => &self.targets,
        }
    }

    /// The term of `side` that `term` equals in this e-graph, if any.
    pub fn equal_to(&self, bank: &TermBank, side: Side, term: TermId) -> Option<TermId> {
        let class = self.egraph.lookup(bank, term)?;
        self.terms(side).iter().copied().find(|&t| self.egraph.lookup(bank, t) == Some(class))
    }

    /// Whether the last iteration of this stage found `term`: the e-graph before it did not
    /// represent the term on that side.
    pub fn is_frontier(&self, bank: &TermBank, side: Side, term: TermId) -> bool {
        self.before.as_ref().is_some_and(|before| {
            let class = |term| before.lookup(&self.egraph, bank, term);
            let found = class(term);
            found.is_none() || self.terms(side).iter().all(|&term| class(term) != found)
        })
    }
}

/// What an e-graph was before it found its last terms: an iteration earlier, or where iterations are
/// small, as best-first does them, when it had half of the e-nodes that it may have.
struct Earlier {
    history: Option<History>,
    /// E-nodes up to which states are kept.
    most: usize,
}

impl Earlier {
    fn new(config: &SaturationConfig, keep: bool) -> Earlier {
        let (back, most) = match (config.scheduler, config.limits.nodes) {
            (Scheduler::BestFirst, Some(nodes)) => (0, nodes / 2),
            _ => (1, usize::MAX),
        };
        Earlier { history: keep.then(|| History::new(back)), most }
    }

    /// Sees the e-graph after an iteration.
    fn see(&mut self, egraph: &EGraph, over: bool) {
        if let Some(history) = &mut self.history
            && !over
            && egraph.node_count() <= self.most
        {
            history.record(egraph);
        }
    }

    fn of(self, egraph: &EGraph) -> Option<Past> {
        let snapshot = self.history?.earlier()?;
        Some(Past::new(egraph, snapshot))
    }
}

fn meeting(egraph: &EGraph, starts: &[Id], targets: &[Id]) -> Option<(usize, usize)> {
    starts.iter().enumerate().find_map(|(s, &start)| {
        let class = egraph.find(start);
        let t = targets.iter().position(|&target| egraph.find(target) == class)?;
        Some((s, t))
    })
}

/// A start and a target that are known to equal different literals.
fn opposition(egraph: &EGraph, starts: &[Id], targets: &[Id]) -> Option<(usize, usize)> {
    let literal = |ids: &[Id]| {
        ids.iter().enumerate().find_map(|(i, &id)| egraph.literal(id).map(|value| (i, value)))
    };
    let ((s, start), (t, target)) = (literal(starts)?, literal(targets)?);
    (start != target).then_some((s, t))
}
