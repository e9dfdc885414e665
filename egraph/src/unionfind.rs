//! Union-find over e-node ids. A class is named by its root.

use crate::egraph::Id;

/// Disjoint sets of ids `0..len`.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnionFind {
    parents: Vec<Id>,
}

impl UnionFind {
    pub fn push(&mut self) -> Id {
        let id = Id(self.parents.len() as u32);
        self.parents.push(id);
        id
    }

    pub fn reserve_exact(&mut self, additional: usize) {
        self.parents.reserve_exact(additional);
    }

    pub fn heap_bytes(&self) -> usize {
        self.parents.capacity() * size_of::<Id>()
    }

    pub fn find(&self, mut id: Id) -> Id {
        loop {
            let parent = self.parents[id.0 as usize];
            if parent == id {
                return id;
            }
            id = parent;
        }
    }

    /// As [`UnionFind::find`], halving the path on the way.
    pub fn find_compress(&mut self, mut id: Id) -> Id {
        loop {
            let parent = self.parents[id.0 as usize];
            let grandparent = self.parents[parent.0 as usize];
            if parent == grandparent {
                return parent;
            }
            self.parents[id.0 as usize] = grandparent;
            id = grandparent;
        }
    }

    /// Makes root `absorbed` a member of root `kept`'s set.
    pub fn union(&mut self, kept: Id, absorbed: Id) {
        debug_assert_eq!(self.find(kept), kept);
        debug_assert_eq!(self.find(absorbed), absorbed);
        self.parents[absorbed.0 as usize] = kept;
    }

    /// Points every id straight at its root.
    pub fn compress_all(&mut self) {
        for id in 0..self.parents.len() {
            let root = self.find_compress(Id(id as u32));
            self.parents[id] = root;
        }
    }
}
