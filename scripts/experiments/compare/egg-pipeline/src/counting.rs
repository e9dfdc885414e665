//! c(q, s): how many terms of size s an e-class q represents.
//!
//! A class with a literal counts as that literal alone wherever it is a child, as Cairn does by
//! default. Counts are floats.

use crate::egg_language::{EGraph, ENode};
use egg::{Id, Language};

pub struct Counts<'a> {
    egraph: &'a EGraph,
    /// By class and size, of classes as children.
    rows: Vec<Vec<f64>>,
    /// By size, of the root class.
    pub root: Vec<f64>,
}

impl<'a> Counts<'a> {
    pub fn new(egraph: &'a EGraph, root: Id, limit: usize) -> Counts<'a> {
        let most = egraph.classes().map(|class| usize::from(class.id)).max().unwrap_or(0);
        let rows = vec![Vec::new(); most + 1];
        let mut counts = Counts { egraph, rows, root: vec![0.0; limit + 1] };
        for class in egraph.classes() {
            counts.rows[usize::from(class.id)] = vec![0.0; limit + 1];
        }
        for size in 1..=limit {
            for class in egraph.classes() {
                let count = match class.data {
                    Some(_) => f64::from(size == 1),
                    None => class.nodes.iter().map(|node| counts.of_node(node, size)).sum(),
                };
                counts.rows[usize::from(class.id)][size] = count;
            }
            let nodes = &egraph[root].nodes;
            counts.root[size] = nodes.iter().map(|node| counts.of_node(node, size)).sum();
        }
        counts
    }

    fn row(&self, class: Id) -> &[f64] {
        &self.rows[usize::from(self.egraph.find(class))]
    }

    pub fn of_node(&self, node: &ENode, size: usize) -> f64 {
        match *node.children() {
            [] => f64::from(size == 1),
            [child] => self.row(child)[size - 1],
            [..] => self.of_splits(node, size).sum(),
        }
    }

    /// Of a node with two children, by the size of the first less one.
    pub fn of_splits(&self, node: &ENode, size: usize) -> impl Iterator<Item = f64> {
        let (first, second) = (self.row(node.children()[0]), self.row(node.children()[1]));
        (1..size.saturating_sub(1)).map(move |a| first[a] * second[size - 1 - a])
    }
}
