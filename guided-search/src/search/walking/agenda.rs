//! What is still to be expanded: of a search pairs of terms, one of each side.
//!
//! A search *walks*: what an e-graph led to comes before what earlier ones did. A walk that
//! has nowhere to go, or is long enough, ends, and another one begins at something that was left.
//! Several walks may go on in turn, each from what its own last e-graph led to.

use egraph::TermId;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Two terms whose equality is the next question.
pub type Pair = [TermId; 2];

/// What is to be expanded, by the expansion that led to it.
#[derive(Debug)]
pub struct Agenda<T> {
    /// By expansion, the best last.
    left: Vec<Vec<T>>,
    /// Walks that go on at the same time.
    walks: [Walk; WALKS],
    /// E-graphs of a walk at most.
    longest: usize,
    /// Walks that began at something that was left.
    begun: u64,
    rng: ChaCha8Rng,
}

/// How many walks go on at a time: one for each of two threads, and one for when the search is busy with what another came to.
pub const WALKS: usize = 3;

#[derive(Clone, Copy, Debug, Default)]
struct Walk {
    /// E-graphs since it began.
    steps: usize,
    /// The place of what its last expansion led to; before there is such, what was found last of all.
    at: Option<usize>,
}

impl<T> Agenda<T> {
    /// An empty agenda for walks of `longest` e-graphs.
    pub fn new(longest: usize, rng: ChaCha8Rng) -> Agenda<T> {
        Agenda { left: Vec::new(), walks: [Walk::default(); WALKS], longest, begun: 0, rng }
    }

    /// Adds what an expansion of a walk led to, the best first.
    pub fn push(&mut self, walk: usize, mut found: Vec<T>) {
        found.reverse();
        self.walks[walk].at = Some(self.left.len());
        self.left.push(found);
    }

    /// Adds what comes after all that is left now.
    pub fn push_behind(&mut self, last: T) {
        self.left.insert(0, vec![last]);
        self.walks.iter_mut().filter_map(|walk| walk.at.as_mut()).for_each(|at| *at += 1);
    }

    /// Whether a walk has ended and another one has begun.
    pub fn has_begun_anew(&self) -> bool {
        self.begun > 0
    }

    /// The next one of a walk, if any is left.
    pub fn pop(&mut self, walk: usize) -> Option<T> {
        let own = &mut self.walks[walk];
        own.steps += 1;
        let at = own.at.or(self.left.len().checked_sub(1));
        if own.steps < self.longest
            && let Some(next) = at.and_then(|at| self.left[at].pop())
        {
            return Some(next);
        }
        *own = Walk::default();
        self.drop_empty();
        // Another walk may stand at an empty list.
        let full = self.left.iter().filter(|found| !found.is_empty()).count();
        if full == 0 {
            return None;
        }
        self.begun += 1;
        let place = self.rng.random_range(0..full);
        self.left.iter_mut().filter(|found| !found.is_empty()).nth(place)?.pop()
    }

    /// Drops what led to nothing more, but for where a walk is.
    fn drop_empty(&mut self) {
        let mut kept = 0;
        let mut places = Vec::with_capacity(self.left.len());
        for (i, found) in self.left.iter().enumerate() {
            let is_kept = !found.is_empty() || self.walks.iter().any(|walk| walk.at == Some(i));
            places.push(is_kept.then_some(kept));
            kept += usize::from(is_kept);
        }
        for walk in &mut self.walks {
            walk.at = walk.at.and_then(|at| places[at]);
        }
        let mut places = places.into_iter();
        self.left.retain(|_| places.next().flatten().is_some());
    }
}

/// Pairs of the terms of two lists, the best ranks first.
pub fn ranked(starts: &[TermId], targets: &[TermId]) -> Vec<Pair> {
    let mut pairs: Vec<(usize, Pair)> = Vec::with_capacity(starts.len() * targets.len());
    for (s, &start) in starts.iter().enumerate() {
        for (t, &target) in targets.iter().enumerate() {
            // Those on the diagonal first: each term once before any comes again.
            pairs.push((
                s.abs_diff(t) * starts.len().max(targets.len()) + s.min(t),
                [start, target],
            ));
        }
    }
    pairs.sort_by_key(|&(rank, _)| rank);
    pairs.into_iter().map(|(_, pair)| pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::randomness::stream;

    #[test]
    fn each_walk_goes_on_from_what_it_found_itself() {
        let mut agenda = Agenda::new(4, stream(0, 0, 0, 0));
        agenda.push(0, vec![1, 2]);
        agenda.push(1, vec![10, 20]);
        assert_eq!([agenda.pop(0), agenda.pop(1)], [Some(1), Some(10)]);
        agenda.push(0, vec![3]);
        agenda.push(1, vec![30]);
        agenda.push_behind(7);
        assert_eq!([agenda.pop(0), agenda.pop(1)], [Some(3), Some(30)]);
        assert!(!agenda.has_begun_anew());
        // Where a walk has nowhere to go it begins at anything that was left; the other one stays where it is.
        agenda.push(1, vec![40]);
        assert!([2, 7, 20, 40].map(Some).contains(&agenda.pop(0)));
        assert!(agenda.has_begun_anew());
        agenda.push(1, vec![50]);
        assert_eq!(agenda.pop(1), Some(50));
        let mut left: Vec<i32> =
            std::iter::from_fn(|| agenda.pop(0).or_else(|| agenda.pop(1))).collect();
        left.sort_unstable();
        assert_eq!(left.len(), 3);
        assert_eq!([agenda.pop(0), agenda.pop(1)], [None, None]);
    }

    #[test]
    fn a_walk_ends_when_it_is_long_enough() {
        let mut agenda = Agenda::new(3, stream(0, 0, 0, 0));
        for i in 0..5 {
            agenda.push(0, vec![i, -1]);
        }
        let popped = |agenda: &mut Agenda<i32>| agenda.pop(0).unwrap();
        assert_eq!([popped(&mut agenda), popped(&mut agenda)], [4, -1]);
        assert!(!agenda.has_begun_anew());
        popped(&mut agenda);
        assert!(agenda.has_begun_anew());
    }
}
