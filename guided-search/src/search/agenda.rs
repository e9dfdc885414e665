//! What is still to be expanded: pairs of terms, one of each side.
//!
//! A search *walks*: the pairs that an e-graph led to come before those of earlier ones. A walk that
//! has nowhere to go, or is long enough, ends, and another one begins at a pair that was left.

use egraph::TermId;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Two terms whose equality is the next question.
pub type Pair = [TermId; 2];

/// Pairs by the expansion that led to them.
#[derive(Debug)]
pub struct Agenda {
    /// By expansion, the best pair last.
    left: Vec<Vec<Pair>>,
    /// E-graphs since the walk began.
    steps: usize,
    /// E-graphs of a walk at most.
    longest: usize,
    rng: ChaCha8Rng,
}

impl Agenda {
    /// An empty agenda for walks of `longest` e-graphs.
    pub fn new(longest: usize, rng: ChaCha8Rng) -> Agenda {
        Agenda { left: Vec::new(), steps: 0, longest, rng }
    }

    /// Adds the pairs that an expansion led to, the best first.
    pub fn push(&mut self, mut pairs: Vec<Pair>) {
        pairs.reverse();
        self.left.push(pairs);
    }

    /// The next pair, if any is left.
    pub fn pop(&mut self) -> Option<Pair> {
        self.steps += 1;
        if self.steps < self.longest
            && let Some(pair) = self.left.last_mut().and_then(Vec::pop)
        {
            return Some(pair);
        }
        self.steps = 0;
        self.left.retain(|pairs| !pairs.is_empty());
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
