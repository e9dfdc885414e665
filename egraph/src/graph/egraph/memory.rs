//! What an e-graph takes in memory, and growing it within a limit.

use super::EGraph;
use crate::graph::parents::Run;
use crate::id::Id;
use crate::room::Room;

/// Ids, slots and places of bound ids are numbers of 31 or 32 bits.
const MOST_NODES: usize = (1 << 31) - 1;

impl EGraph {
    /// Bytes on the heap: the capacities of all arrays, names of variables included.
    pub fn heap_bytes(&self) -> usize {
        self.heap_parts().iter().map(|(_, bytes)| bytes).sum()
    }

    /// The parts of [`EGraph::heap_bytes`], with names for people.
    pub fn heap_parts(&self) -> [(&'static str, usize); 8] {
        // hashbrown keeps an eighth of its places free, and a byte beside each.
        let literals = self.literals.capacity() * 8 / 7 * (size_of::<(Id, Id)>() + 1);
        let (rows, terms, memo) = self.nodes.heap_parts();
        [
            ("e-nodes, canonical", rows + self.stamps.heap_bytes()),
            ("hash-cons", memo),
            (
                "e-nodes, as terms",
                terms + self.leaves.heap_bytes() + self.loose.capacity() * size_of::<u32>(),
            ),
            ("proof forest", self.forest.heap_bytes()),
            (
                "union-find",
                self.classes.heap_bytes() + self.representatives.capacity() * size_of::<Id>(),
            ),
            ("index of classes", self.index.heap_bytes() + literals),
            ("facts of classes", self.facts.as_ref().map_or(0, |facts| facts.heap_bytes())),
            (
                "uses of classes",
                self.uses.heap_bytes()
                    + self.stale_uses.capacity() * size_of::<Run>()
                    + (self.new_literals.capacity() + self.new_representatives.capacity())
                        * size_of::<Id>(),
            ),
        ]
    }

    /// What has been added: e-nodes, those included that were found congruent to others, and bound ids.
    pub(crate) fn added(&self) -> Room {
        Room { nodes: self.nodes.len(), bound: self.forest.bound_len(), ..Room::default() }
    }

    /// Makes room for `more`, so that adding that much allocates nothing. False, and nothing is
    /// changed, if that would take more than `limit` bytes. Where arrays grow, they grow by what is likely to come, if that
    /// can be.
    pub(crate) fn reserve(
        &mut self,
        more: Room,
        coming: impl FnOnce(&EGraph) -> Room,
        limit: usize,
    ) -> bool {
        let nodes_full = self.nodes.room() < more.nodes;
        let memo_full = self.nodes.memo_room() < more.nodes;
        let bound_full = self.forest.bound_room() < more.bound;
        let unions_full = self.stale_uses.capacity() - self.stale_uses.len() < more.unions;
        let leaves_wanted = more.leaves;
        let leaves_full = self.leaves.room() < leaves_wanted;
        let facts = self.facts_with(more);
        let facts_full = self.facts.as_ref().is_some_and(|known| known.room() < facts);
        if let Some(facts) = &mut self.facts {
            facts.limit = limit;
        }
        if !(nodes_full || memo_full || bound_full || unions_full || leaves_full || facts_full) {
            return true;
        }
        let slots = (self.nodes.len() + more.nodes).saturating_mul(self.nodes.width());
        if slots > u32::MAX as usize
            || self.nodes.len() + more.nodes > MOST_NODES
            || self.forest.bound_len() + more.bound > MOST_NODES
        {
            return false;
        }
        // By what is to come, or at least an eighth more than there is, and half as much for the hash-cons; or less where
        // the limit is near, but not so little that moving everything is all that is done.
        let used = self.heap_bytes();
        let (coming, no) = (coming(self), Room::default());
        for (coming, divisor) in [(coming, 8), (no, 8), (no, 32), (no, 128), (no, 512)] {
            let grow = |needed: bool, len: usize, more: usize, coming: usize| {
                if needed { more.max(coming).max(len / divisor) } else { 0 }
            };
            let known = self.facts.as_ref().map_or(0, |facts| facts.len());
            let room = Room {
                nodes: grow(nodes_full, self.nodes.len(), more.nodes, coming.nodes),
                bound: grow(bound_full, self.forest.bound_len(), more.bound, coming.bound),
                unions: grow(unions_full, self.stale_uses.len(), more.unions, coming.unions),
                facts: grow(facts_full, known, facts, coming.facts),
                leaves: 0,
            };
            // Its growth means hashing all e-nodes again; what it has too much it keeps.
            let more = grow(memo_full, 4 * self.nodes.live(), more.nodes, 0);
            let entries = if memo_full { self.nodes.live() + more } else { 0 };
            let leaves = if leaves_full { self.leaves.growth(leaves_wanted) } else { 0 };
            if used + self.bytes_for(room) + self.nodes.memo_growth(entries) + leaves > limit {
                continue;
            }
            self.grow(room);
            if memo_full {
                self.rebuild_memo(entries);
            }
            if leaves_full {
                self.leaves.reserve(leaves_wanted);
            }
            return true;
        }
        false
    }

    /// As [`EGraph::reserve`], of what may be added so many times. Returns how often it fits: not so often where the limit
    /// does not allow it.
    pub(crate) fn reserve_many(
        &mut self,
        more: Room,
        times: usize,
        coming: impl FnOnce(&EGraph) -> Room,
        limit: usize,
    ) -> usize {
        if self.reserve(more.times(times), coming, limit) {
            return times;
        }
        let fits = self.repeats(more).min(times);
        fits.max(usize::from(self.reserve(more, |_| Room::default(), limit)))
    }

    /// How often that much can be added without allocating.
    fn repeats(&self, room: Room) -> usize {
        let times = |free: usize, wanted: usize| free.checked_div(wanted).unwrap_or(usize::MAX);
        let unions = self.stale_uses.capacity() - self.stale_uses.len();
        let facts = self.facts.as_ref().map_or(usize::MAX, |facts| facts.room());
        times(self.nodes.room().min(self.nodes.memo_room()), room.nodes)
            .min(times(self.leaves.room(), room.leaves))
            .min(times(self.forest.bound_room(), room.bound))
            .min(times(unions, room.unions))
            .min(times(facts, self.facts_with(room)))
    }

    /// What may be added, if that much is added and what folds is folded.
    pub(crate) fn room_with_values(&self, added: Room) -> Room {
        let Room { nodes, leaves, unions, .. } = added;
        match self.system.language.constant_folding {
            // Each e-node may equal a literal that is new.
            true => {
                Room { nodes: 2 * nodes, leaves: leaves + nodes, unions: unions + nodes, ..added }
            }
            false => added,
        }
    }

    /// Bytes that [`EGraph::grow`] takes.
    fn bytes_for(&self, room: Room) -> usize {
        // Beside the e-nodes themselves: a stamp; words in the union-find, in the lists of uses,
        // and two each in the proof forest and the index of classes; a word a slot.
        let loose = 2 * usize::from(self.system.language.has_binders());
        let words = (6 + loose + self.nodes.width()) * room.nodes + room.bound;
        self.nodes.bytes_for(room.nodes)
            + room.nodes
            + words * size_of::<u32>()
            + room.unions * size_of::<Run>()
            + self.facts.as_ref().map_or(0, |facts| facts.bytes_for(room.nodes, room.facts))
    }

    /// How many facts an addition may bring: each e-node two for every transfer that applies to it, and
    /// each union one for every analysis.
    fn facts_with(&self, more: Room) -> usize {
        if self.facts.is_none() {
            return 0;
        }
        let analyses = &self.system.analyses;
        more.facts + 2 * more.nodes * analyses.most_at_a_node() + more.unions * analyses.len()
    }

    /// Gives back what the arrays have room for beyond a 64th more than there is, if it is over a 32nd.
    pub(crate) fn give_back(&mut self) {
        let len = self.nodes.len();
        if self.nodes.room() > len / 32 {
            let nodes = len + len / 64;
            self.nodes.shrink_to(nodes);
            self.stamps.shrink_to(nodes);
            self.loose.shrink_to(nodes);
            self.representatives.shrink_to(nodes);
            self.classes.shrink_to(nodes);
            self.forest.shrink_nodes_to(nodes);
            self.uses.shrink_to(nodes, nodes * self.nodes.width());
            self.index.shrink_to(nodes);
        }
        let bound = self.forest.bound_len();
        if self.forest.bound_room() > bound / 32 {
            self.forest.shrink_bound_to(bound + bound / 64);
        }
        self.stale_uses.shrink_to(64);
    }

    fn grow(&mut self, room: Room) {
        if room.nodes > 0 {
            self.nodes.reserve_exact(room.nodes);
            self.stamps.reserve_exact(room.nodes);
            if self.system.language.has_binders() {
                self.loose.reserve_exact(room.nodes);
                self.representatives.reserve_exact(room.nodes);
            }
            self.classes.reserve_exact(room.nodes);
            self.forest.reserve_nodes(room.nodes);
            self.uses.reserve_exact(room.nodes, room.nodes * self.nodes.width());
            self.index.reserve(self.nodes.len() + room.nodes);
        }
        if room.bound > 0 {
            self.forest.reserve_bound(room.bound);
        }
        if room.unions > 0 {
            self.stale_uses.reserve_exact(room.unions);
        }
        if let Some(facts) = &mut self.facts {
            facts.reserve_exact(room.nodes, room.facts);
        }
    }

    /// Makes room in the hash-cons for terms that are added outside of [`EGraph::reserve`].
    pub(super) fn grow_memo(&mut self) {
        self.rebuild_memo(self.nodes.live() + self.nodes.live() / 2 + 16);
    }

    fn rebuild_memo(&mut self, entries: usize) {
        let stamps = &self.stamps;
        self.nodes.rebuild_memo(entries, |node| !stamps.is_dead(node));
    }
}
