//! Where a node stands in its tree, and the relations that attention heads see.
//!
//! For a tree in pre-order, node i has depth dᵢ, subtree end eᵢ, parent pᵢ and sibling rank rᵢ:
//!
//! ```text
//! ancestor(i, j) = clip(dⱼ − dᵢ, ±k)  if one lies on the other's path to the root, else NONE
//! sibling(i, j)  = clip(rⱼ − rᵢ, ±k)  if pᵢ = pⱼ, else NONE
//! ```

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

/// Subtree ends: node j lies in the subtree of i exactly if `i <= j < ends[i]`. `[n]`.
pub fn subtree_ends(slots: &[Slot]) -> Vec<u32> {
    let mut ends: Vec<u32> = (1..=slots.len() as u32).collect();
    // Children come after their parent, so backwards every end is final when it is read.
    for (i, slot) in slots.iter().enumerate().rev() {
        if let Some(p) = slot.parent {
            ends[p as usize] = ends[p as usize].max(ends[i]);
        }
    }
    ends
}

/// How differences are clipped and numbered: `difference + k`, and `2k + 1` for NONE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buckets {
    /// Differences are clipped to ±k.
    pub k: u8,
}

impl Buckets {
    /// Number of buckets, NONE included.
    #[inline(always)]
    pub fn len(self) -> usize {
        2 * usize::from(self.k) + 2
    }

    /// Whether there are no buckets: never.
    pub fn is_empty(self) -> bool {
        false
    }

    /// The bucket of two unrelated nodes.
    #[inline(always)]
    pub fn none(self) -> u8 {
        2 * self.k + 1
    }

    /// The bucket of a difference.
    pub fn of(self, difference: i64) -> u8 {
        let k = i64::from(self.k);
        (difference.clamp(-k, k) + k) as u8
    }

    /// The bucket of (j, i), given that of (i, j).
    #[inline(always)]
    pub fn mirror(self, bucket: u8) -> u8 {
        if bucket == self.none() { bucket } else { 2 * self.k - bucket }
    }
}

/// Writes `ancestor(i, j)` and `sibling(i, j)` for all j into two rows of `n` buckets.
///
/// `slots` are the nodes in pre-order, `ends` their subtree ends. Nodes past `i` may be absent
/// while a tree is being written: nothing that is there depends on them.
pub fn relation_row(
    buckets: Buckets,
    slots: &[Slot],
    ends: &[u32],
    i: usize,
    ancestor: &mut [u8],
    sibling: &mut [u8],
) {
    ancestor.fill(buckets.none());
    sibling.fill(buckets.none());
    let here = &slots[i];
    let depth = |j: usize| i64::from(slots[j].depth) - i64::from(here.depth);
    let mut up = Some(i as u32);
    while let Some(a) = up {
        if let Some(cell) = ancestor.get_mut(a as usize) {
            *cell = buckets.of(depth(a as usize));
        }
        up = slots[a as usize].parent;
    }
    let below = i + 1..(ends[i] as usize).min(ancestor.len());
    for j in below {
        ancestor[j] = buckets.of(depth(j));
    }
    // Siblings lie within the parent's subtree.
    let (first, last) = match here.parent {
        Some(p) => (p as usize + 1, ends[p as usize] as usize),
        None => (i, i + 1),
    };
    for j in first..last.min(sibling.len()) {
        if slots[j].parent == here.parent {
            sibling[j] = buckets.of(i64::from(slots[j].rank) - i64::from(here.rank));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (f (g a b) (h c)): 0 f, 1 g, 2 a, 3 b, 4 h, 5 c.
    fn tree() -> Vec<Slot> {
        let root = Slot::root(0);
        let g = root.child(0, 0, 0);
        let h = root.child(0, 1, 0);
        let (a, b, c) = (g.child(1, 0, 0), g.child(1, 1, 0), h.child(4, 0, 0));
        vec![root, g, a, b, h, c]
    }

    #[test]
    fn ends_and_paths() {
        let slots = tree();
        assert_eq!(subtree_ends(&slots), [6, 4, 3, 4, 6, 6]);
        assert_eq!(slots[3].path[..3], [0, 1, 0]);
        assert_eq!(slots[5].path[..3], [1, 0, 0]);
        assert_eq!((slots[5].depth, slots[5].parent), (2, Some(4)));
    }

    /// The definition, with paths to the root written out.
    #[test]
    fn rows_agree_with_the_definition() {
        let slots = tree();
        let ends = subtree_ends(&slots);
        let above = |mut i: usize| {
            let mut path = vec![i];
            while let Some(p) = slots[i].parent {
                i = p as usize;
                path.push(i);
            }
            path
        };
        for k in [1, 4] {
            let buckets = Buckets { k };
            let clip = |d: i64| (d.clamp(-i64::from(k), i64::from(k)) + i64::from(k)) as u8;
            for i in 0..6 {
                let (mut anc, mut sib) = (vec![0; 6], vec![0; 6]);
                relation_row(buckets, &slots, &ends, i, &mut anc, &mut sib);
                for j in 0..6 {
                    let related = above(i).contains(&j) || above(j).contains(&i);
                    let d = i64::from(slots[j].depth) - i64::from(slots[i].depth);
                    assert_eq!(anc[j], if related { clip(d) } else { 2 * k + 1 }, "{i} {j}");
                    let r = i64::from(slots[j].rank) - i64::from(slots[i].rank);
                    let same = slots[i].parent == slots[j].parent;
                    assert_eq!(sib[j], if same { clip(r) } else { 2 * k + 1 }, "{i} {j}");
                    assert_eq!(buckets.mirror(clip(d)), clip(-d));
                }
            }
        }
    }

    #[test]
    fn a_row_does_not_depend_on_nodes_not_yet_written() {
        let slots = tree();
        let ends = subtree_ends(&slots);
        let buckets = Buckets { k: 3 };
        for i in 0..6 {
            let (mut anc, mut sib) = (vec![0; 6], vec![0; 6]);
            relation_row(buckets, &slots, &ends, i, &mut anc, &mut sib);
            let (mut anc2, mut sib2) = (vec![0; i], vec![0; i]);
            let half = &slots[..=i];
            relation_row(buckets, half, &subtree_ends(half), i, &mut anc2, &mut sib2);
            assert_eq!(anc[..i], anc2);
            assert_eq!(sib[..i], sib2);
        }
    }
}
