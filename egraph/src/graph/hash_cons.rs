//! The hash-cons: a table from the canonical form of an e-node to its id.
//!
//! Open addressing with linear probing over a byte of each hash, of which sixteen are looked at
//! together before any e-node itself (as in Google's Swiss tables); deleting moves later entries
//! back, so that there are no stale entries and no tombstones, and the table never grows but by
//! insertions. It does not know the e-nodes: what it must compare or hash again is asked of its
//! caller.

use crate::id::Id;

/// The tag of an empty place.
const EMPTY: u8 = 0;

/// A set of ids by hash.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    /// A tag for each place, and the first [`GROUP`] again behind the last, so that a group can be
    /// read from any place.
    tags: Vec<u8>,
    /// The same of ids, and one more, which is read where no tag of a group is alike.
    ids: Vec<u32>,
    /// Number of places.
    places: usize,
    len: usize,
}

/// What is found where nothing is. No id is this.
pub(crate) const ABSENT: u32 = u32::MAX;
/// Tags that are looked at together.
const GROUP: usize = 16;

/// A bit for each of a group that is this tag.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // what reads sixteen bytes at once takes a pointer
#[inline]
fn alike(group: &[u8; GROUP], tag: u8) -> u32 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8};
    // SAFETY: every x86-64 has SSE2, and sixteen bytes are there to be read.
    unsafe {
        let group = _mm_loadu_si128(group.as_ptr().cast());
        _mm_movemask_epi8(_mm_cmpeq_epi8(group, _mm_set1_epi8(tag as i8))) as u32
    }
}

#[cfg(not(target_arch = "x86_64"))]
use alike_one_by_one as alike;

/// As `alike`, on any processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn alike_one_by_one(group: &[u8; GROUP], tag: u8) -> u32 {
    (0..GROUP).fold(0, |bits, i| bits | u32::from(group[i] == tag) << i)
}

/// Which of a group the first bit belongs to; [`GROUP`] if there is none.
fn first(bits: u32) -> usize {
    (bits | 1 << GROUP).trailing_zeros() as usize
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
    /// mostly one group.
    pub fn capacity(&self) -> usize {
        self.places / 4 * 3
    }

    /// Bytes of a table with room for `entries`.
    pub fn bytes_for(entries: usize) -> usize {
        let places = Memo::places_for(entries);
        places + GROUP + (places + GROUP + 1) * size_of::<u32>()
    }

    fn places_for(entries: usize) -> usize {
        entries.div_ceil(3).max(GROUP / 4) * 4
    }

    /// The place where the search for a hash begins.
    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.places as u64) >> 32) as usize
    }

    /// The tags from a place on.
    fn group(&self, start: usize) -> &[u8; GROUP] {
        self.tags[start..].first_chunk().expect("a group from any place")
    }

    /// The place itself, or where it is if it is behind the last one.
    fn wrapped(&self, place: usize) -> usize {
        if place < self.places { place } else { place - self.places }
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
            let mut left = alike(group, tag(hash));
            while left != 0 {
                let id = self.ids[start + first(left)];
                if same(id) {
                    return Some(id);
                }
                left &= left - 1;
            }
            if alike(group, EMPTY) != 0 {
                return None;
            }
            start = self.wrapped(start + GROUP);
        }
    }

    /// As [`Memo::find`], for each of what is `wanted`; [`ABSENT`] stands for nothing found. Hardly a step
    /// branches by what it finds, so that the processor goes on to the next ones while it waits for memory.
    #[inline]
    pub fn find_many<T: Copy>(
        &self,
        wanted: impl Iterator<Item = T>,
        hash: impl Fn(T) -> u64,
        same: impl Fn(T, u32) -> bool,
        found: &mut [Id],
    ) {
        if self.len == 0 {
            return found.fill(Id(ABSENT));
        }
        for (found, wanted) in found.iter_mut().zip(wanted) {
            let hash = hash(wanted);
            let start = self.home(hash);
            let group = self.group(start);
            let candidates = alike(group, tag(hash));
            let none = candidates == 0;
            // Where none is alike what is compared is compared in vain.
            let id = self.ids[start + first(candidates)];
            let fits = !none & same(wanted, id);
            *found = Id(if fits { id } else { ABSENT });
            if !fits & !(none & (alike(group, EMPTY) != 0)) {
                *found = Id(self.find(hash, |id| same(wanted, id)).unwrap_or(ABSENT));
            }
        }
    }

    fn set(&mut self, place: usize, tag: u8, id: u32) {
        (self.tags[place], self.ids[place]) = (tag, id);
        if place < GROUP {
            let again = self.places + place;
            (self.tags[again], self.ids[again]) = (tag, id);
        }
    }

    /// Adds an id that is not there; [`Memo::capacity`] must exceed [`Memo::len`].
    pub fn insert(&mut self, hash: u64, id: u32) {
        debug_assert!(self.len < self.capacity());
        let mut start = self.home(hash);
        let mut free = alike(self.group(start), EMPTY);
        while free == 0 {
            start = self.wrapped(start + GROUP);
            free = alike(self.group(start), EMPTY);
        }
        let place = self.wrapped(start + first(free));
        self.set(place, tag(hash), id);
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
                self.set(hole, self.tags[place], self.ids[place]);
                hole = place;
            }
        }
        self.set(hole, EMPTY, 0);
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
        self.ids = vec![0; places + GROUP + 1];
        self.places = places;
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
        fn tags_are_alike_on_any_processor(group: [u8; GROUP], tag: u8, place in 0..GROUP) {
            let mut group = group;
            group[place] = tag;
            prop_assert_eq!(alike(&group, tag), alike_one_by_one(&group, tag));
        }

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
