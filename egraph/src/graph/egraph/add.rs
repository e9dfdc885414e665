//! E-nodes into an e-graph, one or many at a time.

use super::EGraph;
use crate::graph::node_table::Ids;
use crate::id::Id;
use crate::term::language::{Leaf, LeafValue};
use crate::term::leaves::{Head, Node};
use smallvec::SmallVec;

impl EGraph {
    /// Adds the e-node `head(children…)`, or finds it. The children may be any ids.
    pub(crate) fn add(&mut self, head: Head, children: &[Id]) -> Id {
        let classes: SmallVec<[Id; 4]> = children.iter().map(|&child| self.find(child)).collect();
        let hash = match self.nodes.find_or_hash(head, &classes) {
            Ok(found) => return found,
            Err(hash) => hash,
        };
        if self.nodes.memo_room() == 0 {
            self.grow_memo();
        }
        let node = self.nodes.push(head, children, &classes, hash);
        self.complete(head, node);
        node
    }

    /// Adds a literal or variable.
    pub(crate) fn add_leaf(&mut self, leaf: &Leaf) -> Id {
        let head = self.leaves.intern(leaf);
        self.add(head, &[])
    }

    /// As [`EGraph::add`], of e-nodes with one operator and at most two children each, for which there must be room
    /// ([`EGraph::repeats`]), where rows are narrow. Right of an only child stands [`crate::graph::node_table::NodeTable::padding`].
    pub(crate) fn add_many(&mut self, head: Head, children: [Ids<'_>; 2], nodes: &mut [Id]) {
        let first = Id(self.nodes.len() as u32);
        self.nodes.find_or_push_many(head, children, nodes);
        self.complete(head, first);
    }

    /// Enters the e-nodes from `first` on, with one head, wherever e-nodes are known.
    #[inline]
    fn complete(&mut self, head: Head, first: Id) {
        let (begin, end) = (first.0, self.nodes.len() as u32);
        if begin == end {
            return;
        }
        let (len, width) = (end as usize, self.nodes.width());
        self.stamps.extend_to(len);
        self.classes.extend_to(len);
        self.forest.extend_to(len);
        self.uses.extend_to(len, width);
        self.class_count += (end - begin) as usize;
        if let Some(facts) = &mut self.facts {
            facts.extend_to(len);
        }
        let new = || (begin..end).map(Id);
        if self.binds {
            for node in new() {
                self.loose.push(self.loose_of(head, self.original_children(node)));
                self.representatives.push(node);
            }
        }
        self.nodes.each_slot(head, begin..end, |slot, class| {
            self.uses.append(class, slot);
            self.classes.add_weight(class, 1);
        });
        match self.leaves.node(head) {
            Node::Leaf(Leaf { value: LeafValue::Literal(_), .. }) => {
                self.literals.extend(new().map(|node| (node, node)));
            }
            Node::Op(op) if self.system.language.folds(op).is_some() => {
                new().for_each(|node| self.fold(node));
            }
            _ => {}
        }
        if self.facts.is_some() {
            new().for_each(|node| self.transfer(node));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::node_table::NodeTable;
    use crate::rules::system::System;
    use crate::term::language::OpId;
    use proptest::prelude::*;
    use std::sync::Arc;

    proptest! {
        /// Of terms over two operators, one with an only child, some come up more than once.
        #[test]
        fn many_are_added_as_one_after_the_other(
            levels in prop::collection::vec((any::<bool>(), prop::collection::vec((0u32..9, 0u32..9), 1..40)), 1..6),
        ) {
            let rules = "(sort S)\n(variable S)\n(op f (S S) S)\n(op g (S) S)\n";
            let system = Arc::new(System::parse(rules).unwrap());
            let mut bank = crate::term::bank::TermBank::new(system.language.clone());
            let leaves: Vec<_> = (0..9).map(|i| bank.parse(&format!("x{i}"), None).unwrap()).collect();
            let mut many = EGraph::new(system);
            let mut known: Vec<Id> = leaves.iter().map(|&leaf| many.add_term(&bank, leaf)).collect();
            let mut one = many.clone();
            for (is_unary, pairs) in levels {
                let head = Head::from(OpId(u32::from(is_unary)));
                let child = |i: u32| known[known.len() - 1 - i as usize];
                let left: Vec<Id> = pairs.iter().map(|&(left, _)| child(left)).collect();
                let nothing = NodeTable::padding();
                let right = pairs.iter().map(|&(_, right)| if is_unary { nothing } else { child(right) });
                let right: Vec<Id> = right.collect();
                let added: Vec<Id> = left.iter().zip(&right).map(|(&left, &right)| match is_unary {
                    true => one.add(head, &[left]),
                    false => one.add(head, &[left, right]),
                }).collect();
                let more = crate::room::Room { nodes: pairs.len(), ..Default::default() };
                prop_assert!(many.reserve(more, |_| Default::default(), usize::MAX));
                let mut nodes = vec![Id(0); pairs.len()];
                let ids = [&left, &right].map(|ids| Ids { nodes: ids, classes: ids });
                many.add_many(head, ids, &mut nodes);
                prop_assert_eq!(&nodes, &added);
                known.extend(nodes);
            }
            many.rebuild();
            one.rebuild();
            prop_assert_eq!(many.node_count(), one.node_count());
            let uses = |egraph: &EGraph| egraph.ids().map(|id| egraph.parents(id).collect::<Vec<_>>()).collect::<Vec<_>>();
            prop_assert_eq!(uses(&many), uses(&one));
        }
    }
}
