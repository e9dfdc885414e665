//! The hash-cons: a table from the canonical form of an e-node to its id.
//!
//! Open addressing with linear probing over a byte of each hash, which is looked at before the
//! e-node itself; deleting moves later entries back, so that there are no stale entries and no
//! tombstones, and the table never grows but by insertions. It does not know the e-nodes: what
//! it must compare or hash again is asked of its caller.

/// The tag of an empty place.
const EMPTY: u8 = 0;

/// A set of ids by hash.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    tags: Vec<u8>,
    ids: Vec<u32>,
    len: usize,
}

fn tag(hash: u64) -> u8 {
    // Other bits than those that choose the place.
    (hash as u8).max(1)
}

impl Memo {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn heap_bytes(&self) -> usize {
        self.tags.capacity() + self.ids.capacity() * size_of::<u32>()
    }

    /// Entries for which there is room: no more than three quarters of the places are taken, so
    /// that an unsuccessful search looks at 8.5 tags in the mean (Knuth, vol. 3, section 6.4).
    pub fn capacity(&self) -> usize {
        self.tags.len() / 4 * 3
    }

    /// Bytes of a table with room for `entries`.
    pub fn bytes_for(entries: usize) -> usize {
        Memo::places_for(entries) * (1 + size_of::<u32>())
    }

    fn places_for(entries: usize) -> usize {
        entries.div_ceil(3) * 4
    }

    /// The place where the search for a hash begins.
    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.tags.len() as u64) >> 32) as usize
    }

    fn next(&self, place: usize) -> usize {
        if place + 1 == self.tags.len() { 0 } else { place + 1 }
    }

    /// The id with this hash for which `same` holds.
    #[inline]
    pub fn find(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.tags.is_empty() {
            return None;
        }
        let wanted = tag(hash);
        let mut place = self.home(hash);
        loop {
            let found = self.tags[place];
            if found == wanted && same(self.ids[place]) {
                return Some(self.ids[place]);
            }
            if found == EMPTY {
                return None;
            }
            place = self.next(place);
        }
    }

    /// Adds an id that is not there; [`Memo::capacity`] must exceed [`Memo::len`].
    pub fn insert(&mut self, hash: u64, id: u32) {
        debug_assert!(self.len < self.capacity());
        let mut place = self.home(hash);
        while self.tags[place] != EMPTY {
            place = self.next(place);
        }
        self.tags[place] = tag(hash);
        self.ids[place] = id;
        self.len += 1;
    }

    /// Takes an id out, if it is there. `hash_of` gives the hashes with which others were added.
    pub fn remove(&mut self, hash: u64, id: u32, hash_of: impl Fn(u32) -> u64) {
        if self.tags.is_empty() {
            return;
        }
        let mut hole = self.home(hash);
        while self.ids[hole] != id || self.tags[hole] == EMPTY {
            if self.tags[hole] == EMPTY {
                return;
            }
            hole = self.next(hole);
        }
        // Entries after the hole move into it, unless that were before their own homes.
        let mut place = hole;
        loop {
            place = self.next(place);
            if self.tags[place] == EMPTY {
                break;
            }
            let home = self.home(hash_of(self.ids[place]));
            let reaches = if hole <= place {
                home <= hole || home > place
            } else {
                home <= hole && home > place
            };
            if reaches {
                self.tags[hole] = self.tags[place];
                self.ids[hole] = self.ids[place];
                hole = place;
            }
        }
        self.tags[hole] = EMPTY;
        self.len -= 1;
    }

    /// Makes a table with room for `entries` of all `ids`. The old one is given back first, so
    /// that the two never stand side by side.
    pub fn rebuild(
        &mut self,
        entries: usize,
        ids: impl Iterator<Item = u32>,
        hash_of: impl Fn(u32) -> u64,
    ) {
        *self = Memo::default();
        let places = Memo::places_for(entries.max(3));
        self.tags = vec![EMPTY; places];
        self.ids = vec![0; places];
        for id in ids {
            self.insert(hash_of(id), id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Few distinct hashes, at the end of the table too, so that runs collide and wrap round.
    fn hash_of(id: u32) -> u64 {
        u64::from(id % 7) << 61 | u64::from(id % 3)
    }

    proptest! {
        #[test]
        fn it_is_a_set(actions in prop::collection::vec((any::<bool>(), 0u32..40), 0..300)) {
            let mut memo = Memo::default();
            let mut set = BTreeSet::new();
            for (add, id) in actions {
                if add && set.insert(id) {
                    if memo.len() == memo.capacity() {
                        let others = set.iter().copied().filter(|&other| other != id);
                        memo.rebuild(memo.len() + 1, others, hash_of);
                    }
                    memo.insert(hash_of(id), id);
                } else if !add {
                    set.remove(&id);
                    memo.remove(hash_of(id), id, hash_of);
                }
                prop_assert_eq!(memo.len(), set.len());
                for id in 0..40 {
                    let found = memo.find(hash_of(id), |other| other == id);
                    prop_assert_eq!(found.is_some(), set.contains(&id));
                }
            }
        }
    }
}
