//! Union-find over e-node ids. A class is named by its root.

use crate::id::Id;

/// Marks the entry of a root; the other bits are its weight. Ids are smaller than this.
const ROOT: u32 = 1 << 31;

/// Whether each entry is an end, or the place of an entry that leads to one.
pub(crate) fn leads_to_an_end(entries: &[u32], is_end: impl Fn(u32) -> bool) -> bool {
    // A bit an entry, since this is asked after each iteration of debug builds whose memory is limited.
    let mut leads = vec![0u64; entries.len().div_ceil(64)];
    let (word, bit) = (|at: usize| at / 64, |at: usize| 1u64 << (at % 64));
    for start in 0..entries.len() {
        let (mut at, mut steps) = (start, 0);
        while leads[word(at)] & bit(at) == 0 && !is_end(entries[at]) {
            (at, steps) = (entries[at] as usize, steps + 1);
            if at >= entries.len() || steps > entries.len() {
                return false;
            }
        }
        let end = at;
        leads[word(end)] |= bit(end);
        at = start;
        while at != end {
            leads[word(at)] |= bit(at);
            at = entries[at] as usize;
        }
    }
    true
}

/// Disjoint sets of ids `0..len`, each with a weight that says how costly it is to absorb.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnionFind {
    /// The parent, or `ROOT | weight`.
    entries: Vec<u32>,
}

impl UnionFind {
    /// New ids, each a set of its own, up to `len` ids.
    pub fn extend_to(&mut self, len: usize) {
        self.entries.resize(len, ROOT | 1);
    }

    pub fn reserve_exact(&mut self, additional: usize) {
        self.entries.reserve_exact(additional);
    }

    pub fn shrink_to(&mut self, ids: usize) {
        self.entries.shrink_to(ids);
    }

    pub fn heap_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<u32>()
    }

    /// The entries.
    pub fn stored(&self) -> &Vec<u32> {
        &self.entries
    }

    /// Takes entries as they were stored.
    pub fn read(&mut self, entries: Vec<u32>) {
        self.entries = entries;
    }

    /// Whether each entry leads to a root.
    pub fn is_sound(&self) -> bool {
        leads_to_an_end(&self.entries, |entry| entry >= ROOT)
    }

    pub fn is_root(&self, id: Id) -> bool {
        self.entries[id.0 as usize] >= ROOT
    }

    pub fn find(&self, mut id: Id) -> Id {
        loop {
            let entry = self.entries[id.0 as usize];
            if entry >= ROOT {
                return id;
            }
            id = Id(entry);
        }
    }

    /// Whether an id points straight at its root.
    pub fn is_compressed(&self, id: Id) -> bool {
        let entry = self.entries[id.0 as usize];
        entry >= ROOT || self.is_root(Id(entry))
    }

    /// As [`UnionFind::find`], of an id that points straight at its root.
    #[inline]
    pub fn compressed(&self, id: Id) -> Id {
        let entry = self.entries[id.0 as usize];
        debug_assert!(self.is_compressed(id));
        // Which of the two it is nobody could guess.
        std::hint::select_unpredictable(entry >= ROOT, id, Id(entry))
    }

    /// As [`UnionFind::find`], halving the path on the way.
    pub fn find_compress(&mut self, mut id: Id) -> Id {
        loop {
            let parent = self.entries[id.0 as usize];
            if parent >= ROOT {
                return id;
            }
            let grandparent = self.entries[parent as usize];
            if grandparent >= ROOT {
                return Id(parent);
            }
            self.entries[id.0 as usize] = grandparent;
            id = Id(grandparent);
        }
    }

    pub fn weight(&self, root: Id) -> u32 {
        debug_assert!(self.is_root(root));
        self.entries[root.0 as usize] - ROOT
    }

    pub fn add_weight(&mut self, root: Id, more: u32) {
        let weight = self.weight(root).saturating_add(more).min(ROOT - 1);
        self.entries[root.0 as usize] = ROOT | weight;
    }

    /// Makes root `absorbed` a member of root `kept`'s set.
    pub fn union(&mut self, kept: Id, absorbed: Id) {
        debug_assert_ne!(kept, absorbed);
        self.add_weight(kept, self.weight(absorbed));
        self.entries[absorbed.0 as usize] = kept.0;
    }

    /// Points an id straight at its root.
    pub fn compress(&mut self, id: Id) {
        if !self.is_root(id) {
            self.entries[id.0 as usize] = self.find_compress(id).0;
        }
    }

    /// Points every id straight at its root.
    pub fn compress_all(&mut self) {
        (0..self.entries.len() as u32).for_each(|id| self.compress(Id(id)));
    }
}
