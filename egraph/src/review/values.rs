//! Literals of each kind to evaluate rules on: small ones in order, and random ones of which many stand at
//! the ends of what the kind has, or near one another.

use crate::term::builtin::evaluate;
use crate::term::literal::{LiteralKind, Value};
use crate::term::values::bits::{Bits, Width};
use crate::term::values::float::Float;
use crate::term::values::rational::Rational;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The sizes of small fractions; each comes with its negative.
const FRACTIONS: [(i128, i128); 9] =
    [(1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (3, 2), (2, 3), (4, 1), (5, 1)];
const DOUBLES: [f64; 9] = [1.0, 0.5, 2.0, 0.1, 3.0, 1.5, 0.25, 4.0, 10.0];
/// At the ends of doubles, and where they cease to tell integers apart.
const SPECIAL_DOUBLES: [f64; 8] = [
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    9_007_199_254_740_992.0,
    9_007_199_254_740_991.0,
    1e16,
    1e-16,
    0.3,
];

/// How many small values of a kind there are, where integers run from minus `bound`, 1 to 9, to `bound`.
pub(super) fn choices(kind: LiteralKind, bound: u64) -> u64 {
    match kind {
        LiteralKind::Bool => 2,
        LiteralKind::I64 | LiteralKind::Rational | LiteralKind::F64 => 2 * bound + 1,
        LiteralKind::Bits(width) => (2 * bound + 1).min(width.largest().saturating_add(1)),
    }
}

/// 0, 1, -1, 2, -2 … for integers; the others in a like order.
pub(super) fn small_value(kind: LiteralKind, number: u64) -> Value {
    let size = number.div_ceil(2) as usize;
    let negative = number.is_multiple_of(2);
    let signed = |size: i64| if negative { -size } else { size };
    match kind {
        LiteralKind::Bool => Value::Bool(number == 1),
        LiteralKind::I64 => Value::Int(signed(size as i64)),
        LiteralKind::Bits(width) => Value::word(width, signed(size as i64)),
        LiteralKind::Rational if size == 0 => Value::Rational(0.into()),
        LiteralKind::Rational => {
            let (numerator, denominator) = FRACTIONS[size - 1];
            fraction(if negative { -numerator } else { numerator }, denominator)
        }
        LiteralKind::F64 if size == 0 => double(0.0),
        LiteralKind::F64 => double(if negative { -DOUBLES[size - 1] } else { DOUBLES[size - 1] }),
    }
}

/// The fraction, or zero where it does not fit.
fn fraction(numerator: i128, denominator: i128) -> Value {
    Value::Rational(Rational::new(numerator, denominator).unwrap_or(0.into()))
}

/// The number, or zero if it is not finite.
fn double(value: f64) -> Value {
    let zero = || Float::new(0.0).expect("zero is finite");
    Value::Float(Float::new(value).unwrap_or_else(zero))
}

/// A random fraction, double or word. `before` are the values of other variables, near which it may
/// be, and `named` those that the rule names.
pub(super) fn random_of(
    kind: LiteralKind,
    before: &[Value],
    named: &[Value],
    random: &mut ChaCha8Rng,
) -> Value {
    let among = |values: &[Value], random: &mut ChaCha8Rng| {
        let same: Vec<Value> = values.iter().copied().filter(|v| v.kind() == kind).collect();
        (!same.is_empty()).then(|| same[random.random_range(0..same.len())])
    };
    let by_itself = |random: &mut ChaCha8Rng| match kind {
        LiteralKind::Rational => random_fraction(random),
        LiteralKind::F64 => random_double(random),
        LiteralKind::Bits(width) => random_word(width, random),
        LiteralKind::I64 | LiteralKind::Bool => small_value(kind, random.random_range(0..2)),
    };
    let other = match random.random_range(0..6) {
        0 => among(named, random),
        1 | 2 => among(before, random),
        _ => None,
    };
    let Some(other) = other else { return by_itself(random) };
    // Equal, a small multiple, or off by a little.
    let little = small_value(kind, random.random_range(0..choices(kind, 4)));
    let operator = ["+", "*", "+", "/"][random.random_range(0..4usize)];
    evaluate(operator, &[other, little]).unwrap_or(other)
}

fn random_fraction(random: &mut ChaCha8Rng) -> Value {
    let (most, sign) = (i128::from(i64::MAX), [1, -1][random.random_range(0..2usize)]);
    let below = |n: i128, random: &mut ChaCha8Rng| random.random_range(1..=n as i64).into();
    let (numerator, denominator) = match random.random_range(0..5) {
        0 => (random.random_range(0..=20i64).into(), 1),
        1 => (random.random_range(0..=20i64).into(), below(12, random)),
        2 => (below(1_000_000, random), below(1_000, random)),
        // Beyond these the next operation does not fit.
        3 => (most - i128::from(random.random_range(0..3i64)), below(3, random)),
        _ => (below(9, random), (1 << 56) - below(3, random)),
    };
    fraction(sign * numerator, denominator)
}

fn random_double(random: &mut ChaCha8Rng) -> Value {
    let sign = [1.0, -1.0][random.random_range(0..2usize)];
    let size = match random.random_range(0..4) {
        0 => f64::from(random.random_range(0..=100u32)),
        1 => random.random_range(0.0..1.0),
        2 => SPECIAL_DOUBLES[random.random_range(0..SPECIAL_DOUBLES.len())],
        // Of any size: all bits but the sign.
        _ => f64::from_bits(random.random::<u64>() >> 1),
    };
    double(sign * size)
}

fn random_word(width: Width, random: &mut ChaCha8Rng) -> Value {
    let (bits, largest) = (width.bits(), width.largest());
    let half = 1u64 << (bits - 1);
    let word = match random.random_range(0..5) {
        0 => random.random_range(0..=largest.min(20)),
        1 => largest - random.random_range(0..=largest.min(3)),
        // The ends of what they are with a sign, and amounts to shift by around the width.
        2 => half.wrapping_add(random.random_range(0..3)).wrapping_sub(1),
        3 => u64::from(bits) - 1 + random.random_range(0..3),
        _ => 1 << random.random_range(0..bits),
    };
    let word = if random.random_range(0..4) == 0 { random.random() } else { word };
    Value::Bits(Bits::new(width, word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rustc_hash::FxHashSet;

    fn kinds() -> Vec<LiteralKind> {
        let words = [1, 2, 3, 8, 32, 63, 64].map(|n| LiteralKind::Bits(Width::new(n).unwrap()));
        [vec![LiteralKind::Rational, LiteralKind::F64], words.to_vec()].concat()
    }

    #[test]
    fn small_values_are_of_their_kind_and_distinct() {
        for kind in kinds().into_iter().chain([LiteralKind::I64, LiteralKind::Bool]) {
            for bound in 1..=9 {
                let all = choices(kind, bound);
                let distinct: FxHashSet<Value> = (0..all).map(|i| small_value(kind, i)).collect();
                assert_eq!(distinct.len() as u64, all, "{kind} to {bound}");
                assert!(distinct.iter().all(|value| value.kind() == kind), "{kind}");
            }
        }
    }

    #[test]
    fn random_values_are_of_their_kind_and_reach_its_ends() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for kind in kinds() {
            let mut values = Vec::new();
            for _ in 0..2_000 {
                let before = values.len().saturating_sub(2);
                let value =
                    random_of(kind, &values[before..], &values[..before.min(3)], &mut random);
                assert_eq!(value.kind(), kind);
                values.push(value);
            }
            let has = |text: &str| values.contains(&kind.read(text).unwrap());
            match kind {
                LiteralKind::Rational => assert!(has("9223372036854775807") && has("1/3")),
                LiteralKind::F64 => assert!(has(&format!("{:?}", f64::MAX)) && has("0")),
                LiteralKind::Bits(width) => {
                    assert!(has(&width.largest().to_string()) && has("0"));
                }
                _ => unreachable!(),
            }
        }
    }
}
