//! The cheapest term of a class whose equal parts count once, among those that satisfy a sketch.

use crate::bounds::count_step;
use crate::extract::dag::choices::Choices;
use crate::extract::dag::solver::DagSolver;
use crate::extract::dag::sums::{Making, Number, Sum};
use crate::extract::sketch::Way;
use crate::extract::tree::{Chosen, Place, Tables, read_off};
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::rules::costs::function::{Cost, CostFunction};
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
    /// By way, if something is inside its e-node: the places of all children, those inside marked.
    children: FxHashMap<Number, Children>,
    /// How what is inside is made.
    trees: FxHashMap<Place, Chosen>,
}

/// Places, each with whether what stands there is a tree inside an application.
type Children = SmallVec<[(Place, bool); 4]>;

/// A place and its ways, while they are collected.
struct Found {
    place: Place,
    least: Cost,
    ways: Vec<(FoundWay, Sum)>,
}

/// A way to make a place.
struct FoundWay {
    node: Option<Id>,
    children: Children,
}

impl FoundWay {
    /// The places that are made once for the whole term.
    fn needed(&self) -> impl Iterator<Item = Place> {
        self.children.iter().filter(|(_, inside)| !inside).map(|&(place, _)| place)
    }
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
        let (mut nodes, mut children) = (Vec::new(), FxHashMap::default());
        let makings = found.into_iter().map(|found| {
            let making = |(way, weights): (FoundWay, Sum)| -> Making {
                if way.children.iter().any(|&(_, inside)| inside) {
                    children.insert(nodes.len() as Number, way.children.clone());
                }
                nodes.push(way.node);
                (way.needed().map(|place| numbers[&place]).collect(), weights)
            };
            found.ways.into_iter().map(making).collect()
        });
        let choices = Choices::new(numbers[&root], cost.measures(), makings);
        let solver = DagSolver::new(choices);
        let trees = trees(&tables, children.values().flatten());
        Some(DagSearch { egraph, cost, solver, places, nodes, children, trees })
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
        let term = read_off(self.egraph, bank, (root, false), |(place, inside)| {
            if inside {
                let Chosen { node, needed } = &self.trees[&place];
                let needed = needed.iter().map(|&place| (place, true)).collect();
                return Chosen { node: *node, needed };
            }
            let way = self.solver.way_of(numbers[&place]);
            let needed = self.children.get(&way).cloned().unwrap_or_else(|| {
                let needs = choices.needs(way).iter();
                needs.map(|&place| (self.places[place as usize], false)).collect()
            });
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
        let mut ways: Vec<(FoundWay, Sum)> = Vec::new();
        tables.each_possible(place, |way: Way<'_>, weights| {
            count_step();
            let Chosen { node, needed } = Chosen::new(tables.egraph, place.1, way);
            let is_inside = |i: usize| {
                node.is_some_and(|node| tables.cost.is_inside(tables.egraph.node(node), i))
            };
            let children = needed.iter().enumerate();
            let children = children.map(|(i, &place)| (place, is_inside(i))).collect();
            let way = FoundWay { node, children };
            if way.needed().all(|needed| needed != place) {
                ways.push((way, Sum::from_slice(weights)));
            }
        });
        for needed in ways.iter().flat_map(|(way, _)| way.needed()) {
            if seen.insert(needed) {
                todo.push(needed);
            }
        }
        found.push(Found { place, least, ways });
    }
    found.sort_by(|a, b| (&a.least, a.place).cmp(&(&b.least, b.place)));
    Some(found)
}

/// How the best trees of those places that are inside are made, and what they are made of.
fn trees<'c>(
    tables: &Tables<'_>,
    children: impl Iterator<Item = &'c (Place, bool)>,
) -> FxHashMap<Place, Chosen> {
    let mut trees: FxHashMap<Place, Chosen> = FxHashMap::default();
    let inside = children.filter(|(_, inside)| *inside);
    let mut todo: Vec<Place> = inside.map(|&(place, _)| place).collect();
    while let Some(place) = todo.pop() {
        trees.entry(place).or_insert_with(|| {
            let chosen = tables.best(place);
            todo.extend(&chosen.needed);
            chosen
        });
    }
    trees
}
