//! The hash-cons: a table from the canonical form of an e-node to its id.
//!
//! Open addressing with linear probing over a byte of each hash, of which eight are looked at
//! together before any e-node itself (as in Google's Swiss tables); deleting moves later entries
//! back, so that there are no stale entries and no tombstones, and the table never grows but by
//! insertions. It does not know the e-nodes: what it must compare or hash again is asked of its
//! caller.

/// The tag of an empty place.
const EMPTY: u8 = 0;

/// A set of ids by hash.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    /// A tag for each place, and the first [`GROUP`] again behind the last, so that a group can be
    /// read from any place.
    tags: Vec<u8>,
    ids: Vec<u32>,
    len: usize,
}

/// Hashes that are looked for together.
pub(crate) const MANY: usize = 64;
/// What is found where nothing is. No id is this.
pub(crate) const ABSENT: u32 = u32::MAX;
/// Tags that are looked at together.
const GROUP: usize = 8;
/// The lowest bit of each byte of a group.
const LOWEST: u64 = u64::from_le_bytes([1; GROUP]);

/// A bit of each tag that is [`EMPTY`]; the others are odd.
fn empty(group: u64) -> u64 {
    !group & LOWEST
}

/// A bit of each tag that is the one of a hash, and of no other: an empty place may name what was there once.
fn alike(group: u64, hash: u64) -> u64 {
    let others = group ^ (LOWEST * u64::from(tag(hash)));
    // No carry leaves a byte: the highest bit of the sum says whether the other seven are not zero.
    let seven = LOWEST * 0x7f;
    !(((others & seven) + seven) | others | seven)
}

/// Which of a group the first bit belongs to.
fn first(bits: u64) -> usize {
    bits.trailing_zeros() as usize / 8
}

fn tag(hash: u64) -> u8 {
    // Other bits than those that choose the place.
    hash as u8 | 1
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
    /// that an unsuccessful search looks at 8.5 tags in the mean (Knuth, vol. 3, section 6.4),
    /// mostly one or two groups.
    pub fn capacity(&self) -> usize {
        self.ids.len() / 4 * 3
    }

    /// Bytes of a table with room for `entries`.
    pub fn bytes_for(entries: usize) -> usize {
        Memo::places_for(entries) * (1 + size_of::<u32>()) + GROUP
    }

    fn places_for(entries: usize) -> usize {
        entries.div_ceil(3).max(GROUP / 4) * 4
    }

    /// The place where the search for a hash begins.
    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.ids.len() as u64) >> 32) as usize
    }

    /// The tags from a place on.
    fn group(&self, start: usize) -> u64 {
        let tags = self.tags[start..].first_chunk().expect("a group from any place");
        u64::from_le_bytes(*tags)
    }

    /// The place itself, or where it is if it is behind the last one.
    fn wrapped(&self, place: usize) -> usize {
        if place < self.ids.len() { place } else { place - self.ids.len() }
    }

    fn next(&self, place: usize) -> usize {
        self.wrapped(place + 1)
    }

    /// The id with this hash for which `same` holds.
    #[inline]
    pub fn find(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.ids.is_empty() {
            return None;
        }
        let mut start = self.home(hash);
        loop {
            let group = self.group(start);
            // Behind an empty place the tag may stand too; then it is that of another hash.
            let mut alike = alike(group, hash);
            while alike != 0 {
                let id = self.ids[self.wrapped(start + first(alike))];
                if same(id) {
                    return Some(id);
                }
                alike &= alike - 1;
            }
            if empty(group) != 0 {
                return None;
            }
            start = self.wrapped(start + GROUP);
        }
    }

    /// As [`Memo::find`], for at most [`MANY`] of what is `wanted`; [`ABSENT`] stands for nothing found. No
    /// step branches by what it finds and none waits for the one before, so that the processor waits for
    /// many places of memory at a time.
    #[inline]
    pub fn find_many<T: Copy>(
        &self,
        wanted: impl Iterator<Item = T> + Clone,
        hash: impl Fn(T) -> u64,
        same: impl Fn(T, u32) -> bool,
        found: &mut [u32],
    ) {
        if self.len == 0 {
            return found.fill(ABSENT);
        }
        // The place of the first entry with the same tag; or any, with notes of what is not there.
        const NONE_ALIKE: u64 = 1 << 62;
        const NOTHING: u64 = 1 << 63;
        let mut places = [0; MANY];
        for (place, wanted) in places.iter_mut().zip(wanted.clone()) {
            let hash = hash(wanted);
            let start = self.home(hash);
            let group = self.group(start);
            let alike = alike(group, hash);
            let none = alike == 0;
            *place = self.wrapped(start + first(alike)) as u64
                | u64::from(none) << NONE_ALIKE.trailing_zeros()
                | u64::from(none & (empty(group) != 0)) << NOTHING.trailing_zeros();
        }
        for ((found, wanted), &place) in found.iter_mut().zip(wanted).zip(&places) {
            // Where none is alike what is compared is compared in vain.
            let id = self.ids[(place & !(NONE_ALIKE | NOTHING)) as usize];
            let fits = (place & NONE_ALIKE == 0) & same(wanted, id);
            *found = if fits { id } else { ABSENT };
            if !fits & (place & NOTHING == 0) {
                *found = self.find(hash(wanted), |id| same(wanted, id)).unwrap_or(ABSENT);
            }
        }
    }

    fn set_tag(&mut self, place: usize, tag: u8) {
        self.tags[place] = tag;
        if place < GROUP {
            self.tags[self.ids.len() + place] = tag;
        }
    }

    /// Adds an id that is not there; [`Memo::capacity`] must exceed [`Memo::len`].
    pub fn insert(&mut self, hash: u64, id: u32) {
        debug_assert!(self.len < self.capacity());
        let mut start = self.home(hash);
        while empty(self.group(start)) == 0 {
            start = self.wrapped(start + GROUP);
        }
        let place = self.wrapped(start + first(empty(self.group(start))));
        self.set_tag(place, tag(hash));
        self.ids[place] = id;
        self.len += 1;
    }

    /// Takes an id out, if it is there. `hash_of` gives the hashes with which others were added.
    pub fn remove(&mut self, hash: u64, id: u32, hash_of: impl Fn(u32) -> u64) {
        if self.ids.is_empty() {
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
                self.set_tag(hole, self.tags[place]);
                self.ids[hole] = self.ids[place];
                hole = place;
            }
        }
        self.set_tag(hole, EMPTY);
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
        self.tags = vec![EMPTY; places + GROUP];
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
