//! From what an instruction computes to a term.

use crate::ssa::instruction::Computed;
use crate::words::{self, Words};
use egraph::{Node, TermBank, TermId};

/// What an instruction computes of terms, if the system has operators for it.
pub fn term(
    bank: &mut TermBank,
    words: &Words,
    computed: &Computed,
    args: &[TermId],
) -> Option<TermId> {
    let Computed { what, from, bits, .. } = *computed;
    if (what, bits) == ("trunc", 1) {
        // The lowest bit.
        let one = words.literal(bank, from, 1).ok()?;
        let lowest = bank.apply(words.operator(bank, "&", from, &[args[0], one])?, &[args[0], one]);
        let zero = words.literal(bank, from, 0).ok()?;
        let is_one = words.operator(bank, "!=", 1, &[lowest, zero])?;
        return Some(bank.apply(is_one, &[lowest, zero]));
    }
    let op = words.operator(bank, what, bits, args)?;
    Some(bank.apply(op, args))
}

/// The word whose lowest bit a term is.
pub fn lowest_bit_of(bank: &TermBank, words: &Words, term: TermId) -> Option<TermId> {
    let applied = |term: TermId, name: &str| match bank.node(term) {
        Node::Op(op) if words.meaning(op).is_some_and(|(what, ..)| what == name) => {
            Some((bank.children(term)[0], bank.children(term)[1]))
        }
        _ => None,
    };
    let is = |term, value| words::number(bank, term) == Some(value);
    let (lowest, _) = applied(term, "!=").filter(|(_, zero)| is(*zero, 0))?;
    let (a, b) = applied(lowest, "&")?;
    if is(a, 1) { Some(b) } else { Some(a).filter(|_| is(b, 1)) }
}
