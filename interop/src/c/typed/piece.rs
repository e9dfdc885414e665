//! Expressions of C that stand for words, and how they are put together.
//!
//! A word of N bits is any expression whose value, converted to `uintN_t`, is the word. So sums of narrow words are cut only
//! where it matters, and signed variables stand for words as they are.

use crate::c::typed::types::CType;
use strength::{ATOM, SUM, UNARY};

/// How strongly the operators of C bind.
pub(super) mod strength {
    pub const CHOICE: u8 = 1;
    pub const OR: u8 = 2;
    pub const AND: u8 = 3;
    pub const BIT_OR: u8 = 4;
    pub const BIT_XOR: u8 = 5;
    pub const BIT_AND: u8 = 6;
    pub const EQUAL: u8 = 7;
    pub const LESS: u8 = 8;
    pub const SHIFT: u8 = 9;
    pub const SUM: u8 = 10;
    pub const PRODUCT: u8 = 11;
    pub const UNARY: u8 = 12;
    pub const ATOM: u8 = 13;
}

/// What is known of the value of a text beside that it is the word modulo 2ᴺ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Range {
    /// From 0 to 2ᴺ − 1.
    Unsigned,
    /// From −2ᴺ⁻¹ to 2ᴺ⁻¹ − 1.
    Signed,
    /// From 0 to 2ᴺ⁻¹ − 1: both.
    Both,
    /// Nothing.
    Any,
}

/// An expression of C.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub text: String,
    pub strength: u8,
    /// Its type in C, which is no narrower than `int`.
    pub ctype: CType,
    pub range: Range,
    /// The number, if it is one.
    pub literal: Option<u64>,
}

impl Piece {
    pub fn atom(text: String, ctype: CType, range: Range) -> Piece {
        Piece { text, strength: ATOM, ctype, range, literal: None }
    }

    /// In parentheses where it binds less strongly.
    pub fn within(&self, least: u8) -> String {
        if self.strength < least { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// What has to be subtracted instead of adding a word of the upper half.
pub(super) fn opposite(value: u64, n: u32) -> Option<u64> {
    (n > 1 && value >> (n - 1) == 1).then(|| value.wrapping_neg() & (u64::MAX >> (64 - n)))
}

/// Literals down to this are written as negative numbers, others in hexadecimal digits.
const LEAST: u64 = 4_096;

pub(super) fn literal(value: u64, n: u32) -> Piece {
    let (text, ctype, range) = match opposite(value, n) {
        None if value >> 31 == 0 => (value.to_string(), CType::INT, Range::Both),
        None => (value.to_string(), CType::of(64, true), Range::Both),
        Some(_) if n < 32 => (value.to_string(), CType::INT, Range::Unsigned),
        Some(less) if less <= LEAST => (format!("-{less}"), CType::INT, Range::Signed),
        Some(_) if n == 32 => (format!("0x{value:x}u"), CType::UNSIGNED, Range::Unsigned),
        Some(_) => (format!("0x{value:x}ull"), CType::of(64, false), Range::Unsigned),
    };
    let strength = if text.starts_with('-') { UNARY } else { ATOM };
    Piece { text, strength, ctype, range, literal: Some(value) }
}

pub(super) fn cast(piece: &Piece, n: u32, signed: bool) -> Piece {
    let ctype = CType::of(n, signed);
    let text = format!("({ctype}){}", piece.within(UNARY));
    let range = if signed { Range::Signed } else { Range::Unsigned };
    Piece { text, strength: UNARY, ctype: ctype.promoted(), range, literal: None }
}

/// The word as a number from 0 on.
pub(super) fn unsigned(piece: &Piece, n: u32) -> Piece {
    match piece.range {
        Range::Unsigned | Range::Both => piece.clone(),
        _ => cast(piece, n, false),
    }
}

/// The word as a number with a sign, of a type that has one.
pub(super) fn signed(piece: &Piece, n: u32) -> Piece {
    match piece.range {
        Range::Signed | Range::Both if piece.ctype.signed => piece.clone(),
        _ => cast(piece, n, true),
    }
}

/// A narrow word of which the value is one of its own.
pub(super) fn exact(piece: &Piece, n: u32) -> Piece {
    if piece.range == Range::Any { cast(piece, n, false) } else { piece.clone() }
}

/// Of the type `uintN_t`, for words that are no narrower than an `int`.
pub(super) fn wide(piece: &Piece, n: u32) -> Piece {
    if piece.ctype == CType::of(n, false) { piece.clone() } else { cast(piece, n, false) }
}

/// Two operands of which one at least is of the type `uintN_t`.
pub(super) fn one_wide(a: &Piece, b: &Piece, n: u32) -> (Piece, Piece) {
    match () {
        () if [a, b].iter().any(|piece| piece.ctype == CType::of(n, false)) => {
            (a.clone(), b.clone())
        }
        () if a.literal.is_some() => (a.clone(), wide(b, n)),
        () => (wide(a, n), b.clone()),
    }
}

pub(super) fn sum(sign: &'static str, a: &Piece, b: &Piece, n: u32) -> Piece {
    if n < 32 {
        return binary((sign, SUM), &exact(a, n), &exact(b, n), CType::INT, Range::Any);
    }
    let (a, b) = one_wide(a, b, n);
    binary((sign, SUM), &a, &b, CType::of(n, false), Range::Unsigned)
}

pub(super) fn product(a: &Piece, b: &Piece, n: u32) -> Piece {
    let operator = ("*", strength::PRODUCT);
    match n {
        32.. => {
            let (a, b) = one_wide(a, b, n);
            binary(operator, &a, &b, CType::of(n, false), Range::Unsigned)
        }
        // Two words of 16 bits are more than an int holds.
        9.. => {
            let a = cast(&exact(a, n), 32, false);
            binary(operator, &a, &exact(b, n), CType::UNSIGNED, Range::Any)
        }
        _ => binary(operator, &exact(a, n), &exact(b, n), CType::INT, Range::Any),
    }
}

/// Two operands that C brings to one type without a change of their words.
pub(super) fn same_width(a: &Piece, b: &Piece, n: u32) -> (Piece, Piece) {
    let common = a.ctype.common(b.ctype);
    let both = |f: fn(&Piece) -> bool| f(a) && f(b);
    let as_they_are = common.bits >= n
        || both(|piece| piece.range == Range::Both)
        || both(|piece| piece.ctype.signed);
    if as_they_are { (a.clone(), b.clone()) } else { (cast(a, n, false), b.clone()) }
}

/// The range of either of two values, in the type that both are brought to.
pub(super) fn joined(a: &Piece, b: &Piece, ctype: CType, n: u32) -> Range {
    let both = |f: fn(Range) -> bool| f(a.range) && f(b.range);
    match () {
        () if both(|range| range == Range::Both) => Range::Both,
        () if n >= 32 && ctype == CType::of(n, false) => Range::Unsigned,
        () if both(|range| matches!(range, Range::Unsigned | Range::Both)) => Range::Unsigned,
        () if ctype.signed && both(|range| matches!(range, Range::Signed | Range::Both)) => {
            Range::Signed
        }
        () => Range::Any,
    }
}

pub(super) fn bitwise(operator: (&'static str, u8), a: &Piece, b: &Piece, n: u32) -> Piece {
    let (a, b) = if n < 32 { (a.clone(), b.clone()) } else { same_width(a, b, n) };
    let ctype = a.ctype.common(b.ctype);
    let is_no_more = |piece: &Piece| matches!(piece.range, Range::Unsigned | Range::Both);
    let range = match operator.0 {
        // No bit comes to what one of them has.
        "&" if a.range == Range::Both || b.range == Range::Both => Range::Both,
        "&" if is_no_more(&a) || is_no_more(&b) => Range::Unsigned,
        _ => joined(&a, &b, ctype, n),
    };
    binary(operator, &a, &b, ctype, range)
}

/// Two operands that are equal in C if their words are.
pub(super) fn alike(a: &Piece, b: &Piece, n: u32) -> (Piece, Piece) {
    if n >= 32 {
        return same_width(a, b, n);
    }
    let both = |f: fn(Range) -> bool| f(a.range) && f(b.range);
    let as_they_are = both(|range| matches!(range, Range::Unsigned | Range::Both))
        || both(|range| matches!(range, Range::Signed | Range::Both));
    if as_they_are { (a.clone(), b.clone()) } else { (unsigned(a, n), unsigned(b, n)) }
}

pub(super) fn compared(operator: (&'static str, u8), a: &Piece, b: &Piece) -> Piece {
    binary(operator, a, b, CType::INT, Range::Both)
}

pub(super) fn binary(
    (operator, strength): (&'static str, u8),
    a: &Piece,
    b: &Piece,
    ctype: CType,
    range: Range,
) -> Piece {
    let text = format!("{} {operator} {}", a.within(strength), b.within(strength + 1));
    Piece { text, strength, ctype, range, literal: None }
}

pub(super) fn prefixed(operator: &'static str, a: &Piece, ctype: CType, range: Range) -> Piece {
    let operand = a.within(UNARY);
    // Two signs side by side are another operator.
    let text = match operand.starts_with(operator) && operator == "-" {
        true => format!("{operator}({operand})"),
        false => format!("{operator}{operand}"),
    };
    Piece { text, strength: UNARY, ctype, range, literal: None }
}
