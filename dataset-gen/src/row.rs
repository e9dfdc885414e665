//! The counts of one cell by size, and sums of products of two of them.

use crate::limbs;

/// Numbers of equally many limbs each, as many as the largest needs.
#[derive(Clone, Debug)]
pub struct Row {
    limbs: Vec<u64>,
    width: usize,
}

impl Row {
    /// An empty row that will have `len` numbers.
    pub fn with_capacity(len: usize) -> Row {
        Row { limbs: Vec::with_capacity(len), width: 1 }
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
        let x = &self.limbs[a * self.width..(a + count) * self.width];
        let y = &other.limbs[(b + 1 - count) * other.width..(b + 1) * other.width];
        match (self.width, other.width) {
            (1, 1) => limbs::add_narrow_convolution(sum, x, y),
            (2, 1) => limbs::add_convolution::<2, 1>(sum, x, y),
            (1, 2) => limbs::add_convolution::<1, 2>(sum, x, y),
            (2, 2) => limbs::add_convolution::<2, 2>(sum, x, y),
            (v, w) => {
                for (x, y) in x.chunks_exact(v).zip(y.chunks_exact(w).rev()) {
                    limbs::add_product(sum, limbs::trim(x), limbs::trim(y));
                }
            }
        }
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.limbs.capacity() * 8
    }
}
