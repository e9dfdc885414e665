//! The small terms without a literal, one for each class of terms with the same values, by size.

use crate::optimise::values::points::Points;
use crate::optimise::values::words::{POINTS, Values, WordOp, literal};
use egraph::{OpId, TermBank, TermId};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// A small term: its number of nodes, and its number among those of that size.
pub type TermPlace = (usize, usize);

/// How a small term is made.
#[derive(Clone, Copy, Debug)]
enum How {
    Variable(usize),
    /// By the operator of this number; one of one argument has it twice.
    Op(usize, [TermPlace; 2]),
}

/// One step up: the number of the operator, its other argument, and whether what is below is the second one. An operator
/// of one argument has no other.
pub type StepUp = (usize, Option<TermPlace>, bool);

/// What a term is made of that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    pub inside: Inside,
    /// What is around it, the outermost operator first.
    pub way: Vec<StepUp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    Literal(u64),
    Term(TermPlace),
}

/// The small terms that were gone through.
pub struct SmallTerms {
    pub ops: Vec<WordOp>,
    /// The word in which each bit is set.
    pub ones: u64,
    /// By size: the values that no smaller term has, and how they are made.
    levels: Vec<Vec<(Values, How)>>,
    seen: FxHashMap<Values, TermPlace>,
    /// Terms and places that were looked at so far, and how many may be.
    pub visits: u64,
    pub most_visits: u64,
}

impl SmallTerms {
    /// None so far.
    pub fn new(ops: Vec<WordOp>, ones: u64, most_visits: u64) -> SmallTerms {
        let (levels, seen) = (vec![Vec::new()], FxHashMap::default());
        SmallTerms { ops, ones, levels, seen, visits: 0, most_visits }
    }

    /// Counts visits; whether there may be more.
    pub fn visit(&mut self, visits: u64) -> Option<()> {
        self.visits += visits;
        (self.visits <= self.most_visits).then_some(())
    }

    /// How many there are.
    pub fn classes(&self) -> u64 {
        self.levels.iter().map(|level| level.len() as u64).sum()
    }

    /// How many there are of one size.
    pub fn of_size(&self, size: usize) -> usize {
        self.levels.get(size).map_or(0, Vec::len)
    }

    /// All of them, the smaller ones first.
    pub fn all(&self) -> impl Iterator<Item = (TermPlace, &Values)> {
        self.levels.iter().enumerate().flat_map(|(size, level)| {
            level.iter().enumerate().map(move |(at, (values, _))| ((size, at), values))
        })
    }

    pub fn values(&self, (size, at): TermPlace) -> &Values {
        &self.levels[size][at].0
    }

    /// The values of the other argument of a step up; zeros where there is none.
    pub fn beside(&self, other: Option<TermPlace>) -> Values {
        other.map_or([0; POINTS], |place| *self.values(place))
    }

    /// The one with these values.
    pub fn with_values(&self, values: &Values) -> Option<TermPlace> {
        self.seen.get(values).copied()
    }

    pub fn apply(&self, op: WordOp, a: &Values, b: &Values) -> Values {
        std::array::from_fn(|point| op.of(a[point], b[point], self.ones))
    }

    /// Goes through the terms of one node more than before, and stops at one with the values of the target: its place, if
    /// there is one. `None` after too many visits.
    pub fn grow(&mut self, points: &Points) -> Option<Option<TermPlace>> {
        let target = &points.target;
        let size = self.levels.len();
        self.levels.push(Vec::new());
        if size == 1 {
            for (variable, values) in points.own_variables() {
                self.see(values, How::Variable(variable));
            }
            return Some(self.with_values(target));
        }
        for number in 0..self.ops.len() {
            let op = self.ops[number];
            let firsts = if op.arity() == 1 { size - 1..size } else { 1..size - 1 };
            for first in firsts {
                // The only argument is its own other one.
                let second = if op.arity() == 1 { first } else { size - 1 - first };
                if op.arity() == 2 && op.commutes() && first > second {
                    continue;
                }
                for a in (0..self.of_size(first)).map(|at| (first, at)) {
                    let others =
                        if op.arity() == 1 { a.1..a.1 + 1 } else { 0..self.of_size(second) };
                    self.visit(others.len() as u64)?;
                    for b in others.map(|at| (second, at)) {
                        let values = self.apply(op, self.values(a), self.values(b));
                        if self.see(values, How::Op(number, [a, b])) && values == *target {
                            return Some(self.with_values(target));
                        }
                    }
                }
            }
        }
        Some(None)
    }

    /// Whether no term so far has these values.
    fn see(&mut self, values: Values, how: How) -> bool {
        let size = self.levels.len() - 1;
        let place = (size, self.levels[size].len());
        let Entry::Vacant(entry) = self.seen.entry(values) else { return false };
        entry.insert(place);
        self.levels[size].push((values, how));
        true
    }

    /// The term in a bank, with the variables and the sort of `start`, by operators of these `ids`.
    pub fn build(&self, bank: &mut TermBank, start: TermId, ids: &[OpId], made: &Made) -> TermId {
        let inside = match made.inside {
            Inside::Literal(word) => literal(bank, start, word),
            Inside::Term(place) => self.build_small(bank, start, ids, place),
        };
        made.way.iter().rev().fold(inside, |inside, &(number, other, second)| {
            let Some(other) = other else { return bank.apply(ids[number], &[inside]) };
            let other = self.build_small(bank, start, ids, other);
            let children = if second { [other, inside] } else { [inside, other] };
            bank.apply(ids[number], &children)
        })
    }

    fn build_small(
        &self,
        bank: &mut TermBank,
        start: TermId,
        ids: &[OpId],
        (size, at): TermPlace,
    ) -> TermId {
        match self.levels[size][at].1 {
            How::Variable(number) => {
                let leaf = bank.variables(start)[number].clone();
                bank.leaf(&leaf)
            }
            How::Op(number, places) => {
                let mut part = |place| self.build_small(bank, start, ids, place);
                let children = places.map(&mut part);
                bank.apply(ids[number], &children[..self.ops[number].arity()])
            }
        }
    }

    /// The values of what is made.
    pub fn values_of(&self, made: &Made) -> Values {
        let inside = match made.inside {
            Inside::Literal(literal) => [literal; POINTS],
            Inside::Term(place) => *self.values(place),
        };
        made.way.iter().rev().fold(inside, |inside, &(number, other, second)| {
            let other = self.beside(other);
            let [a, b] = if second { [other, inside] } else { [inside, other] };
            self.apply(self.ops[number], &a, &b)
        })
    }
}
