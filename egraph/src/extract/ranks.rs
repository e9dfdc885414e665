//! Classes numbered without gaps.

use crate::graph::egraph::EGraph;
use crate::id::Id;

/// Numbers the classes without gaps: a quarter of a byte for each id, so that a table needs entries
/// for classes only.
pub(super) struct Ranks {
    /// For 64 ids each: which of them are classes, and how many classes come before.
    rows: Vec<(u64, u32)>,
    classes: usize,
}

impl Ranks {
    pub fn new(egraph: &EGraph) -> Ranks {
        let mut rows = vec![(0u64, 0u32); (egraph.built() as usize).div_ceil(64)];
        egraph.classes().for_each(|Id(id)| rows[id as usize / 64].0 |= 1 << (id % 64));
        let mut classes = 0;
        for (bits, before) in &mut rows {
            *before = classes;
            classes += bits.count_ones();
        }
        Ranks { rows, classes: classes as usize }
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    #[inline]
    pub fn rank(&self, Id(class): Id) -> usize {
        let (bits, before) = self.rows[class as usize / 64];
        debug_assert!(bits >> (class % 64) & 1 == 1, "not a class");
        let below = bits & ((1 << (class % 64)) - 1);
        (before + below.count_ones()) as usize
    }
}
