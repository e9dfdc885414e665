//! Where terms differ from another, from the root down.

use egraph::{TermBank, TermId};
use std::ops::Range;

/// A position of the compared term at which, or below which, others differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// The subterm there.
    pub term: TermId,
    /// The position above, itself for the root.
    pub parent: usize,
    /// Which child of it.
    pub rank: usize,
    /// Which terms have another operator or leaf here, by their places in the list, ascending.
    pub differing: Vec<usize>,
}

/// The positions in pre-order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Differences {
    pub positions: Vec<Position>,
    /// By position: the first one that is not below it.
    pub ends: Vec<usize>,
}

impl Differences {
    /// Compares `term` with `others`. Each is followed down to where its operators differ; equal
    /// subterms have equal ids, and are not gone through.
    pub fn new(bank: &TermBank, term: TermId, others: &[TermId]) -> Differences {
        let mut positions: Vec<Position> = Vec::new();
        let unequal = |term: TermId, others: &[(usize, TermId)]| {
            others.iter().copied().filter(|&(_, other)| other != term).collect::<Vec<_>>()
        };
        let others: Vec<_> = others.iter().copied().enumerate().collect();
        // An explicit stack: terms may be deeper than the thread's.
        let mut todo = vec![(term, 0, 0, unequal(term, &others))];
        while let Some((term, parent, rank, others)) = todo.pop() {
            if others.is_empty() {
                continue;
            }
            let here = positions.len();
            let head = bank.head(term);
            let differing: Vec<_> =
                others.iter().filter(|(_, o)| bank.head(*o) != head).map(|&(i, _)| i).collect();
            positions.push(Position { term, parent, rank, differing });
            for (rank, &child) in bank.children(term).iter().enumerate().rev() {
                let below: Vec<_> = others
                    .iter()
                    .filter(|(_, other)| bank.head(*other) == head)
                    .map(|&(i, other)| (i, bank.children(other)[rank]))
                    .collect();
                todo.push((child, here, rank, unequal(child, &below)));
            }
        }
        let mut ends: Vec<usize> = (1..=positions.len()).collect();
        for (place, position) in positions.iter().enumerate().rev() {
            ends[position.parent] = ends[position.parent].max(ends[place]);
        }
        Differences { positions, ends }
    }

    /// Position `place` with all above it that are not in `kept`.
    pub fn path(&self, place: usize, kept: &[bool]) -> Vec<usize> {
        let mut path = Vec::new();
        let mut place = place;
        while !kept[place] {
            path.push(place);
            if place == 0 {
                break;
            }
            place = self.positions[place].parent;
        }
        path
    }

    /// The positions below `place`, itself included.
    pub fn below(&self, place: usize) -> Range<usize> {
        place..self.ends[place]
    }
}
