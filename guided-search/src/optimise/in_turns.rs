//! E-graphs of the start, of the best term and of the normal form in turns, the smaller ones first. Those that come next if the
//! one at hand holds nothing better may grow beside it; of two such searches with another number of threads one grows in vain
//! what the other one never begins, but both see the same.

use crate::optimise::begun::Turn;
use crate::optimise::expansion::Expanded;
use crate::optimise::run::{Found, Optimiser};
use crate::options::budget::Cap;
use crate::search::turns::Turns;
use crate::search::walking::agenda::WALKS;
use crate::search::walking::ahead::Ahead;
use anyhow::Result;
use egraph::{Limits, SaturationConfig, Scheduler, StopReason, TermId};
use rustc_hash::FxHashMap;

/// E-nodes of the first turn.
const FIRST_TURN: usize = 1_024;
/// Bytes that the matches of one iteration may take for each e-node that the e-graph may have.
const BYTES_OF_MATCHES: usize = 24;
/// E-nodes of e-graphs that may grow at the same time, if the cap is no larger.
const BESIDE: usize = 1 << 20;

/// Of the last iteration of an e-graph that ends at its limit half of the matches, and more, are found in vain: those that do
/// not fit into a limit on matches are not looked for.
pub fn leave_matches_out(config: &mut SaturationConfig) {
    if config.scheduler != Scheduler::BestFirst {
        let nodes = config.limits.nodes;
        config.limits.matches = nodes.map(|nodes| nodes.saturating_mul(BYTES_OF_MATCHES));
    }
}

/// Whose turn it is: the term, the scheduler, and e-nodes at most.
fn next_turn(
    from: &[TermId],
    turns: &mut FxHashMap<TermId, Turns>,
) -> Option<(TermId, Scheduler, usize)> {
    let open = from.iter().filter_map(|&term| Some((turns[&term].nodes()?, term)));
    let (_, at) = open.min_by_key(|&(nodes, _)| nodes)?;
    let (scheduler, nodes) = turns.get_mut(&at)?.next()?;
    Some((at, scheduler, nodes))
}

impl Optimiser<'_> {
    /// Grows e-graphs from the start, from the best term and from the normal form, the smaller ones first, up to the
    /// cap, until one holds a better term. None is grown twice. What one e-graph at the cap has of the start is never
    /// missed.
    pub(super) fn in_turns(&mut self, best: TermId) -> Result<Found> {
        let scheduler = self.settings.limits.budget.scheduler;
        let mut from = vec![self.start];
        for term in [Some(best), self.form].into_iter().flatten() {
            if !from.contains(&term) {
                from.push(term);
            }
        }
        from.retain(|term| !self.expanded.contains(term));
        for &term in &from {
            // An e-graph of which the term takes most has no room for what equals it.
            let nodes = FIRST_TURN.max(2 * self.run.bank.subterms(term).len());
            self.turns.entry(term).or_insert_with(|| Turns::new(scheduler, nodes));
        }
        while let Some((at, scheduler, nodes)) = next_turn(&from, &mut self.turns) {
            if let Some(ended) = self.run.over() {
                return Ok(Found::Over(ended));
            }
            let (config, most) = self.config_of_turn(at, scheduler, nodes);
            let mut expanded = self.begin_early(&from, (at, config), most).take()?;
            let found = self.see(&expanded)?;
            let Some(turns) = self.turns.get_mut(&at) else { return Ok(found) };
            turns.ended(scheduler, expanded.stage.stop, most);
            if turns.are_over() && !matches!(found, Found::Over(_)) {
                self.expanded.insert(at);
                let leaving = self.leaving(self.run.ledger.e_graphs);
                expanded.left = Some(leaving.draw(&expanded.stage, &mut expanded.bank));
                self.leave(0, &expanded)?;
            }
            if !matches!(found, Found::Nothing) {
                return Ok(found);
            }
        }
        Ok(Found::Nothing)
    }

    /// How the e-graph of a turn grows, and e-nodes of any at most.
    fn config_of_turn(
        &self,
        at: TermId,
        scheduler: Scheduler,
        nodes: usize,
    ) -> (SaturationConfig, usize) {
        let mut config = self.run.config(self.run.cap(), scheduler);
        let most = config.limits.nodes.unwrap_or(usize::MAX);
        config.limits.nodes = Some(most.min(nodes));
        if at != self.start || nodes < most {
            leave_matches_out(&mut config);
        }
        (config, most)
    }

    /// Begins the e-graph of a turn, if it was not begun early, and the next ones beside it.
    fn begin_early(
        &mut self,
        from: &[TermId],
        (at, mut config): (TermId, SaturationConfig),
        most: usize,
    ) -> Ahead<Expanded> {
        let next = match self.crew.threads() {
            1 => Vec::new(),
            _ => self.upcoming(from, (at, &config), most),
        };
        let own = self.early.take(&self.turn(at, &config));
        let own = own.unwrap_or_else(|| {
            self.share_threads(&mut config, next.is_empty());
            self.begin(at, config, None)
        });
        self.early.keep_to(&next);
        for (turn, mut config) in next {
            if !self.early.has(&turn) {
                self.share_threads(&mut config, false);
                let begun = self.begin(turn.at, config, None);
                self.early.keep(turn, begun);
            }
        }
        own
    }

    /// The turns that come after one if it holds nothing better, as far as all of them may grow at the same time.
    fn upcoming(
        &self,
        from: &[TermId],
        (mut at, config): (TermId, &SaturationConfig),
        mut most: usize,
    ) -> Vec<(Turn, SaturationConfig)> {
        let mut turns: FxHashMap<TermId, Turns> =
            from.iter().map(|&term| (term, self.turns[&term].clone())).collect();
        let nodes_of = |config: &SaturationConfig| config.limits.nodes.unwrap_or(usize::MAX);
        let (mut scheduler, mut together) = (config.scheduler, nodes_of(config));
        let mut next = Vec::new();
        while next.len() + 1 < WALKS {
            // If it grows until it has as many e-nodes as it may.
            if let Some(turns) = turns.get_mut(&at) {
                turns.ended(scheduler, StopReason::Nodes, most);
            }
            let Some(turn) = next_turn(from, &mut turns) else { break };
            let nodes;
            (at, scheduler, nodes) = turn;
            let config;
            (config, most) = self.config_of_turn(at, scheduler, nodes);
            together = together.saturating_add(nodes_of(&config));
            if !self.is_room_for(together) {
                break;
            }
            next.push((self.turn(at, &config), config));
        }
        next
    }

    /// Whether so many e-nodes may grow at the same time: all of them must be built in any case, and take no more memory than
    /// was asked for.
    fn is_room_for(&self, nodes: usize) -> bool {
        let room = match self.run.cap() {
            Cap::Nodes(most) => most.max(BESIDE),
            memory => usize::try_from(memory.expected_nodes()).unwrap_or(usize::MAX),
        };
        nodes <= room && nodes as u64 <= self.run.left_to_grow()
    }

    fn turn(&self, at: TermId, config: &SaturationConfig) -> Turn {
        let limits = Limits { time: None, ..config.limits.clone() };
        let until_goal = self.is_until_goal();
        Turn { at, scheduler: config.scheduler, limits, until_goal }
    }
}
