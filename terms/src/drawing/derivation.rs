//! From the root of a term down to its leaves, whatever says what stands where.

use crate::counting::number::Number;
use egraph::{EGraph, Id, Node, TermBank, TermId, count_step};
use std::ops::RangeInclusive;

/// The nodes of a term in pre-order, and whether a class stands below itself.
#[derive(Debug, Default)]
pub struct Derivation {
    pub nodes: Vec<Id>,
    pub padded: bool,
}

/// Takes terms apart, one node at a time.
pub trait Steps {
    /// A term, or a pair of terms, by what it is one of and its number.
    type Term;

    /// The cell of a term, if it is a class: of a pair it is none.
    fn class(&self, term: &Self::Term) -> Option<u32>;

    /// The node of a term (meaningless for a pair). Its children are given to `child`, the last
    /// one first.
    fn step(&mut self, term: Self::Term, child: impl FnMut(Self::Term)) -> Id;
}

/// Derives the whole of a term. With `stop_if_padded` that ends where a class stands below itself.
pub fn derive<S: Steps>(
    steps: &mut S,
    root: S::Term,
    stop_if_padded: bool,
    derivation: &mut Derivation,
) {
    derivation.nodes.clear();
    derivation.padded = false;
    // The classes from the root to the current node.
    let mut path: Vec<u32> = Vec::new();
    // None: the way back up.
    let mut todo = vec![Some(root)];
    count_step();
    while let Some(next) = todo.pop() {
        let Some(term) = next else {
            path.pop();
            continue;
        };
        let class = steps.class(&term);
        if let Some(class) = class {
            derivation.padded |= path.contains(&class);
            if derivation.padded && stop_if_padded {
                return;
            }
            path.push(class);
            todo.push(None);
        }
        let node = steps.step(term, |child| todo.push(Some(child)));
        if class.is_some() {
            derivation.nodes.push(node);
        }
    }
}

/// The size that a number falls to, each having as many numbers as it counts; the counts of those
/// before are taken off. `None` if there are fewer.
pub fn size_of<N: Number>(
    number: &mut N,
    mut sizes: RangeInclusive<u32>,
    count: impl Fn(u32) -> N,
) -> Option<u32> {
    sizes.find(|&size| {
        let count = count(size);
        let found = number.is_below(&count);
        if !found {
            number.subtract(&count);
        }
        found
    })
}

/// The term of nodes in pre-order.
pub fn build(egraph: &EGraph, bank: &mut TermBank, preorder: &[Id]) -> TermId {
    // Read from the right, the children of a node are finished before it is met.
    let mut done: Vec<TermId> = Vec::with_capacity(preorder.len());
    for &node in preorder.iter().rev() {
        let arity = egraph.children(node).len();
        let first = done.len() - arity;
        done[first..].reverse();
        let term = match egraph.node(node) {
            Node::Op(op) => bank.apply(op, &done[first..]),
            Node::Leaf(leaf) => bank.leaf(leaf),
        };
        done.truncate(first);
        done.push(term);
    }
    done[0]
}
