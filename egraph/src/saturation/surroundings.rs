//! The smallest whole term in which each class has a subterm: its size, and what is directly above the subterm.

use crate::bounds::count_step;
use crate::extract::best::LeastSizes;
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::saturation::match_order::Operators;
use crate::term::language::OpId;
use crate::term::leaves::Node;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The size of the smallest term of each class, by id; [`u32::MAX`] stands for all sizes that do not fit.
#[derive(Debug, Default)]
pub(crate) struct Sizes(Vec<u32>);

impl Sizes {
    /// The sizes of all classes of a rebuilt e-graph.
    pub fn of(egraph: &EGraph) -> Sizes {
        let least = LeastSizes::of(egraph);
        let mut sizes = vec![u32::MAX; egraph.built() as usize];
        for class in egraph.classes() {
            sizes[class.0 as usize] = u32::try_from(least.size(class)).unwrap_or(u32::MAX);
        }
        Sizes(sizes)
    }

    /// The sizes of all classes of a rebuilt e-graph, from those of an earlier state of it. `changed`: the classes with an id
    /// that they did not have then, and those right above them; nothing else can have become smaller first.
    pub fn update(mut self, egraph: &EGraph, changed: &[Id]) -> Sizes {
        let Sizes(sizes) = &mut self;
        let ids = egraph.built() as usize;
        sizes.resize(ids, u32::MAX);
        let mut waits = vec![false; ids];
        changed.iter().for_each(|class| waits[class.0 as usize] = true);
        let mut queue: VecDeque<Id> = changed.iter().copied().collect();
        while let Some(class) = queue.pop_front() {
            count_step();
            waits[class.0 as usize] = false;
            let size = |child: &Id| u64::from(sizes[child.0 as usize]);
            let of_node = |&node: &Id| 1 + egraph.children(node).iter().map(size).sum::<u64>();
            let least = egraph.nodes(class).iter().map(of_node).min();
            let least = least.and_then(|least| u32::try_from(least).ok()).unwrap_or(u32::MAX);
            if least < sizes[class.0 as usize] {
                sizes[class.0 as usize] = least;
                for (node, _) in egraph.parents(class) {
                    let above = egraph.class_of(node);
                    if !std::mem::replace(&mut waits[above.0 as usize], true) {
                        queue.push_back(above);
                    }
                }
            }
        }
        self
    }

    /// The size of a canonical class.
    #[inline]
    pub fn size(&self, class: Id) -> u32 {
        self.0[class.0 as usize]
    }
}

/// What stands around a class in the smallest terms of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Around {
    /// The size of the smallest term of the side with a subterm of the class, minus the size of the subterm, minus the
    /// size of the side's smallest term.
    pub excess: i64,
    /// The e-node directly above the class in that term; among several the last one of the last operator. `None` for the
    /// root.
    pub above: Option<Id>,
}

/// What is known of a class so far.
#[derive(Clone, Copy)]
struct Place {
    /// The number of nodes around it; [`NOWHERE`] if it is in no term of the side.
    nodes: u32,
    /// The number of the e-node above, plus one; 0 for none.
    above: u32,
}

const NOWHERE: u32 = u32::MAX;

/// By class: what stands around it in the terms of one side.
pub(crate) struct Surroundings {
    places: Vec<Place>,
    /// Nodes of the side's smallest term.
    pub least: u32,
    /// The operators of its smallest terms.
    pub operators: Operators,
}

impl Surroundings {
    /// Bytes for each id: sizes, surroundings, and what finding them needs.
    pub const BYTES: usize = size_of::<u32>() + 2 * size_of::<Place>() + size_of::<u64>();

    /// The surroundings of all classes of a rebuilt e-graph in the terms of the classes of `roots`.
    pub fn new(egraph: &EGraph, sizes: &Sizes, roots: &[Id]) -> Surroundings {
        let nowhere = Place { nodes: NOWHERE, above: 0 };
        let mut places = vec![nowhere; egraph.built() as usize];
        // Nearest first (Dijkstra): more stands around a child than around its parent. Each class that
        // waits is one number: the nodes around it in the upper half, the class in the lower half.
        let mut next = BinaryHeap::new();
        let key = |nodes: u32, class: Id| Reverse(u64::from(nodes) << 32 | u64::from(class.0));
        for root in roots.iter().map(|&root| egraph.find(root)) {
            places[root.0 as usize].nodes = 0;
            next.push(key(0, root));
        }
        let least = roots.iter().map(|&root| sizes.size(egraph.find(root))).min().unwrap_or(0);
        let mut operators = Operators::default();
        while let Some(Reverse(first)) = next.pop() {
            let (nodes, class) = ((first >> 32) as u32, Id(first as u32));
            if nodes > places[class.0 as usize].nodes {
                continue;
            }
            for &node in egraph.nodes(class) {
                let Node::Op(op) = egraph.node(node) else { break };
                let children = egraph.children(node);
                let size = |child: Id| u64::from(sizes.size(child));
                let all =
                    children.iter().fold(1 + u64::from(nodes), |sum, &child| sum + size(child));
                if all == u64::from(least) {
                    operators.insert(op);
                }
                for &child in children {
                    let nodes = (all - size(child)).min(u64::from(NOWHERE) - 1) as u32;
                    let place = &mut places[child.0 as usize];
                    if nodes < place.nodes {
                        *place = Place { nodes, above: node.0 + 1 };
                        next.push(key(nodes, child));
                    } else if nodes == place.nodes && place.above > 0 {
                        let before = Id(place.above - 1);
                        if (Some(op), node) > (operator(egraph, before), before) {
                            place.above = node.0 + 1;
                        }
                    }
                }
            }
        }
        Surroundings { places, least, operators }
    }

    /// What stands around a canonical class; `None` if it is in no term of the side.
    #[inline]
    pub fn of(&self, class: Id) -> Option<Around> {
        let Place { nodes, above } = self.places[class.0 as usize];
        let above = above.checked_sub(1).map(Id);
        let excess = i64::from(nodes) - i64::from(self.least);
        (nodes != NOWHERE).then_some(Around { excess, above })
    }
}

/// The operator of an e-node; none of a leaf.
pub(crate) fn operator(egraph: &EGraph, node: Id) -> Option<OpId> {
    match egraph.node(node) {
        Node::Op(op) => Some(op),
        Node::Leaf(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::proof_forest::Reason;
    use crate::matching::near_changes::NearChanges;
    use crate::rules::rule::RuleId;
    use crate::rules::system::System;
    use crate::term::bank::TermBank;
    use std::sync::Arc;

    #[test]
    fn what_is_around_a_class_is_the_rest_of_the_smallest_term_with_it() {
        let rules = "(sort I) (variable I) (op f (I I) I) (op g (I) I)";
        let system = Arc::new(System::parse(rules).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let mut egraph = EGraph::new(system);
        let [small, large, other] =
            ["(g a)", "(f (g b) (g (g c)))", "(g d)"].map(|text| bank.parse(text, None).unwrap());
        let [small, large, _] = [small, large, other].map(|term| egraph.add_term(&bank, term));
        egraph.union(small, large, Reason::Rule { rule: RuleId(0), bound: &[] });
        egraph.rebuild();
        let sizes = Sizes::of(&egraph);
        let surroundings = Surroundings::new(&egraph, &sizes, &[large]);
        let around = |text: &str, bank: &mut TermBank| {
            let term = bank.parse(text, None).unwrap();
            surroundings.of(egraph.lookup(bank, term).unwrap()).map(|around| around.excess)
        };
        assert_eq!(surroundings.least, 2);
        // Of (g a) alone: f is the first operator, g the second.
        assert_eq!(surroundings.operators, Operators(2));
        // (g a) has 2 nodes, (f (g b) (g (g c))) has 6: 4 more.
        for (text, excess) in [("(g a)", -2), ("a", -1), ("(g b)", 2), ("b", 3), ("c", 3)] {
            assert_eq!(around(text, &mut bank), Some(excess), "{text}");
        }
        assert_eq!(around("(g d)", &mut bank), None);
    }

    #[test]
    fn sizes_are_brought_up_to_date_as_if_they_were_looked_for_anew() {
        let rules = "(sort I) (variable I) (op f (I I) I) (op g (I) I)";
        let system = Arc::new(System::parse(rules).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let mut egraph = EGraph::new(system);
        let mut add = |text: &str, egraph: &mut EGraph| {
            let term = bank.parse(text, None).unwrap();
            egraph.add_term(&bank, term)
        };
        let [whole, part, _] = ["(f (g (g (g (g a)))) (g b))", "(g (g (g a)))", "(f c c)"]
            .map(|t| add(t, &mut egraph));
        egraph.rebuild();
        let mut changes = NearChanges::default();
        changes.look(&egraph, false);
        let mut sizes = Sizes::of(&egraph);
        for [left, right] in [["(g (g b))", "(g a)"], ["b", "(g (g (g a)))"], ["a", "(f a c)"]] {
            let [left, right] = [left, right].map(|text| add(text, &mut egraph));
            egraph.union(left, right, Reason::Rule { rule: RuleId(0), bound: &[] });
            egraph.rebuild();
            changes.look(&egraph, false);
            sizes = sizes.update(&egraph, changes.nearest().unwrap());
            let anew = Sizes::of(&egraph);
            assert!(egraph.classes().all(|class| sizes.size(class) == anew.size(class)));
        }
        // (f (g b) (g b)), and b.
        assert_eq!([whole, part].map(|id| sizes.size(egraph.find(id))), [5, 1]);
    }
}
