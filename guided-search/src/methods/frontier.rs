//! Guides of an e-graph itself: frontier terms of both sides, chosen in one of five ways that need no
//! learning.

use crate::methods::tree_distance::tree_distance;
use crate::search::guide_source::{GuideRequest, GuideSet, GuideSource};
use anyhow::Result;
use egraph::{TermBank, TermId};
use rustc_hash::FxHashSet;

/// Which frontier terms of either side are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frontier {
    /// Any.
    Random,
    /// Any that are not much larger than the smallest term of their side.
    Descend,
    /// None: the smallest term of the side, until nothing becomes smaller.
    Smallest,
    /// Of many such as those of [`Frontier::Descend`], those that are nearest to the other side's term by
    /// tree distance.
    Nearest,
    /// Of as many, those with the fewest distinct subterms, counted alone and together with those of the
    /// other side's term.
    Shared,
}

impl GuideSource for Frontier {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let settings = request.settings;
        // Each way has random numbers of its own, whatever others are compared with it.
        let (stream, wanted, slack, score) = match self {
            Frontier::Smallest => return Ok(GuideSet::reached(request.smallest_terms(bank))),
            Frontier::Random => (1, settings.guides, u64::MAX, None),
            Frontier::Descend => (1, settings.guides, settings.slack, None),
            Frontier::Nearest => (2, settings.drawn, settings.slack, Some(distances as Score)),
            Frontier::Shared => (7, settings.drawn, settings.slack, Some(distinct as Score)),
        };
        let mut reached = request.frontier(bank, wanted, slack, &mut request.random(stream));
        if let Some(score) = score {
            for (terms, other) in reached.iter_mut().zip([request.target(), request.start()]) {
                *terms = least(terms, score(bank, terms, other), settings.guides);
            }
        }
        Ok(GuideSet::reached(reached))
    }

    fn apart(&self) -> Option<Box<dyn GuideSource + Send>> {
        Some(Box::new(*self))
    }
}

/// A number for each term beside the term of the other side; the least are the best.
type Score = fn(&TermBank, &[TermId], TermId) -> Vec<u64>;

/// The terms with the least scores; of equal ones those that came first.
fn least(terms: &[TermId], scores: Vec<u64>, wanted: usize) -> Vec<TermId> {
    let mut ranked: Vec<(u64, TermId)> = scores.into_iter().zip(terms.iter().copied()).collect();
    ranked.sort_by_key(|&(score, _)| score);
    ranked.into_iter().take(wanted).map(|(_, term)| term).collect()
}

fn distances(bank: &TermBank, terms: &[TermId], other: TermId) -> Vec<u64> {
    terms.iter().map(|&term| tree_distance(bank, term, other)).collect()
}

/// The distinct subterms of each term, those that the other one lacks counted twice.
fn distinct(bank: &TermBank, terms: &[TermId], other: TermId) -> Vec<u64> {
    let other: FxHashSet<TermId> = bank.subterms(other).into_iter().collect();
    let count = |&term: &TermId| {
        let subterms = bank.subterms(term);
        let new = subterms.iter().filter(|&subterm| !other.contains(subterm)).count();
        (subterms.len() + new) as u64
    };
    terms.iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    #[test]
    fn what_occurs_twice_or_on_the_other_side_counts_less() {
        let system = System::parse("(sort I) (variable I) (op + (I I) I)").unwrap();
        let mut bank = TermBank::new(system.language);
        let [other, twice, two, there] =
            ["(+ a b)", "(+ (+ c d) (+ c d))", "(+ (+ c d) (+ e f))", "(+ (+ a b) (+ c d))"]
                .map(|text| bank.parse(text, None).unwrap());
        let scores = distinct(&bank, &[twice, two, there], other);
        assert_eq!(scores, [8, 14, 11]);
        assert_eq!(least(&[twice, two, there], scores, 2), [twice, there]);
    }
}
