//! No triple twice, and no (start, target) in two splits.

use crate::config::Splits;
use crate::splits::split::Split;
use crate::triples::triple_rows::Triple;
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};
use terms::rename_literals;

/// In this order splits get their triples: what test has, validation and train go without.
pub const ORDER: [Split; 3] = [Split::Test, Split::Validation, Split::Train];

/// What tells a triple from others, in 128 bits of SHA-256 each: two different texts never have
/// the same in practice. Terms are compared after renaming of variables, as they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digests {
    /// Of start and target; after renaming of literals, too, if that is asked for.
    pub ends: u128,
    /// Of all three terms.
    pub triple: u128,
}

impl Digests {
    pub fn of(triple: &Triple, splits: Splits) -> Digests {
        let Triple { start, guide, target, .. } = triple;
        let ends = if splits.literals {
            digest(&rename_literals([start, target]).each_ref().map(String::as_str))
        } else {
            digest(&[start, target])
        };
        Digests { ends, triple: digest(&[start, target, guide]) }
    }
}

/// Whether a triple belongs into the dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Admitted,
    /// It was there already.
    Repeated,
    /// Its (start, target) is in another split.
    Shared,
}

/// What was seen of a dataset so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    owner: FxHashMap<u128, Split>,
    triples: FxHashSet<u128>,
}

impl Seen {
    /// About the next triple. The splits come in [`ORDER`].
    pub fn judge(&mut self, split: Split, digests: Digests) -> Verdict {
        if *self.owner.entry(digests.ends).or_insert(split) != split {
            Verdict::Shared
        } else if !self.triples.insert(digests.triple) {
            Verdict::Repeated
        } else {
            Verdict::Admitted
        }
    }
}

fn digest(texts: &[&str]) -> u128 {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update(text.as_bytes());
        hasher.update([0]);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize()[..16]);
    u128::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::Verdict::{Admitted, Repeated, Shared};
    use super::*;

    /// Judges triples as "start guide target".
    fn judge(splits: Splits, triples: &[(Split, &str)]) -> Vec<Verdict> {
        let mut seen = Seen::default();
        let of = |&(split, text): &(Split, &str)| {
            let [start, guide, target] =
                <[&str; 3]>::try_from(text.split(' ').collect::<Vec<_>>()).unwrap();
            let own = |text: &str| text.to_owned();
            let (start, guide, target) = (own(start), own(guide), own(target));
            let triple = Triple { start, guide, target, ..Triple::default() };
            seen.judge(split, Digests::of(&triple, splits))
        };
        triples.iter().map(of).collect()
    }

    #[test]
    fn a_pair_stays_in_the_split_that_goes_first_and_a_triple_stays_once() {
        let [test, validation, train] = ORDER;
        let triples = [
            (test, "a 1 b", Admitted),
            (test, "a 1 b", Repeated),
            (test, "a 2 b", Admitted),
            (validation, "a 3 b", Shared),
            (validation, "c 4 d", Admitted),
            (train, "c 5 d", Shared),
            (train, "b 1 a", Admitted),
            (train, "e 6 f", Admitted),
        ];
        let verdicts = judge(Splits::default(), &triples.map(|(split, text, _)| (split, text)));
        assert_eq!(verdicts, triples.map(|(.., verdict)| verdict));
    }

    #[test]
    fn ends_that_differ_in_literals_are_one_if_wanted() {
        let [test, _, train] = ORDER;
        let triples =
            [(test, "7 x (-7)"), (test, "8 x (-7)"), (train, "9 x (-1)"), (train, "9 x (9)")];
        let literals = Splits { literals: true, ..Splits::default() };
        assert_eq!(judge(literals, &triples), [Admitted, Admitted, Shared, Admitted]);
        assert_eq!(judge(Splits::default(), &triples), [Admitted; 4]);
    }
}
