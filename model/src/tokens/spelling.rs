//! Which words a literal or a variable may be spelled as, letter by letter.
//!
//! A word is what a leaf displays as: a canonical decimal number, `0` or `1`, or the name of a
//! variable. The decoder asks two questions of a half-written word: is it whole, and can it
//! still become one?

use egraph::LiteralKind;

/// The words that may stand at one hole: the literals of its sort, and names of variables.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// How literals of the sort are written, if it has any.
    pub literals: Option<LiteralKind>,
    /// Names of the variables that may be used.
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

/// Whether `text` is a literal as it is displayed: no `+`, no leading zeros, in range.
fn is_literal(kind: LiteralKind, text: &str) -> bool {
    match kind {
        LiteralKind::I64 => integer(text).is_some(),
        LiteralKind::Bool => text == "0" || text == "1",
    }
}

/// The integer that is displayed so.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let shown = text == "0" || digits.starts_with(|c: char| ('1'..='9').contains(&c));
    if shown { text.parse().ok() } else { None }
}

/// Whether a literal longer than `text` begins with it.
fn begins_literal(kind: LiteralKind, text: &str) -> bool {
    match kind {
        // Zero is the smallest digit: if it does not fit behind, no digit does.
        LiteralKind::I64 => {
            let zero_fits = |i: i64| i != 0 && i.checked_mul(10).is_some();
            text.is_empty() || text == "-" || integer(text).is_some_and(zero_fits)
        }
        LiteralKind::Bool => text.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn only_the_given_variables_are_words() {
        let names = ["v1".to_owned(), "v12".to_owned()];
        let words = Words { literals: Some(LiteralKind::Bool), variables: &names };
        assert!(words.contains("v12") && words.contains("v1") && words.contains("1"));
        assert!(!words.contains("v2") && !words.contains("2") && !words.contains("v"));
        assert!(words.continues("v") && words.continues("v1") && !words.continues("v12"));
    }
}
