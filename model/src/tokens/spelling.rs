//! Which words a literal or a variable may be spelled as, letter by letter.
//!
//! A word is what a leaf displays as: a canonical number of some kind, `0` or `1`, or the name of a
//! variable. The decoder asks two questions of a half-written word: is it whole, and can it
//! still become one?

use crate::tokens::double;
use egraph::LiteralKind;

/// The words that may stand at one hole: the literals of its sort, and names of variables.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// How literals of the sort are written, if it has any.
    pub literals: Option<LiteralKind>,
    /// Names that may be used, of variables and of literals.
    pub variables: &'a [String],
}

impl Words<'_> {
    /// Whether any word may stand here.
    pub fn any(&self) -> bool {
        self.literals.is_some() || !self.variables.is_empty()
    }

    /// Whether `text` is a word.
    pub fn contains(&self, text: &str) -> bool {
        self.literals.is_some_and(|kind| is_literal(kind, text))
            || self.variables.iter().any(|name| name == text)
    }

    /// Whether `text` is the beginning of a longer word.
    pub fn continues(&self, text: &str) -> bool {
        self.literals.is_some_and(|kind| begins_literal(kind, text))
            || self.variables.iter().any(|name| name.len() > text.len() && name.starts_with(text))
    }
}

/// Whether `text` is a literal as it is displayed: no `+`, no leading zeros, in range, in lowest
/// terms. Only of the digits of a double nobody asks that there are no fewer that say the same.
fn is_literal(kind: LiteralKind, text: &str) -> bool {
    match kind {
        LiteralKind::Bool => text == "0" || text == "1",
        LiteralKind::F64 => double::is_word(text),
        _ => kind.read(text).is_some_and(|value| value.to_string() == text),
    }
}

/// Whether a literal longer than `text` begins with it.
fn begins_literal(kind: LiteralKind, text: &str) -> bool {
    match kind {
        LiteralKind::I64 => {
            let longer = |zero: String| kind.read(&zero).is_some();
            text.is_empty() || text == "-" || begins_integer(kind, text, longer)
        }
        LiteralKind::Bool => text.is_empty(),
        LiteralKind::Bits(_) => {
            let longer = |zero: String| kind.read(&zero).is_some();
            text.is_empty() || begins_integer(kind, text, longer)
        }
        LiteralKind::F64 => double::begins_word(text),
        LiteralKind::Rational => match text.split_once('/') {
            // Any number but zero has no common divisor with some other.
            None => text.is_empty() || text == "-" || (text != "0" && is_literal(kind, text)),
            Some((numerator, "")) => numerator != "0" && is_literal(kind, numerator),
            Some((_, denominator)) => {
                // Among a hundred numbers in a row one has no divisor with the numerator in common: of its
                // prime divisors there are 15 at most.
                let longer = |more| is_literal(kind, &format!("{text}{more}"));
                !denominator.starts_with('0')
                    && (0..10)
                        .map(|i| i.to_string())
                        .chain((0..100).map(|i| format!("{i:02}")))
                        .any(longer)
            }
        },
    }
}

/// Whether a digit fits behind the integer `text`. Zero is the smallest: if it does not, none does.
fn begins_integer(kind: LiteralKind, text: &str, fits: impl Fn(String) -> bool) -> bool {
    text != "0" && is_literal(kind, text) && fits(format!("{text}0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const INT: Words = Words { literals: Some(LiteralKind::I64), variables: &[] };

    #[test]
    fn integers_are_canonical_and_in_range() {
        for word in ["0", "-1", "10", "9223372036854775807", "-9223372036854775808"] {
            assert!(INT.contains(word), "{word}");
        }
        for word in ["", "-", "-0", "01", "+1", "9223372036854775808", "1x"] {
            assert!(!INT.contains(word), "{word}");
        }
    }

    #[test]
    fn a_beginning_can_be_completed() {
        for start in ["", "-", "1", "-12", "922337203685477580", "-922337203685477580"] {
            assert!(INT.continues(start), "{start}");
        }
        for start in ["0", "-0", "v", "922337203685477581", "9223372036854775807"] {
            assert!(!INT.continues(start), "{start}");
        }
    }

    fn words(kind: &str) -> Words<'static> {
        let system = format!("(sort S) (literal {kind} S)");
        let language = egraph::System::parse(&system).unwrap().language.clone();
        Words { literals: language.literal_kind(egraph::SortId(0)), variables: &[] }
    }

    const KINDS: [&str; 8] =
        ["i64", "bool", "rational", "f64", "(bits 1)", "(bits 8)", "(bits 63)", "(bits 64)"];

    #[test]
    fn words_of_each_kind() {
        for (kind, all, none) in [
            (
                "rational",
                "0 -3 1/2 -7/3 1/72057594037927935",
                "-0 2/4 1/1 1/0 1/-2 01/2 1/ / 1/72057594037927936",
            ),
            (
                "f64",
                "0.0 -1.5 1e-7 1e16 1.5e300 123.0 5e-324 0.0001",
                "-0.0 1 1.50 01.5 1e5 1. .5 1e999 1e-400 0.00001 1.0e20",
            ),
            ("(bits 8)", "0 9 255", "-1 256 00 1.0"),
            ("(bits 64)", "18446744073709551615", "18446744073709551616"),
        ] {
            let words = words(kind);
            all.split(' ').for_each(|word| assert!(words.contains(word), "{kind} {word}"));
            none.split(' ').for_each(|word| assert!(!words.contains(word), "{kind} {word}"));
        }
    }

    /// Literals of a kind from arbitrary bits.
    fn literal(kind: &str, bits: u64, more: u64) -> Option<String> {
        let small = bits >> (more % 64);
        let text = match kind {
            "rational" => {
                let denominator = (more >> 8).max(1) >> (more % 55);
                format!("{}/{}", small as i64, denominator.max(1))
            }
            "f64" if more.is_multiple_of(2) => format!("{:?}", f64::from_bits(bits)),
            "f64" => format!("{:?}", small as i32 as f64 / 8.0),
            "i64" => (small as i64).to_string(),
            _ => small.to_string(),
        };
        let kind = words(kind).literals?;
        kind.read(&text).map(|value| value.to_string())
    }

    proptest! {
        #[test]
        fn what_is_displayed_can_be_spelled_letter_by_letter(bits: u64, more: u64, i in 0..8usize) {
            let words = words(KINDS[i]);
            let Some(text) = literal(KINDS[i], bits, more) else { return Ok(()) };
            prop_assert!(words.contains(&text), "{} {}", KINDS[i], text);
            for end in 0..text.len() {
                prop_assert!(words.continues(&text[..end]), "{} {}", KINDS[i], &text[..end]);
            }
        }

        #[test]
        fn what_is_spelled_ends_and_is_read(picks in proptest::collection::vec(0..1_000usize, 60), i in 0..8usize) {
            let words = words(KINDS[i]);
            let mut text = String::new();
            for pick in picks {
                if words.contains(&text) && pick % 5 == 0 {
                    break;
                }
                let next: Vec<char> = "-0123456789/.e"
                    .chars()
                    .filter(|c| {
                        let longer = format!("{text}{c}");
                        words.contains(&longer) || words.continues(&longer)
                    })
                    .collect();
                prop_assert_eq!(next.is_empty(), !words.continues(&text), "{} {}", KINDS[i], text);
                if next.is_empty() {
                    break;
                }
                text.push(next[pick % next.len()]);
            }
            prop_assert!(words.contains(&text), "{} {}", KINDS[i], text);
            prop_assert!(words.literals.unwrap().read(&text).is_some(), "{} {}", KINDS[i], text);
        }
    }

    #[test]
    fn only_the_given_variables_are_words() {
        let names = ["v1".to_owned(), "v12".to_owned()];
        let words = Words { literals: Some(LiteralKind::Bool), variables: &names };
        assert!(words.contains("v12") && words.contains("v1") && words.contains("1"));
        assert!(!words.contains("v2") && !words.contains("2") && !words.contains("v"));
        assert!(words.continues("v") && words.continues("v1") && !words.continues("v12"));
    }
}
