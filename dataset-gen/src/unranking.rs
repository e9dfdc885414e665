//! From the number of a term to the term, one node at a time.
//!
//! The terms of a cell with one size are numbered by alternative, then by the size of the left
//! child, then by the number of the left child, then by that of the right one.

use crate::counting::Counts;
use crate::grammar::NONE;
use crate::limbs;
use egraph::{EGraph, Id, Node, TermBank, TermId};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::rc::Rc;

/// A term of a cell: one of `size` nodes, by its number among those.
#[derive(Clone, Debug)]
pub struct Place {
    pub cell: u32,
    pub size: u32,
    pub number: Vec<u64>,
}

/// The nodes of a term in pre-order, and whether a class stands below itself.
#[derive(Debug, Default)]
pub struct Derivation {
    pub nodes: Vec<Id>,
    pub padded: bool,
}

/// Running sums, `width` limbs each.
#[derive(Debug)]
pub struct Sums {
    limbs: Vec<u64>,
    width: usize,
}

impl Sums {
    /// The sums of one number after another, none of which has more limbs than `width`.
    pub fn new(width: usize) -> Sums {
        Sums { limbs: Vec::new(), width: width.max(1) }
    }

    /// Adds `number` to the last sum, as the next one.
    pub fn push(&mut self, number: &[u64]) {
        let from = self.limbs.len().saturating_sub(self.width);
        let mut next = self.limbs[from..].to_vec();
        limbs::add(&mut next, number);
        next.resize(self.width, 0);
        self.limbs.extend_from_slice(&next);
    }

    /// The place of the first sum that is larger than `number`; the sum before is taken off.
    pub fn choose(&self, number: &mut [u64]) -> usize {
        let (mut low, mut high) = (0, self.limbs.len() / self.width - 1);
        while low < high {
            let middle = (low + high) / 2;
            if limbs::compare(number, self.get(middle)) == Ordering::Less {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        if low > 0 {
            limbs::subtract(number, self.get(low - 1));
        }
        low
    }

    fn get(&self, i: usize) -> &[u64] {
        &self.limbs[i * self.width..(i + 1) * self.width]
    }
}

/// Takes numbers apart, and remembers sums for it.
#[derive(Debug, Default)]
pub struct Unranker {
    /// By (cell, size): the running sums over the cell's alternatives.
    sums: FxHashMap<(u32, u32), Rc<Sums>>,
}

impl Unranker {
    /// The node of a term (of no meaning in a product). The places of its children are added to
    /// `children`, the last one first.
    pub fn step(&mut self, counts: &Counts, place: Place, mut children: impl FnMut(Place)) -> Id {
        let Place { cell, size, mut number } = place;
        let chosen = self.sums(counts, cell, size).choose(&mut number);
        let alternative = counts.grammar.alternatives(cell)[chosen];
        let size = size - counts.grammar.cells[cell as usize].own_size();
        match (alternative.left, alternative.right) {
            (NONE, _) => {}
            (only, NONE) => children(Place { cell: only, size, number }),
            (left, right) => {
                let (left_size, number) = split(counts, left, right, size, number);
                let right_size = size - left_size;
                // The pair's number is left number · count of the right ones + right number.
                let (first, second) = limbs::divide(&number, counts.limbs(right, right_size));
                children(Place { cell: right, size: right_size, number: second });
                children(Place { cell: left, size: left_size, number: first });
            }
        }
        alternative.node
    }

    fn sums(&mut self, counts: &Counts, cell: u32, size: u32) -> Rc<Sums> {
        let sums = self.sums.entry((cell, size)).or_insert_with(|| {
            let mut sums = Sums::new(limbs::trim(counts.limbs(cell, size)).len());
            let children_size = size - counts.grammar.cells[cell as usize].own_size();
            let mut terms = Vec::new();
            for alternative in counts.grammar.alternatives(cell) {
                terms.clear();
                counts.add_alternative(alternative, children_size, &mut terms);
                sums.push(limbs::trim(&terms));
            }
            Rc::new(sums)
        });
        sums.clone()
    }
}

/// The size of the left term of pair `number`, and the pair's number among those.
fn split(
    counts: &Counts,
    left: u32,
    right: u32,
    size: u32,
    mut number: Vec<u64>,
) -> (u32, Vec<u64>) {
    let (first, last) =
        counts.split_sizes(left, right, size).expect("the pair was counted at this size");
    let mut pairs = Vec::new();
    for left_size in first..last {
        pairs.clear();
        let (x, y) = (counts.limbs(left, left_size), counts.limbs(right, size - left_size));
        limbs::add_product(&mut pairs, x, y);
        if limbs::compare(&number, &pairs) == Ordering::Less {
            return (left_size, number);
        }
        limbs::subtract(&mut number, &pairs);
    }
    (last, number)
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
