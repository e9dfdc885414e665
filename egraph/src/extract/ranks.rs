//! Classes numbered without gaps.

use crate::graph::egraph::EGraph;
use crate::id::Id;

/// Numbers the classes without gaps, so that a table needs entries for classes only.
pub(super) struct Ranks {
    /// By id: the number, for those that are classes. It is looked up for each child of each e-node.
    ranks: Vec<u32>,
    classes: usize,
}

/// Stands at ids that are no classes.
const NO_CLASS: u32 = u32::MAX;

impl Ranks {
    pub fn new(egraph: &EGraph) -> Ranks {
        let mut ranks = vec![NO_CLASS; egraph.built() as usize];
        let mut classes = 0;
        for Id(class) in egraph.classes() {
            ranks[class as usize] = classes;
            classes += 1;
        }
        Ranks { ranks, classes: classes as usize }
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    #[inline]
    pub fn rank(&self, Id(class): Id) -> usize {
        let rank = self.ranks[class as usize];
        debug_assert!(rank != NO_CLASS, "not a class");
        rank as usize
    }
}
