//! Natural numbers as slices of 64-bit limbs, lowest first.
//!
//! Counting multiplies and adds some hundred million small numbers; an allocation for each, as a
//! big-integer type makes it, would cost ten times the arithmetic. Only what counting and
//! sampling need is here.

use num_bigint::BigUint;
use std::cmp::Ordering;

/// `a` without zero limbs at the high end.
pub fn trim(mut a: &[u64]) -> &[u64] {
    while let [rest @ .., 0] = a {
        a = rest;
    }
    a
}

/// `sum += a · b`.
pub fn add_product(sum: &mut Vec<u64>, a: &[u64], b: &[u64]) {
    if sum.len() < a.len() + b.len() {
        sum.resize(a.len() + b.len(), 0);
    }
    for (i, &x) in a.iter().enumerate() {
        let mut carry = 0u64;
        for (slot, &y) in sum[i..].iter_mut().zip(b) {
            // (2^64 − 1)² + 2·(2^64 − 1) = 2^128 − 1: no overflow.
            let t = u128::from(x) * u128::from(y) + u128::from(*slot) + u128::from(carry);
            *slot = t as u64;
            carry = (t >> 64) as u64;
        }
        add_limb(sum, i + b.len(), carry);
    }
}

/// `sum += a`.
pub fn add(sum: &mut Vec<u64>, a: &[u64]) {
    add_at(sum, 0, a);
}

/// `sum += a`, shifted by `limbs` limbs.
fn add_at(sum: &mut Vec<u64>, limbs: usize, a: &[u64]) {
    if sum.len() < limbs + a.len() {
        sum.resize(limbs + a.len(), 0);
    }
    let mut carry = false;
    for (slot, &x) in sum[limbs..].iter_mut().zip(a) {
        let (t, first) = slot.overflowing_add(x);
        let (t, second) = t.overflowing_add(u64::from(carry));
        *slot = t;
        carry = first | second;
    }
    add_limb(sum, limbs + a.len(), u64::from(carry));
}

fn add_limb(sum: &mut Vec<u64>, mut place: usize, mut carry: u64) {
    while carry != 0 {
        if place == sum.len() {
            sum.push(0);
        }
        let (t, overflow) = sum[place].overflowing_add(carry);
        sum[place] = t;
        carry = u64::from(overflow);
        place += 1;
    }
}

/// A sum of products of limbs. It holds 2^63 of them.
#[derive(Default)]
pub struct ProductSum {
    low: u128,
    high: u64,
}

impl ProductSum {
    /// Adds `x · y`.
    #[inline]
    pub fn add(&mut self, x: u64, y: u64) {
        let (sum, overflow) = self.low.overflowing_add(u128::from(x) * u128::from(y));
        self.low = sum;
        self.high += u64::from(overflow);
    }

    /// Adds the sum to another, shifted by `limbs` limbs.
    pub fn add_to(&self, sum: &mut Vec<u64>, limbs: usize) {
        let number = [self.low as u64, (self.low >> 64) as u64, self.high];
        add_at(sum, limbs, trim(&number));
    }
}

/// Compares two numbers.
pub fn compare(a: &[u64], b: &[u64]) -> Ordering {
    let (a, b) = (trim(a), trim(b));
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

/// `a −= b`, for `a ≥ b`.
pub fn subtract(a: &mut [u64], b: &[u64]) {
    let b = trim(b);
    let mut borrow = false;
    for (i, slot) in a.iter_mut().enumerate() {
        if i >= b.len() && !borrow {
            return;
        }
        let (t, first) = slot.overflowing_sub(b.get(i).copied().unwrap_or(0));
        let (t, second) = t.overflowing_sub(u64::from(borrow));
        *slot = t;
        borrow = first | second;
    }
    debug_assert!(!borrow, "subtracted more than there was");
}

/// `a −= b · c`, for `a ≥ b · c`.
pub fn subtract_product(a: &mut [u64], b: &[u64], c: &[u64]) {
    let mut product = Vec::with_capacity(b.len() + c.len());
    add_product(&mut product, b, c);
    subtract(a, &product);
}

/// Quotient and remainder, for `b > 0`.
pub fn divide(a: &[u64], b: &[u64]) -> (Vec<u64>, Vec<u64>) {
    let (a, b) = (trim(a), trim(b));
    if let [divisor] = *b {
        let mut quotient = a.to_vec();
        let mut remainder = 0u64;
        for limb in quotient.iter_mut().rev() {
            let t = (u128::from(remainder) << 64) | u128::from(*limb);
            *limb = (t / u128::from(divisor)) as u64;
            remainder = (t % u128::from(divisor)) as u64;
        }
        return (quotient, vec![remainder]);
    }
    let (a, b) = (to_biguint(a), to_biguint(b));
    let quotient = &a / &b;
    let remainder = a - &quotient * b;
    (quotient.to_u64_digits(), remainder.to_u64_digits())
}

/// The number modulo 2^128.
pub fn low(a: &[u64]) -> u128 {
    let limb = |i: usize| u128::from(a.get(i).copied().unwrap_or(0));
    limb(1) << 64 | limb(0)
}

/// The number as a big integer.
pub fn to_biguint(a: &[u64]) -> BigUint {
    let halves = a.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect();
    BigUint::new(halves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = Vec<u64>> {
        let limb = prop_oneof![Just(0), Just(u64::MAX), any::<u64>()];
        prop::collection::vec(limb, 1..5)
    }

    proptest! {
        #[test]
        fn arithmetic_agrees_with_big_integers(a in number(), b in number(), c in number()) {
            let [x, y, z] = [&a, &b, &c].map(|n| to_biguint(n));
            let mut sum = a.clone();
            add_product(&mut sum, &b, &c);
            prop_assert_eq!(to_biguint(&sum), &x + &y * &z);
            prop_assert_eq!(compare(&sum, &a), to_biguint(&sum).cmp(&x));
            subtract(&mut sum, &a);
            prop_assert_eq!(to_biguint(&sum), &y * &z);
            let mut sum = b.clone();
            add(&mut sum, &c);
            prop_assert_eq!(to_biguint(&sum), &y + &z);
            if z > BigUint::ZERO {
                let (quotient, remainder) = divide(&a, &c);
                prop_assert_eq!(to_biguint(&quotient), &x / &z);
                prop_assert_eq!(to_biguint(&remainder), &x % &z);
            }
        }
    }
}
