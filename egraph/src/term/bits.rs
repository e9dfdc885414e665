//! Words of a fixed number of bits: numbers modulo 2ᴺ.

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
    pub(crate) fn binary(name: &str, left: Bits, right: Bits) -> Option<Bits> {
        if left.width != right.width {
            return if name == "concat" { left.concat(right) } else { None };
        }
        let (width, a, b) = (left.width, left.value(), right.value());
        let result = match name {
            "+" => a.wrapping_add(b),
            "-" => a.wrapping_sub(b),
            "*" => a.wrapping_mul(b),
            "/" => a.checked_div(b).unwrap_or(width.largest()),
            "%" => a.checked_rem(b).unwrap_or(a),
            "&" | "and" => a & b,
            "|" | "or" => a | b,
            "^" | "xor" => a ^ b,
            "<<" => shifted_left(a, b),
            ">>" => shifted_right(a, b),
            "min" => a.min(b),
            "max" => a.max(b),
            "rotl" => rotated(a, b % u64::from(width.bits()), width),
            "rotr" => {
                let bits = u64::from(width.bits());
                rotated(a, (bits - b % bits) % bits, width)
            }
            "concat" => return left.concat(right),
            _ => return Self::signed_binary(name, left, right),
        };
        Some(Bits::new(width, result))
    }

    /// As [`Bits::binary`], of operators that read words as signed numbers; of one width.
    fn signed_binary(name: &str, left: Bits, right: Bits) -> Option<Bits> {
        let (a, b) = (left.signed(), right.signed());
        let result = match name {
            // By zero as in SMT-LIB: 1 or -1, against the sign; and the number itself.
            "/s" if b == 0 => 1 - 2 * i64::from(a >= 0),
            "%s" if b == 0 => a,
            "/s" => a.wrapping_div(b),
            "%s" => a.wrapping_rem(b),
            ">>s" => a >> right.value().min(63),
            "mins" => a.min(b),
            "maxs" => a.max(b),
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
    pub(crate) fn converted(self, name: &str, low: Option<u8>, to: Width) -> Option<Bits> {
        let (from, low) = (self.width, u32::from(low.unwrap_or(0)));
        let value = match name {
            "zext" if from < to => self.value(),
            "sext" if from < to => self.signed() as u64,
            "trunc" if to < from => self.value(),
            "extract" if low + to.bits() <= from.bits() => self.value() >> low,
            _ => return None,
        };
        Some(Bits::new(to, value))
    }

    /// The value of a shift by an integer; `None` if it is negative, or there is no such operator.
    pub(crate) fn shift(name: &str, word: Bits, amount: i64) -> Option<Bits> {
        let amount = u64::try_from(amount).ok()?;
        let result = match name {
            "shl" => shifted_left(word.value(), amount),
            "shr" => shifted_right(word.value(), amount),
            _ => return None,
        };
        Some(Bits::new(word.width, result))
    }

    /// The value of a unary operator; `None` if there is no such operator.
    pub(crate) fn unary(name: &str, word: Bits) -> Option<Bits> {
        let result = match name {
            "-" | "neg" => word.value().wrapping_neg(),
            "~" | "not" => !word.value(),
            "popcount" => word.value().count_ones().into(),
            // All bits of zero are leading and trailing ones.
            "clz" => (word.value().leading_zeros() + word.width.bits() - 64).into(),
            "ctz" => word.value().trailing_zeros().min(word.width.bits()).into(),
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
        assert_eq!(Bits::binary("/", word(7), word(0)), Some(word(255)));
        assert_eq!(Bits::binary("%", word(7), word(0)), Some(word(7)));
    }

    #[test]
    fn widths_are_never_mixed_and_run_from_1_to_64() {
        let word = |bits| Bits::new(Width::new(bits).unwrap(), 1);
        assert_eq!(Bits::binary("+", word(8), word(9)), None);
        assert_eq!((Width::new(0), Width::new(65)), (None, None));
        assert_eq!(Width::new(64).unwrap().largest(), u64::MAX);
        assert_eq!(Bits::binary("<<", word(1), word(1)), Some(Bits::new(Width(1), 0)));
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
                let found = value(Bits::binary(name, x, y));
                prop_assert_eq!(found, expected.rem_euclid(modulus), "{}", name);
            }
            let product = (a as u128).wrapping_mul(b as u128) % modulus as u128;
            prop_assert_eq!(value(Bits::binary("*", x, y)) as u128, product);
            prop_assert_eq!(value(Bits::unary("-", x)), (-a).rem_euclid(modulus));
            prop_assert_eq!(value(Bits::unary("~", x)), modulus - 1 - a);
            // A power of two beyond the modulus is zero in it, and more than any word.
            let power = 1i128 << amount.min(bits);
            let left = (a as u128).wrapping_mul(power as u128) % modulus as u128;
            let shifted = |name| value(Bits::shift(name, x, amount as i64));
            prop_assert_eq!((shifted("shl") as u128, shifted("shr")), (left, a / power));
            let amount = Bits::new(width, amount);
            let same = |name| Bits::shift(name, x, amount.value() as i64);
            prop_assert_eq!(Bits::binary("<<", x, amount), same("shl"));
            prop_assert_eq!(Bits::binary(">>", x, amount), same("shr"));
            prop_assert_eq!(x < y, a < b);
        }
    }
}
