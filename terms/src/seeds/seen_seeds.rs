//! The seeds that a model has seen, in training or by the choice of its checkpoint: what it is to be
//! measured on may not begin with one of them, nor be one of its tasks the other way round. Targets are another
//! matter: many starts lead to the same few small terms.

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
    /// Of the starts, as [`digest`] gives them; in rankers of an earlier format of the targets, too.
    pub digests: BTreeSet<String>,
    /// Of the targets, where there are some.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub targets: BTreeSet<String>,
    /// Of start and target together, in this order.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub pairs: BTreeSet<String>,
}

impl SeenSeeds {
    /// These terms, which have no targets, literals generalised.
    pub fn of(bank: &mut TermBank, terms: impl IntoIterator<Item = TermId>) -> SeenSeeds {
        let digests = terms.into_iter().map(|term| digest(bank, term, true)).collect();
        SeenSeeds { literals: true, digests, ..SeenSeeds::default() }
    }

    /// The starts and targets of tasks, literals generalised.
    pub fn of_tasks(
        bank: &mut TermBank,
        tasks: impl IntoIterator<Item = [TermId; 2]>,
    ) -> SeenSeeds {
        let mut seen = SeenSeeds { literals: true, ..SeenSeeds::default() };
        for [start, target] in tasks {
            seen.digests.insert(digest(bank, start, true));
            seen.targets.insert(digest(bank, target, true));
            seen.pairs.insert(digest_of(bank, [start, target], true));
        }
        seen
    }

    /// These too: what another one has seen.
    pub fn extend(&mut self, other: &SeenSeeds) {
        self.digests.extend(other.digests.iter().cloned());
        self.targets.extend(other.targets.iter().cloned());
        self.pairs.extend(other.pairs.iter().cloned());
    }

    /// Whether a term equals one of the starts, after renaming of variables, and of literals if they say so.
    pub fn contain(&self, bank: &mut TermBank, term: TermId) -> bool {
        !self.digests.is_empty() && self.digests.contains(&digest(bank, term, self.literals))
    }

    /// Whether a task begins with one of the starts, or is one of the tasks the other way round.
    pub fn contain_task(&self, bank: &mut TermBank, [start, target]: [TermId; 2]) -> bool {
        self.contain(bank, start)
            || !self.pairs.is_empty()
                && self.pairs.contains(&digest_of(bank, [target, start], self.literals))
    }

    /// Whether a term equals one of the targets, or of the starts.
    pub fn contain_target(&self, bank: &mut TermBank, term: TermId) -> bool {
        let digest = digest(bank, term, self.literals);
        self.targets.contains(&digest) || self.digests.contains(&digest)
    }
}

/// What seeds are told apart by: the text of a term after renaming of variables, and of literals if
/// that is asked for.
pub fn normal_text(bank: &mut TermBank, term: TermId, literals: bool) -> String {
    let [text] = normal_texts(bank, [term], literals);
    text
}

/// The same of several terms, which share names.
fn normal_texts<const N: usize>(
    bank: &mut TermBank,
    terms: [TermId; N],
    literals: bool,
) -> [String; N] {
    let normal = rename_variables(bank, &terms);
    let texts: [String; N] = std::array::from_fn(|i| bank.text(normal[i]));
    if literals { rename_literals(texts.each_ref().map(String::as_str)) } else { texts }
}

/// 128 bits of the SHA-256 of a term with its variables, and if `literals` its literals, renamed: 32
/// hexadecimal digits.
pub fn digest(bank: &mut TermBank, term: TermId, literals: bool) -> String {
    digest_of(bank, [term], literals)
}

/// The same of several terms, with a line feed between them.
fn digest_of<const N: usize>(bank: &mut TermBank, terms: [TermId; N], literals: bool) -> String {
    let mut digits = sha256(normal_texts(bank, terms, literals).join("\n").as_bytes());
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
            let seen = SeenSeeds { literals, digests, ..SeenSeeds::default() };
            let found = [seed, renamed, literal, other].map(|term| seen.contain(&mut bank, term));
            assert_eq!(found, [true, true, literals, false]);
        }
    }
    #[test]
    fn a_task_is_known_by_its_start_and_the_other_way_round_and_not_by_its_target() {
        let system = System::parse("(sort I) (literal i64 I) (variable I) (op + (I I) I)").unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let mut term = |text: &str| bank.parse(text, None).unwrap();
        let seen = ["(+ x (+ y 1))", "(+ (+ 1 x) y)"].map(&mut term);
        let tasks = [
            ["(+ b (+ a 7))", "(+ a b)"],
            ["(+ (+ 3 a) b)", "(+ a (+ b 3))"],
            // The variables stand otherwise, the literal too.
            ["(+ (+ 3 a) b)", "(+ b (+ a 3))"],
            ["(+ (+ a 3) b)", "(+ (+ 3 a) b)"],
            ["(+ (+ a 3) b)", "(+ a b)"],
        ]
        .map(|ends| ends.map(&mut term));
        let seen = SeenSeeds::of_tasks(&mut bank, [seen]);
        let refused = tasks.map(|task| seen.contain_task(&mut bank, task));
        assert_eq!(refused, [true, true, false, false, false]);
        let like = tasks.map(|[_, target]| seen.contain_target(&mut bank, target));
        assert_eq!(like, [false, true, true, true, false]);
        // What an earlier format says of targets still refuses starts.
        let both = SeenSeeds { targets: BTreeSet::new(), pairs: BTreeSet::new(), ..seen.clone() };
        assert!(both.contain_task(&mut bank, tasks[0]));
    }
}
