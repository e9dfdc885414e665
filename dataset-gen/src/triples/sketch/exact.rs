//! The smallest set of positions that refuses enough terms.
//!
//! The search goes through the positions in pre-order, keeping one or leaving out all below it,
//! and is an A*: what is kept already, plus a bound on what must still be kept. The bound is the
//! way down to the nearest position for the start, or for that one of the others which is the
//! nearest when as many as may satisfy the sketch are left out, the farthest first. It is
//! consistent, so the first sketch found has the fewest nodes. Two ways to the same place that
//! refuse the same terms are one.

use super::Task;
use crate::triples::sketch::differences::Differences;
use rustc_hash::FxHashSet;

/// States of the search at most: a few milliseconds.
pub(super) const MOST_STATES: usize = 20_000;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Whether each position is kept.
    Found(Vec<bool>),
    None,
    /// Too many states, or too many terms.
    GaveUp,
}

impl Task {
    /// The smallest set of positions, by A*.
    pub(super) fn exact(&self, most_states: usize) -> Answer {
        let Differences { positions, ends } = &self.differences;
        if self.weights.len() > 128 {
            return Answer::GaveUp;
        }
        let masks: Vec<u128> = positions
            .iter()
            .map(|position| position.differing.iter().fold(0, |mask, &term| mask | 1 << term))
            .collect();
        let mut all_below = masks.clone();
        for (place, position) in positions.iter().enumerate().skip(1).rev() {
            all_below[position.parent] |= all_below[place];
        }
        let near = Near::new(self);
        let mut bounds = Vec::new();
        let mut states = vec![State { next: 0, refused: 0, kept: 0, from: 0, taken: 0 }];
        let mut seen: FxHashSet<(usize, u128)> = FxHashSet::default();
        let Some(first) = near.bound(self, &states[0], &mut bounds) else { return Answer::None };
        // By what a sketch from here on has at least. The bound is consistent, so none is added
        // before the one that is taken from.
        let mut queue: Vec<Vec<usize>> = vec![Vec::new(); first + 1];
        queue[first].push(0);
        let mut least = first;
        while least < queue.len() {
            let Some(number) = queue[least].pop() else {
                least += 1;
                continue;
            };
            let state = states[number];
            if !seen.insert((state.next, state.refused)) {
                continue;
            }
            if state.kept == least {
                return Answer::Found(self.kept(&states, number));
            }
            let mut place = state.next;
            while place < positions.len() {
                let refused = state.refused | masks[place];
                let mut next = place + 1;
                // What refuses nothing more is left out here, so that equal states look equal.
                while next < positions.len() && all_below[next] & !refused == 0 {
                    next = ends[next];
                }
                let kept = state.kept + 1;
                let new = State { next, refused, kept, from: number, taken: place };
                if let Some(bound) = near.bound(self, &new, &mut bounds) {
                    let at = kept + bound;
                    queue.resize_with(queue.len().max(at + 1), Vec::new);
                    queue[at].push(states.len());
                    states.push(new);
                }
                place = ends[place];
            }
            if states.len() > most_states {
                return Answer::GaveUp;
            }
        }
        Answer::None
    }

    fn kept(&self, states: &[State], mut number: usize) -> Vec<bool> {
        let mut kept = vec![false; self.differences.positions.len()];
        while states[number].kept > 0 {
            kept[states[number].taken] = true;
            number = states[number].from;
        }
        kept
    }
}

#[derive(Clone, Copy)]
struct State {
    /// The position that is decided upon next; those before it are, all above it are kept.
    next: usize,
    /// The terms that the kept positions refuse.
    refused: u128,
    /// How many are kept.
    kept: usize,
    /// The state before, and the position that was kept since.
    from: usize,
    taken: usize,
}

/// How many positions more must be kept, from each place on, to refuse each term.
struct Near {
    /// By place and term; [`FAR`] where no position from there on does.
    nodes: Vec<u32>,
    terms: usize,
}

const FAR: u32 = u32::MAX;

impl Near {
    fn new(task: &Task) -> Near {
        let Differences { positions, ends } = &task.differences;
        let terms = task.weights.len();
        // First those below each place, then those after it, too.
        let mut nodes = vec![FAR; (positions.len() + 1) * terms];
        for (place, position) in positions.iter().enumerate().rev() {
            position.differing.iter().for_each(|&term| nodes[place * terms + term] = 1);
            if place > 0 {
                for term in 0..terms {
                    let here = nodes[place * terms + term].saturating_add(1);
                    let above = &mut nodes[position.parent * terms + term];
                    *above = here.min(*above);
                }
            }
        }
        for place in (0..positions.len()).rev() {
            for term in 0..terms {
                let after = nodes[ends[place] * terms + term];
                let here = &mut nodes[place * terms + term];
                *here = after.min(*here);
            }
        }
        Near { nodes, terms }
    }

    /// The least number of positions that must be kept besides; `None` if no number of them is enough.
    /// `room` is memory to use again.
    fn bound(&self, task: &Task, state: &State, room: &mut Vec<(u32, usize)>) -> Option<usize> {
        let near = &self.nodes[state.next * self.terms..][..self.terms];
        room.clear();
        room.extend(near.iter().copied().zip(task.weights.iter().copied()).enumerate().filter_map(
            |(term, other)| (term > 0 && state.refused >> term & 1 == 0).then_some(other),
        ));
        room.sort_unstable_by(|a, b| b.cmp(a));
        let mut satisfying = 0;
        let other = room.iter().find(|(_, weight)| {
            satisfying += weight;
            satisfying > task.spare
        });
        let other = other.map_or(0, |&(nodes, _)| nodes);
        let start = if state.refused & 1 == 0 { near[0] } else { 0 };
        let bound = other.max(start);
        (bound < FAR).then_some(bound as usize)
    }
}
