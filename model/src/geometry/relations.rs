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

use crate::geometry::positions::NodePlace;
use serde::{Deserialize, Serialize};

macro_rules! relations {
    (|$i:ident, $j:ident| $($variant:ident $name:literal: $doc:literal, if $related:expr => $difference:expr;)+) => {
        /// A relation between two nodes of a tree, seen by some of the heads. A new one is a line in the
        /// table of this file: a variant, the name in configurations and of parameters, what it says,
        /// when j is related to i, and how far it is from i, of which swapping i and j changes the sign.
        /// In this order relations are numbered and their parameters drawn: a new one comes last.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Relation {
            $(#[doc = $doc] #[serde(rename = $name)] $variant,)+
        }

        impl Relation {
            #[cfg(test)]
            const ALL: &[Relation] = &[$(Relation::$variant),+];

            /// How far j is from i; `None` if they are not related. Swapping i and j changes the sign.
            #[inline(always)]
            pub fn difference(self, $i: NodePlace, $j: NodePlace) -> Option<i32> {
                match self {
                    $(Relation::$variant => ($related).then_some($difference),)+
                }
            }

            /// The name in configurations and of parameters.
            pub fn name(self) -> &'static str {
                match self {
                    $(Relation::$variant => $name,)+
                }
            }
        }
    };
}

relations! { |i, j|
    Ancestor "ancestor": "One lies on the other's path to the root.", if i.holds(j) | j.holds(i) => j.depth - i.depth;
    Sibling "sibling": "Both have the same parent.", if i.parent == j.parent => j.rank - i.rank;
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
    use crate::geometry::positions::places;
    use crate::geometry::positions::tests::tree;

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
            for relation in Relation::ALL {
                assert_eq!(relation.difference(places[i], NodePlace::NOWHERE), None);
            }
        }
    }

    #[test]
    fn names_are_one_in_configurations_and_of_parameters_and_differences_change_their_sign() {
        let places = places(&tree());
        for relation in Relation::ALL {
            let text = serde_json::to_string(relation).unwrap();
            assert_eq!(text, format!("\"{}\"", relation.name()));
            assert_eq!(serde_json::from_str::<Relation>(&text).unwrap(), *relation);
            for (i, j) in places.iter().flat_map(|i| places.iter().map(move |j| (*i, *j))) {
                let back = relation.difference(j, i).map(|difference| -difference);
                assert_eq!(relation.difference(i, j), back, "{relation:?}");
            }
        }
        assert_eq!(Relation::ALL[..2], [Relation::Ancestor, Relation::Sibling]);
        assert_eq!(Relation::Sibling.name(), "sibling");
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
                for relation in Relation::ALL {
                    let expected = relation.difference(whole[i], whole[j]);
                    assert_eq!(relation.difference(half[i], half[j]), expected);
                }
            }
        }
    }
}
