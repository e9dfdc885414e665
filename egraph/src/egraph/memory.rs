//! What an e-graph takes in memory, and growing it within a limit.

use super::EGraph;
use crate::leaves::Head;
use crate::term::hash_node;

/// What one or more additions may take: e-nodes, their children, ids bound by edges, unions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Room {
    pub nodes: usize,
    pub slots: usize,
    pub bound: usize,
    pub unions: usize,
}

impl EGraph {
    /// Bytes on the heap: the capacities of all arrays, names of variables included.
    pub fn heap_bytes(&self) -> usize {
        self.leaves.heap_bytes()
            + self.heads.capacity() * size_of::<Head>()
            + self.dead.capacity()
            + self.classes.heap_bytes()
            + self.forest.heap_bytes()
            + self.index.heap_bytes()
            + self.memo.allocation_size()
            + size_of::<u32>()
                * (self.starts.capacity()
                    + self.original.capacity()
                    + self.canonical.capacity()
                    + self.owners.capacity()
                    + self.next_use.capacity()
                    + self.first_use.capacity()
                    + self.last_use.capacity()
                    + self.uses.capacity()
                    + self.literals.capacity()
                    + 2 * self.stale_uses.capacity()
                    + self.new_literals.capacity())
    }

    /// Makes room for `more`, so that adding that much allocates nothing. False, and nothing is
    /// changed, if that would take more than `limit` bytes.
    pub(crate) fn reserve(&mut self, more: Room, limit: usize) -> bool {
        let full = |len: usize, capacity: usize, more: usize| len + more > capacity;
        let nodes_full = full(self.heads.len(), self.heads.capacity(), more.nodes);
        let slots_full = full(self.canonical.len(), self.canonical.capacity(), more.slots);
        let bound_full = self.forest.bound_room() < more.bound;
        let unions_full = full(self.stale_uses.len(), self.stale_uses.capacity(), more.unions);
        let memo_full = full(self.memo.len(), self.memo.capacity(), more.nodes);
        let leaves_full = self.leaves.is_full(more.nodes);
        if !(nodes_full || slots_full || bound_full || unions_full || memo_full || leaves_full) {
            return true;
        }
        // A quarter more than there is, or as much as the limit allows, but at least what is asked.
        let used = self.heap_bytes();
        for divisor in [4, 16, 64, usize::MAX] {
            let grow = |needed: bool, len: usize, more: usize| {
                if needed { more + len / divisor } else { 0 }
            };
            let room = Room {
                nodes: grow(nodes_full, self.heads.len(), more.nodes),
                slots: grow(slots_full, self.canonical.len(), more.slots),
                bound: grow(bound_full, self.forest.bound_len(), more.bound),
                unions: grow(unions_full, self.stale_uses.len(), more.unions),
            };
            // 13 words and a flag a node (three words of the class index included), 4 words a
            // slot, 2 a union; the hash-cons and the table of leaves double.
            let memo = if memo_full { self.memo.allocation_size().max(64) } else { 0 };
            let leaves = if leaves_full { self.leaves.heap_bytes().max(512) } else { 0 };
            let words = 13 * room.nodes + 4 * room.slots + room.bound + 2 * room.unions;
            if used + 4 * words + room.nodes + memo + leaves > limit {
                continue;
            }
            self.grow(room);
            if memo_full {
                let (heads, starts, canonical) = (&self.heads, &self.starts, &self.canonical);
                self.memo.reserve(more.nodes, |&n| {
                    let n = n as usize;
                    hash_node(heads[n], &canonical[starts[n] as usize..starts[n + 1] as usize])
                });
            }
            if leaves_full {
                self.leaves.reserve(more.nodes);
            }
            return true;
        }
        false
    }

    fn grow(&mut self, room: Room) {
        if room.nodes > 0 {
            self.heads.reserve_exact(room.nodes);
            self.starts.reserve_exact(room.nodes + 1);
            self.dead.reserve_exact(room.nodes);
            self.classes.reserve_exact(room.nodes);
            self.forest.reserve_nodes(room.nodes);
            for array in
                [&mut self.first_use, &mut self.last_use, &mut self.uses, &mut self.literals]
            {
                array.reserve_exact(room.nodes);
            }
            self.index.reserve(self.heads.capacity());
        }
        if room.slots > 0 {
            for array in [&mut self.original, &mut self.canonical, &mut self.owners] {
                array.reserve_exact(room.slots);
            }
            self.next_use.reserve_exact(room.slots);
        }
        if room.bound > 0 {
            self.forest.reserve_bound(room.bound);
        }
        if room.unions > 0 {
            self.stale_uses.reserve_exact(room.unions);
        }
    }
}
