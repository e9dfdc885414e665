//! The hash-cons: a table from the canonical form of an e-node to its id.
//!
//! Open addressing by groups of sixteen places, of which the tags, a byte of each hash, are looked at
//! together before any e-node itself (as in Google's Swiss tables); deleting moves later entries
//! back, so that there are no stale entries and no tombstones, and the table never grows but by
//! insertions. It does not know the e-nodes: what it must compare or hash again is asked of its
//! caller.

use crate::id::Id;

/// The tag of an empty place. All others have the bit [`TAKEN`].
const EMPTY: u8 = 0;
const TAKEN: u8 = 1 << 7;

/// Places that are looked at together.
const GROUP: usize = 16;
/// Entries for each group at most, on average: with 14 a third of all groups would be full, with 12 a sixth are.
const MOST: usize = 12;

#[derive(Clone, Copy, Debug)]
struct Group {
    tags: [u8; GROUP],
    ids: [u32; GROUP],
}

const FREE: Group = Group { tags: [EMPTY; GROUP], ids: [0; GROUP] };

/// A set of ids by hash.
///
/// All groups from the one where the search for a hash begins to the one where its id stands are full, but for
/// the last of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    groups: Vec<Group>,
    len: usize,
}

/// What is found where nothing is. No id is this.
pub(crate) const ABSENT: u32 = u32::MAX;

/// A bit for each of a group of tags that is this one, and a bit for each that is not [`EMPTY`].
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // what reads sixteen bytes at once takes a pointer
#[inline]
fn compare(tags: &[u8; GROUP], tag: u8) -> [u32; 2] {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8};
    // SAFETY: every x86-64 has SSE2, and sixteen bytes are there to be read.
    unsafe {
        let tags = _mm_loadu_si128(tags.as_ptr().cast());
        let alike = _mm_cmpeq_epi8(tags, _mm_set1_epi8(tag as i8));
        [alike, tags].map(|tags| _mm_movemask_epi8(tags) as u32)
    }
}

#[cfg(not(target_arch = "x86_64"))]
use compare_one_by_one as compare;

/// As `compare`, on any processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn compare_one_by_one(tags: &[u8; GROUP], tag: u8) -> [u32; 2] {
    let bits = |is: &dyn Fn(u8) -> bool| (0..GROUP).map(|i| u32::from(is(tags[i])) << i).sum();
    [bits(&|other| other == tag), bits(&|other| other & TAKEN != 0)]
}

/// What [`compare`] says of a group without an empty place.
const ALL: u32 = (1 << GROUP) - 1;

/// Which of a group the first bit belongs to; the last one if there is none.
#[inline]
fn first(bits: u32) -> usize {
    (bits | 1 << (GROUP - 1)).trailing_zeros() as usize
}

#[inline]
fn tag(hash: u64) -> u8 {
    // Other bits than those that choose the group.
    hash as u8 | TAKEN
}

impl Group {
    fn is_full(&self) -> bool {
        self.taken() == ALL
    }

    /// A bit for each place that is not empty.
    fn taken(&self) -> u32 {
        let [_, taken] = compare(&self.tags, EMPTY);
        taken
    }

    fn set(&mut self, place: usize, tag: u8, id: u32) {
        (self.tags[place], self.ids[place]) = (tag, id);
    }
}

impl Memo {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn heap_bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Group>()
    }

    /// Entries for which there is room: no more than three quarters of the places are taken, so
    /// that most searches look at one group (Knuth, vol. 3, section 6.4, on buckets).
    pub fn capacity(&self) -> usize {
        self.groups.len() * MOST
    }

    /// Bytes of a table with room for `entries`.
    pub fn bytes_for(entries: usize) -> usize {
        Memo::groups_for(entries) * size_of::<Group>()
    }

    fn groups_for(entries: usize) -> usize {
        entries.div_ceil(MOST).max(1)
    }

    /// The group where the search for a hash begins.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.groups.len() as u64) >> 32) as usize
    }

    fn next(&self, group: usize) -> usize {
        if group + 1 < self.groups.len() { group + 1 } else { 0 }
    }

    /// The id with this hash for which `same` holds, with its group and its place in it, or else the group where it belongs.
    /// There must be groups.
    #[inline]
    fn locate(&self, hash: u64, same: impl Fn(u32) -> bool) -> Result<(u32, usize, usize), usize> {
        let mut at = self.home(hash);
        loop {
            let group = &self.groups[at];
            let [mut left, taken] = compare(&group.tags, tag(hash));
            while left != 0 {
                let place = first(left);
                if same(group.ids[place]) {
                    return Ok((group.ids[place], at, place));
                }
                left &= left - 1;
            }
            if taken != ALL {
                return Err(at);
            }
            at = self.next(at);
        }
    }

    /// The id with this hash for which `same` holds.
    #[inline]
    pub fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        if self.groups.is_empty() {
            return None;
        }
        self.find_or_group(hash, same).ok()
    }

    /// As [`Memo::find`], or else the group where the id belongs, for [`Memo::insert_into`]. There must be room for it.
    #[inline]
    pub fn find_or_group(&self, hash: u64, same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        self.locate(hash, same).map(|(id, ..)| id)
    }

    /// As [`Memo::find`], apart from the loop that hardly ever comes to it.
    #[cold]
    #[inline(never)]
    fn find_behind(&self, hash: u64, same: impl Fn(u32) -> bool) -> Id {
        Id(self.find(hash, same).unwrap_or(ABSENT))
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
            let group = &self.groups[self.home(hash)];
            let [candidates, taken] = compare(&group.tags, tag(hash));
            // Where none is alike what is compared is compared in vain.
            let id = group.ids[first(candidates)];
            let fits = (candidates != 0) & same(wanted, id);
            *found = Id(if fits { id } else { ABSENT });
            if !fits & ((candidates != 0) | (taken == ALL)) {
                *found = self.find_behind(hash, |id| same(wanted, id));
            }
        }
    }

    /// Adds an id that is not there to a group that [`Memo::find_or_group`] gave.
    #[inline]
    pub fn insert_into(&mut self, group: usize, hash: u64, id: u32) {
        debug_assert!(self.len < self.capacity());
        let group = &mut self.groups[group];
        group.set(first(!group.taken()), tag(hash), id);
        self.len += 1;
    }

    /// Adds an id that is not there; [`Memo::capacity`] must exceed [`Memo::len`].
    pub fn insert(&mut self, hash: u64, id: u32) {
        let mut at = self.home(hash);
        while self.groups[at].is_full() {
            at = self.next(at);
        }
        self.insert_into(at, hash, id);
    }

    /// Takes an id out, if it is there. `hash_of` gives the hashes with which others were added.
    pub fn remove(&mut self, hash: u64, id: u32, hash_of: impl Fn(u32) -> u64) {
        if self.groups.is_empty() {
            return;
        }
        let Ok((_, mut at, mut hole)) = self.locate(hash, |other| other == id) else { return };
        self.len -= 1;
        // An entry that had no room in the group of the hole, or in one before it, moves into it.
        let mut later = at;
        while self.groups[later].is_full() {
            later = self.next(later);
            let groups = self.groups.len();
            let behind =
                |from: usize| if from <= later { later - from } else { later + groups - from };
            let group = &self.groups[later];
            let moves = |place: &usize| {
                group.tags[*place] != EMPTY
                    && behind(self.home(hash_of(group.ids[*place]))) >= behind(at)
            };
            if let Some(place) = (0..GROUP).find(moves) {
                let (tag, id) = (group.tags[place], group.ids[place]);
                self.groups[at].set(hole, tag, id);
                (at, hole) = (later, place);
            }
        }
        self.groups[at].set(hole, EMPTY, 0);
    }

    /// Makes a table with room for `entries`, of these ids by hash. The old one is given back first, so
    /// that the two never stand side by side.
    pub fn rebuild(&mut self, entries: usize, ids: impl Iterator<Item = (u64, u32)>) {
        *self = Memo::default();
        self.groups = vec![FREE; Memo::groups_for(entries)];
        for (hash, id) in ids {
            self.insert(hash, id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Few distinct hashes, at the end of the table too, so that groups are full and what follows wraps round.
    fn hash_of(id: u32) -> u64 {
        (u64::from(id % 4) << 62 | u64::MAX >> 2) ^ u64::from(id % 3)
    }

    proptest! {
        #[test]
        fn tags_are_alike_on_any_processor(tags: [u8; GROUP], tag: u8, place in 0..GROUP) {
            let mut tags = tags;
            tags[place] = tag;
            prop_assert_eq!(compare(&tags, tag), compare_one_by_one(&tags, tag));
        }

        #[test]
        fn it_is_a_set(actions in prop::collection::vec((prop::bool::weighted(0.7), 0u32..150), 0..500)) {
            let mut memo = Memo::default();
            let mut set = BTreeSet::new();
            for (add, id) in actions {
                if add && set.insert(id) {
                    if memo.len() == memo.capacity() {
                        let others = set.iter().copied().filter(|&other| other != id);
                        memo.rebuild(memo.len() + 1, others.map(|id| (hash_of(id), id)));
                    }
                    if id % 2 == 0 {
                        memo.insert(hash_of(id), id);
                    } else {
                        let group = memo.find_or_group(hash_of(id), |other| other == id);
                        memo.insert_into(group.expect_err("it is not there"), hash_of(id), id);
                    }
                    prop_assert_eq!(memo.find_or_group(hash_of(id), |other| other == id), Ok(id));
                } else if !add {
                    set.remove(&id);
                    memo.remove(hash_of(id), id, hash_of);
                }
                prop_assert_eq!(memo.len(), set.len());
                for id in 0..150 {
                    let found = memo.find(hash_of(id), |other| other == id);
                    prop_assert_eq!(found.is_some(), set.contains(&id));
                }
            }
        }
    }
}
