//! The counts of one cell by size, and sums of products of two of them.

use crate::counting::limbs::{self, ProductSum};
use std::ops::Range;

/// The numbers of terms of one size after another, from the least size on. Small sizes have one
/// limb mostly: up to the first number with more, each has one; from there on, all have as many
/// as the largest needs.
#[derive(Clone, Debug)]
pub struct CellCounts {
    limbs: Vec<u64>,
    /// The size to which the first number belongs.
    min: u32,
    /// How many numbers there will be.
    numbers: u32,
    /// The numbers before this place have one limb.
    narrow: u32,
    /// Limbs of the others.
    width: u32,
    /// By number of limbs, from two on: no number before this place has so many.
    first: [u16; FIRSTS],
}

/// So many are kept; what has still more limbs is few.
const FIRSTS: usize = 4;

impl CellCounts {
    /// No counts yet; there will be those of these sizes.
    pub fn new(min: u32, max: u32) -> CellCounts {
        let numbers = max + 1 - min;
        CellCounts {
            limbs: Vec::with_capacity(numbers as usize),
            min,
            numbers,
            narrow: 0,
            width: 1,
            first: [u16::MAX; FIRSTS],
        }
    }

    /// The size to which the first number belongs.
    pub fn min(&self) -> u32 {
        self.min
    }

    /// Limbs of the widest number.
    pub fn width(&self) -> usize {
        self.width as usize
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        let narrow = self.narrow as usize;
        narrow + (self.limbs.len() - narrow) / self.width as usize
    }

    /// A number, with zero limbs at its high end where others have more.
    pub fn get(&self, i: usize) -> &[u64] {
        &self.limbs[self.place(i)..self.place(i + 1)]
    }

    /// The number of a size, as [`CellCounts::get`]; no limb at all for a size that is not there.
    pub fn of_size(&self, size: u32) -> &[u64] {
        match size.checked_sub(self.min) {
            Some(i) if (i as usize) < self.len() => self.get(i as usize),
            _ => &[],
        }
    }

    /// A number modulo 2^128.
    pub fn low(&self, i: usize) -> u128 {
        if i < self.narrow as usize { u128::from(self.limbs[i]) } else { limbs::low(self.get(i)) }
    }

    /// All numbers, if each has one limb.
    pub fn one_limb(&self) -> Option<&[u64]> {
        (self.width == 1).then_some(&self.limbs[..])
    }

    /// The least and the largest size here when there is the rest of `size` in `other`.
    pub fn split_sizes(&self, other: &CellCounts, size: u32) -> Option<(u32, u32)> {
        let max = |counts: &CellCounts| counts.min + counts.len() as u32 - 1;
        let least = self.min.max(size.saturating_sub(max(other)));
        let most = size.checked_sub(other.min)?.min(max(self));
        (least <= most).then_some((least, most))
    }

    /// By how many bytes they grow when a number is added.
    pub fn growth(&self, number: &[u64]) -> usize {
        8 * self.capacity(number.len()).saturating_sub(self.capacity(0))
    }

    /// Limbs for all numbers, if the widest has at least `width`.
    fn capacity(&self, width: usize) -> usize {
        let width = width.max(self.width as usize);
        let wide = if width == 1 { 0 } else { self.numbers - self.narrow };
        (self.numbers - wide) as usize + wide as usize * width
    }

    /// Adds a number that has no zero limb at its high end.
    pub fn push(&mut self, number: &[u64]) {
        if number.len() > self.width as usize {
            self.widen(number.len());
        }
        let place = u16::try_from(self.len()).unwrap_or(u16::MAX);
        let first = self.first.iter_mut().take(number.len().saturating_sub(1));
        first.for_each(|first| *first = place.min(*first));
        if self.width == 1 {
            self.narrow += 1;
        }
        let end = self.limbs.len() + self.width as usize;
        self.limbs.extend_from_slice(number);
        self.limbs.resize(end, 0);
    }

    fn widen(&mut self, width: usize) {
        let mut wider = Vec::with_capacity(self.capacity(width));
        wider.extend_from_slice(&self.limbs[..self.narrow as usize]);
        for number in self.limbs[self.narrow as usize..].chunks_exact(self.width as usize) {
            let end = wider.len() + width;
            wider.extend_from_slice(number);
            wider.resize(end, 0);
        }
        (self.limbs, self.width) = (wider, width as u32);
    }

    /// Where the limbs of a number begin.
    fn place(&self, i: usize) -> usize {
        match i.checked_sub(self.narrow as usize) {
            Some(wide) => self.narrow as usize + wide * self.width as usize,
            None => i,
        }
    }

    fn limbs(&self, numbers: Range<usize>) -> &[u64] {
        &self.limbs[self.place(numbers.start)..self.place(numbers.end)]
    }

    /// A place before which limb `limb` of all numbers is zero.
    fn first_with(&self, limb: usize) -> usize {
        match limb.checked_sub(1) {
            None => 0,
            Some(more) => self.first[more.min(FIRSTS - 1)].into(),
        }
    }

    /// Adds `Σ self[a + i] · other[b − i]` over all i below `count` to `sum`.
    pub fn add_convolution(
        &self,
        a: usize,
        other: &CellCounts,
        b: usize,
        count: usize,
        sum: &mut Vec<u64>,
    ) {
        // The numbers here are wide from some i on, the others before some i.
        let wide_from = (self.narrow as usize).saturating_sub(a).min(count);
        let narrow_from = (b + 1).saturating_sub(other.narrow as usize).min(count);
        let (first, second) = (wide_from.min(narrow_from), wide_from.max(narrow_from));
        for part in [0..first, first..second, second..count] {
            let wide = |is_wide: bool, of: &CellCounts| if is_wide { of.width as usize } else { 1 };
            let of_x = wide(part.start >= wide_from, self);
            let of_y = wide(part.end <= narrow_from, other);
            // One limb of each at a time, so that no carry is waited for.
            for (i, j) in (0..of_x).flat_map(|i| (0..of_y).map(move |j| (i, j))) {
                let start = part.start.max(self.first_with(i).saturating_sub(a));
                let end = part.end.min((b + 1).saturating_sub(other.first_with(j)));
                if start >= end {
                    continue;
                }
                let x = self.limbs(a + start..a + end);
                let y = other.limbs(b + 1 - end..b + 1 - start);
                let mut products = ProductSum::default();
                match (of_x, of_y) {
                    (1, 1) => x.iter().zip(y.iter().rev()).for_each(|(&x, &y)| products.add(x, y)),
                    _ => {
                        let (x, y) = (x.chunks_exact(of_x), y.rchunks_exact(of_y));
                        x.zip(y).for_each(|(x, y)| products.add(x[i], y[j]));
                    }
                }
                products.add_to(sum, i + j);
            }
        }
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.limbs.capacity() * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use proptest::prelude::*;

    fn numbers() -> impl Strategy<Value = Vec<Vec<u64>>> {
        let limb = prop_oneof![Just(u64::MAX), any::<u64>()];
        (1usize..10, prop::collection::vec(prop::collection::vec(limb, 0..10), 1..12)).prop_map(
            |(width, mut numbers)| {
                numbers.iter_mut().for_each(|number| {
                    number.truncate(width);
                    number.truncate(limbs::trim(number).len());
                });
                numbers
            },
        )
    }

    fn cell_counts(numbers: &[Vec<u64>]) -> CellCounts {
        let mut counts = CellCounts::new(1, numbers.len() as u32);
        for number in numbers {
            let bytes = counts.heap_bytes() + counts.growth(number);
            counts.push(number);
            assert_eq!(counts.heap_bytes(), bytes);
        }
        counts
    }

    proptest! {
        #[test]
        fn a_row_gives_back_what_was_pushed(numbers in numbers()) {
            let counts = cell_counts(&numbers);
            prop_assert_eq!(counts.len(), numbers.len());
            for (i, number) in numbers.iter().enumerate() {
                prop_assert_eq!(limbs::trim(counts.get(i)), &number[..]);
                prop_assert_eq!(counts.low(i), limbs::low(number));
            }
        }

        #[test]
        fn a_convolution_is_a_sum_of_products(
            x in numbers(),
            y in numbers(),
            from in any::<prop::sample::Index>(),
            to in any::<prop::sample::Index>(),
        ) {
            let (a, b) = (from.index(x.len()), to.index(y.len()));
            let count = (x.len() - a).min(b + 1);
            let mut sum = vec![u64::MAX];
            cell_counts(&x).add_convolution(a, &cell_counts(&y), b, count, &mut sum);
            let product = |i: usize| limbs::to_biguint(&x[a + i]) * limbs::to_biguint(&y[b - i]);
            let expected = (0..count).map(product).sum::<BigUint>() + u64::MAX;
            prop_assert_eq!(limbs::to_biguint(&sum), expected);
        }
    }
}
