//! The integer types of C, where `int` has 32 bits and `long` 64.

use egraph::TermId;
use std::fmt;

/// An integer type of 8 to 64 bits, or `bool`, which has 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CType {
    /// The number of bits.
    pub bits: u32,
    /// Whether it has negative numbers.
    pub signed: bool,
}

impl CType {
    /// `bool`
    pub const BOOL: CType = CType { bits: 1, signed: false };
    /// `int`
    pub const INT: CType = CType { bits: 32, signed: true };
    /// `unsigned`
    pub const UNSIGNED: CType = CType { bits: 32, signed: false };

    pub(super) const fn of(bits: u32, signed: bool) -> CType {
        CType { bits, signed }
    }

    /// What it becomes as an operand: nothing is computed with less than an `int`.
    pub(super) fn promoted(self) -> CType {
        if self.bits < 32 { CType::INT } else { self }
    }

    /// The type in which two operands are computed with.
    pub(super) fn common(self, other: CType) -> CType {
        let (a, b) = (self.promoted(), other.promoted());
        match a.bits.cmp(&b.bits) {
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Equal => CType { bits: a.bits, signed: a.signed && b.signed },
        }
    }

    /// The type that a name of one word stands for.
    pub fn named(name: &str) -> Option<CType> {
        Some(match name {
            "bool" | "_Bool" => CType::BOOL,
            "uint8_t" => CType::of(8, false),
            "uint16_t" => CType::of(16, false),
            "uint32_t" => CType::UNSIGNED,
            "uint64_t" | "size_t" | "uintptr_t" | "uintmax_t" => CType::of(64, false),
            "int8_t" => CType::of(8, true),
            "int16_t" => CType::of(16, true),
            "int32_t" => CType::INT,
            "int64_t" | "ptrdiff_t" | "ssize_t" | "intptr_t" | "intmax_t" => CType::of(64, true),
            _ => return None,
        })
    }

    /// The type that a row of C's own words is, as `unsigned long int`; `None` of words that are none.
    pub(super) fn of_words(words: &[&str]) -> Option<CType> {
        if let [name] = words
            && let Some(named) = CType::named(name)
        {
            return Some(named);
        }
        let count = |word: &str| words.iter().filter(|known| **known == word).count();
        let signs = count("unsigned") + count("signed");
        let (chars, shorts, ints, longs) =
            (count("char"), count("short"), count("int"), count("long"));
        let all = signs + chars + shorts + ints + longs;
        let lengths = chars + shorts + usize::from(longs > 0);
        if words.is_empty()
            || all != words.len()
            || signs > 1
            || lengths > 1
            || ints > 1
            || longs > 2
        {
            return None;
        }
        if chars > 0 && ints > 0 {
            return None;
        }
        let bits = match (chars, shorts, longs) {
            (1.., _, _) => 8,
            (_, 1.., _) => 16,
            (_, _, 1..) => 64,
            _ => 32,
        };
        Some(CType::of(bits, count("unsigned") == 0))
    }
}

/// A term and its type in C.
#[derive(Clone, Copy, Debug)]
pub(super) struct Typed {
    pub term: TermId,
    pub ctype: CType,
}

/// The words of which C's own names of types are made.
pub(super) const TYPE_WORDS: [&str; 6] = ["unsigned", "signed", "char", "short", "int", "long"];

impl fmt::Display for CType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.bits, self.signed) {
            (1, _) => f.write_str("bool"),
            (bits, true) => write!(f, "int{bits}_t"),
            (bits, false) => write!(f, "uint{bits}_t"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_are_read_in_any_order() {
        for (words, bits, signed) in [
            ("unsigned", 32, false),
            ("long unsigned int", 64, false),
            ("long long", 64, true),
            ("short int", 16, true),
            ("char", 8, true),
            ("unsigned char", 8, false),
            ("size_t", 64, false),
            ("_Bool", 1, false),
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            assert_eq!(CType::of_words(&words), Some(CType::of(bits, signed)), "{words:?}");
        }
        for words in
            ["", "float", "short long", "unsigned signed", "char int", "int int", "long long long"]
        {
            let words: Vec<&str> = words.split_whitespace().collect();
            assert_eq!(CType::of_words(&words), None, "{words:?}");
        }
    }

    #[test]
    fn operands_are_converted_as_in_c() {
        let [i8, u8, int, unsigned, long, ulong] = [
            CType::of(8, true),
            CType::of(8, false),
            CType::INT,
            CType::UNSIGNED,
            CType::of(64, true),
            CType::of(64, false),
        ];
        for (a, b, common) in [
            (i8, u8, int),
            (CType::BOOL, u8, int),
            (int, unsigned, unsigned),
            (unsigned, long, long),
            (int, ulong, ulong),
            (long, ulong, ulong),
            (u8, unsigned, unsigned),
        ] {
            assert_eq!((a.common(b), b.common(a)), (common, common), "{a} {b}");
        }
    }
}
