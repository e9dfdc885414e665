//! The frontier terms of either side that share most, within themselves and with the other side.

use crate::sources::descend::draw;
use crate::sources::guide_source::{GuideRequest, GuideSet, GuideSource};
use crate::sources::randomness::stream;
use anyhow::Result;
use egraph::{TermBank, TermId};
use rustc_hash::FxHashSet;

/// Draws many frontier terms of both sides, and answers with the K of each that have the fewest distinct
/// subterms, counted alone and together with those of the other side's term.
#[derive(Clone, Copy, Debug)]
pub struct SharedGuides {
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of the task.
    pub task: u64,
    /// How many nodes larger than the smallest term of its side a term may be.
    pub slack: u64,
    /// Of how many frontier terms a side the best are taken.
    pub drawn: usize,
}

impl GuideSource for SharedGuides {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let mut rng = stream(self.seed, self.task, request.number, 7);
        let mut reached = draw(request, bank, self.drawn, self.slack, &mut rng);
        for (terms, other) in reached.iter_mut().zip([request.target(), request.start()]) {
            let other: FxHashSet<TermId> = bank.subterms(other).into_iter().collect();
            terms.sort_by_cached_key(|&term| distinct(bank, term, &other));
            terms.truncate(request.guides);
        }
        Ok(GuideSet { reached, ..GuideSet::default() })
    }
}

/// The distinct subterms of a term, and those of it that the other one lacks.
fn distinct(bank: &TermBank, term: TermId, other: &FxHashSet<TermId>) -> usize {
    let subterms = bank.subterms(term);
    let new = subterms.iter().filter(|&subterm| !other.contains(subterm)).count();
    subterms.len() + new
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;
    use std::sync::Arc;

    #[test]
    fn what_occurs_twice_or_on_the_other_side_counts_less() {
        let system = "(sort I) (variable I) (op + (I I) I)";
        let mut bank = TermBank::new(Arc::new(System::parse(system).unwrap()).language.clone());
        let [other, twice, two, there] =
            ["(+ a b)", "(+ (+ c d) (+ c d))", "(+ (+ c d) (+ e f))", "(+ (+ a b) (+ c d))"]
                .map(|text| bank.parse(text, None).unwrap());
        let other = bank.subterms(other).into_iter().collect();
        let [twice, two, there] = [twice, two, there].map(|term| distinct(&bank, term, &other));
        assert_eq!((twice, two, there), (8, 14, 11));
    }
}
