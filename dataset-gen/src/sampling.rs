//! Uniform draws from the terms of an e-class.
//!
//! The counts number all terms of a class up to a size: [`Sampler::term`] turns such a number
//! into its term, top-down, and a term is drawn by drawing a number. So every term up to the
//! limit has exactly the same probability.

use crate::counting::Counts;
use crate::limbs;
use crate::random::below;
use crate::unranking::{Derivation, Place, Unranker, build};
use egraph::{EGraph, Id, TermBank, TermId};
use num_bigint::BigUint;
use rand::Rng;
use rustc_hash::FxHashSet;
use std::cmp::Ordering;

/// Draws terms of the classes of one e-graph.
#[derive(Debug)]
pub struct Sampler<'a> {
    egraph: &'a EGraph,
    counts: &'a Counts,
    unranker: Unranker,
}

impl<'a> Sampler<'a> {
    /// A sampler of the classes that `counts` has as roots.
    pub fn new(egraph: &'a EGraph, counts: &'a Counts) -> Self {
        Sampler { egraph, counts, unranker: Unranker::default() }
    }

    /// Term number `number` (from 0) of the terms of `class` with at most `limit` nodes, by
    /// size; `None` if there are no more than `number`.
    pub fn term(
        &mut self,
        bank: &mut TermBank,
        class: Id,
        limit: u32,
        number: &BigUint,
    ) -> Option<TermId> {
        let derivation = self.derive(class, limit, number, false)?;
        Some(build(self.egraph, bank, &derivation.nodes))
    }

    /// A term of `class` with at most `limit` nodes, each with the same probability; `None` if
    /// there is none.
    pub fn draw(
        &mut self,
        bank: &mut TermBank,
        class: Id,
        limit: u32,
        rng: &mut impl Rng,
    ) -> Option<TermId> {
        let total = self.counts.up_to(self.egraph.find(class), limit);
        if total == BigUint::ZERO {
            return None;
        }
        self.term(bank, class, limit, &below(&total, rng))
    }

    /// Draws until `wanted` distinct terms are found or `attempts` draws are made. If the counts
    /// are without padded terms ([`crate::counting::Terms`]), those that were counted all the
    /// same are left out. Each of the other terms has the same probability.
    pub fn sample(
        &mut self,
        bank: &mut TermBank,
        class: Id,
        limit: u32,
        wanted: usize,
        attempts: u64,
        rng: &mut impl Rng,
    ) -> Sample {
        let total = self.counts.up_to(self.egraph.find(class), limit);
        let reject = !self.counts.terms.padded;
        let egraph = self.egraph;
        Sample::draw(&total, wanted, attempts, rng, |number| {
            let derivation = self.derive(class, limit, number, reject)?;
            let left_out = reject && derivation.padded;
            Some((!left_out).then(|| build(egraph, bank, &derivation.nodes)))
        })
    }

    fn derive(
        &mut self,
        class: Id,
        limit: u32,
        number: &BigUint,
        stop_if_padded: bool,
    ) -> Option<Derivation> {
        let counts = self.counts;
        let root = counts.grammar.cell_of(self.egraph.find(class))?;
        let mut number = number.to_u64_digits();
        let least = counts.grammar.cells[root as usize].min;
        let size = (least..=limit).find(|&size| {
            let count = counts.limbs(root, size);
            let found = limbs::compare(&number, count) == Ordering::Less;
            if !found {
                limbs::subtract(&mut number, count);
            }
            found
        })?;
        let mut derivation = Derivation { nodes: Vec::with_capacity(size as usize), padded: false };
        // The classes from the root to the current node.
        let mut path: Vec<u32> = Vec::new();
        // None: the way back up.
        let mut todo = vec![Some(Place { cell: root, size, number })];
        while let Some(next) = todo.pop() {
            let Some(place) = next else {
                path.pop();
                continue;
            };
            let cell = place.cell;
            let is_class = counts.grammar.cells[cell as usize].is_class;
            if is_class {
                derivation.padded |= path.contains(&cell);
                if derivation.padded && stop_if_padded {
                    break;
                }
                path.push(cell);
                todo.push(None);
            }
            let node = self.unranker.step(counts, place, |child| todo.push(Some(child)));
            if is_class {
                derivation.nodes.push(node);
            }
        }
        Some(derivation)
    }
}

/// What was found by [`Sampler::sample`] or [`crate::frontier::Frontier::sample`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Distinct terms in the order in which they were drawn.
    pub terms: Vec<TermId>,
    /// Number of draws.
    pub drawn: u64,
    /// Draws of padded terms that were left out.
    pub padded: u64,
    /// Draws of a term that was there already.
    pub repeated: u64,
}

impl Sample {
    /// Draws numbers below `total` until `wanted` distinct terms are found or `attempts` draws are
    /// made. `term` is the term with a number, or that a padded one is left out.
    pub(crate) fn draw(
        total: &BigUint,
        wanted: usize,
        attempts: u64,
        rng: &mut impl Rng,
        mut term: impl FnMut(&BigUint) -> Option<Option<TermId>>,
    ) -> Sample {
        let mut sample = Sample::default();
        let mut seen = FxHashSet::default();
        if *total == BigUint::ZERO {
            return sample;
        }
        while sample.terms.len() < wanted && sample.drawn < attempts {
            sample.drawn += 1;
            match term(&below(total, rng)) {
                Some(Some(term)) if seen.insert(term) => sample.terms.push(term),
                Some(Some(_)) => sample.repeated += 1,
                Some(None) => sample.padded += 1,
                None => {}
            }
        }
        sample
    }
}

/// Whether a subterm of `term` equals, in the e-graph, one of its own proper subterms. Subterms
/// that the e-graph does not represent equal no other.
pub fn is_padded(egraph: &EGraph, bank: &TermBank, term: TermId) -> bool {
    fn visit(egraph: &EGraph, bank: &TermBank, term: TermId, path: &mut Vec<Id>) -> bool {
        let class = egraph.lookup(bank, term);
        if class.is_some_and(|class| path.contains(&class)) {
            return true;
        }
        path.extend(class);
        let padded = bank.children(term).iter().any(|&child| visit(egraph, bank, child, path));
        path.truncate(path.len() - usize::from(class.is_some()));
        padded
    }
    visit(egraph, bank, term, &mut Vec::new())
}
