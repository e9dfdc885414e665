//! Classes numbered without gaps.

use crate::graph::egraph::EGraph;
use crate::id::Id;

/// Numbers the classes without gaps, so that a table needs entries for classes only. It is made where an e-graph may
/// have filled its memory, so it takes a byte for each id, where a number would take four.
pub(super) struct Ranks {
    /// By id: the number, for those that are classes, beyond that of the first one of its block.
    in_block: Vec<u8>,
    /// By block of [`BLOCK`] ids: classes before it.
    before: Vec<u32>,
    classes: usize,
}

/// No more classes than a byte can number.
const BLOCK: usize = 1 << 8;

impl Ranks {
    pub fn new(egraph: &EGraph) -> Ranks {
        let ids = egraph.built() as usize;
        let (mut in_block, mut before) = (vec![0; ids], vec![0; ids.div_ceil(BLOCK)]);
        let (mut classes, mut begun) = (0, 0);
        for Id(class) in egraph.classes() {
            let block = class as usize / BLOCK;
            before[begun..=block].iter_mut().for_each(|before| *before = classes);
            begun = begun.max(block + 1);
            in_block[class as usize] = (classes - before[block]) as u8;
            classes += 1;
        }
        Ranks { in_block, before, classes: classes as usize }
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The number of a class. It is asked for each child of each e-node.
    #[inline]
    pub fn rank(&self, Id(class): Id) -> usize {
        let class = class as usize;
        self.before[class / BLOCK] as usize + usize::from(self.in_block[class])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::system::System;
    use crate::saturation::run::{SaturationConfig, saturate_until};
    use crate::stop::Limits;
    use crate::term::bank::TermBank;
    use std::sync::Arc;

    #[test]
    fn classes_are_numbered_from_0_on() {
        let rules = "(sort S) (variable S) (op + (S S) S) (op f (S) S)
            (rewrite (+ ?a ?b) (+ ?b ?a)) (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))
            (rewrite (f (+ ?a ?b)) (+ (f ?a) (f ?b)))";
        let system = Arc::new(System::parse(rules).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let term = bank.parse("(f (+ p (+ q (+ r (+ s (+ t (+ u v)))))))", None).unwrap();
        let mut egraph = EGraph::new(system);
        egraph.add_term(&bank, term);
        for nodes in [10, 300, 6_000] {
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let config = SaturationConfig { limits, ..SaturationConfig::default() };
            saturate_until(&mut egraph, &config, |_| false);
            let ranks = Ranks::new(&egraph);
            for (number, class) in egraph.classes().enumerate() {
                assert_eq!(ranks.rank(class), number);
            }
            assert_eq!(ranks.classes(), egraph.class_count());
        }
        // Blocks full of classes, and blocks without one.
        let in_block = |block: usize| {
            egraph.classes().filter(|class| class.0 as usize / BLOCK == block).count()
        };
        let blocks: Vec<usize> = (0..egraph.built() as usize / BLOCK).map(in_block).collect();
        assert!(blocks.contains(&0) && blocks.iter().any(|&classes| classes > 64), "{blocks:?}");
    }
}
