//! The cheapest term of a class whose equal parts count once, among those that satisfy a sketch.

use crate::extract::choices::{Choices, Making, Number, Sum};
use crate::extract::cost::{Cost, CostFunction};
use crate::extract::dag::DagSolver;
use crate::extract::sketch::Way;
use crate::extract::tree::{Chosen, Place, Tables, read_off};
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::term::bank::{TermBank, TermId};
use crate::term::sketch::Sketch;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::time::Duration;

/// A search for the cheapest DAG of a class.
pub struct DagSearch<'e> {
    egraph: &'e EGraph,
    cost: &'e CostFunction,
    solver: DagSolver,
    /// By number.
    places: Vec<Place>,
    /// By way: the e-node, or none where the term is that of the place that it needs.
    nodes: Vec<Option<Id>>,
}

/// A place and its ways, while they are collected.
struct Found {
    place: Place,
    least: Cost,
    ways: Vec<(Chosen, Sum)>,
}

impl<'e> DagSearch<'e> {
    /// Of the terms of a class that satisfy a sketch; none if there is no such term of a known cost.
    /// The first answers, that of trees and the greedy one, are there at once.
    ///
    /// # Panics
    /// Where a measure of the cost is no sum ([`CostFunction::is_sum`]).
    pub fn new(
        egraph: &'e EGraph,
        class: Id,
        sketch: &Sketch,
        cost: &'e CostFunction,
    ) -> Option<DagSearch<'e>> {
        assert!(cost.is_sum(), "what a DAG costs is a sum");
        let tables = Tables::new(egraph, sketch, cost);
        let root = tables.whole(egraph.find(class));
        let found = below(&tables, root)?;
        let places: Vec<Place> = found.iter().map(|found| found.place).collect();
        let numbers: FxHashMap<Place, Number> = places.iter().copied().zip(0..).collect();
        let mut nodes = Vec::new();
        let makings = found.into_iter().map(|found| {
            let making = |(Chosen { node, needed }, weights): (Chosen, Sum)| -> Making {
                nodes.push(node);
                (needed.iter().map(|place| numbers[place]).collect(), weights)
            };
            found.ways.into_iter().map(making).collect()
        });
        let choices = Choices::new(numbers[&root], cost.measures(), makings);
        Some(DagSearch { egraph, cost, solver: DagSolver::new(choices), places, nodes })
    }

    /// What the best answer so far costs.
    pub fn cost(&self) -> Cost {
        Cost(Sum::from_slice(self.solver.total()))
    }

    /// The best answer so far, and what it costs.
    pub fn best(&self, bank: &mut TermBank) -> (TermId, Cost) {
        let numbers: FxHashMap<Place, Number> = self.places.iter().copied().zip(0..).collect();
        let choices = self.solver.choices();
        let root = self.places[choices.root as usize];
        let term = read_off(self.egraph, bank, root, |place| {
            let way = self.solver.way_of(numbers[&place]);
            let needed: SmallVec<_> =
                choices.needs(way).iter().map(|&place| self.places[place as usize]).collect();
            Chosen { node: self.nodes[way as usize], needed }
        });
        // Parts that satisfy different parts of the sketch may be equal all the same.
        (term, self.cost.of_dag(bank, term).unwrap_or_else(|| self.cost()))
    }

    /// Tries changes until none helps, or so many more ways and places were looked at; whether there
    /// is more to try.
    pub fn improve(&mut self, visits: u64) -> bool {
        self.solver.improve(visits)
    }

    /// As [`DagSolver::prove`].
    pub fn prove(&mut self, time: Duration) -> bool {
        self.solver.prove(time)
    }
}

/// What can be reached from a place, if it has a term, in the order of its best trees.
fn below(tables: &Tables<'_>, root: Place) -> Option<Vec<Found>> {
    let mut found: Vec<Found> = Vec::new();
    let mut seen: FxHashSet<Place> = FxHashSet::default();
    let mut todo = vec![root];
    seen.insert(root);
    while let Some(place) = todo.pop() {
        let least = tables.least(place)?;
        let mut ways: Vec<(Chosen, Sum)> = Vec::new();
        tables.each_possible(place, |way: Way<'_>, weights| {
            let chosen = Chosen::new(tables.egraph, place.1, way);
            if !chosen.needed.contains(&place) {
                ways.push((chosen, Sum::from_slice(weights)));
            }
        });
        for &needed in ways.iter().flat_map(|(chosen, _)| &chosen.needed) {
            if seen.insert(needed) {
                todo.push(needed);
            }
        }
        found.push(Found { place, least, ways });
    }
    found.sort_by(|a, b| (&a.least, a.place).cmp(&(&b.least, b.place)));
    Some(found)
}
