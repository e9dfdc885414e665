//! Words of a fixed number of bits: numbers modulo 2ᴺ.

use crate::term::operator::Operator;
use std::fmt;

/// A number of bits, 1 to 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Width(u8);

impl Width {
    /// 64 bits.
    pub(crate) const WIDEST: Width = Width(64);

    /// So many bits, if there are 1 to 64.
    pub fn new(bits: u64) -> Option<Width> {
        (1..=64).contains(&bits).then_some(Width(bits as u8))
    }

    /// How many bits.
    pub fn bits(self) -> u32 {
        self.0.into()
    }

    /// The largest word, in which each bit is set.
    pub fn largest(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
}

/// A word. It carries its width, so that words of different widths are never mixed.
///
/// Nine bytes without alignment, as a [`Value`](crate::term::literal::Value) has no more than
/// sixteen. The most significant byte is first, so that words of a width compare as numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bits {
    width: Width,
    bytes: [u8; 8],
}

impl Bits {
    /// The word that `value` is modulo 2ᴺ.
    pub fn new(width: Width, value: u64) -> Bits {
        Bits { width, bytes: (value & width.largest()).to_be_bytes() }
    }

    /// How many bits it has.
    pub fn width(self) -> Width {
        self.width
    }

    /// The word as a number from 0 to 2ᴺ − 1.
    pub fn value(self) -> u64 {
        u64::from_be_bytes(self.bytes)
    }

    /// The value of a binary operator; `None` if there is no such operator, or the widths differ.
    #[inline]
    pub(crate) fn binary(op: Operator, left: Bits, right: Bits) -> Option<Bits> {
        if left.width != right.width {
            return if op == Operator::Concat { left.concat(right) } else { None };
        }
        let (width, a, b) = (left.width, left.value(), right.value());
        let result = match op {
            Operator::Add => a.wrapping_add(b),
            Operator::Sub => a.wrapping_sub(b),
            Operator::Mul => a.wrapping_mul(b),
            Operator::Div => a.checked_div(b).unwrap_or(width.largest()),
            Operator::Rem => a.checked_rem(b).unwrap_or(a),
            Operator::BitAnd | Operator::And => a & b,
            Operator::BitOr | Operator::Or => a | b,
            Operator::BitXor | Operator::Xor => a ^ b,
            Operator::Shl => shifted_left(a, b),
            Operator::Shr => shifted_right(a, b),
            Operator::Min => a.min(b),
            Operator::Max => a.max(b),
            Operator::Rotl => rotated(a, b % u64::from(width.bits()), width),
            Operator::Rotr => {
                let bits = u64::from(width.bits());
                rotated(a, (bits - b % bits) % bits, width)
            }
            Operator::Concat => return left.concat(right),
            _ => return Self::signed_binary(op, left, right),
        };
        Some(Bits::new(width, result))
    }

    /// As [`Bits::binary`], of operators that read words as signed numbers; of one width.
    fn signed_binary(op: Operator, left: Bits, right: Bits) -> Option<Bits> {
        let (a, b) = (left.signed(), right.signed());
        let result = match op {
            // By zero as in SMT-LIB: 1 or -1, against the sign; and the number itself.
            Operator::DivSigned if b == 0 => 1 - 2 * i64::from(a >= 0),
            Operator::RemSigned if b == 0 => a,
            Operator::DivSigned => a.wrapping_div(b),
            Operator::RemSigned => a.wrapping_rem(b),
            Operator::ShrSigned => a >> right.value().min(63),
            Operator::MinSigned => a.min(b),
            Operator::MaxSigned => a.max(b),
            _ => return None,
        };
        Some(Bits::new(left.width, result as u64))
    }

    /// The word with `low` behind it; `None` if that has more than 64 bits.
    fn concat(self, low: Bits) -> Option<Bits> {
        let width = Width::new(u64::from(self.width.bits() + low.width.bits()))?;
        Some(Bits::new(width, self.value() << low.width.bits() | low.value()))
    }

    /// The number from −2ᴺ⁻¹ to 2ᴺ⁻¹ − 1 that it is modulo 2ᴺ.
    pub fn signed(self) -> i64 {
        let unused = 64 - self.width.bits();
        (self.value() << unused) as i64 >> unused
    }

    /// A word of another width: `zext` and `sext` extend, `trunc` keeps the lowest bits, and `extract` those from bit
    /// `low` on. `None` if there is no such operator, or the word has not so many bits.
    #[inline]
    pub(crate) fn converted(self, op: Operator, low: Option<u8>, to: Width) -> Option<Bits> {
        let (from, low) = (self.width, u32::from(low.unwrap_or(0)));
        let value = match op {
            Operator::Zext if from < to => self.value(),
            Operator::Sext if from < to => self.signed() as u64,
            Operator::Trunc if to < from => self.value(),
            Operator::Extract if low + to.bits() <= from.bits() => self.value() >> low,
            _ => return None,
        };
        Some(Bits::new(to, value))
    }

    /// The value of a shift by an integer; `None` if it is negative, or there is no such operator.
    pub(crate) fn shift(op: Operator, word: Bits, amount: i64) -> Option<Bits> {
        let amount = u64::try_from(amount).ok()?;
        let result = match op {
            Operator::ShlBy => shifted_left(word.value(), amount),
            Operator::ShrBy => shifted_right(word.value(), amount),
            _ => return None,
        };
        Some(Bits::new(word.width, result))
    }

    /// The value of a unary operator; `None` if there is no such operator.
    #[inline]
    pub(crate) fn unary(op: Operator, word: Bits) -> Option<Bits> {
        let result = match op {
            Operator::Sub | Operator::Neg => word.value().wrapping_neg(),
            Operator::BitNot | Operator::Not => !word.value(),
            Operator::Popcount => word.value().count_ones().into(),
            // All bits of zero are leading and trailing ones.
            Operator::Clz => (word.value().leading_zeros() + word.width.bits() - 64).into(),
            Operator::Ctz => word.value().trailing_zeros().min(word.width.bits()).into(),
            _ => return None,
        };
        Some(Bits::new(word.width, result))
    }

    /// Reads a number from 0 to 2ᴺ − 1.
    pub fn read(width: Width, text: &str) -> Option<Bits> {
        let value = text.parse::<u64>().ok().filter(|value| *value <= width.largest())?;
        Some(Bits::new(width, value))
    }
}

/// Bits beyond the width are cut off by who makes a word of it.
fn shifted_left(word: u64, amount: u64) -> u64 {
    if amount < 64 { word << amount } else { 0 }
}

fn shifted_right(word: u64, amount: u64) -> u64 {
    if amount < 64 { word >> amount } else { 0 }
}

/// Rotated to the left by less than the width.
fn rotated(word: u64, amount: u64, width: Width) -> u64 {
    shifted_left(word, amount) | shifted_right(word, u64::from(width.bits()) - amount)
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value())
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.value(), self.width.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn division_by_zero_is_that_of_smt_lib() {
        let word = |value| Bits::new(Width::new(8).unwrap(), value);
        assert_eq!(Bits::binary(Operator::Div, word(7), word(0)), Some(word(255)));
        assert_eq!(Bits::binary(Operator::Rem, word(7), word(0)), Some(word(7)));
    }

    #[test]
    fn widths_are_never_mixed_and_run_from_1_to_64() {
        let word = |bits| Bits::new(Width::new(bits).unwrap(), 1);
        assert_eq!(Bits::binary(Operator::Add, word(8), word(9)), None);
        assert_eq!((Width::new(0), Width::new(65)), (None, None));
        assert_eq!(Width::new(64).unwrap().largest(), u64::MAX);
        assert_eq!(Bits::binary(Operator::Shl, word(1), word(1)), Some(Bits::new(Width(1), 0)));
    }

    #[test]
    fn words_out_of_range_are_not_read() {
        let width = Width::new(4).unwrap();
        for text in ["16", "-1", "", "1/2", "0.5"] {
            assert_eq!(Bits::read(width, text), None, "{text}");
        }
        assert_eq!(Bits::read(width, "15").map(Bits::value), Some(15));
    }

    proptest! {
        #[test]
        fn words_are_numbers_modulo_their_range(
            bits in 1..=64u64, a: u64, b: u64, amount in 0..100u64, small: bool
        ) {
            let width = Width::new(bits).unwrap();
            let b = if small { b % 5 } else { b };
            let (x, y) = (Bits::new(width, a), Bits::new(width, b));
            let modulus = 1i128 << bits;
            let (a, b) = (i128::from(a) % modulus, i128::from(b) % modulus);
            prop_assert_eq!((i128::from(x.value()), i128::from(y.value())), (a, b));
            prop_assert_eq!(Bits::read(width, &x.to_string()), Some(x));
            let value = |word: Option<Bits>| i128::from(word.unwrap().value());
            for (name, expected) in [
                ("+", a + b),
                ("-", a - b),
                ("/", if b == 0 { -1 } else { a / b }),
                ("%", if b == 0 { a } else { a % b }),
                ("&", a & b),
                ("|", a | b),
                ("^", a ^ b),
            ] {
                let found = value(Bits::binary(Operator::named(name).unwrap(), x, y));
                prop_assert_eq!(found, expected.rem_euclid(modulus), "{}", name);
            }
            let product = (a as u128).wrapping_mul(b as u128) % modulus as u128;
            prop_assert_eq!(value(Bits::binary(Operator::Mul, x, y)) as u128, product);
            prop_assert_eq!(value(Bits::unary(Operator::Sub, x)), (-a).rem_euclid(modulus));
            prop_assert_eq!(value(Bits::unary(Operator::BitNot, x)), modulus - 1 - a);
            // A power of two beyond the modulus is zero in it, and more than any word.
            let power = 1i128 << amount.min(bits);
            let left = (a as u128).wrapping_mul(power as u128) % modulus as u128;
            let shifted = |op| value(Bits::shift(op, x, amount as i64));
            prop_assert_eq!((shifted(Operator::ShlBy) as u128, shifted(Operator::ShrBy)), (left, a / power));
            let amount = Bits::new(width, amount);
            let same = |op| Bits::shift(op, x, amount.value() as i64);
            prop_assert_eq!(Bits::binary(Operator::Shl, x, amount), same(Operator::ShlBy));
            prop_assert_eq!(Bits::binary(Operator::Shr, x, amount), same(Operator::ShrBy));
            prop_assert_eq!(x < y, a < b);
        }
    }
}
