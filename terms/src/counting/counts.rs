//! How many terms of each size an e-class represents, exactly.
//!
//! With c(q, s) the number of terms of size s in e-class q,
//!
//! ```text
//! c(q, s) = Σ over e-nodes f(q₁…q_k) of q   Σ over s₁+…+s_k = s−1   Π c(qᵢ, sᵢ)
//! ```
//!
//! Every node adds one, so the right-hand side has smaller sizes only: all classes are filled
//! size by size, and cycles need no special case. In a congruence-closed e-graph a term has one
//! derivation, so derivations are terms.

use crate::counting::cell_counts::CellCounts;
use crate::counting::grammar::{Alternative, Cell, Grammar, NONE};
use crate::counting::limbs;
use crate::counting::terms::{Filter, Terms};
use egraph::{EGraph, Id, count_bytes, count_step};
use num_bigint::BigUint;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::ops::Range;

/// The numbers c(q, s) for all classes q and sizes s that terms of the roots can have inside.
#[derive(Clone, Debug)]
pub struct Counts {
    pub(crate) grammar: Grammar,
    pub(crate) terms: Terms,
    /// By cell, from its least size on.
    cells: Vec<CellCounts>,
    /// How many bytes they may take.
    bytes: usize,
    /// Products of limbs that were made to count.
    products: u64,
}

/// What counting may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes on the heap ([`Counts::heap_bytes`]).
    pub bytes: usize,
    /// Products of limbs, which is what counting takes its time for: about a nanosecond each.
    pub products: u64,
}

impl Room {
    /// As much as there is.
    pub const ANY: Room = Room { bytes: usize::MAX, products: u64::MAX };

    /// This many bytes, and any time.
    pub fn of_bytes(bytes: usize) -> Room {
        Room { bytes, ..Room::ANY }
    }

    /// The room that is left after `counts` have taken theirs.
    pub(crate) fn beside(self, counts: &Counts) -> Room {
        Room { bytes: self.bytes - counts.heap_bytes(), products: self.products - counts.products }
    }
}

/// The counts of one size.
#[derive(Default)]
struct Level {
    products: u64,
    limbs: Vec<u64>,
    /// The cells, each with the end of its count in `limbs`.
    ends: Vec<(u32, usize)>,
}

const NO_LIMIT: &str = "nothing takes more than there can be";

/// Products of limbs that are one step towards [`egraph::Bounds`].
const PRODUCTS_PER_STEP: u64 = 4_096;

/// Cells that one thread counts at a time.
const PART: usize = 512;

/// Counts would take more memory or time than they may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// A smaller limit of size, with which they may fit.
    pub limit: u32,
}

/// What `count` makes for `roots` (classes and limits of size), whose limits are lowered until it
/// fits in the room that there is.
pub fn fitting<T>(
    roots: &mut [(Id, u32)],
    count: impl Fn(&[(Id, u32)]) -> Result<T, TooLarge>,
) -> T {
    loop {
        match count(roots) {
            Ok(counts) => return counts,
            Err(TooLarge { limit: less }) => {
                roots.iter_mut().for_each(|(_, limit)| *limit = less.min(*limit));
            }
        }
    }
}

impl Counts {
    /// Counts the `terms` of each root class up to its limit of size.
    ///
    /// `egraph` must be rebuilt. Time is proportional to e-nodes × limit² in the worst case;
    /// memory to e-classes × limit × bits of a count.
    pub fn new(egraph: &EGraph, roots: &[(Id, u32)], terms: Terms) -> Counts {
        let filter = Filter::new(egraph, roots.iter().map(|&(root, _)| root), terms);
        Counts::of(Grammar::new(egraph, roots, &filter), terms, Room::ANY).expect(NO_LIMIT)
    }

    /// As [`Counts::new`], if the counts take no more than `room`.
    ///
    /// # Errors
    /// They would take more, which is found out before they do. The same input gives the same
    /// answer everywhere.
    pub fn within(
        egraph: &EGraph,
        roots: &[(Id, u32)],
        terms: Terms,
        room: Room,
    ) -> Result<Counts, TooLarge> {
        let filter = Filter::new(egraph, roots.iter().map(|&(root, _)| root), terms);
        Counts::of(Grammar::new(egraph, roots, &filter), terms, room)
    }

    /// As [`Counts::new`], by the threads of `pool`. Not for use inside of another task of that
    /// pool: a thread that waits for the others takes up further tasks, and their memory.
    pub fn in_pool(
        egraph: &EGraph,
        roots: &[(Id, u32)],
        terms: Terms,
        pool: &ThreadPool,
    ) -> Counts {
        let filter = Filter::new(egraph, roots.iter().map(|&(root, _)| root), terms);
        let grammar = Grammar::new(egraph, roots, &filter);
        let end = grammar.all_cells().end;
        let parts = grammar.all_cells().step_by(PART).map(|cell| cell..end.min(cell + PART as u32));
        let parts: Vec<Range<u32>> = parts.collect();
        Counts::fill(grammar, terms, Room::ANY, |counts, size| {
            let part = |part: &Range<u32>| counts.level(size, part.clone(), u64::MAX);
            pool.install(|| parts.par_iter().map(part).collect())
        })
        .expect(NO_LIMIT)
    }

    /// Counts the terms of a grammar of `terms`, see [`Counts::within`].
    pub(crate) fn of(grammar: Grammar, terms: Terms, room: Room) -> Result<Counts, TooLarge> {
        Counts::fill(grammar, terms, room, |counts, size| {
            let left = room.products - counts.products;
            vec![counts.level(size, counts.grammar.all_cells(), left)]
        })
    }

    /// Fills the counts of all cells, size by size, with what `levels` finds, if they fit in the
    /// room.
    fn fill(
        grammar: Grammar,
        terms: Terms,
        Room { bytes, products }: Room,
        levels: impl Fn(&Counts, u32) -> Vec<Level>,
    ) -> Result<Counts, TooLarge> {
        let numbers = |cell: &Cell| (cell.max - cell.min) as usize + 1;
        let mut heap = grammar.heap_bytes()
            + grammar.cells.len() * size_of::<CellCounts>()
            + grammar.cells.iter().map(numbers).sum::<usize>() * 8;
        let largest = grammar.largest();
        if heap > bytes {
            return Err(TooLarge { limit: largest - largest.div_ceil(8) });
        }
        let cells = grammar.cells.iter().map(|cell| CellCounts::new(cell.min, cell.max)).collect();
        let mut counts = Counts { grammar, terms, cells, bytes, products: 0 };
        for size in 1..=largest {
            for level in levels(&counts, size) {
                counts.products += level.products;
                if counts.products > products {
                    return Err(TooLarge { limit: size - 1 });
                }
                let mut start = 0;
                for &(cell, end) in &level.ends {
                    let cell_counts = &mut counts.cells[cell as usize];
                    let number = &level.limbs[start..end];
                    heap += cell_counts.growth(number);
                    if heap > bytes {
                        return Err(TooLarge { limit: size - 1 });
                    }
                    count_bytes(cell_counts.growth(number));
                    cell_counts.push(number);
                    start = end;
                }
            }
        }
        Ok(counts)
    }

    /// The counts of one size of some cells, from those of smaller sizes; not all of them, if that
    /// takes more than `most_products`.
    fn level(&self, size: u32, cells: Range<u32>, most_products: u64) -> Level {
        let mut level = Level::default();
        let (mut sum, mut part) = (Vec::new(), Vec::new());
        for cell in cells {
            let Cell { min, max, .. } = self.grammar.cells[cell as usize];
            if (min..=max).contains(&size) {
                sum.clear();
                let products = self.add_all(cell, size, &mut sum, &mut part);
                // A few microseconds each.
                (0..=products / PRODUCTS_PER_STEP).for_each(|_| count_step());
                level.products += products;
                if level.products > most_products {
                    break;
                }
                level.limbs.extend_from_slice(limbs::trim(&sum));
                level.ends.push((cell, level.limbs.len()));
            }
        }
        level
    }

    /// Adds the counts of all alternatives of a cell to `sum`; by how many products of limbs.
    fn add_all(&self, cell: u32, size: u32, sum: &mut Vec<u64>, part: &mut Vec<u64>) -> u64 {
        let mut products = 0;
        let children_size = size - self.grammar.cells[cell as usize].own_size();
        let same = |a: &Alternative, b: &Alternative| {
            (a.left, a.right) == (b.left, b.right) || (a.left, a.right) == (b.right, b.left)
        };
        // f(a, b), f(b, a) and g(a, b) have as many terms each: one sum of products for all.
        for group in self.grammar.alternatives(cell).chunk_by(same) {
            if group.len() == 1 {
                products += self.add_alternative(&group[0], children_size, sum);
            } else {
                part.clear();
                products += self.add_alternative(&group[0], children_size, part);
                limbs::add_product(sum, limbs::trim(part), &[group.len() as u64]);
            }
        }
        products
    }

    /// Adds the number of terms that `alternative` has with children of this size together; by at
    /// most how many products of limbs, one where there is nothing to multiply.
    pub(crate) fn add_alternative(
        &self,
        alternative: &Alternative,
        size: u32,
        sum: &mut Vec<u64>,
    ) -> u64 {
        match (alternative.left, alternative.right) {
            (NONE, _) => limbs::add(sum, if size == 0 { &[1] } else { &[] }),
            (only, NONE) => limbs::add(sum, self.limbs(only, size)),
            (left, right) => {
                // All counts of a cell are in one place: this is where counting takes its time.
                let (x, y) = (&self.cells[left as usize], &self.cells[right as usize]);
                let Some((a, b)) = x.split_sizes(y, size) else { return 1 };
                let (first, last) = ((a - x.min()) as usize, (size - a - y.min()) as usize);
                let count = (b - a) as usize + 1;
                x.add_convolution(first, y, last, count, sum);
                return (count * x.width() * y.width()) as u64;
            }
        }
        1
    }

    /// The least and the largest size of the left cell when the two have `size` together.
    pub(crate) fn split_sizes(&self, left: u32, right: u32, size: u32) -> Option<(u32, u32)> {
        self.cells[left as usize].split_sizes(&self.cells[right as usize], size)
    }

    /// The counts of a cell, from its least size on.
    pub(crate) fn of_cell(&self, cell: u32) -> &CellCounts {
        &self.cells[cell as usize]
    }

    /// The count of a cell, its zero limbs at the high end included; no limb at all for a size
    /// that it does not have or that is not needed.
    pub(crate) fn limbs(&self, cell: u32, size: u32) -> &[u64] {
        self.cells[cell as usize].of_size(size)
    }

    /// c(`class`, `size`), for a canonical class id. Sizes that no term of a root can have
    /// inside are not counted, and zero is given for them; a root has all sizes up to its limit.
    pub fn count(&self, class: Id, size: u32) -> BigUint {
        match self.grammar.cell_of(class) {
            Some(cell) => limbs::to_biguint(self.limbs(cell, size)),
            None => BigUint::ZERO,
        }
    }

    /// The number of terms of `class` with at most `limit` nodes; see [`Counts::count`].
    pub fn up_to(&self, class: Id, limit: u32) -> BigUint {
        let Some(cell) = self.grammar.cell_of(class) else { return BigUint::ZERO };
        let mut sum = Vec::new();
        for size in self.grammar.cells[cell as usize].min..=limit {
            limbs::add(&mut sum, self.limbs(cell, size));
        }
        limbs::to_biguint(&sum)
    }

    /// The least size of a term of `class`, if one fits under a root.
    pub fn least_size(&self, class: Id) -> Option<u32> {
        let cell = self.grammar.cell_of(class)?;
        Some(self.grammar.cells[cell as usize].min)
    }

    /// Bytes that running sums may take beside the counts, see [`crate::drawing::running_sums`].
    pub(crate) fn room(&self) -> usize {
        const LEAST: usize = 8 << 20;
        self.heap_bytes().min(self.bytes / 8).max(LEAST)
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.grammar.heap_bytes()
            + self.cells.capacity() * size_of::<CellCounts>()
            + self.cells.iter().map(CellCounts::heap_bytes).sum::<usize>()
    }
}
