//! The least cost of a term as a tree, for every class and every part of a sketch.
//!
//! A column gives for every class the least value of one measure among the terms that satisfy one part
//! of the sketch and are best in the measures before; the ways that attain it are what the next measure
//! chooses from. Values are lowered from "no term" to what the e-nodes allow until nothing changes, so
//! that cycles take care of themselves, and the term is read off from the top. The last measure makes
//! every term cost more than its parts, so that reading ends.

use crate::bounds::count_step;
use crate::extract::of_e_node::{OfENode, value_of};
use crate::extract::ranks::Ranks;
use crate::extract::sketch::{ANY, Needed, PartId, Parts, Way};
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::rules::costs::function::{Cost, CostFunction, Depth, Kind, Measure, NONE, Size, known};
use crate::term::bank::{TermBank, TermId};
use crate::term::leaves::Node;
use crate::term::sketch::Sketch;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::collections::VecDeque;
use std::hash::Hash;
use std::ops::ControlFlow;

/// One measure's least values by class.
enum Column {
    /// By rank.
    All(Vec<u64>),
    /// Those of the classes that have a term: of most sketches few do.
    Some(FxHashMap<Id, u64>),
}

impl Column {
    #[inline]
    fn get(&self, ranks: &Ranks, class: Id) -> u64 {
        match self {
            Column::All(values) => values[ranks.rank(class)],
            Column::Some(values) => values.get(&class).copied().unwrap_or(NONE),
        }
    }
}

/// A part of the sketch in a class.
pub(super) type Place = (PartId, Id);

/// The least costs of a sketch and its parts in all classes.
pub(super) struct Tables<'s> {
    pub egraph: &'s EGraph,
    pub cost: &'s CostFunction,
    pub parts: Parts<'s>,
    ranks: Ranks,
    /// By part, then measure.
    columns: Vec<Column>,
    measures: usize,
}

impl<'s> Tables<'s> {
    pub fn new(egraph: &'s EGraph, sketch: &'s Sketch, cost: &'s CostFunction) -> Tables<'s> {
        let (parts, ranks) = (Parts::of(sketch), Ranks::new(egraph));
        let measures = cost.measures();
        let mut tables = Tables { egraph, cost, parts, ranks, columns: Vec::new(), measures };
        for part in 0..=tables.parts.whole() {
            for measure in 0..measures {
                tables.fill(part, measure);
            }
        }
        tables
    }

    /// The part that is the whole sketch, in a canonical class.
    pub fn whole(&self, class: Id) -> Place {
        (self.parts.whole(), class)
    }

    fn fill(&mut self, part: PartId, measure: usize) {
        match self.cost.measure(measure) {
            Measure::Size => self.fill_by(&Size, part, measure),
            Measure::Depth => self.fill_by(&Depth, part, measure),
            Measure::Declared(declared) => self.fill_by(declared, part, measure),
            Measure::Weighted(_, all, _) => self.fill_by(&all[..], part, measure),
        }
    }

    fn fill_by(&mut self, kind: &(impl Kind + ?Sized), part: PartId, measure: usize) {
        if self.parts.is_recursive(part) {
            self.columns.push(Column::All(vec![NONE; self.ranks.classes()]));
            return self.settle(kind, part, measure);
        }
        self.columns.push(Column::Some(FxHashMap::default()));
        match self.parts.only_class(self.egraph, part) {
            Some(class) => {
                class.map(|class| self.lower(kind, part, measure, class));
            }
            None => self.egraph.classes().for_each(|class| {
                self.lower(kind, part, measure, class);
            }),
        }
    }

    /// Lowers a column until nothing changes.
    fn settle(&mut self, kind: &(impl Kind + ?Sized), part: PartId, measure: usize) {
        // Most e-nodes come after their children, so that a few passes do nearly all; the rest is
        // done where it is left.
        let few = self.ranks.classes() / 8;
        let mut changed = Vec::new();
        loop {
            changed.clear();
            let mut count = 0;
            for class in self.egraph.classes() {
                if self.lower(kind, part, measure, class) {
                    count += 1;
                    if count <= few {
                        changed.push(class);
                    }
                }
            }
            if count <= few {
                break;
            }
        }
        let mut waiting = vec![false; self.ranks.classes()];
        let mut queue = VecDeque::new();
        let egraph = self.egraph;
        let wake = |ranks: &Ranks, waiting: &mut Vec<bool>, queue: &mut VecDeque<Id>, class| {
            for (node, _) in egraph.parents(class) {
                let above = egraph.find(node);
                if !std::mem::replace(&mut waiting[ranks.rank(above)], true) {
                    queue.push_back(above);
                }
            }
        };
        changed.iter().for_each(|&class| wake(&self.ranks, &mut waiting, &mut queue, class));
        while let Some(class) = queue.pop_front() {
            waiting[self.ranks.rank(class)] = false;
            if self.lower(kind, part, measure, class) {
                wake(&self.ranks, &mut waiting, &mut queue, class);
            }
        }
    }

    /// Lowers a value to what the ways of its class allow; whether it was higher.
    #[inline]
    fn lower(
        &mut self,
        kind: &(impl Kind + ?Sized),
        part: PartId,
        measure: usize,
        class: Id,
    ) -> bool {
        count_step();
        let mut least = NONE;
        let best_so_far = |way: Way<'_>| measure == 0 || self.is_best(part, class, way, measure);
        if let (ANY, Column::All(values)) = (part, self.column(part, measure)) {
            // Nearly all of the time goes here.
            let value = |child| values[self.ranks.rank(child)];
            for &node in self.egraph.nodes(class) {
                if best_so_far(Way::Node(node, Needed::All(ANY))) {
                    least = least.min(self.price_over(kind, node, value));
                }
            }
        } else {
            let _ = self.parts.each_way(self.egraph, part, class, |way| {
                if best_so_far(way) {
                    least = least.min(self.price(kind, class, way, measure));
                }
                ControlFlow::<()>::Continue(())
            });
        }
        if least >= self.value((part, class), measure) {
            return false;
        }
        match &mut self.columns[part * self.measures + measure] {
            Column::All(values) => values[self.ranks.rank(class)] = least,
            Column::Some(values) => {
                values.insert(class, least);
            }
        }
        true
    }

    /// The least value of a measure; [`NONE`] where there is no term.
    #[inline]
    pub fn value(&self, (part, class): Place, measure: usize) -> u64 {
        self.column(part, measure).get(&self.ranks, class)
    }

    #[inline]
    fn column(&self, part: PartId, measure: usize) -> &Column {
        &self.columns[part * self.measures + measure]
    }

    /// What the best term that is made in this way costs in one measure, which is of that kind.
    fn price(&self, kind: &(impl Kind + ?Sized), class: Id, way: Way<'_>, measure: usize) -> u64 {
        match way {
            Way::As(part) => self.value((part, class), measure),
            Way::Node(node, Needed::All(part)) => {
                let column = self.column(part, measure);
                self.price_over(kind, node, |child| column.get(&self.ranks, child))
            }
            Way::Node(node, needed) => {
                let place = |(i, &child): (usize, &Id)| (needed.of(i), child);
                let children = self.egraph.children(node).iter().enumerate();
                let values = children.map(|child| self.value(place(child), measure));
                kind.over_children(self.egraph, node, values)
            }
        }
    }

    /// What an e-node costs over children of these values.
    #[inline]
    fn price_over(&self, kind: &(impl Kind + ?Sized), node: Id, value: impl Fn(Id) -> u64) -> u64 {
        let values = self.egraph.children(node).iter().map(|&child| value(child));
        kind.over_children(self.egraph, node, values)
    }

    /// As [`Tables::price`], for a measure of any kind.
    fn price_in(&self, class: Id, way: Way<'_>, measure: usize) -> u64 {
        match self.cost.measure(measure) {
            Measure::Size => self.price(&Size, class, way, measure),
            Measure::Depth => self.price(&Depth, class, way, measure),
            Measure::Declared(declared) => self.price(declared, class, way, measure),
            Measure::Weighted(_, all, _) => self.price(&all[..], class, way, measure),
        }
    }

    /// Whether a way is best in the first so many measures.
    #[inline]
    fn is_best(&self, part: PartId, class: Id, way: Way<'_>, measures: usize) -> bool {
        (0..measures).all(|m| self.price_in(class, way, m) == self.value((part, class), m))
    }

    /// The least cost at a place, if a term is there.
    pub fn least(&self, place: Place) -> Option<Cost> {
        let measures = 0..self.measures;
        known(Cost(measures.map(|measure| self.value(place, measure)).collect()))
    }

    /// Calls `f` with the ways that lead to terms of a known cost, the best one first of all, and with what each adds to
    /// the cost of a DAG.
    pub fn each_possible(&self, (part, class): Place, mut f: impl FnMut(Way<'_>, &[u64])) {
        let measures = self.measures;
        let mut visit = |best: bool| {
            let mut found = false;
            let _ = self.parts.each_way(self.egraph, part, class, |way| {
                let first = !found && self.is_best(part, class, way, measures);
                found |= first;
                let possible = (0..measures).all(|m| self.price_in(class, way, m) != NONE);
                if first == best && possible {
                    let weight = |m| match way {
                        Way::As(_) => 0,
                        Way::Node(node, needed) => {
                            let inside = |(i, &child): (usize, &Id)| match self
                                .cost
                                .is_inside(self.egraph.node(node), i)
                            {
                                true => self.value((needed.of(i), child), m),
                                false => 0,
                            };
                            let children = self.egraph.children(node).iter().enumerate();
                            value_of(self.cost, m, (self.egraph, node), children.map(inside))
                        }
                    };
                    f(way, &(0..measures).map(weight).collect::<SmallVec<[u64; 3]>>());
                }
                if best && found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        };
        visit(true);
        visit(false);
    }

    /// The best term at a place, if there is one: of several the first in the order of its e-nodes.
    pub fn term(&self, bank: &mut TermBank, place: Place) -> Option<TermId> {
        self.least(place)?;
        Some(read_off(self.egraph, bank, place, |place| self.best(place)))
    }

    /// The e-node at the root of the best term at a place, if the sketch says no more than that it has one.
    pub fn best_node(&self, place: Place) -> Option<Id> {
        self.least(place)?;
        self.best(place).node
    }

    /// The first best way at a place where there is a term.
    pub fn best(&self, (part, class): Place) -> Chosen {
        let found = self.parts.each_way(self.egraph, part, class, |way| {
            match self.is_best(part, class, way, self.measures) {
                true => ControlFlow::Break(Chosen::new(self.egraph, class, way)),
                false => ControlFlow::Continue(()),
            }
        });
        found.break_value().expect("a way that costs what the tables have")
    }
}

/// How the term of a place is made.
pub(super) struct Chosen<P = Place> {
    /// The e-node, or none where the term is that of another place.
    pub node: Option<Id>,
    /// The places of the e-node's children, or that other place.
    pub needed: SmallVec<[P; 4]>,
}

impl Chosen {
    pub fn new(egraph: &EGraph, class: Id, way: Way<'_>) -> Chosen {
        match way {
            Way::As(part) => Chosen { node: None, needed: smallvec![(part, class)] },
            Way::Node(node, needed) => {
                let children = egraph.children(node).iter().enumerate();
                let needed = children.map(|(i, &child)| (needed.of(i), child)).collect();
                Chosen { node: Some(node), needed }
            }
        }
    }
}

/// The term of a place by a choice for each, none of which leads back to itself.
pub(super) fn read_off<P: Copy + Eq + Hash>(
    egraph: &EGraph,
    bank: &mut TermBank,
    place: P,
    choose: impl Fn(P) -> Chosen<P>,
) -> TermId {
    // Terms may be too deep for recursion, and share what they are made of.
    let mut made: FxHashMap<P, TermId> = FxHashMap::default();
    let mut todo = vec![(place, choose(place))];
    while let Some((_, Chosen { needed, .. })) = todo.last() {
        let missing: SmallVec<[P; 4]> =
            needed.iter().copied().filter(|place| !made.contains_key(place)).collect();
        if !missing.is_empty() {
            todo.extend(missing.into_iter().map(|place| (place, choose(place))));
            continue;
        }
        let Some((place, Chosen { node, needed })) = todo.pop() else { break };
        let args: SmallVec<[TermId; 4]> = needed.iter().map(|place| made[place]).collect();
        let term = match node.map(|node| egraph.node(node)) {
            None => args[0],
            Some(Node::Leaf(leaf)) => bank.leaf(leaf),
            Some(Node::Op(op)) => bank.apply(op, &args),
        };
        made.insert(place, term);
    }
    made[&place]
}
