//! All terms of the classes of an e-graph, from the definition.

use egraph::{EGraph, Id, Node, TermBank, TermId};
use std::collections::BTreeMap;

/// All terms of every class by size, from the definition.
pub struct Enumeration<'a> {
    egraph: &'a EGraph,
    pub bank: TermBank,
    known: BTreeMap<(Id, u32), Vec<TermId>>,
}

impl<'a> Enumeration<'a> {
    pub fn new(egraph: &'a EGraph) -> Self {
        let bank = TermBank::new(egraph.system().language.clone());
        Enumeration { egraph, bank, known: BTreeMap::new() }
    }

    pub fn terms(&mut self, class: Id, size: u32) -> Vec<TermId> {
        if let Some(known) = self.known.get(&(class, size)) {
            return known.clone();
        }
        let mut found = Vec::new();
        for &node in self.egraph.nodes(class) {
            let Some(rest) = size.checked_sub(1) else { break };
            for children in self.sequences(self.egraph.children(node), rest) {
                found.push(match self.egraph.node(node) {
                    Node::Op(op) => self.bank.apply(op, &children),
                    Node::Leaf(leaf) => self.bank.leaf(leaf),
                });
            }
        }
        self.known.insert((class, size), found.clone());
        found
    }

    fn sequences(&mut self, classes: &[Id], size: u32) -> Vec<Vec<TermId>> {
        let Some((&first, rest)) = classes.split_first() else {
            return if size == 0 { vec![Vec::new()] } else { Vec::new() };
        };
        let mut all = Vec::new();
        for first_size in 1..=size {
            let heads = self.terms(first, first_size);
            if heads.is_empty() {
                continue;
            }
            for tail in self.sequences(rest, size - first_size) {
                for &head in &heads {
                    all.push([&[head], &tail[..]].concat());
                }
            }
        }
        all
    }

    /// The terms of a class with at most `limit` nodes.
    pub fn up_to(&mut self, class: Id, limit: u32) -> Vec<TermId> {
        (0..=limit).flat_map(|size| self.terms(class, size)).collect()
    }
}
