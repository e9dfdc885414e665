//! A search for the cheapest DAG of places that anybody names.

use crate::extract::dag::apart::Apart;
use crate::extract::dag::changes::Changes;
use crate::extract::dag::choices::Choices;
use crate::extract::dag::sums::{Making, Number, Sum};

/// A way to make a place of a [`DagSolver`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DagWay {
    /// What it costs by itself.
    pub weight: u64,
    /// The numbers of the places that it needs.
    pub needs: Vec<usize>,
}

/// A search for the cheapest choice of a way for each place that is needed.
pub struct DagSolver {
    /// The best answer so far.
    changes: Changes,
    /// The same question made smaller, once it is searched.
    apart: Option<Apart>,
}

impl DagSolver {
    /// The first answers, that of trees and the greedy one, are there at once.
    pub(super) fn new(choices: Choices) -> DagSolver {
        DagSolver { changes: Changes::new(choices), apart: None }
    }

    /// Of places given by the ways to make each, for the one with number `root`; with it, by way of the solver
    /// ([`DagSolver::ways`]), the number of its place and that of the way among those of the place. None if the
    /// root can't be made.
    ///
    /// # Panics
    /// Where a way needs a place that is not there.
    pub fn of_ways(places: &[Vec<DagWay>], root: usize) -> Option<(DagSolver, Vec<[usize; 2]>)> {
        let making = |way: &DagWay| -> Making {
            let needs = way.needs.iter().map(|&needed| needed as Number);
            (needs.collect(), Sum::from_slice(&[way.weight]))
        };
        let places: Vec<Vec<Making>> =
            places.iter().map(|ways| ways.iter().map(making).collect()).collect();
        let (choices, origins) = Choices::arranged(&places, root as Number, 1)?;
        Some((DagSolver::new(choices), origins))
    }

    /// What the best answer so far costs, by measure.
    pub fn total(&self) -> &[u64] {
        self.changes.total()
    }

    /// The ways of the best answer so far, each behind those that it needs.
    pub fn ways(&self) -> impl Iterator<Item = usize> {
        self.changes.ways()
    }

    /// Makes places in these ways if that costs less; whether it does.
    pub(super) fn take(&mut self, ways: &[Number]) -> bool {
        self.changes.take(ways)
    }

    pub(super) fn way_of(&self, place: Number) -> Number {
        self.changes.way_of(place)
    }

    pub(super) fn choices(&self) -> &Choices {
        self.changes.choices()
    }

    /// Makes the question smaller, and tries changes in its parts until none helps, or so many more ways and places were looked
    /// at; whether there is more to try.
    pub fn improve(&mut self, visits: u64) -> bool {
        let choices = self.changes.choices();
        let apart = self.apart.get_or_insert_with(|| Apart::of(choices));
        let more = apart.improve(visits);
        let ways = apart.ways();
        self.take(&ways);
        more
    }
}
