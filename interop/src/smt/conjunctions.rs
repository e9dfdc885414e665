//! Words that are combined bit by bit, as sums of conjunctions.
//!
//! Bit by bit, `~a` is 1 − a, `a & b` is ab, `a | b` is a + b − ab and `a ^ b` is a + b − 2ab. Taken together with their
//! weights, the bits of a word are then a sum of multiples of conjunctions, modulo 2ᴺ, where the empty conjunction has
//! every bit set, which is −1. In this form a solver sees bit-wise operators and arithmetic as one polynomial.

use std::collections::{BTreeMap, BTreeSet};

/// Multiples of conjunctions of words, which are named by their formulas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conjunctions(BTreeMap<BTreeSet<String>, i64>);

/// Larger sums are left as they are.
const MOST: usize = 32;

impl Conjunctions {
    /// A word by itself.
    pub fn word(formula: &str) -> Conjunctions {
        Conjunctions(BTreeMap::from([(BTreeSet::from([formula.to_owned()]), 1)]))
    }

    /// The word with every bit set.
    pub fn ones() -> Conjunctions {
        Conjunctions(BTreeMap::from([(BTreeSet::new(), 1)]))
    }

    /// No bit set.
    pub fn zero() -> Conjunctions {
        Conjunctions(BTreeMap::new())
    }

    /// What a bit-wise operator makes of such; `None` for other operators, and where it becomes too large.
    pub fn apply(name: &str, args: &[&Conjunctions]) -> Option<Conjunctions> {
        let sum = match (name, args) {
            ("~" | "not", [a]) => Conjunctions::ones().plus(a, -1)?,
            ("&" | "and", [a, b]) => a.times(b)?,
            ("|" | "or", [a, b]) => a.plus(b, 1)?.plus(&a.times(b)?, -1)?,
            ("^" | "xor", [a, b]) => a.plus(b, 1)?.plus(&a.times(b)?, -2)?,
            _ => return None,
        };
        (sum.0.len() <= MOST).then_some(sum)
    }

    fn plus(&self, other: &Conjunctions, times: i64) -> Option<Conjunctions> {
        let mut sum = self.0.clone();
        for (words, factor) in &other.0 {
            let entry = sum.entry(words.clone()).or_default();
            *entry = entry.checked_add(factor.checked_mul(times)?)?;
        }
        sum.retain(|_, factor| *factor != 0);
        Some(Conjunctions(sum))
    }

    fn times(&self, other: &Conjunctions) -> Option<Conjunctions> {
        let mut product = Conjunctions::zero();
        for (words, factor) in &self.0 {
            for (more, other) in &other.0 {
                let both = words.union(more).cloned().collect();
                let one = Conjunctions(BTreeMap::from([(both, factor.checked_mul(*other)?)]));
                product = product.plus(&one, 1)?;
            }
        }
        Some(product)
    }

    /// The word as a formula.
    pub fn formula(&self, width: u32) -> String {
        let literal = |number: i64| {
            let modulo = i128::from(number).rem_euclid(1 << width);
            format!("(_ bv{modulo} {width})")
        };
        let one = |(words, factor): (&BTreeSet<String>, &i64)| {
            let all = words.iter().cloned().reduce(|a, b| format!("(bvand {a} {b})"));
            match (all, factor) {
                (None, factor) => literal(-factor),
                (Some(all), 1) => all,
                (Some(all), factor) => format!("(bvmul {} {all})", literal(*factor)),
            }
        };
        let sum = self.0.iter().map(one).reduce(|a, b| format!("(bvadd {a} {b})"));
        sum.unwrap_or_else(|| literal(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The word of 4 bits that a sum stands for, where `a`, `b` and `c` stand for these.
    fn value(sum: &Conjunctions, words: [i64; 3]) -> i64 {
        let named = |name: &String| words[usize::from(name.as_bytes()[0] - b'a')];
        let one = |(all, factor): (&BTreeSet<String>, &i64)| {
            factor * all.iter().map(named).fold(-1, |a, b| a & b)
        };
        sum.0.iter().map(one).sum::<i64>() & 15
    }

    #[test]
    fn sums_of_conjunctions_have_the_value_of_what_they_are_made_of() {
        let words = ["a", "b", "c"].map(Conjunctions::word);
        let [a, b, c] = &words;
        let apply = |name, args: &[&Conjunctions]| Conjunctions::apply(name, args).unwrap();
        let not_a = apply("~", &[a]);
        let majority = apply("|", &[&apply("&", &[a, b]), &apply("&", &[c, &apply("^", &[a, b])])]);
        let nothing = apply("&", &[&not_a, a]);
        assert_eq!(nothing, Conjunctions::zero());
        for number in 0..4096 {
            let [x, y, z] = [number & 15, number >> 4 & 15, number >> 8];
            for (sum, expected) in [
                (&not_a, !x),
                (&apply("|", &[&not_a, b]), !x | y),
                (&apply("^", &[&apply("|", &[a, b]), c]), (x | y) ^ z),
                (&majority, (x & y) | (y & z) | (x & z)),
                (&apply("or", &[&Conjunctions::ones(), a]), 15),
                (&apply("xor", &[&Conjunctions::zero(), a]), x),
            ] {
                assert_eq!(value(sum, [x, y, z]), expected & 15, "{sum:?} for {x}, {y}, {z}");
            }
        }
        assert_eq!(not_a.formula(4), "(bvadd (_ bv15 4) (bvmul (_ bv15 4) a))");
        assert_eq!(Conjunctions::zero().formula(4), "(_ bv0 4)");
        assert_eq!(apply("&", &[b, a]).formula(64), "(bvand a b)");
    }

    #[test]
    fn what_becomes_too_large_is_left_as_it_is() {
        let mut sum = Conjunctions::word("a");
        for name in ["b", "c", "d", "e"] {
            sum = Conjunctions::apply("|", &[&sum, &Conjunctions::word(name)]).unwrap();
        }
        assert_eq!(sum.0.len(), 31);
        assert_eq!(Conjunctions::apply("|", &[&sum, &Conjunctions::word("f")]), None);
        assert_eq!(Conjunctions::apply("+", &[&sum, &sum]), None);
    }
}
