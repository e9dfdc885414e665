//! Best first: all matches wait in one place, and in every iteration the most promising of them are
//! applied, a few in proportion to the e-graph. So an e-graph of the same size goes much deeper where it
//! is worth while than with all matches of every iteration.

use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::matching::all_rules::{Matches, RuleMatches};
use crate::matching::matches::Halt;
use crate::rules::system::System;
use crate::saturation::fitting::put_fitting_first;
use crate::saturation::match_order::{MatchOrder, MatchView};
use crate::saturation::sight::{RuleShape, Sight, SightRoom};
use rayon::ThreadPool;
use rayon::prelude::*;

/// Matches applied in an iteration at least,
const LEAST: usize = 30;
/// and one for so many e-nodes; with them all that rank as the last of these. More of them make
/// iterations fewer and worse.
const NODES_PER_MATCH: usize = 20;

/// Matches taken in together.
const TOGETHER: usize = 4_096;

/// Matches looked at together, by one thread.
const PART: usize = 256;

/// What a match takes while it is ranked and sifted, for each byte that it takes when it is found, and
/// for each that it takes while it waits; about.
const BYTES_PER_FOUND: usize = 3;
const BYTES_PER_WAITING: usize = 2;

/// The rank of a match that would change nothing.
const KNOWN: f32 = f32::NAN;

/// Matches that were found and not applied yet.
#[derive(Debug)]
pub(crate) struct Waiting {
    /// By rule.
    shapes: Vec<RuleShape>,
    /// By rule: ids of a match.
    strides: Vec<usize>,
    /// By match: the rule, and the iteration in which it was found.
    found: Vec<(u32, u32)>,
    /// Their ids, one after the other.
    ids: Vec<Id>,
    /// Whether some were given up for lack of room, or not even found.
    pub gave_up: bool,
}

/// What a choice is made by.
pub(crate) struct Choice<'a> {
    pub egraph: &'a EGraph,
    /// What the e-graph was grown from; if nothing is said, every class.
    pub sides: &'a [Vec<Id>; 2],
    pub order: &'a dyn MatchOrder,
    /// Number of the iteration.
    pub iteration: u64,
    /// Whether a rule may run now.
    pub runs: &'a dyn Fn(usize) -> bool,
    /// Bytes that more matches may take.
    pub room: usize,
    /// Threads to look with; the choice is the same without.
    pub pool: Option<&'a ThreadPool>,
}

/// A match that is applied, and what was seen of it before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The matched e-node, and the other ids that the rule binds.
    pub(crate) ids: Box<[Id]>,
    /// What was seen.
    pub seen: MatchView,
}

impl Chosen {
    /// The number of the rule, and the ids that it binds, that of the matched e-node first.
    pub fn matched(&self) -> (u32, &[Id]) {
        (self.seen.rule, &self.ids)
    }
}

/// Room to look at a part of the matches in.
#[derive(Default)]
struct PartRoom {
    sight: SightRoom,
    seen: Vec<MatchView>,
    /// Which of the part they are.
    places: Vec<usize>,
    ranks: Vec<f32>,
}

impl Waiting {
    /// None yet, of the rules of a system.
    pub fn new(system: &System) -> Waiting {
        Waiting {
            shapes: RuleShape::of_all(system),
            strides: system.rewrites.iter().map(|rewrite| rewrite.stride()).collect(),
            found: Vec::new(),
            ids: Vec::new(),
            gave_up: false,
        }
    }

    /// Bytes that the matches take.
    pub fn heap_bytes(&self) -> usize {
        self.found.capacity() * size_of::<(u32, u32)>() + self.ids.capacity() * size_of::<Id>()
    }

    /// Bytes that it takes, beside the matches, to look at an e-graph.
    pub fn look_bytes(egraph: &EGraph) -> usize {
        Sight::bytes(egraph)
    }

    /// Bytes that what is found may take, of those that a limit on memory leaves.
    pub fn room(&self, egraph: &EGraph, left: usize) -> usize {
        let waiting = BYTES_PER_WAITING * self.heap_bytes();
        left.saturating_sub(Sight::bytes(egraph) + waiting) / BYTES_PER_FOUND
    }

    /// Takes no more memory than the matches that wait.
    pub fn shrink(&mut self) {
        self.found.shrink_to_fit();
        self.ids.shrink_to_fit();
    }

    /// Takes in what was found in an iteration.
    pub fn take_in(&mut self, found: &mut Matches, iteration: u64) {
        self.gave_up |= found.halted == Some(Halt::Full);
        let mut ids = Vec::new();
        for queue in &mut found.queues {
            while let Some(number) = queue.pop(TOGETHER, &mut ids) {
                let rule = found.rules[number].rule;
                let count = ids.len() / self.strides[rule];
                let iteration = u32::try_from(iteration).unwrap_or(u32::MAX);
                self.found.extend(std::iter::repeat_n((rule as u32, iteration), count));
                self.ids.extend_from_slice(&ids);
            }
        }
    }

    /// The most promising matches, which then wait no more; what each of them looks like comes into
    /// `log`, if there is one. What has become known since it was found is forgotten.
    pub fn choose(&mut self, choice: &Choice<'_>, log: Option<&mut Vec<Chosen>>) -> Matches {
        let sight = Sight::new(choice.egraph, &self.shapes, choice.sides, choice.iteration);
        let ranks = self.rank(&sight, choice);
        let last = self.last_chosen(choice, &ranks);
        let is_chosen = |rule: u32, rank: f32| {
            last.is_some_and(|last| rank >= last) && (choice.runs)(rule as usize)
        };
        // By number of the match: where its ids begin.
        let mut chosen: Vec<(usize, usize)> = Vec::new();
        for ((i, at), &rank) in self.starts().zip(&ranks) {
            if is_chosen(self.found[i].0, rank) {
                chosen.push((i, at));
            }
        }
        // In the order of the rules, as elsewhere.
        chosen.sort_by_key(|&(i, _)| self.found[i].0);
        let mut matches = Matches::default();
        for &(i, at) in &chosen {
            let rule = self.found[i].0 as usize;
            if matches.rules.last().is_none_or(|last| last.rule != rule) {
                matches.rules.push(RuleMatches { rule, seen: 0, found: 0, all: Some(0) });
            }
            let number = matches.rules.len() - 1;
            matches.rules[number].seen += 1;
            matches.rules[number].found += 1;
            matches.queues[0].push(number, self.ids_of(i, at));
        }
        if let Some(log) = log {
            let mut room = SightRoom::default();
            log.extend(chosen.iter().filter_map(|&(i, at)| {
                let ids = self.ids_of(i, at);
                let seen = sight.view(self.found[i], ids, &mut room)?;
                Some(Chosen { ids: ids.into(), seen })
            }));
        }
        drop(sight);
        self.keep(choice.room / 2, &ranks, is_chosen);
        matches
    }

    /// The matches by number, and where the ids of each begin.
    fn starts(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.found.iter().enumerate().scan(0, |next, (i, &(rule, _))| {
            let at = *next;
            *next += self.strides[rule as usize];
            Some((i, at))
        })
    }

    fn ids_of(&self, i: usize, at: usize) -> &[Id] {
        &self.ids[at..at + self.strides[self.found[i].0 as usize]]
    }

    /// The rank of each match; [`KNOWN`] for those that would change nothing.
    fn rank(&self, sight: &Sight<'_>, choice: &Choice<'_>) -> Vec<f32> {
        let mut ranks = vec![KNOWN; self.found.len()];
        let starts: Vec<(usize, usize)> = self.starts().step_by(PART).collect();
        let look = |room: &mut PartRoom, (ranks, &(first, at)): (&mut [f32], &(usize, usize))| {
            self.rank_part(sight, choice.order, (first, at), ranks, room);
        };
        let threads = choice.pool.map_or(1, ThreadPool::current_num_threads);
        match choice.pool.filter(|_| threads > 1 && starts.len() > 1) {
            Some(pool) => pool.install(|| {
                let parts = ranks.par_chunks_mut(PART).zip(&starts);
                parts.for_each_init(PartRoom::default, look);
            }),
            None => {
                let mut room = PartRoom::default();
                ranks.chunks_mut(PART).zip(&starts).for_each(|part| look(&mut room, part));
            }
        }
        ranks
    }

    /// Ranks the matches from number `first` on, whose ids begin at `at`.
    fn rank_part(
        &self,
        sight: &Sight<'_>,
        order: &dyn MatchOrder,
        (first, mut at): (usize, usize),
        ranks: &mut [f32],
        room: &mut PartRoom,
    ) {
        let PartRoom { sight: sight_room, seen, places, ranks: known } = room;
        if order.rank_of_excess(0).is_some() {
            for (i, rank) in (first..).zip(ranks) {
                let ids = self.ids_of(i, at);
                let excess = sight.excess(self.found[i], ids, sight_room);
                *rank = excess.and_then(|excess| order.rank_of_excess(excess)).unwrap_or(KNOWN);
                at += ids.len();
            }
            return;
        }
        seen.clear();
        places.clear();
        known.clear();
        for place in 0..ranks.len() {
            let ids = self.ids_of(first + place, at);
            if let Some(view) = sight.view(self.found[first + place], ids, sight_room) {
                seen.push(view);
                places.push(place);
            }
            at += ids.len();
        }
        order.rank(seen, known);
        for (&place, &rank) in places.iter().zip(&*known) {
            ranks[place] = rank;
        }
    }

    /// The lowest rank that is applied now; none if no match is.
    fn last_chosen(&self, choice: &Choice<'_>, ranks: &[f32]) -> Option<f32> {
        let mut running = Vec::with_capacity(ranks.len());
        let rules = self.found.iter().map(|&(rule, _)| rule as usize);
        let runs =
            |(&rank, rule): (&f32, usize)| (!rank.is_nan() && (choice.runs)(rule)).then_some(rank);
        running.extend(ranks.iter().zip(rules).filter_map(runs));
        let wanted = LEAST.max(choice.egraph.node_count() / NODES_PER_MATCH).min(running.len());
        let last = wanted.checked_sub(1)?;
        Some(*running.select_nth_unstable_by(last, |a, b| b.total_cmp(a)).1)
    }

    /// Keeps what was not chosen, as far as there is room: the most promising.
    fn keep(&mut self, room: usize, ranks: &[f32], is_chosen: impl Fn(u32, f32) -> bool) {
        let rule = |i: u32| self.found[i as usize].0;
        let rank = |i: u32| ranks[i as usize];
        let mut left = Vec::with_capacity(ranks.len());
        let stays = |&i: &u32| !rank(i).is_nan() && !is_chosen(rule(i), rank(i));
        left.extend((0..ranks.len() as u32).filter(stays));
        let bytes = |i: u32| (2 + self.strides[rule(i) as usize]) * size_of::<Id>();
        // Half of the room: the other is for what is found next.
        if left.iter().map(|&i| bytes(i)).sum::<usize>() > room {
            let by_rank = |&a: &u32, &b: &u32| rank(b).total_cmp(&rank(a)).then(a.cmp(&b));
            let fitting = put_fitting_first(&mut left, room, bytes, by_rank);
            left.truncate(fitting);
            left.sort_unstable();
            self.gave_up = true;
        }
        let (mut count, mut ids, mut at) = (0, 0, 0);
        for i in 0..self.found.len() {
            let stride = self.strides[self.found[i].0 as usize];
            if left.get(count) == Some(&(i as u32)) {
                self.found[count] = self.found[i];
                self.ids.copy_within(at..at + stride, ids);
                count += 1;
                ids += stride;
            }
            at += stride;
        }
        self.found.truncate(count);
        self.ids.truncate(ids);
        if self.ids.capacity() > 4 * self.ids.len() {
            self.shrink();
        }
    }
}
