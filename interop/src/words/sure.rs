//! Shifts and divisions that have no value for some operands in C and LLVM, and have one in the system: where they may be
//! written all the same.

use crate::words::{Words, number};
use egraph::{Node, TermBank, TermId};

/// What the original computes in any case, so that it has no value itself where that has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sure {
    /// Amounts by which words of so many bits are shifted.
    pub amounts: Vec<(TermId, u32)>,
    pub divisors: Vec<TermId>,
    /// Dividends and divisors with a sign.
    pub signed_divisions: Vec<(TermId, TermId)>,
}

impl Sure {
    /// Whether words of `n` bits may be shifted by a term: it is less than n, or the original has no value.
    pub fn is_amount(&self, bank: &TermBank, words: &Words, term: TermId, n: u32) -> bool {
        let below = |term: TermId, most: u64| number(bank, term).is_some_and(|v| v < most);
        if below(term, n.into()) || self.amounts.iter().any(|(t, bits)| *t == term && *bits <= n) {
            return true;
        }
        let Node::Op(op) = bank.node(term) else { return false };
        match (words.meaning(op), bank.children(term)) {
            (Some(("&", ..)), [a, b]) => below(*a, n.into()) || below(*b, n.into()),
            (Some(("%", ..)), [_, b]) => below(*b, u64::from(n) + 1) && self.is_divisor(bank, *b),
            (Some(("zext", [1], _)), _) => true,
            _ => false,
        }
    }

    /// Whether a term may divide without a sign: it is not zero, or the original has no value.
    pub fn is_divisor(&self, bank: &TermBank, term: TermId) -> bool {
        number(bank, term).is_some_and(|value| value != 0) || self.divisors.contains(&term)
    }

    /// Whether a term may be divided by another with a sign, on words of `n` bits: the quotient fits, or the original has no
    /// value.
    pub fn is_signed_division(&self, bank: &TermBank, (a, b): (TermId, TermId), n: u32) -> bool {
        match number(bank, b) {
            Some(value) => value != 0 && value != u64::MAX >> (64 - n),
            None => self.signed_divisions.contains(&(a, b)),
        }
    }
}
