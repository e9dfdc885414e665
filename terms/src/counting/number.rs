//! Numbers of terms: of any length, or modulo 2^128, which is several times as fast and right where the terms that are drawn are
//! fewer: what is compared, divided and summed up then are numbers of some of them, whatever differences they come from.

use crate::counting::counts::Counts;
use crate::counting::grammar::{Alternative, NONE};
use crate::counting::limbs;
use std::cmp::Ordering;
use std::fmt::Debug;

/// A number of terms. Counts are limbs, lowest first ([`limbs`]).
pub trait Number: Clone + Debug + Default {
    /// Of a count.
    fn of(count: &[u64]) -> Self;
    /// Makes it zero.
    fn clear(&mut self);
    /// Adds another number.
    fn add(&mut self, other: &Self);
    /// Takes another number off, which is no larger.
    fn subtract(&mut self, other: &Self);
    /// Takes a count off.
    fn subtract_count(&mut self, count: &[u64]);
    /// Makes it a product of counts.
    fn set_product(&mut self, x: &[u64], y: &[u64]);
    /// Takes a product of counts off.
    fn subtract_product(&mut self, x: &[u64], y: &[u64]);
    /// Its product with a count.
    fn times(&self, count: &[u64]) -> Self;
    /// Adds the number of terms that an alternative has with children of this size together.
    fn add_alternative(&mut self, counts: &Counts, alternative: &Alternative, size: u32);
    /// Whether it is less than another one.
    fn is_below(&self, other: &Self) -> bool;
    /// Quotient and remainder by another one, which is not zero.
    fn divide(&self, by: &Self) -> (Self, Self);
    /// Bytes of one with so many limbs.
    fn bytes(limbs: usize) -> usize;
}

impl Number for Vec<u64> {
    fn of(count: &[u64]) -> Vec<u64> {
        count.to_vec()
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn add(&mut self, other: &Vec<u64>) {
        limbs::add(self, limbs::trim(other));
    }

    fn subtract(&mut self, other: &Vec<u64>) {
        limbs::subtract(self, other);
    }

    fn subtract_count(&mut self, count: &[u64]) {
        limbs::subtract(self, count);
    }

    fn set_product(&mut self, x: &[u64], y: &[u64]) {
        self.clear();
        limbs::add_product(self, x, y);
    }

    fn subtract_product(&mut self, x: &[u64], y: &[u64]) {
        limbs::subtract_product(self, x, y);
    }

    fn times(&self, count: &[u64]) -> Vec<u64> {
        let mut product = Vec::new();
        limbs::add_product(&mut product, count, self);
        product
    }

    fn add_alternative(&mut self, counts: &Counts, alternative: &Alternative, size: u32) {
        counts.add_alternative(alternative, size, self);
    }

    fn is_below(&self, other: &Vec<u64>) -> bool {
        limbs::compare(self, other) == Ordering::Less
    }

    fn divide(&self, by: &Vec<u64>) -> (Vec<u64>, Vec<u64>) {
        limbs::divide(self, by)
    }

    fn bytes(limbs: usize) -> usize {
        size_of::<Vec<u64>>() + limbs * size_of::<u64>()
    }
}

impl Number for u128 {
    fn of(count: &[u64]) -> u128 {
        limbs::low(count)
    }

    fn clear(&mut self) {
        *self = 0;
    }

    fn add(&mut self, other: &u128) {
        *self = self.wrapping_add(*other);
    }

    fn subtract(&mut self, other: &u128) {
        *self = self.wrapping_sub(*other);
    }

    fn subtract_count(&mut self, count: &[u64]) {
        *self = self.wrapping_sub(limbs::low(count));
    }

    fn set_product(&mut self, x: &[u64], y: &[u64]) {
        *self = limbs::low(x).wrapping_mul(limbs::low(y));
    }

    fn subtract_product(&mut self, x: &[u64], y: &[u64]) {
        *self = self.wrapping_sub(limbs::low(x).wrapping_mul(limbs::low(y)));
    }

    fn times(&self, count: &[u64]) -> u128 {
        self.wrapping_mul(limbs::low(count))
    }

    fn add_alternative(&mut self, counts: &Counts, alternative: &Alternative, size: u32) {
        let terms = match (alternative.left, alternative.right) {
            (NONE, _) => u128::from(size == 0),
            (only, NONE) => limbs::low(counts.limbs(only, size)),
            (left, right) => pairs(counts, left, right, size),
        };
        *self = self.wrapping_add(terms);
    }

    fn is_below(&self, other: &u128) -> bool {
        self < other
    }

    /// Most numbers are small, and then this is faster.
    fn divide(&self, by: &u128) -> (u128, u128) {
        match (u64::try_from(*self), u64::try_from(*by)) {
            (_, Ok(1)) => (*self, 0),
            (Ok(a), Ok(b)) => (u128::from(a / b), u128::from(a % b)),
            _ => (self / by, self % by),
        }
    }

    fn bytes(_: usize) -> usize {
        size_of::<u128>()
    }
}

/// How many pairs of terms two cells have with this size together, modulo 2^128.
fn pairs(counts: &Counts, left: u32, right: u32, size: u32) -> u128 {
    let Some((first, last)) = counts.split_sizes(left, right, size) else { return 0 };
    let (lefts, rights) = (counts.of_cell(left), counts.of_cell(right));
    let (i, j) = ((first - lefts.min()) as usize, (size - first - rights.min()) as usize);
    let sizes = (last - first) as usize;
    let sum = |sum: u128, pairs: u128| sum.wrapping_add(pairs);
    match (lefts.one_limb(), rights.one_limb()) {
        (Some(lefts), Some(rights)) => {
            let rights = rights[j - sizes..=j].iter().rev();
            let pairs = lefts[i..=i + sizes].iter().zip(rights);
            pairs.map(|(&x, &y)| u128::from(x) * u128::from(y)).fold(0, sum)
        }
        _ => {
            let pairs = |k: usize| lefts.low(i + k).wrapping_mul(rights.low(j - k));
            (0..=sizes).map(pairs).fold(0, sum)
        }
    }
}
