//! No triple twice, and no (start, target) in two splits.

use crate::triples::{Split, Triple};
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};

/// In this order splits get their triples: what test has, validation and train go without.
pub const ORDER: [Split; 3] = [Split::Test, Split::Validation, Split::Train];

/// What was seen of a dataset so far: 16 bytes for a (start, target), 16 for a triple. Terms are
/// compared after renaming of variables, as they are written.
#[derive(Clone, Debug, Default)]
pub struct Duplicates {
    owner: FxHashMap<u128, Split>,
    seen: FxHashSet<u128>,
    /// Triples that were there already.
    pub repeated: u64,
    /// Triples whose (start, target) is in another split.
    pub shared: u64,
}

impl Duplicates {
    /// Whether a triple belongs into the dataset. The splits come in [`ORDER`].
    pub fn admit(&mut self, split: Split, triple: &Triple) -> bool {
        let pair = [&triple.start, &triple.target].map(String::as_str);
        if *self.owner.entry(digest(&pair)).or_insert(split) != split {
            self.shared += 1;
            return false;
        }
        let new = self.seen.insert(digest(&[pair[0], pair[1], &triple.guide]));
        self.repeated += u64::from(!new);
        new
    }
}

/// 128 bits of SHA-256: two different texts never have the same in practice.
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
    use super::*;

    #[test]
    fn a_pair_stays_in_the_split_that_goes_first_and_a_triple_stays_once() {
        let triple = |text: &str| {
            let [start, guide, target] =
                <[&str; 3]>::try_from(text.split(' ').collect::<Vec<_>>()).unwrap();
            let own = |text: &str| text.to_owned();
            let (start, guide, target) = (own(start), own(guide), own(target));
            Triple { start, guide, target, ..Triple::default() }
        };
        let mut duplicates = Duplicates::default();
        let mut admitted = |split, texts: &[&str]| -> Vec<bool> {
            texts.iter().map(|text| duplicates.admit(split, &triple(text))).collect()
        };
        assert_eq!(admitted(Split::Test, &["a 1 b", "a 1 b", "a 2 b"]), [true, false, true]);
        assert_eq!(admitted(Split::Validation, &["a 3 b", "c 4 d"]), [false, true]);
        assert_eq!(admitted(Split::Train, &["c 5 d", "b 1 a", "e 6 f"]), [false, true, true]);
        assert_eq!((duplicates.repeated, duplicates.shared), (1, 2));
    }
}
