//! An e-graph as it was some iterations ago.
//!
//! A later state has every e-node of an earlier one, with the children that it was added with.
//! So all that has to be kept of the earlier state is which e-nodes were equal.

use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::term::bank::{TermBank, TermId};
use crate::term::leaves::{Head, Node};
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::VecDeque;
use std::hash::BuildHasher;

/// Which e-nodes an e-graph has, and which are equal: four bytes an e-node.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The canonical e-node of each class, by e-node.
    classes: Vec<Id>,
}

impl Snapshot {
    /// The state of a rebuilt e-graph.
    pub fn new(egraph: &EGraph) -> Snapshot {
        Snapshot { classes: egraph.ids().map(|id| egraph.find(id)).collect() }
    }
}

/// The last states of an e-graph that grows.
#[derive(Clone, Debug)]
pub struct History {
    snapshots: VecDeque<Snapshot>,
    back: usize,
}

impl History {
    /// For the state `back` iterations before the last.
    pub fn new(back: usize) -> History {
        History { snapshots: VecDeque::new(), back }
    }

    /// Takes the state of a rebuilt e-graph, after an iteration or before the first.
    pub fn record(&mut self, egraph: &EGraph) {
        if self.snapshots.len() > self.back {
            self.snapshots.pop_front();
        }
        self.snapshots.push_back(Snapshot::new(egraph));
    }

    /// The state so many iterations before the last that was recorded, if there was one.
    pub fn earlier(mut self) -> Option<Snapshot> {
        self.snapshots.pop_front().filter(|_| self.snapshots.len() == self.back)
    }
}

/// The classes of an earlier state of an e-graph, with their e-nodes.
#[derive(Clone, Debug)]
pub struct Past {
    classes: Vec<Id>,
    /// By id, where the e-nodes of the class end; they begin where those of the id before end.
    ends: Vec<u32>,
    /// One of each set of congruent e-nodes, the oldest; by class.
    nodes: Vec<Id>,
    /// The same by canonical form.
    memo: HashTable<Id>,
}

impl Past {
    /// The earlier state of which `snapshot` was taken: of `egraph`, or of one that was grown
    /// from the same terms in the same order.
    ///
    /// # Panics
    /// The snapshot has e-nodes that the e-graph does not have.
    pub fn new(egraph: &EGraph, snapshot: Snapshot) -> Past {
        let Snapshot { classes } = snapshot;
        let built = classes.len();
        assert!(built as u64 <= egraph.built(), "the earlier e-graph is not the smaller one");
        let memo = HashTable::new();
        let mut past = Past { classes, ends: vec![0; built], nodes: Vec::new(), memo };
        let mut distinct = vec![false; built];
        let mut key = Vec::new();
        for id in (0..built as u32).map(Id) {
            let head = egraph.head(id);
            key.clear();
            key.extend(past.children(egraph, id));
            if past.congruent(egraph, head, &key).is_none() {
                let Past { memo, classes, ends, .. } = &mut past;
                memo.insert_unique(hash(head, key.iter().copied()), id, |&other| {
                    hash(egraph.head(other), children(egraph, classes, other))
                });
                distinct[id.0 as usize] = true;
                ends[classes[id.0 as usize].0 as usize] += 1;
            }
        }
        // From numbers of e-nodes to where they begin, and, as they are entered, where they end.
        let mut sum = 0;
        for end in &mut past.ends {
            sum += std::mem::replace(end, sum);
        }
        past.nodes = vec![Id(0); sum as usize];
        for id in (0..built as u32).map(Id).filter(|id| distinct[id.0 as usize]) {
            let end = &mut past.ends[past.classes[id.0 as usize].0 as usize];
            past.nodes[*end as usize] = id;
            *end += 1;
        }
        past
    }

    /// Number of e-nodes that had been built.
    pub fn built(&self) -> u64 {
        self.classes.len() as u64
    }

    /// The canonical e-node of the class that `id` was in.
    pub fn find(&self, id: Id) -> Id {
        self.classes[id.0 as usize]
    }

    /// The e-nodes of a class, by its canonical e-node.
    pub fn nodes(&self, class: Id) -> &[Id] {
        let class = class.0 as usize;
        let start = if class == 0 { 0 } else { self.ends[class - 1] };
        &self.nodes[start as usize..self.ends[class] as usize]
    }

    /// The classes of an e-node's children.
    pub fn children<'a>(
        &'a self,
        egraph: &'a EGraph,
        node: Id,
    ) -> impl Iterator<Item = Id> + Clone + 'a {
        children(egraph, &self.classes, node)
    }

    /// The class that represented `t`, if there was one.
    pub fn lookup(&self, egraph: &EGraph, bank: &TermBank, t: TermId) -> Option<Id> {
        let mut classes: FxHashMap<TermId, Id> = FxHashMap::default();
        for s in bank.subterms(t) {
            let id = match bank.node(s) {
                Node::Leaf(leaf) => {
                    egraph.leaf_node(leaf).filter(|id| u64::from(id.0) < self.built())?
                }
                Node::Op(op) => {
                    let children: Vec<Id> = bank.children(s).iter().map(|c| classes[c]).collect();
                    self.congruent(egraph, op.into(), &children)?
                }
            };
            classes.insert(s, self.find(id));
        }
        Some(classes[&t])
    }

    /// The e-node over these classes.
    fn congruent(&self, egraph: &EGraph, head: Head, key: &[Id]) -> Option<Id> {
        let same = |&other: &Id| {
            egraph.head(other) == head && self.children(egraph, other).eq(key.iter().copied())
        };
        self.memo.find(hash(head, key.iter().copied()), same).copied()
    }
}

fn children<'a>(
    egraph: &'a EGraph,
    classes: &'a [Id],
    node: Id,
) -> impl Iterator<Item = Id> + Clone + 'a {
    egraph.original_children(node).iter().map(|child| classes[child.0 as usize])
}

fn hash(head: Head, children: impl Iterator<Item = Id>) -> u64 {
    children.fold(FxBuildHasher.hash_one(head), |hash, child| FxBuildHasher.hash_one((hash, child)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, SaturationConfig, System, saturate};
    use std::collections::BTreeSet;
    use std::ops::ControlFlow;
    use std::sync::Arc;

    type Class = (Id, BTreeSet<(Head, Vec<Id>)>);

    /// The e-nodes of each class.
    fn classes(
        canonical: impl Iterator<Item = Id>,
        nodes: impl Fn(Id) -> Vec<(Head, Vec<Id>)>,
    ) -> Vec<Class> {
        let set = |class| {
            let nodes = nodes(class);
            let set: BTreeSet<_> = nodes.iter().cloned().collect();
            assert_eq!(set.len(), nodes.len(), "an e-node is there twice");
            (class, set)
        };
        canonical.map(set).collect()
    }

    #[test]
    fn the_past_is_the_e_graph_that_was() {
        let rules = "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op * (I I) I)
            (analysis constant)
            (rewrite (+ ?a ?b) (+ ?b ?a))
            (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))
            (birewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)))
            (rewrite (+ ?a 0) ?a)
            (rewrite (* ?a 1) ?a)";
        let system = Arc::new(System::parse(rules).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let seed = bank.parse("(* (+ a (+ b 1)) (+ (* a 1) (+ 2 (+ 0 -2))))", None).unwrap();
        for back in 0..4 {
            let mut egraph = EGraph::new(system.clone());
            egraph.add_term(&bank, seed);
            egraph.rebuild();
            let (mut history, mut states) = (History::new(back), Vec::new());
            let limits = Limits { iterations: Some(4), ..Limits::default() };
            let config = SaturationConfig { limits, ..SaturationConfig::default() };
            saturate(&mut egraph, &config, &mut |egraph, _| {
                history.record(egraph);
                states.push(egraph.clone());
                ControlFlow::Continue(())
            });
            let was = &states[states.len() - 1 - back];
            let past = Past::new(&egraph, history.earlier().unwrap());
            assert_eq!(past.built(), was.built());
            let node = |state: &EGraph, id: Id, children: Vec<Id>| (state.head(id), children);
            let expected = classes(was.classes(), |class| {
                let nodes = was.nodes(class).iter();
                nodes.map(|&id| node(was, id, was.children(id).to_vec())).collect()
            });
            let found = classes(was.classes(), |class| {
                let nodes = past.nodes(class).iter();
                nodes.map(|&id| node(&egraph, id, past.children(&egraph, id).collect())).collect()
            });
            assert!(expected.len() > 5);
            assert_eq!(found, expected);
            // Terms of the last e-graph: some are new.
            for id in egraph.ids() {
                let term = egraph.term(&mut bank, id);
                assert_eq!(past.lookup(&egraph, &bank, term), was.lookup(&bank, term));
            }
        }
        assert!(History::new(1).earlier().is_none());
    }
}
