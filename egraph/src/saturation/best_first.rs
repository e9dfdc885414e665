//! Best first: all matches wait in one place, and in every iteration the most promising of them are
//! applied, a few in proportion to the e-graph. So an e-graph of the same size goes much deeper where it
//! is worth while than with all matches of every iteration.
//!
//! Ranks change as the e-graph grows, but looking at a match takes more time than all else that is done for it. So an order whose
//! ranks may be old is asked again only for what may be applied next, and for the rest in turn.

use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::matching::all_rules::{Matches, RuleMatches};
use crate::matching::matches::Halt;
use crate::matching::near_changes::NearChanges;
use crate::rules::system::System;
use crate::saturation::fitting::put_fitting_first;
use crate::saturation::match_order::{MatchOrder, MatchView};
use crate::saturation::sight::{Shapes, Sight, SightRoom};
use crate::saturation::surroundings::Sizes;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::sync::Arc;

/// Matches applied in an iteration at least,
const LEAST: usize = 30;
/// and one for so many e-nodes; with them all that rank as the last of these. More of them make
/// iterations fewer and worse.
const NODES_PER_MATCH: usize = 20;

/// Matches that are looked at again in every iteration, for each that is applied: those that ranked best when they were looked
/// at last,
const REACH: usize = 8;
/// and iterations after which each of the others is looked at again.
const TURN: u32 = 4;

/// Where the terms of less than one class in so many may have become smaller, only these are looked at.
const FEW: usize = 2;

/// Matches taken in together.
const TOGETHER: usize = 4_096;

/// Matches looked at together, by one thread.
const PART: usize = 256;

/// What a match takes while it is ranked and sifted, for each byte that it takes when it is found, and
/// for each that it takes while it waits; about.
const BYTES_PER_FOUND: usize = 3;
const BYTES_PER_WAITING: usize = 3;

/// The rank of a match that would change nothing,
const KNOWN: f32 = f32::NAN;
/// and of one that nobody looked at yet.
const NEW: f32 = f32::INFINITY;

/// Matches that were found and not applied yet.
#[derive(Debug)]
pub(crate) struct Waiting {
    /// Held apart while ranks are written.
    shapes: Arc<Shapes>,
    /// By rule: ids of a match.
    strides: Vec<usize>,
    /// By match: the rule, and the iteration in which it was found.
    found: Vec<(u32, u32)>,
    /// By match: the rank that it had when it was looked at last.
    ranks: Vec<f32>,
    /// Their ids, one after the other.
    ids: Vec<Id>,
    /// What has changed since they were looked at last.
    changes: NearChanges,
    /// The sizes of the terms then.
    sizes: Sizes,
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
    /// Which of the part these are.
    places: Vec<usize>,
    ranks: Vec<f32>,
}

/// Where a match stands: its number, and where its ids begin. There are many of them for a while.
#[derive(Clone, Copy)]
struct At {
    number: u32,
    ids: u32,
}

impl At {
    fn number(self) -> usize {
        self.number as usize
    }
}

/// Whether an order looks at all matches in every iteration, and asks for nothing but their excess.
fn always_looks_at_all(order: &dyn MatchOrder) -> bool {
    order.rank_of_excess(0).is_some() && !order.ranks_may_be_old()
}

/// A number for a rank, the less the larger it is, as [`f32::total_cmp`] has it: numbers are selected from in less time.
fn best_least(rank: f32) -> i32 {
    let bits = rank.to_bits() as i32;
    !(bits ^ ((bits >> 31) as u32 >> 1) as i32)
}

/// How many matches are applied.
fn wanted(choice: &Choice<'_>) -> usize {
    LEAST.max(choice.egraph.node_count() / NODES_PER_MATCH)
}

impl Waiting {
    /// None yet, of the rules of a system.
    pub fn new(system: &System) -> Waiting {
        Waiting {
            shapes: Arc::new(Shapes::of(system.rules.len())),
            strides: system.rewrites.iter().map(|rewrite| rewrite.stride()).collect(),
            found: Vec::new(),
            ranks: Vec::new(),
            ids: Vec::new(),
            changes: NearChanges::default(),
            sizes: Sizes::default(),
            gave_up: false,
        }
    }

    /// Bytes that the matches take.
    pub fn heap_bytes(&self) -> usize {
        self.found.capacity() * size_of::<(u32, u32)>()
            + self.ranks.capacity() * size_of::<f32>()
            + self.ids.capacity() * size_of::<Id>()
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
        self.ranks.shrink_to_fit();
        self.ids.shrink_to_fit();
    }

    /// Takes in what was found in an iteration.
    pub fn take_in(&mut self, found: &mut Matches, iteration: u64) {
        self.gave_up |= found.halted == Some(Halt::Full);
        let mut ids = Vec::new();
        for queue in &mut found.queues {
            while let Some(number) = queue.pop(TOGETHER, &mut ids) {
                let rule = found.rules[number].rule;
                // They are numbered by 32 bits.
                if self.ids.len() + ids.len() > u32::MAX as usize {
                    self.gave_up = true;
                    return;
                }
                let count = ids.len() / self.strides[rule];
                let iteration = u32::try_from(iteration).unwrap_or(u32::MAX);
                self.found.extend(std::iter::repeat_n((rule as u32, iteration), count));
                self.ranks.extend(std::iter::repeat_n(NEW, count));
                self.ids.extend_from_slice(&ids);
            }
        }
    }

    /// The most promising matches, which then wait no more; what each of them looks like comes into
    /// `log`, if there is one. What has become known since it was found is forgotten.
    pub fn choose(&mut self, choice: &Choice<'_>, log: Option<&mut Vec<Chosen>>) -> Matches {
        let shapes = self.shapes.clone();
        let sizes = self.look_at_sizes(choice);
        let sight = Sight::new(choice.egraph, sizes, &shapes, choice.sides, choice.iteration);
        let mut looked_at = self.worth_a_look(choice);
        self.look(&sight, choice, &looked_at);
        if looked_at.len() < self.found.len()
            && self.ready(choice, &looked_at).count() < wanted(choice)
        {
            looked_at = self.everything();
            self.look(&sight, choice, &looked_at);
        }
        let mut chosen = self.best(choice, &looked_at);
        // In the order of the rules, as elsewhere.
        chosen.sort_by_key(|at| self.found[at.number()].0);
        let mut matches = Matches::default();
        for &at in &chosen {
            let rule = self.found[at.number()].0 as usize;
            if matches.rules.last().is_none_or(|last| last.rule != rule) {
                matches.rules.push(RuleMatches { rule, seen: 0, found: 0, all: Some(0) });
            }
            let number = matches.rules.len() - 1;
            matches.rules[number].seen += 1;
            matches.rules[number].found += 1;
            matches.queues[0].push(number, self.ids_of(at));
        }
        if let Some(log) = log {
            let mut room = SightRoom::default();
            log.extend(chosen.iter().filter_map(|&at| {
                let ids = self.ids_of(at);
                let seen = sight.view(self.found[at.number()], ids, &mut room)?;
                Some(Chosen { ids: ids.into(), seen })
            }));
        }
        drop(looked_at);
        let sizes = Some(sight.into_sizes());
        self.sizes = sizes.filter(|_| self.changes.remembers()).unwrap_or_default();
        // They change nothing any more.
        chosen.iter().for_each(|at| self.ranks[at.number()] = KNOWN);
        self.keep(choice.room / 2);
        matches
    }

    /// Sees what has changed, and brings the sizes up to date.
    fn look_at_sizes(&mut self, choice: &Choice<'_>) -> Sizes {
        self.changes.look(choice.egraph, always_looks_at_all(choice.order));
        let few = choice.egraph.class_count() / FEW;
        let sizes = match self.changes.nearest().filter(|nearest| nearest.len() < few) {
            Some(nearest) => std::mem::take(&mut self.sizes).update(choice.egraph, nearest),
            None => Sizes::of(choice.egraph),
        };
        debug_assert!({
            let anew = Sizes::of(choice.egraph);
            choice.egraph.classes().all(|class| anew.size(class) == sizes.size(class))
        });
        sizes
    }

    /// All matches, without room to spare.
    fn everything(&self) -> Vec<At> {
        let mut all = Vec::with_capacity(self.found.len());
        all.extend(self.all());
        all
    }

    fn all(&self) -> impl Iterator<Item = At> + '_ {
        self.found.iter().enumerate().scan(0, |next, (number, &(rule, _))| {
            let ids = *next;
            *next += self.strides[rule as usize];
            Some(At { number: number as u32, ids: ids as u32 })
        })
    }

    fn ids_of(&self, at: At) -> &[Id] {
        let ids = at.ids as usize;
        &self.ids[ids..ids + self.strides[self.found[at.number()].0 as usize]]
    }

    /// The matches to look at before some are applied.
    fn worth_a_look(&self, choice: &Choice<'_>) -> Vec<At> {
        if !choice.order.ranks_may_be_old() {
            return self.everything();
        }
        let runs = |rule: u32| (choice.runs)(rule as usize);
        let seen = self
            .ranks
            .iter()
            .zip(&self.found)
            .filter(|(rank, found)| **rank < NEW && runs(found.0));
        let mut ranks: Vec<f32> = seen.map(|(rank, _)| *rank).collect();
        let reach = REACH * wanted(choice);
        if ranks.len() <= reach {
            return self.everything();
        }
        let (_, &mut least, _) = ranks.select_nth_unstable_by(reach, |a, b| b.total_cmp(a));
        let now = u32::try_from(choice.iteration).unwrap_or(u32::MAX);
        let in_turn = |found: u32| now.saturating_sub(found).is_multiple_of(TURN);
        let worth =
            |at: &At| self.ranks[at.number()] >= least || in_turn(self.found[at.number()].1);
        self.all().filter(worth).collect()
    }

    /// Ranks some of the matches.
    fn look(&mut self, sight: &Sight<'_>, choice: &Choice<'_>, these: &[At]) {
        let mut ranks = vec![KNOWN; these.len()];
        let rank = |room: &mut PartRoom, (these, ranks): (&[At], &mut [f32])| {
            self.rank(sight, choice.order, these, ranks, room);
        };
        let threads = choice.pool.map_or(1, ThreadPool::current_num_threads);
        match choice.pool.filter(|_| threads > 1 && these.len() > PART) {
            Some(pool) => pool.install(|| {
                let parts = these.par_chunks(PART).zip(ranks.par_chunks_mut(PART));
                parts.for_each_init(PartRoom::default, rank);
            }),
            None => {
                let mut room = PartRoom::default();
                let parts = these.chunks(PART).zip(ranks.chunks_mut(PART));
                parts.for_each(|part| rank(&mut room, part));
            }
        }
        these.iter().zip(ranks).for_each(|(at, rank)| self.ranks[at.number()] = rank);
    }

    /// The rank of each of these matches; as it was, [`KNOWN`], for those that would change nothing.
    fn rank(
        &self,
        sight: &Sight<'_>,
        order: &dyn MatchOrder,
        these: &[At],
        ranks: &mut [f32],
        room: &mut PartRoom,
    ) {
        let PartRoom { sight: sight_room, seen, places, ranks: known } = room;
        if order.rank_of_excess(0).is_some() {
            let looks_at_all = always_looks_at_all(order);
            for (at, rank) in these.iter().zip(ranks) {
                let number = at.number();
                // The search that has just found it has seen that it would change something.
                let is_new = self.ranks[number] == NEW;
                let came = |class, depth| {
                    !looks_at_all || !is_new && self.changes.may_have_come(class, depth)
                };
                let excess = sight.excess(self.found[number].0, self.ids_of(*at), sight_room, came);
                *rank = excess.and_then(|excess| order.rank_of_excess(excess)).unwrap_or(KNOWN);
            }
            return;
        }
        seen.clear();
        places.clear();
        known.clear();
        for (place, at) in these.iter().enumerate() {
            if let Some(view) = sight.view(self.found[at.number()], self.ids_of(*at), sight_room) {
                seen.push(view);
                places.push(place);
            }
        }
        order.rank(seen, known);
        for (&place, &rank) in places.iter().zip(&*known) {
            ranks[place] = rank;
        }
    }

    /// Those of these matches that would change something and whose rules may run now.
    fn ready<'a>(
        &'a self,
        choice: &'a Choice<'_>,
        these: &'a [At],
    ) -> impl Iterator<Item = At> + 'a {
        // Those of a rule mostly come one after the other.
        let mut last = (u32::MAX, false);
        these.iter().copied().filter(move |at| {
            let rule = self.found[at.number()].0;
            if rule != last.0 {
                last = (rule, (choice.runs)(rule as usize));
            }
            last.1 && !self.ranks[at.number()].is_nan()
        })
    }

    /// Those of these matches that are applied: the most promising, and all that rank as the last of these.
    fn best(&self, choice: &Choice<'_>, these: &[At]) -> Vec<At> {
        let key = |at: At| best_least(self.ranks[at.number()]);
        let mut ranks: Vec<i32> = Vec::with_capacity(these.len());
        ranks.extend(self.ready(choice, these).map(key));
        let Some(last) = wanted(choice).min(ranks.len()).checked_sub(1) else {
            return Vec::new();
        };
        let (_, &mut least, _) = ranks.select_nth_unstable(last);
        self.ready(choice, these).filter(|&at| key(at) <= least).collect()
    }

    /// Keeps what would change something, as far as there is room: the most promising.
    fn keep(&mut self, room: usize) {
        let stride = |i: usize| self.strides[self.found[i].0 as usize];
        let bytes = |matches: usize, ids: usize| (3 * matches + ids) * size_of::<Id>();
        let is_known = |i: &usize| self.ranks[*i].is_nan();
        let known = (0..self.found.len()).filter(is_known);
        let known = known.fold((0, 0), |(known, ids), i| (known + 1, ids + stride(i)));
        // Half of the room: the other is for what is found next.
        if bytes(self.found.len() - known.0, self.ids.len() - known.1) > room {
            let mut left: Vec<u32> = Vec::with_capacity(self.found.len() - known.0);
            left.extend((0..self.found.len() as u32).filter(|&i| !is_known(&(i as usize))));
            let rank = |i: u32| self.ranks[i as usize];
            let by_rank = |&a: &u32, &b: &u32| rank(b).total_cmp(&rank(a)).then(a.cmp(&b));
            let bytes = |i: u32| bytes(1, stride(i as usize));
            let fitting = put_fitting_first(&mut left, room, bytes, by_rank);
            left[fitting..].iter().for_each(|&i| self.ranks[i as usize] = KNOWN);
            self.gave_up = true;
        }
        // Runs of what stays are moved together. Where the next one goes; where the one that goes on began, and where it ends.
        let (mut count, mut ids) = (0, 0);
        let (mut first, mut first_id, mut at) = (0, 0, 0);
        for i in 0..=self.found.len() {
            let ends = self.ranks.get(i).is_none_or(|rank| rank.is_nan());
            if ends && first < i {
                self.found.copy_within(first..i, count);
                self.ranks.copy_within(first..i, count);
                self.ids.copy_within(first_id..at, ids);
                count += i - first;
                ids += at - first_id;
            }
            at += self.found.get(i).map_or(0, |found| self.strides[found.0 as usize]);
            if ends {
                (first, first_id) = (i + 1, at);
            }
        }
        self.found.truncate(count);
        self.ranks.truncate(count);
        self.ids.truncate(ids);
        if self.ids.capacity() > 4 * self.ids.len() {
            self.shrink();
        }
    }
}
