//! The seeds that a model has seen, in training or by the choice of its checkpoint: what it is to be
//! measured on may not begin with one of them.

use crate::seeds::normal_form::{rename_literals, rename_variables};
use egraph::{TermBank, TermId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use support::hash::sha256;

/// Terms by the digests of their normal forms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenSeeds {
    /// Whether terms that differ in literals only are the same.
    pub literals: bool,
    /// As [`digest`] gives them.
    pub digests: BTreeSet<String>,
}

impl SeenSeeds {
    /// Whether a term equals one of the seeds, after renaming of variables, and of literals if they say so.
    pub fn contain(&self, bank: &mut TermBank, term: TermId) -> bool {
        !self.digests.is_empty() && self.digests.contains(&digest(bank, term, self.literals))
    }
}

/// What seeds are told apart by: the text of a term after renaming of variables, and of literals if
/// that is asked for.
pub fn normal_text(bank: &mut TermBank, term: TermId, literals: bool) -> String {
    let normal = rename_variables(bank, &[term])[0];
    let text = bank.text(normal);
    if !literals {
        return text;
    }
    let [text] = rename_literals([&text]);
    text
}

/// 128 bits of the SHA-256 of a term with its variables, and if `literals` its literals, renamed: 32
/// hexadecimal digits.
pub fn digest(bank: &mut TermBank, term: TermId, literals: bool) -> String {
    let mut digits = sha256(normal_text(bank, term, literals).as_bytes());
    digits.truncate(32);
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    #[test]
    fn names_do_not_hide_a_seed_and_literals_only_where_they_count() {
        let system = System::parse("(sort I) (literal i64 I) (variable I) (op + (I I) I)").unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let mut term = |text: &str| bank.parse(text, None).unwrap();
        let [seed, renamed, literal, other] =
            ["(+ x (+ y 1))", "(+ b (+ a 1))", "(+ x (+ y 2))", "(+ x (+ x 1))"].map(&mut term);
        for literals in [false, true] {
            let digests = BTreeSet::from([digest(&mut bank, seed, literals)]);
            let seen = SeenSeeds { literals, digests };
            let found = [seed, renamed, literal, other].map(|term| seen.contain(&mut bank, term));
            assert_eq!(found, [true, true, literals, false]);
        }
    }
}
