//! IEEE doubles that are finite and have one zero.

use crate::term::operator::Operator;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A finite double; −0.0 is 0.0, so that numbers are equal where their bits are.
#[derive(Clone, Copy)]
pub struct Float(f64);

impl Float {
    /// The number, if it is finite.
    pub fn new(value: f64) -> Option<Float> {
        // Adding zero makes -0.0 zero, and changes nothing else.
        value.is_finite().then_some(Float(value + 0.0))
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// The value of a binary operator, rounded to nearest; `None` where there is no such operator,
    /// or the result is not finite.
    pub(crate) fn binary(op: Operator, Float(a): Float, Float(b): Float) -> Option<Float> {
        Float::new(match op {
            Operator::Add => a + b,
            Operator::Sub => a - b,
            Operator::Mul => a * b,
            Operator::Div => a / b,
            Operator::Min => a.min(b),
            Operator::Max => a.max(b),
            _ => return None,
        })
    }

    /// The value of a unary operator; `None` if there is no such operator.
    pub(crate) fn unary(op: Operator, Float(a): Float) -> Option<Float> {
        Float::new(match op {
            Operator::Sub => -a,
            Operator::Abs => a.abs(),
            _ => return None,
        })
    }

    /// Reads `2`, `1.5` or `1e-3`: a number that begins with a digit, behind its sign.
    pub fn read(text: &str) -> Option<Float> {
        // Without this check, infinity could be spelled out.
        let number =
            text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
        Float::new(text.parse().ok().filter(|_| number)?)
    }
}

impl PartialEq for Float {
    fn eq(&self, other: &Float) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Float {}

impl Hash for Float {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl Ord for Float {
    fn cmp(&self, other: &Float) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Float {
    fn partial_cmp(&self, other: &Float) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Float {
    /// The shortest text that reads back, with a point or an exponent: `2.0`, `1e-7`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl fmt::Debug for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::language::looks_numeric;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_finite_and_have_one_zero() {
        for text in ["1e999", "-1e999", "inf", "nan", "infinity", "", "-", "1_0", "1/2"] {
            assert_eq!(Float::read(text), None, "{text}");
        }
        let shown = |text| Float::read(text).unwrap().to_string();
        let all = ["-0.0", "2", "1e-3", "1e-7", "1e300"].map(shown);
        assert_eq!(all, ["0.0", "2.0", "0.001", "1e-7", "1e300"]);
        assert_eq!(Float::read("-0.0"), Float::read("0"));
        let (one, zero) = (Float(1.0), Float(0.0));
        assert_eq!(Float::binary(Operator::Div, one, zero), None);
        assert_eq!(Float::unary(Operator::Sub, zero).unwrap().value().to_bits(), 0);
    }

    proptest! {
        #[test]
        fn numbers_read_back_and_compute_as_doubles_do(a: f64, b: f64) {
            let (Some(x), Some(y)) = (Float::new(a), Float::new(b)) else { return Ok(()) };
            prop_assert_eq!(Float::read(&x.to_string()), Some(x));
            prop_assert!(looks_numeric(&x.to_string()));
            for (name, expected) in [("+", a + b), ("-", a - b), ("*", a * b), ("/", a / b)] {
                let found = Float::binary(Operator::named(name).unwrap(), x, y).map(Float::value);
                prop_assert_eq!(found, expected.is_finite().then_some(expected), "{}", name);
            }
            prop_assert_eq!(x < y, a < b);
            prop_assert_eq!(x == y, a == b);
        }
    }
}
