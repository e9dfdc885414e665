//! Reproducible random choices: every task has its own stream of one seed.

use num_bigint::BigUint;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The random numbers of one task: stream number `stream` of `seed`. Streams are independent,
/// so that tasks may run in any order, on any thread.
pub fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    substream(seed, stream, 0)
}

/// Part number `part`, at most 2³³, of a stream: tasks of a task.
pub fn substream(seed: u64, stream: u64, part: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    // A stream has 2⁶⁸ words: 2³⁴ for each of 2³⁴ parts.
    rng.set_word_pos(u128::from(part) << 34);
    rng
}

/// A number below `bound`, each with the same probability, exactly: by rejection, so there is no
/// bias as a remainder would have it.
///
/// # Panics
/// `bound` is zero.
pub fn below(bound: &BigUint, rng: &mut impl Rng) -> BigUint {
    let bits = bound.bits();
    assert!(bits > 0, "no number is below zero");
    let limbs = bits.div_ceil(64) as usize;
    let unused = limbs as u64 * 64 - bits;
    loop {
        let mut number = BigUint::ZERO;
        for limb in 0..limbs {
            let random = rng.next_u64();
            number <<= 64;
            number |= BigUint::from(if limb == 0 { random >> unused } else { random });
        }
        if number < *bound {
            return number;
        }
    }
}

/// As [`below`], with the same numbers from the same stream.
///
/// # Panics
/// `bound` is zero.
pub fn below_u128(bound: u128, rng: &mut impl Rng) -> u128 {
    assert!(bound > 0, "no number is below zero");
    let unused = bound.leading_zeros();
    loop {
        let random = match unused {
            64.. => u128::from(rng.next_u64() >> (unused - 64)),
            _ => u128::from(rng.next_u64() >> unused) << 64 | u128::from(rng.next_u64()),
        };
        if random < bound {
            return random;
        }
    }
}

/// As [`below`], for small numbers.
///
/// # Panics
/// `bound` is zero.
pub fn index_below(bound: usize, rng: &mut impl Rng) -> usize {
    assert!(bound > 0, "no index is below zero");
    let bound = bound as u64;
    // The largest multiple of bound that a u64 counts to: beyond it, draw again.
    let zone = u64::MAX - (u64::MAX % bound + 1) % bound;
    loop {
        let random = rng.next_u64();
        if random <= zone {
            return (random % bound) as usize;
        }
    }
}

/// Puts the items in random order, every order with the same probability.
pub fn shuffle<T>(items: &mut [T], rng: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, index_below(last + 1, rng));
    }
}

/// A number of the normal distribution with mean 0, by Box and Muller's transform; the second number that it gives is
/// not used, so that every call is alike.
pub fn normal(rng: &mut impl Rng, deviation: f64) -> f32 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    let radius = (-2.0 * (1.0 - u).ln()).sqrt();
    (deviation * radius * (std::f64::consts::TAU * v).cos()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_a_bound_are_uniform() {
        let mut rng = stream(1, 2);
        let bound = BigUint::from(5u8);
        let mut seen = [0u32; 5];
        for _ in 0..10_000 {
            let number = below(&bound, &mut rng).to_u64_digits();
            seen[number.first().copied().unwrap_or(0) as usize] += 1;
            seen[index_below(5, &mut rng)] += 1;
        }
        // 20,000 draws: 4,000 each, standard deviation 57.
        assert!(seen.iter().all(|&n| n.abs_diff(4_000) < 300), "{seen:?}");
    }

    #[test]
    fn large_bounds_use_all_their_bits() {
        let mut rng = stream(0, 0);
        let bound = (BigUint::from(1u8) << 200u32) + 1u8;
        let highest = (0..200).map(|_| below(&bound, &mut rng).bits()).max();
        assert!(highest >= Some(195) && highest <= Some(201));
    }

    #[test]
    fn narrow_numbers_are_those_of_any_width() {
        let (mut narrow, mut wide) = (stream(3, 4), stream(3, 4));
        for bound in (0..128).flat_map(|bit| [1u128 << bit, (1 << bit) + 1, u128::MAX >> bit]) {
            let number = below_u128(bound, &mut narrow);
            assert_eq!(BigUint::from(number), below(&BigUint::from(bound), &mut wide));
        }
    }

    #[test]
    fn streams_differ_and_repeat() {
        assert_eq!(stream(7, 1).next_u64(), stream(7, 1).next_u64());
        assert_ne!(stream(7, 1).next_u64(), stream(7, 2).next_u64());
        assert_ne!(stream(7, 1).next_u64(), stream(8, 1).next_u64());
        assert_ne!(substream(7, 1, 0).next_u64(), substream(7, 1, 1).next_u64());
        assert_ne!(substream(7, 1, 1).next_u64(), substream(7, 1, 1 << 32).next_u64());
    }
}
