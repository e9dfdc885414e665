//! Exact fractions.

use crate::term::operator::Operator;
use std::cmp::Ordering;
use std::fmt;

/// Denominators are below 2 to the power of this.
const DENOMINATOR_BITS: u32 = 56;

/// A fraction in lowest terms, with a numerator of 64 bits and a positive denominator below 2⁵⁶.
///
/// Fifteen bytes without alignment, so that a [`Value`](crate::term::literal::Value), which any
/// literal of any kind is, has no more than sixteen; this is what bounds the denominator.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: [u8; 8],
    denominator: [u8; 7],
}

impl Rational {
    /// The fraction, reduced; `None` where the denominator is zero or the result does not fit.
    pub fn new(numerator: i128, denominator: i128) -> Option<Rational> {
        let common = gcd(numerator.unsigned_abs(), denominator.unsigned_abs());
        let magnitude = denominator.unsigned_abs().checked_div(common)?;
        if magnitude == 0 || magnitude >> DENOMINATOR_BITS != 0 {
            return None;
        }
        let size = i128::try_from(numerator.unsigned_abs() / common).ok()?;
        let negative = (numerator < 0) != (denominator < 0);
        let numerator = i64::try_from(if negative { -size } else { size }).ok()?;
        let [bytes @ .., _] = (magnitude as u64).to_le_bytes();
        Some(Rational { numerator: numerator.to_le_bytes(), denominator: bytes })
    }

    /// The numerator, which has the fraction's sign.
    pub fn numerator(self) -> i64 {
        i64::from_le_bytes(self.numerator)
    }

    /// The denominator, positive.
    pub fn denominator(self) -> i64 {
        let [a, b, c, d, e, f, g] = self.denominator;
        i64::from_le_bytes([a, b, c, d, e, f, g, 0])
    }

    /// Both, in which sums and products of two fractions can be computed: 120 bits are needed for
    /// sums, and 126 for products.
    fn parts(self) -> (i128, i128) {
        (self.numerator().into(), self.denominator().into())
    }

    /// The value of a binary operator; `None` where there is no such operator, the result does not
    /// fit, or the divisor is zero.
    pub(crate) fn binary(op: Operator, left: Rational, right: Rational) -> Option<Rational> {
        let ((a, b), (c, d)) = (left.parts(), right.parts());
        match op {
            Operator::Add => Rational::new(a * d + c * b, b * d),
            Operator::Sub => Rational::new(a * d - c * b, b * d),
            Operator::Mul => Rational::new(a * c, b * d),
            Operator::Div => Rational::new(a * d, b * c),
            Operator::Min => Some(left.min(right)),
            Operator::Max => Some(left.max(right)),
            _ => None,
        }
    }

    /// The value of a unary operator; `None` as for [`Rational::binary`].
    pub(crate) fn unary(op: Operator, value: Rational) -> Option<Rational> {
        let (a, b) = value.parts();
        match op {
            Operator::Sub => Rational::new(-a, b),
            Operator::Abs => Rational::new(a.abs(), b),
            _ => None,
        }
    }

    /// Reads `3` or `-1/2`; fractions that are not in lowest terms are reduced.
    pub fn read(text: &str) -> Option<Rational> {
        match text.split_once('/') {
            None => Rational::new(text.parse::<i64>().ok()?.into(), 1),
            Some((numerator, denominator)) => {
                let digits = denominator.bytes().all(|b| b.is_ascii_digit());
                let denominator = denominator.parse::<u64>().ok().filter(|_| digits)?;
                Rational::new(numerator.parse::<i64>().ok()?.into(), denominator.into())
            }
        }
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl From<i64> for Rational {
    fn from(whole: i64) -> Rational {
        let [bytes @ .., _] = 1u64.to_le_bytes();
        Rational { numerator: whole.to_le_bytes(), denominator: bytes }
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        let ((a, b), (c, d)) = (self.parts(), other.parts());
        (a * d).cmp(&(c * b))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            (whole, 1) => write!(f, "{whole}"),
            (numerator, denominator) => write!(f, "{numerator}/{denominator}"),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LARGEST: i64 = (1 << DENOMINATOR_BITS) - 1;

    #[test]
    fn fractions_are_reduced_and_their_denominators_positive() {
        let shown = |a, b| Rational::new(a, b).map(|r| r.to_string());
        assert_eq!(shown(2, 4).as_deref(), Some("1/2"));
        assert_eq!(shown(3, -6).as_deref(), Some("-1/2"));
        assert_eq!(shown(0, -6).as_deref(), Some("0"));
        assert_eq!(shown(i64::MIN.into(), 1), Some(i64::MIN.to_string()));
        for (a, b) in [(1, 0), (0, 0), (i128::from(i64::MAX) + 1, 1), (1, i128::from(LARGEST) + 1)]
        {
            assert_eq!(shown(a, b), None, "{a}/{b}");
        }
    }

    #[test]
    fn what_is_no_fraction_is_not_read() {
        for text in ["", "1/0", "1/-2", "1/+2", "/2", "1/", "1/2/3", "0.5", "9223372036854775808"] {
            assert_eq!(Rational::read(text), None, "{text}");
        }
        assert_eq!(Rational::read("-6/4"), Rational::new(-3, 2));
    }

    fn any_rational() -> impl Strategy<Value = Rational> {
        let near = |bits: u32, n: i64| n >> (64 - bits);
        (any::<i64>(), any::<i64>(), 1..=64u32, 2..57u32).prop_map(move |(n, d, a, b)| {
            let denominator = near(b, d).unsigned_abs().clamp(1, LARGEST as u64);
            Rational::new(near(a, n).into(), denominator.into()).unwrap()
        })
    }

    proptest! {
        #[test]
        fn what_is_displayed_reads_back(r in any_rational()) {
            prop_assert_eq!(Rational::read(&r.to_string()), Some(r));
        }

        #[test]
        fn results_are_those_of_cross_multiplication(x in any_rational(), y in any_rational()) {
            let ((a, b), (c, d)) = (x.parts(), y.parts());
            prop_assert_eq!(gcd(a.unsigned_abs(), b.unsigned_abs()), 1);
            // Whether `r` is `n / m`, without a product of three numbers.
            let is = |r: Option<Rational>, n: i128, m: i128| {
                let common = gcd(n.unsigned_abs(), m.unsigned_abs()).max(1) as i128;
                let sign = if m < 0 { -1 } else { 1 };
                let (n, m) = (sign * n / common, sign * m / common);
                let fits = m > 0 && m <= LARGEST.into() && i64::try_from(n).is_ok();
                r.map(Rational::parts) == fits.then_some((n, m))
            };
            prop_assert!(is(Rational::binary(Operator::Add, x, y), a * d + b * c, b * d));
            prop_assert!(is(Rational::binary(Operator::Sub, x, y), a * d - b * c, b * d));
            prop_assert!(is(Rational::binary(Operator::Mul, x, y), a * c, b * d));
            prop_assert!(is(Rational::binary(Operator::Div, x, y), a * d, b * c));
            prop_assert_eq!(x < y, a * d < c * b);
            prop_assert_eq!(x == y, a * d == c * b);
        }
    }
}
