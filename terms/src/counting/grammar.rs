//! The part of an e-graph that terms of bounded size can use, as a grammar of *cells*.
//!
//! A cell is an e-class, or a product: the pairs of terms of two cells, which cuts e-nodes with
//! three or more children into steps of two. A class at the bottom of a large context needs only
//! small sizes: with m(q) the least size of a term of class q, a child of e-node f(q₁…q_k) in a
//! class that needs sizes up to b needs sizes up to b − 1 − Σ m(other children). Classes and
//! e-nodes that fit under no root are left out.

use crate::counting::state::State;
use crate::counting::terms::Filter;
use egraph::Id;
use rustc_hash::FxHashMap;
use std::collections::BinaryHeap;
use std::ops::Range;

/// No cell: a leaf has no left child, a leaf or unary e-node no right one.
pub const NONE: u32 = u32::MAX;

/// No term is larger: so the sizes of a pair and of its node have a sum.
const LARGEST: u32 = u32::MAX / 4;

/// An e-class or a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Least size of its terms. The size of a pair is the sum of the two.
    pub min: u32,
    /// Largest size that is needed anywhere and that a term may have, at least `min`.
    pub max: u32,
    /// `alternatives[first..end]` are the ways to make a term.
    first: u32,
    end: u32,
    /// Whether it is a class: then its e-nodes count as one each.
    pub is_class: bool,
}

impl Cell {
    /// What the node itself adds to the sizes of the children.
    pub fn own_size(&self) -> u32 {
        u32::from(self.is_class)
    }
}

/// An e-node of a class, or the one pair of cells of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The e-node; meaningless in a product.
    pub node: Id,
    /// First cell or [`NONE`].
    pub left: u32,
    /// Second cell or [`NONE`].
    pub right: u32,
}

/// Cells and their alternatives.
#[derive(Clone, Debug)]
pub struct Grammar {
    /// All cells, classes first.
    pub cells: Vec<Cell>,
    alternatives: Vec<Alternative>,
    cell_of: FxHashMap<Id, u32>,
}

impl Grammar {
    /// The grammar of the terms of `roots` (class and largest size) that `filter` admits. Of
    /// padded terms only those are left out in which a node equals one of its own children.
    pub fn new(state: &impl State, roots: &[(Id, u32)], filter: &Filter<'_>) -> Grammar {
        let roots: Vec<(Id, u32)> =
            roots.iter().map(|&(q, limit)| (state.find(q), limit.min(LARGEST))).collect();
        let limit = roots.iter().map(|&(_, limit)| limit).max().unwrap_or(0);
        let classes = Classes::reachable(state, &roots, filter);
        let min = classes.least_sizes(limit);
        let max = classes.largest_sizes(&roots, &min);
        Builder::default().build(&classes, &min, &max)
    }

    /// The cell of a class (its canonical id); `None` if no term of it fits under a root.
    pub fn cell_of(&self, class: Id) -> Option<u32> {
        self.cell_of.get(&class).copied()
    }

    /// The alternatives of a cell: those over the same two cells, in either order, are adjacent.
    pub fn alternatives(&self, cell: u32) -> &[Alternative] {
        &self.alternatives[self.places(cell)]
    }

    /// Where the alternatives of a cell are among those of all cells.
    pub fn places(&self, cell: u32) -> Range<usize> {
        let cell = &self.cells[cell as usize];
        cell.first as usize..cell.end as usize
    }

    /// The numbers of all cells.
    pub fn all_cells(&self) -> Range<u32> {
        0..self.cells.len() as u32
    }

    /// The largest size of any cell.
    pub fn largest(&self) -> u32 {
        self.cells.iter().map(|cell| cell.max).max().unwrap_or(0)
    }

    /// Lowers the largest sizes of cells with finitely many terms to what their terms have. A
    /// cell is finite when all of its children are: from the leaves upwards, as in a
    /// topological sort; what is on a cycle or above one is never reached.
    fn bound_finite_cells(&mut self) {
        let children = |a: &Alternative| [a.left, a.right].into_iter().filter(|&c| c != NONE);
        let cells = self.all_cells();
        let mut waits = vec![0u32; self.cells.len()];
        // By child, where its users begin; then, as they are entered, where they end.
        let mut ends = vec![0u32; self.cells.len() + 1];
        for cell in cells.clone() {
            for child in self.alternatives(cell).iter().flat_map(children) {
                waits[cell as usize] += 1;
                ends[child as usize + 1] += 1;
            }
        }
        for child in cells.clone() {
            ends[child as usize + 1] += ends[child as usize];
        }
        let mut users = vec![0u32; ends[self.cells.len()] as usize];
        for cell in cells.clone() {
            for child in self.alternatives(cell).iter().flat_map(children) {
                users[ends[child as usize] as usize] = cell;
                ends[child as usize] += 1;
            }
        }
        let mut finite: Vec<u32> = cells.filter(|&cell| waits[cell as usize] == 0).collect();
        while let Some(cell) = finite.pop() {
            let own = self.cells[cell as usize].own_size();
            let size = |a| own + children(a).map(|c| self.cells[c as usize].max).sum::<u32>();
            let largest = self.alternatives(cell).iter().map(size).max().unwrap_or(own);
            let max = &mut self.cells[cell as usize].max;
            *max = largest.min(*max);
            for &user in &users[places(&ends, cell as usize)] {
                waits[user as usize] -= 1;
                if waits[user as usize] == 0 {
                    finite.push(user);
                }
            }
        }
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>()
            + self.alternatives.capacity() * size_of::<Alternative>()
            + self.cell_of.capacity() * 9
    }
}

/// The classes below the roots, numbered from 0 in order of discovery, with the e-nodes that are
/// admitted.
#[derive(Default)]
struct Classes {
    ids: Vec<Id>,
    /// By class number, where its e-nodes end; they begin where those of the class before end.
    ends: Vec<u32>,
    nodes: Vec<Id>,
    /// By e-node in `nodes`, where its children end.
    child_ends: Vec<u32>,
    /// Numbers of classes.
    children: Vec<u32>,
}

impl Classes {
    fn reachable(state: &impl State, roots: &[(Id, u32)], filter: &Filter<'_>) -> Self {
        // By id.
        let mut numbers = vec![NONE; state.built() as usize];
        let mut classes = Classes::default();
        let mut number = |ids: &mut Vec<Id>, class: Id| {
            let number = &mut numbers[class.0 as usize];
            if *number == NONE {
                *number = ids.len() as u32;
                ids.push(class);
            }
            *number
        };
        for &(root, _) in roots {
            number(&mut classes.ids, root);
        }
        while classes.ends.len() < classes.ids.len() {
            for node in filter.nodes(state, classes.ids[classes.ends.len()]) {
                for child in state.children(node) {
                    let child = number(&mut classes.ids, child);
                    classes.children.push(child);
                }
                classes.nodes.push(node);
                classes.child_ends.push(classes.children.len() as u32);
            }
            classes.ends.push(classes.nodes.len() as u32);
        }
        classes
    }

    /// The e-nodes of class number `class`, with the numbers of their children's classes.
    fn nodes(&self, class: u32) -> impl Iterator<Item = (Id, &[u32])> {
        places(&self.ends, class as usize)
            .map(|node| (self.nodes[node], &self.children[places(&self.child_ends, node)]))
    }

    /// m(q) by class number, where it is at most `limit`; else `u32::MAX`.
    fn least_sizes(&self, limit: u32) -> Vec<u32> {
        let mut least = vec![u32::MAX; self.ids.len()];
        // A term of size s has depth at most s, so that `limit` rounds are enough. What is below
        // was mostly found later: from the last to the first, few rounds are.
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for class in (0..self.ids.len() as u32).rev() {
                let sizes = self.nodes(class).map(|(_, children)| least_size(&least, children));
                let size = sizes.min().unwrap_or(u32::MAX);
                if size <= limit && size < least[class as usize] {
                    least[class as usize] = size;
                    changed = true;
                }
            }
        }
        least
    }

    /// The largest size needed of each class, by number; 0 where no term fits.
    fn largest_sizes(&self, roots: &[(Id, u32)], min: &[u32]) -> Vec<u32> {
        let mut largest = vec![0; self.ids.len()];
        let mut queue = BinaryHeap::new();
        let mut offer = |queue: &mut BinaryHeap<(u32, u32)>, size: u32, class: u32| {
            if size >= min[class as usize] && size > largest[class as usize] {
                largest[class as usize] = size;
                queue.push((size, class));
            }
        };
        for (root, limit) in roots {
            let number = self.ids.iter().position(|id| id == root);
            offer(&mut queue, *limit, number.expect("roots are found first") as u32);
        }
        // Sizes only shrink on the way down, so the first time a class is taken is its largest.
        let mut done = vec![false; self.ids.len()];
        while let Some((size, class)) = queue.pop() {
            if std::mem::replace(&mut done[class as usize], true) {
                continue;
            }
            for (_, children) in self.nodes(class) {
                let least = least_size(min, children);
                if least <= size {
                    for &child in children {
                        offer(&mut queue, size - least + min[child as usize], child);
                    }
                }
            }
        }
        largest
    }
}

/// Least size of an e-node over these children.
fn least_size(min: &[u32], children: &[u32]) -> u32 {
    children.iter().fold(1, |sum: u32, &child| sum.saturating_add(min[child as usize]))
}

/// The places of part number `part`, where `ends` has the ends of all.
fn places(ends: &[u32], part: usize) -> Range<usize> {
    let start = if part == 0 { 0 } else { ends[part - 1] };
    start as usize..ends[part] as usize
}

#[derive(Default)]
struct Builder {
    cells: Vec<Cell>,
    alternatives: Vec<Alternative>,
    products: FxHashMap<(u32, u32), u32>,
    pairs: Vec<(u32, u32)>,
}

impl Builder {
    fn build(mut self, classes: &Classes, min: &[u32], max: &[u32]) -> Grammar {
        let mut cell_of_number = vec![NONE; classes.ids.len()];
        let mut cell_of = FxHashMap::default();
        for (number, &class) in classes.ids.iter().enumerate() {
            if max[number] >= min[number] {
                let cell = self.cells.len() as u32;
                cell_of_number[number] = cell;
                cell_of.insert(class, cell);
                let (min, max) = (min[number], max[number]);
                self.cells.push(Cell { min, max, first: 0, end: 0, is_class: true });
            }
        }
        let mut cells = Vec::new();
        for number in 0..classes.ids.len() as u32 {
            let cell = cell_of_number[number as usize];
            if cell == NONE {
                continue;
            }
            let first = self.alternatives.len();
            let size = max[number as usize];
            for (node, children) in classes.nodes(number) {
                if least_size(min, children) <= size {
                    cells.clear();
                    cells.extend(children.iter().map(|&child| cell_of_number[child as usize]));
                    self.alternative(node, &cells, size - 1);
                }
            }
            self.alternatives[first..]
                .sort_by_key(|a| (a.left.min(a.right), a.left.max(a.right), a.node));
            let cell = &mut self.cells[cell as usize];
            (cell.first, cell.end) = (first as u32, self.alternatives.len() as u32);
        }
        let first_product = self.cells.len() - self.pairs.len();
        for (cell, (left, right)) in self.cells[first_product..].iter_mut().zip(self.pairs) {
            cell.first = self.alternatives.len() as u32;
            cell.end = cell.first + 1;
            self.alternatives.push(Alternative { node: Id(0), left, right });
        }
        let mut grammar = Grammar { cells: self.cells, alternatives: self.alternatives, cell_of };
        grammar.bound_finite_cells();
        grammar
    }

    /// Enters an e-node whose children together have sizes up to `size`.
    fn alternative(&mut self, node: Id, children: &[u32], size: u32) {
        let (left, right) = match *children {
            [] => (NONE, NONE),
            [only] => (only, NONE),
            [first, ref middle @ .., last] => {
                let mut left = first;
                for (i, &next) in middle.iter().enumerate() {
                    let rest: u32 =
                        children[i + 2..].iter().map(|&c| self.cells[c as usize].min).sum();
                    left = self.product(left, next, size - rest);
                }
                (left, last)
            }
        };
        self.alternatives.push(Alternative { node, left, right });
    }

    fn product(&mut self, left: u32, right: u32, size: u32) -> u32 {
        let next = self.cells.len() as u32;
        let product = *self.products.entry((left, right)).or_insert(next);
        if product == next {
            let min = self.cells[left as usize].min + self.cells[right as usize].min;
            self.cells.push(Cell { min, max: size, first: 0, end: 0, is_class: false });
            self.pairs.push((left, right));
        }
        let max = &mut self.cells[product as usize].max;
        *max = (*max).max(size);
        product
    }
}
