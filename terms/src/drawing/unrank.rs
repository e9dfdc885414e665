//! From the number of a term to the term, one node at a time.
//!
//! The terms of a cell with one size are numbered by alternative, then by the size of the left
//! child, then by the number of the left child, then by that of the right one.

use crate::counting::counts::Counts;
use crate::counting::grammar::NONE;
use crate::counting::limbs;
use crate::counting::number::Number;
use crate::drawing::derivation::Steps;
use crate::drawing::running_sums::RunningSums;
use egraph::Id;

/// A term of a cell: one of `size` nodes, by its number (its rank) among those.
#[derive(Clone, Debug)]
pub struct RankedTerm<N> {
    pub cell: u32,
    pub size: u32,
    pub number: N,
}

/// Takes numbers apart.
#[derive(Debug)]
pub struct Unranker<N> {
    /// By cell and size.
    sums: RunningSums<(u32, u32), N>,
}

impl<N: Number> Unranker<N> {
    /// Remembers at most this many bytes of sums.
    pub fn new(room: usize) -> Self {
        Unranker { sums: RunningSums::new(room) }
    }

    /// Before numbers of terms of another class or limit, see [`RunningSums::begin`].
    pub fn begin(&mut self) {
        self.sums.begin();
    }

    /// The node of a term (meaningless in a product). The places of its children are added to
    /// `children`, the last one first.
    pub fn step(
        &mut self,
        counts: &Counts,
        place: RankedTerm<N>,
        mut children: impl FnMut(RankedTerm<N>),
    ) -> Id {
        let RankedTerm { cell, size, mut number } = place;
        let alternatives = counts.grammar.alternatives(cell);
        let width = limbs::trim(counts.limbs(cell, size)).len();
        let size_below = size - counts.grammar.cells[cell as usize].own_size();
        let weight = |i: usize, sum: &mut N| {
            sum.add_alternative(counts, &alternatives[i], size_below);
        };
        let chosen = self.sums.choose((cell, size), alternatives.len(), width, &mut number, weight);
        let (alternative, size) = (alternatives[chosen], size_below);
        match (alternative.left, alternative.right) {
            (NONE, _) => {}
            (only, NONE) => children(RankedTerm { cell: only, size, number }),
            (left, right) => {
                let (left_size, number) = split(counts, left, right, size, number);
                let right_size = size - left_size;
                // The pair's number is left number · count of the right ones + right number.
                let (first, second) = number.divide(&N::of(counts.limbs(right, right_size)));
                children(RankedTerm { cell: right, size: right_size, number: second });
                children(RankedTerm { cell: left, size: left_size, number: first });
            }
        }
        alternative.node
    }
}

/// An unranker with the counts that it is for.
pub struct Counted<'a, N> {
    pub counts: &'a Counts,
    pub unranker: &'a mut Unranker<N>,
}

impl<N: Number> Steps for Counted<'_, N> {
    type Term = RankedTerm<N>;

    fn class(&self, place: &RankedTerm<N>) -> Option<u32> {
        self.counts.grammar.cells[place.cell as usize].is_class.then_some(place.cell)
    }

    fn step(&mut self, place: RankedTerm<N>, child: impl FnMut(RankedTerm<N>)) -> Id {
        self.unranker.step(self.counts, place, child)
    }
}

/// The size of the left term of pair `number`, and the pair's number among those.
fn split<N: Number>(counts: &Counts, left: u32, right: u32, size: u32, mut number: N) -> (u32, N) {
    let (first, last) =
        counts.split_sizes(left, right, size).expect("the pair was counted at this size");
    let mut pairs = N::default();
    for left_size in first..last {
        pairs.set_product(counts.limbs(left, left_size), counts.limbs(right, size - left_size));
        if number.is_below(&pairs) {
            return (left_size, number);
        }
        number.subtract(&pairs);
    }
    (last, number)
}
