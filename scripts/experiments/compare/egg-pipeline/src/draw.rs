//! One term of a class, by its counts, from the root down.

use crate::counting::Counts;
use crate::egg_language::{EGraph, ENode};
use crate::random::Random;
use egg::{Id, Language, RecExpr};

pub struct Draw<'a> {
    pub egraph: &'a EGraph,
    pub counts: &'a Counts<'a>,
    pub random: &'a mut Random,
    /// Whether terms are wanted that are padded: in which a subterm equals one of its own.
    pub padded: bool,
    /// Classes from the root down.
    path: Vec<Id>,
}

impl<'a> Draw<'a> {
    pub fn new(
        egraph: &'a EGraph,
        counts: &'a Counts<'a>,
        random: &'a mut Random,
        padded: bool,
    ) -> Draw<'a> {
        Draw { egraph, counts, random, padded, path: Vec::new() }
    }

    /// Draws a term of a class and size; none if it turns out to be padded.
    pub fn class(&mut self, class: Id, size: usize, to: &mut RecExpr<ENode>) -> Option<Id> {
        let class = self.egraph.find(class);
        if !self.padded && self.path.contains(&class) {
            return None;
        }
        if let (Some(literal), false) = (self.egraph[class].data, self.path.is_empty()) {
            return Some(to.add(ENode::new(literal, &[])));
        }
        let nodes = &self.egraph[class].nodes;
        let weights: Vec<f64> = nodes.iter().map(|n| self.counts.of_node(n, size)).collect();
        let node = &nodes[self.random.weighted(&weights)];
        let sizes = match node.children().len() {
            0 => vec![],
            1 => vec![size - 1],
            _ => {
                let splits: Vec<f64> = self.counts.of_splits(node, size).collect();
                let first = 1 + self.random.weighted(&splits);
                vec![first, size - 1 - first]
            }
        };
        self.path.push(class);
        let mut children = Vec::new();
        for (&child, size) in node.children().iter().zip(sizes) {
            children.push(self.class(child, size, to)?);
        }
        self.path.pop();
        Some(to.add(ENode::new(node.discriminant(), &children)))
    }
}
