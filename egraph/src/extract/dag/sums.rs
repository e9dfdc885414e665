//! Numbers of places and ways, and what ways cost.

use smallvec::SmallVec;

/// The sum of what some ways cost, by measure; lexicographic.
pub(super) type Sum = SmallVec<[u64; 3]>;

/// The number of a place or of a way.
pub(super) type Number = u32;

/// A way to make a place: the places that it needs, and what it costs by itself.
pub(super) type Making = (SmallVec<[Number; 4]>, Sum);

/// Adds to a sum.
pub(super) fn add(sum: &mut Sum, more: &[u64]) {
    sum.iter_mut().zip(more).for_each(|(sum, &more)| *sum = sum.saturating_add(more));
}
