//! The relations between nodes of a tree that attention heads see.
//!
//! For a tree in pre-order, node i has depth dᵢ, subtree end eᵢ, parent pᵢ and sibling rank rᵢ:
//!
//! ```text
//! ancestor(i, j) = clip(dⱼ − dᵢ, ±k)  if one lies on the other's path to the root, else NONE
//! sibling(i, j)  = clip(rⱼ − rᵢ, ±k)  if pᵢ = pⱼ, else NONE
//! ```
//!
//! No table of relations is stored: whoever needs δ(i, j) computes it from the two places.

use crate::tokens::positions::Place;
use serde::{Deserialize, Serialize};

/// A relation between two nodes of a tree, seen by some of the heads. A new one is a name here
/// and a line in [`Relation::difference`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// One node lies on the other's path to the root: how far below.
    Ancestor,
    /// Both have the same parent: how many places further right.
    Sibling,
}

impl Relation {
    /// How far j is from i; `None` if they are not related. Swapping i and j changes the sign.
    #[inline(always)]
    pub fn difference(self, i: Place, j: Place) -> Option<i32> {
        match self {
            Relation::Ancestor => (i.holds(j) | j.holds(i)).then_some(j.depth - i.depth),
            Relation::Sibling => (i.parent == j.parent).then_some(j.rank - i.rank),
        }
    }

    /// The name in configurations and of parameters.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Ancestor => "ancestor",
            Relation::Sibling => "sibling",
        }
    }
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
    #[inline(always)]
    pub fn of(self, difference: i32) -> u8 {
        let k = i32::from(self.k);
        (difference.clamp(-k, k) + k) as u8
    }

    /// The bucket of (j, i), given that of (i, j).
    #[inline(always)]
    pub fn mirror(self, bucket: u8) -> u8 {
        if bucket == self.none() { bucket } else { 2 * self.k - bucket }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::positions::places;
    use crate::tokens::positions::tests::tree;

    /// The definition, with paths to the root written out.
    #[test]
    fn relations_agree_with_the_definition() {
        let slots = tree();
        let places = places(&slots);
        let above = |mut i: usize| {
            let mut path = vec![i];
            while let Some(p) = slots[i].parent {
                i = p as usize;
                path.push(i);
            }
            path
        };
        for i in 0..6 {
            for j in 0..6 {
                let related = above(i).contains(&j) || above(j).contains(&i);
                let down = slots[j].depth as i32 - slots[i].depth as i32;
                let ancestor = Relation::Ancestor.difference(places[i], places[j]);
                assert_eq!(ancestor, related.then_some(down), "{i} {j}");
                let right = slots[j].rank as i32 - slots[i].rank as i32;
                let same = slots[i].parent == slots[j].parent;
                let sibling = Relation::Sibling.difference(places[i], places[j]);
                assert_eq!(sibling, same.then_some(right), "{i} {j}");
            }
            for relation in [Relation::Ancestor, Relation::Sibling] {
                assert_eq!(relation.difference(places[i], Place::NOWHERE), None);
            }
        }
    }

    #[test]
    fn differences_are_clipped_and_mirrored() {
        for k in [1, 4] {
            let buckets = Buckets { k };
            for d in -6i32..=6 {
                let clipped = d.clamp(-i32::from(k), i32::from(k));
                assert_eq!(i32::from(buckets.of(d)), clipped + i32::from(k));
                assert_eq!(buckets.mirror(buckets.of(d)), buckets.of(-d));
            }
            assert_eq!(buckets.mirror(buckets.none()), buckets.none());
        }
    }

    #[test]
    fn a_relation_does_not_depend_on_nodes_not_yet_written() {
        let slots = tree();
        let whole = places(&slots);
        for i in 0..6 {
            let half = places(&slots[..=i]);
            for j in 0..=i {
                for relation in [Relation::Ancestor, Relation::Sibling] {
                    let expected = relation.difference(whole[i], whole[j]);
                    assert_eq!(relation.difference(half[i], half[j]), expected);
                }
            }
        }
    }
}
