//! What is still to be expanded: of a search pairs of terms, one of each side.
//!
//! A search *walks*: what an e-graph led to comes before what earlier ones did. A walk that
//! has nowhere to go, or is long enough, ends, and another one begins at something that was left.

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
    /// E-graphs since the walk began.
    steps: usize,
    /// E-graphs of a walk at most.
    longest: usize,
    rng: ChaCha8Rng,
}

impl<T> Agenda<T> {
    /// An empty agenda for walks of `longest` e-graphs.
    pub fn new(longest: usize, rng: ChaCha8Rng) -> Agenda<T> {
        Agenda { left: Vec::new(), steps: 0, longest, rng }
    }

    /// Adds what an expansion led to, the best first.
    pub fn push(&mut self, mut found: Vec<T>) {
        found.reverse();
        self.left.push(found);
    }

    /// Adds what comes after all that is left now.
    pub fn push_behind(&mut self, last: T) {
        self.left.insert(0, vec![last]);
    }

    /// The next one, if any is left.
    pub fn pop(&mut self) -> Option<T> {
        self.steps += 1;
        if self.steps < self.longest
            && let Some(next) = self.left.last_mut().and_then(Vec::pop)
        {
            return Some(next);
        }
        self.steps = 0;
        self.left.retain(|found| !found.is_empty());
        let expansions = self.left.len();
        if expansions == 0 {
            return None;
        }
        let place = self.rng.random_range(0..expansions);
        self.left[place].pop()
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
