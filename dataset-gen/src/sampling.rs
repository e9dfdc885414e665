//! Uniform draws from the terms of an e-class.
//!
//! The counts number all terms of a class up to a size: [`Sampler::term`] turns such a number
//! into its term, top-down, and a term is drawn by drawing a number. So every term up to the
//! limit has exactly the same probability.

use crate::counting::Counts;
use crate::grammar::NONE;
use crate::limbs;
use crate::random::below;
use egraph::{EGraph, Id, Node, TermBank, TermId};
use num_bigint::BigUint;
use rand::Rng;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::rc::Rc;

/// Draws terms of the classes of one e-graph.
#[derive(Debug)]
pub struct Sampler<'a> {
    egraph: &'a EGraph,
    counts: &'a Counts,
    /// By (cell, size): the running sums over the cell's alternatives.
    sums: FxHashMap<(u32, u32), Rc<Sums>>,
}

/// Running sums, `width` limbs each.
#[derive(Debug)]
struct Sums {
    limbs: Vec<u64>,
    width: usize,
}

/// The nodes of a term in pre-order, and whether a class stands below itself.
struct Derivation {
    nodes: Vec<Id>,
    padded: bool,
}

impl<'a> Sampler<'a> {
    /// A sampler of the classes that `counts` has as roots.
    pub fn new(egraph: &'a EGraph, counts: &'a Counts) -> Self {
        Sampler { egraph, counts, sums: FxHashMap::default() }
    }

    /// Term number `number` (from 0) of the terms of `class` with at most `limit` nodes, by
    /// size; `None` if there are no more than `number`.
    pub fn term(
        &mut self,
        bank: &mut TermBank,
        class: Id,
        limit: u32,
        number: &BigUint,
    ) -> Option<TermId> {
        let derivation = self.derive(class, limit, number, false)?;
        Some(self.build(bank, &derivation.nodes))
    }

    /// A term of `class` with at most `limit` nodes, each with the same probability; `None` if
    /// there is none.
    pub fn draw(
        &mut self,
        bank: &mut TermBank,
        class: Id,
        limit: u32,
        rng: &mut impl Rng,
    ) -> Option<TermId> {
        let total = self.counts.up_to(self.egraph.find(class), limit);
        if total == BigUint::ZERO {
            return None;
        }
        self.term(bank, class, limit, &below(&total, rng))
    }

    /// Draws until `wanted` distinct terms are found or `attempts` draws are made. If the counts
    /// are without padded terms ([`crate::counting::Terms`]), those that were counted all the
    /// same are left out. Each of the other terms has the same probability.
    pub fn sample(
        &mut self,
        bank: &mut TermBank,
        class: Id,
        limit: u32,
        wanted: usize,
        attempts: u64,
        rng: &mut impl Rng,
    ) -> Sample {
        let total = self.counts.up_to(self.egraph.find(class), limit);
        let mut sample = Sample::default();
        let reject = !self.counts.terms.padded;
        let mut seen = FxHashSet::default();
        if total == BigUint::ZERO {
            return sample;
        }
        while sample.terms.len() < wanted && sample.drawn < attempts {
            sample.drawn += 1;
            let number = below(&total, rng);
            match self.derive(class, limit, &number, reject) {
                Some(derivation) if reject && derivation.padded => sample.padded += 1,
                Some(derivation) => {
                    let term = self.build(bank, &derivation.nodes);
                    if seen.insert(term) {
                        sample.terms.push(term);
                    } else {
                        sample.repeated += 1;
                    }
                }
                None => {}
            }
        }
        sample
    }

    fn derive(
        &mut self,
        class: Id,
        limit: u32,
        number: &BigUint,
        stop_if_padded: bool,
    ) -> Option<Derivation> {
        enum Todo {
            Cell(u32, u32, Vec<u64>),
            Leave,
        }
        let root = self.counts.grammar.cell_of(self.egraph.find(class))?;
        let mut number = number.to_u64_digits();
        let least = self.counts.grammar.cells[root as usize].min;
        let size = (least..=limit).find(|&size| {
            let count = self.counts.limbs(root, size);
            let found = limbs::compare(&number, count) == Ordering::Less;
            if !found {
                limbs::subtract(&mut number, count);
            }
            found
        })?;
        let mut derivation = Derivation { nodes: Vec::with_capacity(size as usize), padded: false };
        // The classes from the root to the current node.
        let mut path: Vec<u32> = Vec::new();
        let mut todo = vec![Todo::Cell(root, size, number)];
        while let Some(next) = todo.pop() {
            let Todo::Cell(cell, size, mut number) = next else {
                path.pop();
                continue;
            };
            let sums = self.sums(cell, size);
            let chosen = sums.find(&number);
            if chosen > 0 {
                limbs::subtract(&mut number, sums.get(chosen - 1));
            }
            let alternative = self.counts.grammar.alternatives(cell)[chosen];
            let shape = self.counts.grammar.cells[cell as usize];
            if shape.is_class {
                if path.contains(&cell) {
                    derivation.padded = true;
                    if stop_if_padded {
                        return Some(derivation);
                    }
                }
                derivation.nodes.push(alternative.node);
                path.push(cell);
                todo.push(Todo::Leave);
            }
            let children_size = size - shape.own_size();
            match (alternative.left, alternative.right) {
                (NONE, _) => {}
                (only, NONE) => todo.push(Todo::Cell(only, children_size, number)),
                (left, right) => {
                    let (left_size, number) = self.split(left, right, children_size, number);
                    // The pair's number is left number · count of the right ones + right number.
                    let count = self.counts.limbs(right, children_size - left_size);
                    let (first, second) = limbs::divide(&number, count);
                    todo.push(Todo::Cell(right, children_size - left_size, second));
                    todo.push(Todo::Cell(left, left_size, first));
                }
            }
        }
        Some(derivation)
    }

    /// The size of the left term of pair `number`, and the pair's number among those.
    fn split(&self, left: u32, right: u32, size: u32, mut number: Vec<u64>) -> (u32, Vec<u64>) {
        let (first, last) =
            self.counts.split_sizes(left, right, size).expect("the pair was counted at this size");
        let mut pairs = Vec::new();
        for left_size in first..last {
            pairs.clear();
            let (x, y) =
                (self.counts.limbs(left, left_size), self.counts.limbs(right, size - left_size));
            limbs::add_product(&mut pairs, x, y);
            if limbs::compare(&number, &pairs) == Ordering::Less {
                return (left_size, number);
            }
            limbs::subtract(&mut number, &pairs);
        }
        (last, number)
    }

    fn sums(&mut self, cell: u32, size: u32) -> Rc<Sums> {
        let counts = self.counts;
        let sums = self.sums.entry((cell, size)).or_insert_with(|| {
            let width = limbs::trim(counts.limbs(cell, size)).len().max(1);
            let children_size = size - counts.grammar.cells[cell as usize].own_size();
            let mut running = Vec::new();
            let mut all = Vec::new();
            for alternative in counts.grammar.alternatives(cell) {
                counts.add_alternative(alternative, children_size, &mut running);
                running.resize(width, 0);
                all.extend_from_slice(&running);
            }
            Rc::new(Sums { limbs: all, width })
        });
        sums.clone()
    }

    fn build(&self, bank: &mut TermBank, preorder: &[Id]) -> TermId {
        // Read from the right, the children of a node are finished before it is met.
        let mut done: Vec<TermId> = Vec::new();
        for &node in preorder.iter().rev() {
            let arity = self.egraph.children(node).len();
            let children: Vec<TermId> = done.drain(done.len() - arity..).rev().collect();
            done.push(match self.egraph.node(node) {
                Node::Op(op) => bank.apply(op, &children),
                Node::Leaf(leaf) => bank.leaf(leaf),
            });
        }
        done[0]
    }
}

impl Sums {
    fn get(&self, i: usize) -> &[u64] {
        &self.limbs[i * self.width..(i + 1) * self.width]
    }

    /// The first alternative whose running sum is larger than `number`.
    fn find(&self, number: &[u64]) -> usize {
        let (mut low, mut high) = (0, self.limbs.len() / self.width - 1);
        while low < high {
            let middle = (low + high) / 2;
            if limbs::compare(number, self.get(middle)) == Ordering::Less {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

/// What [`Sampler::sample`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Distinct terms in the order in which they were drawn.
    pub terms: Vec<TermId>,
    /// Number of draws.
    pub drawn: u64,
    /// Draws of padded terms that were left out.
    pub padded: u64,
    /// Draws of a term that was there already.
    pub repeated: u64,
}

/// Whether a subterm of `term` equals, in the e-graph, one of its own proper subterms. Subterms
/// that the e-graph does not represent equal no other.
pub fn is_padded(egraph: &EGraph, bank: &TermBank, term: TermId) -> bool {
    fn visit(egraph: &EGraph, bank: &TermBank, term: TermId, path: &mut Vec<Id>) -> bool {
        let class = egraph.lookup(bank, term);
        if class.is_some_and(|class| path.contains(&class)) {
            return true;
        }
        path.extend(class);
        let padded = bank.children(term).iter().any(|&child| visit(egraph, bank, child, path));
        path.truncate(path.len() - usize::from(class.is_some()));
        padded
    }
    visit(egraph, bank, term, &mut Vec::new())
}
