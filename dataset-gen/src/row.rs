//! The counts of one cell by size, and sums of products of two of them.

use crate::limbs::{self, ProductSum};

/// Numbers of equally many limbs each, as many as the largest needs.
#[derive(Clone, Debug)]
pub struct Row {
    limbs: Vec<u64>,
    width: usize,
    /// The numbers before this place have one limb: small sizes, mostly.
    narrow: usize,
}

impl Row {
    /// An empty row that will have `len` numbers.
    pub fn with_capacity(len: usize) -> Row {
        Row { limbs: Vec::with_capacity(len), width: 1, narrow: 0 }
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.limbs.len() / self.width
    }

    /// A number, with zero limbs at its high end where others have more.
    pub fn get(&self, i: usize) -> &[u64] {
        &self.limbs[i * self.width..(i + 1) * self.width]
    }

    /// A number modulo 2^128.
    pub fn low(&self, i: usize) -> u128 {
        match self.width {
            1 => u128::from(self.limbs[i]),
            _ => limbs::low(self.get(i)),
        }
    }

    /// By how many bytes the row grows when a number is added that fits in its capacity.
    pub fn growth(&self, number: &[u64]) -> usize {
        self.limbs.capacity() / self.width * number.len().saturating_sub(self.width) * 8
    }

    /// Adds a number that has no zero limb at its high end.
    pub fn push(&mut self, number: &[u64]) {
        if number.len() > self.width {
            self.widen(number.len());
        }
        if number.len() <= 1 && self.narrow == self.len() {
            self.narrow += 1;
        }
        let end = self.limbs.len() + self.width;
        self.limbs.extend_from_slice(number);
        self.limbs.resize(end, 0);
    }

    fn widen(&mut self, width: usize) {
        let numbers = self.limbs.capacity() / self.width;
        let mut wider = Vec::with_capacity(numbers * width);
        for number in self.limbs.chunks_exact(self.width) {
            let end = wider.len() + width;
            wider.extend_from_slice(number);
            wider.resize(end, 0);
        }
        (self.limbs, self.width) = (wider, width);
    }

    /// Adds `Σ self[a + i] · other[b − i]` over all i below `count` to `sum`.
    pub fn add_convolution(
        &self,
        a: usize,
        other: &Row,
        b: usize,
        count: usize,
        sum: &mut Vec<u64>,
    ) {
        if self.width > 2 || other.width > 2 {
            for i in 0..count {
                let (x, y) = (self.get(a + i), other.get(b - i));
                limbs::add_product(sum, limbs::trim(x), limbs::trim(y));
            }
            return;
        }
        // A second limb is looked at only where there may be one: in the last numbers of a row,
        // which for this row are those from `wide_from` on, for the other those before
        // `narrow_from`.
        let narrow_from = (b + 1).saturating_sub(other.narrow).min(count);
        let wide_from = self.narrow.saturating_sub(a).min(count);
        let mut total = ProductSum::default();
        let low = |row: &Row, i: usize| row.limbs[i * row.width];
        let high = |row: &Row, i: usize| row.limbs[i * row.width + 1];
        if self.width == 1 && other.width == 1 {
            let (x, y) = (&self.limbs[a..a + count], &other.limbs[b + 1 - count..=b]);
            x.iter().zip(y.iter().rev()).for_each(|(&x, &y)| total.add_limbs(0, x, y));
        } else {
            (0..count).for_each(|i| total.add_limbs(0, low(self, a + i), low(other, b - i)));
        }
        for i in 0..narrow_from {
            total.add_limbs(1, low(self, a + i), high(other, b - i));
        }
        for i in wide_from..count {
            total.add_limbs(1, high(self, a + i), low(other, b - i));
        }
        for i in wide_from..narrow_from {
            total.add_limbs(2, high(self, a + i), high(other, b - i));
        }
        total.add_to(sum);
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
        (1usize..4, prop::collection::vec(prop::collection::vec(limb, 0..4), 1..12)).prop_map(
            |(width, mut numbers)| {
                numbers.iter_mut().for_each(|number| {
                    number.truncate(width);
                    number.truncate(limbs::trim(number).len());
                });
                numbers
            },
        )
    }

    fn row(numbers: &[Vec<u64>]) -> Row {
        let mut row = Row::with_capacity(numbers.len());
        numbers.iter().for_each(|number| row.push(number));
        row
    }

    proptest! {
        #[test]
        fn a_row_gives_back_what_was_pushed(numbers in numbers()) {
            let row = row(&numbers);
            prop_assert_eq!(row.len(), numbers.len());
            for (i, number) in numbers.iter().enumerate() {
                prop_assert_eq!(limbs::trim(row.get(i)), &number[..]);
                prop_assert_eq!(row.low(i), limbs::low(number));
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
            row(&x).add_convolution(a, &row(&y), b, count, &mut sum);
            let product = |i: usize| limbs::to_biguint(&x[a + i]) * limbs::to_biguint(&y[b - i]);
            let expected = (0..count).map(product).sum::<BigUint>() + u64::MAX;
            prop_assert_eq!(limbs::to_biguint(&sum), expected);
        }
    }
}
