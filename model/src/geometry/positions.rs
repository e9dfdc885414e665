//! Where a node stands in its tree.

use serde::{Deserialize, Serialize};

/// The rank of a child at each of the first levels of the path from the root.
pub const PATH_LEVELS: usize = 12;

/// The position of a node: all that is known of it before its token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Index of the parent in pre-order; `None` at the root.
    pub parent: Option<u32>,
    /// Which child of its parent it is, from 0.
    pub rank: u32,
    /// Edges to the root.
    pub depth: u32,
    /// The sort that must stand here, as a number; one more than the last sort stands for the
    /// further piece of a word.
    pub sort: u16,
    /// Ranks on the path from the root to this node, the first [`PATH_LEVELS`] of them.
    pub path: [u8; PATH_LEVELS],
}

impl Slot {
    /// The root of a tree of `sort`.
    pub fn root(sort: u16) -> Slot {
        Slot { parent: None, rank: 0, depth: 0, sort, path: [0; PATH_LEVELS] }
    }

    /// Child number `rank` of this node, which has index `index`.
    pub fn child(&self, index: u32, rank: u32, sort: u16) -> Slot {
        let mut path = self.path;
        if let Some(level) = path.get_mut(self.depth as usize) {
            *level = rank.min(u32::from(u8::MAX)) as u8;
        }
        Slot { parent: Some(index), rank, depth: self.depth + 1, sort, path }
    }
}

/// What attention is told of where nodes stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Positions {
    /// Relations between nodes of the tree.
    #[default]
    Tree,
    /// The distance in pre-order, as rotations of queries and keys (Su et al., *RoFormer*, 2021).
    Rope,
    /// Nothing, and nodes have no features that tell where they stand in their tree.
    None,
}

/// The four integers of a node from which relations follow, and its index in pre-order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodePlace {
    /// Index in pre-order.
    pub index: i32,
    /// Edges to the root.
    pub depth: i32,
    /// The subtree is the nodes from `index` to before `end`.
    pub end: i32,
    /// Index of the parent; −1 at the root.
    pub parent: i32,
    /// Which child of its parent it is.
    pub rank: i32,
}

impl NodePlace {
    /// What is related to nothing.
    pub const NOWHERE: NodePlace = NodePlace { index: -1, depth: 0, end: -1, parent: -2, rank: 0 };

    /// Whether `other` lies in the subtree of this node.
    #[inline(always)]
    pub(super) fn holds(self, other: NodePlace) -> bool {
        (self.index <= other.index) & (other.index < self.end)
    }
}

/// The places of the nodes of a tree, in pre-order. Nodes past the last may be absent while a tree
/// is being written: relations between those that are there do not depend on them.
pub fn places(slots: &[Slot]) -> Vec<NodePlace> {
    places_with(slots, None)
}

/// The same, with a further node behind the others.
pub fn places_with(slots: &[Slot], last: Option<&Slot>) -> Vec<NodePlace> {
    let place = |(index, slot): (usize, &Slot)| NodePlace {
        index: index as i32,
        depth: slot.depth as i32,
        end: index as i32 + 1,
        parent: slot.parent.map_or(-1, |p| p as i32),
        rank: slot.rank as i32,
    };
    let mut places: Vec<NodePlace> = slots.iter().chain(last).enumerate().map(place).collect();
    // Children come after their parent, so backwards every end is final when it is read.
    for i in (0..places.len()).rev() {
        let (end, parent) = (places[i].end, places[i].parent);
        if let Ok(parent) = usize::try_from(parent) {
            places[parent].end = places[parent].end.max(end);
        }
    }
    places
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// (f (g a b) (h c)): 0 f, 1 g, 2 a, 3 b, 4 h, 5 c.
    pub fn tree() -> Vec<Slot> {
        let root = Slot::root(0);
        let g = root.child(0, 0, 0);
        let h = root.child(0, 1, 0);
        let (a, b, c) = (g.child(1, 0, 0), g.child(1, 1, 0), h.child(4, 0, 0));
        vec![root, g, a, b, h, c]
    }

    #[test]
    fn ends_and_paths() {
        let slots = tree();
        let ends: Vec<i32> = places(&slots).iter().map(|place| place.end).collect();
        assert_eq!(ends, [6, 4, 3, 4, 6, 6]);
        assert_eq!(slots[3].path[..3], [0, 1, 0]);
        assert_eq!(slots[5].path[..3], [1, 0, 0]);
        assert_eq!((slots[5].depth, slots[5].parent), (2, Some(4)));
    }
}
