//! The smallest whole terms that classes stand in: how large a term has to be to have a subterm of a
//! class.

use crate::extract::best::LeastSizes;
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::term::language::OpId;
use crate::term::leaves::Node;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What stands around a class in the smallest terms of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Around {
    /// Nodes of the smallest term of the side that has a subterm of the class, less those of the
    /// subterm, less those of the side's smallest term.
    pub excess: i64,
    /// The operator right above the class in it; none at the top.
    pub above: Option<OpId>,
}

/// By class: what stands around it in the terms of one side; `None` where it is in none of them.
pub(crate) struct Surroundings {
    around: Vec<Option<Around>>,
    /// Nodes of the side's smallest term.
    pub least: u64,
}

impl Surroundings {
    /// Of a rebuilt e-graph, in the terms of the classes of `roots`.
    pub fn new(egraph: &EGraph, sizes: &LeastSizes<'_>, roots: &[Id]) -> Surroundings {
        let size = |class: Id| i64::try_from(sizes.size(class)).unwrap_or(i64::MAX / 4);
        let mut around: Vec<Option<Around>> = vec![None; egraph.built() as usize];
        let roots: Vec<Id> = roots.iter().map(|&root| egraph.find(root)).collect();
        let least = roots.iter().map(|&root| size(root)).min().unwrap_or(0);
        // Nearest first (Dijkstra): what stands around a child is more than what does around its parent.
        let mut next = BinaryHeap::new();
        next.extend(roots.iter().map(|&root| (Reverse(-least), Reverse(root), None)));
        while let Some((Reverse(excess), Reverse(class), above)) = next.pop() {
            let known = &mut around[class.0 as usize];
            if known.is_some() {
                continue;
            }
            *known = Some(Around { excess, above });
            for &node in egraph.nodes(class) {
                let Node::Op(op) = egraph.node(node) else { continue };
                let children = egraph.children(node);
                let all = children
                    .iter()
                    .fold(1, |sum: i64, &child| sum.saturating_add(size(egraph.find(child))));
                for &child in children {
                    let child = egraph.find(child);
                    if around[child.0 as usize].is_none() {
                        let excess = excess.saturating_add(all).saturating_sub(size(child));
                        next.push((Reverse(excess), Reverse(child), Some(op)));
                    }
                }
            }
        }
        Surroundings { around, least: least as u64 }
    }

    /// What stands around a canonical class.
    pub fn of(&self, class: Id) -> Option<Around> {
        self.around[class.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::proof_forest::Reason;
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
        egraph.union(small, large, Reason::Congruence);
        egraph.rebuild();
        let sizes = LeastSizes::of(&egraph);
        let surroundings = Surroundings::new(&egraph, &sizes, &[large]);
        let around = |text: &str, bank: &mut TermBank| {
            let term = bank.parse(text, None).unwrap();
            surroundings.of(egraph.lookup(bank, term).unwrap()).map(|around| around.excess)
        };
        assert_eq!(surroundings.least, 2);
        // (g a) has 2 nodes, (f (g b) (g (g c))) has 6: 4 more.
        for (text, excess) in [("(g a)", -2), ("a", -1), ("(g b)", 2), ("b", 3), ("c", 3)] {
            assert_eq!(around(text, &mut bank), Some(excess), "{text}");
        }
        assert_eq!(around("(g d)", &mut bank), None);
    }
}
