//! Literals: their kinds, how those of each kind are written, and what they have in common.

use crate::term::values::bits::{Bits, Width};
use crate::term::values::float::Float;
use crate::term::values::rational::Rational;
use std::fmt;

/// How literals of a sort are written and what values they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralKind {
    /// 64-bit integers, written in decimal.
    I64,
    /// Truth values, written `0` and `1`.
    Bool,
    /// Exact fractions, written `3` and `-1/2`.
    Rational,
    /// Finite IEEE doubles, written `2.0` and `1e-7`.
    F64,
    /// Words of so many bits, written as unsigned decimals.
    Bits(Width),
}

/// The value of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A fraction.
    Rational(Rational),
    /// A double.
    Float(Float),
    /// A word, with its width.
    Bits(Bits),
}

impl LiteralKind {
    /// The literal of this kind that is written so; not only as it is displayed: `+5`, `2/4` and
    /// `1.50` are read, too.
    pub fn read(self, text: &str) -> Option<Value> {
        match (self, text) {
            (LiteralKind::I64, _) => text.parse().ok().map(Value::Int),
            (LiteralKind::Bool, "0") => Some(Value::Bool(false)),
            (LiteralKind::Bool, "1") => Some(Value::Bool(true)),
            (LiteralKind::Bool, _) => None,
            (LiteralKind::Rational, _) => Rational::read(text).map(Value::Rational),
            (LiteralKind::F64, _) => Float::read(text).map(Value::Float),
            (LiteralKind::Bits(width), _) => Bits::read(width, text).map(Value::Bits),
        }
    }

    /// The word that a number is modulo 2ᴺ, or the truth value of its lowest bit; `None` of other kinds.
    pub fn of_bits(self, bits: u64) -> Option<Value> {
        match self {
            LiteralKind::Bits(width) => Some(Value::Bits(Bits::new(width, bits))),
            LiteralKind::Bool => Some(Value::Bool(bits & 1 == 1)),
            LiteralKind::I64 | LiteralKind::Rational | LiteralKind::F64 => None,
        }
    }

    /// How many values it has, the numbers below that as [`LiteralKind::of_bits`] has them; `None` of other kinds, and of 64 bits.
    pub fn count(self) -> Option<u64> {
        match self {
            LiteralKind::Bits(width) => width.largest().checked_add(1),
            LiteralKind::Bool => Some(2),
            LiteralKind::I64 | LiteralKind::Rational | LiteralKind::F64 => None,
        }
    }

    /// The kind called `name`, where its name is one word.
    pub(crate) fn of_name(name: &str) -> Option<LiteralKind> {
        match name {
            "i64" => Some(LiteralKind::I64),
            "bool" => Some(LiteralKind::Bool),
            "rational" => Some(LiteralKind::Rational),
            "f64" => Some(LiteralKind::F64),
            _ => None,
        }
    }

    /// What its literals are, for messages.
    pub fn described(self) -> String {
        match self {
            LiteralKind::I64 => "64-bit integers".to_owned(),
            LiteralKind::Bool => "0 or 1".to_owned(),
            LiteralKind::Rational => "fractions, as 3 or -1/2".to_owned(),
            LiteralKind::F64 => "finite numbers, as 2 or 1.5".to_owned(),
            LiteralKind::Bits(width) => format!("0 to {}", width.largest()),
        }
    }
}

impl fmt::Display for LiteralKind {
    /// As a rules file names it: `i64`, `(bits 32)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiteralKind::I64 => f.write_str("i64"),
            LiteralKind::Bool => f.write_str("bool"),
            LiteralKind::Rational => f.write_str("rational"),
            LiteralKind::F64 => f.write_str("f64"),
            LiteralKind::Bits(width) => write!(f, "(bits {})", width.bits()),
        }
    }
}

impl Value {
    /// The integer, if it is one.
    pub fn int(self) -> Option<i64> {
        match self {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }

    /// The number from 0 on that a word is, or that a truth value is of one bit; `None` of other kinds.
    pub fn to_bits(self) -> Option<u64> {
        match self {
            Value::Bits(word) => Some(word.value()),
            Value::Bool(truth) => Some(truth.into()),
            Value::Int(_) | Value::Rational(_) | Value::Float(_) => None,
        }
    }

    /// The kind of literals that it is one of.
    pub fn kind(self) -> LiteralKind {
        match self {
            Value::Int(_) => LiteralKind::I64,
            Value::Bool(_) => LiteralKind::Bool,
            Value::Rational(_) => LiteralKind::Rational,
            Value::Float(_) => LiteralKind::F64,
            Value::Bits(word) => LiteralKind::Bits(word.width()),
        }
    }

    /// The whole number that it is, whatever the kind of number; `None` of truth values and of
    /// fractions, and of doubles that are not below 2⁶⁴ in size.
    pub fn whole(self) -> Option<i128> {
        match self {
            Value::Int(n) => Some(n.into()),
            Value::Bool(_) => None,
            Value::Rational(r) => (r.denominator() == 1).then(|| r.numerator().into()),
            Value::Float(x) => {
                let (x, limit) = (x.value(), (1u128 << 64) as f64);
                (x.fract() == 0.0 && x.abs() < limit).then_some(x as i128)
            }
            Value::Bits(word) => Some(word.value().into()),
        }
    }

    /// The literal of a kind that the integer `n` is, if there is one.
    pub fn of_integer(kind: LiteralKind, n: i64) -> Option<Value> {
        kind.read(&n.to_string())
    }

    /// The word of this width that `n` is modulo 2ᴺ.
    pub fn word(width: Width, n: i64) -> Value {
        Value::Bits(Bits::new(width, n as u64))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(i) => write!(f, "{i}"),
            Value::Bool(b) => write!(f, "{}", u8::from(*b)),
            Value::Rational(r) => r.fmt(f),
            Value::Float(x) => x.fmt(f),
            Value::Bits(word) => word.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_stay_small() {
        assert_eq!(size_of::<Value>(), 16);
        assert_eq!(size_of::<Option<Value>>(), 16);
    }

    #[test]
    fn whole_numbers_are_known_in_each_kind() {
        let whole = |kind: LiteralKind, text| kind.read(text).unwrap().whole();
        assert_eq!(whole(LiteralKind::I64, "-3"), Some(-3));
        assert_eq!(whole(LiteralKind::Rational, "6/2"), Some(3));
        assert_eq!(whole(LiteralKind::Rational, "1/2"), None);
        assert_eq!(whole(LiteralKind::F64, "-1e3"), Some(-1000));
        assert_eq!(whole(LiteralKind::F64, "0.5"), None);
        assert_eq!(whole(LiteralKind::F64, "1e30"), None);
        let widest = LiteralKind::Bits(Width::new(64).unwrap());
        assert_eq!(whole(widest, "18446744073709551615"), Some((1 << 64) - 1));
        assert_eq!(whole(LiteralKind::Bool, "1"), None);
    }

    proptest! {
        #[test]
        fn literals_of_each_kind_are_read_as_they_are_displayed(n: i64, d: u32, x: f64, bits in 1..=64u64) {
            let width = Width::new(bits).unwrap();
            let fraction = Rational::new(n.into(), i128::from(d) + 1).unwrap();
            for value in [
                Value::Int(n),
                Value::Bool(n > 0),
                Value::Rational(fraction),
                Value::Float(Float::new(x).unwrap()),
                Value::word(width, n),
            ] {
                prop_assert_eq!(value.kind().read(&value.to_string()), Some(value));
            }
        }
    }
}
