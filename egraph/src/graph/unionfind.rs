//! Union-find over e-node ids. A class is named by its root.

use crate::id::Id;

/// Marks the entry of a root; the other bits are its weight. Ids are smaller than this.
const ROOT: u32 = 1 << 31;

/// Disjoint sets of ids `0..len`, each with a weight that says how costly it is to absorb.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnionFind {
    /// The parent, or `ROOT | weight`.
    entries: Vec<u32>,
}

impl UnionFind {
    pub fn push(&mut self) {
        self.entries.push(ROOT | 1);
    }

    pub fn reserve_exact(&mut self, additional: usize) {
        self.entries.reserve_exact(additional);
    }

    pub fn heap_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<u32>()
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

    /// Points every id straight at its root.
    pub fn compress_all(&mut self) {
        for id in 0..self.entries.len() {
            if self.entries[id] < ROOT {
                self.entries[id] = self.find_compress(Id(id as u32)).0;
            }
        }
    }
}
