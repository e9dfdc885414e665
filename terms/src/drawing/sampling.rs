//! Uniform draws from the terms of an e-class.
//!
//! The counts number all terms of a class up to a size: [`Sampler::term`] turns such a number
//! into its term, top-down, and a term is drawn by drawing a number. So every term up to the
//! limit has exactly the same probability.

use crate::counting::counts::Counts;
use crate::counting::grammar::Cell;
use crate::counting::limbs;
use crate::drawing::derivation::{Derivation, build, derive, size_of};
use crate::drawing::unrank::{Counted, RankedTerm, Unranker};
use crate::drawing::unrank_narrow::NarrowUnranker;
use egraph::{EGraph, Id, TermBank, TermId};
use num_bigint::BigUint;
use rand::Rng;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::hash::Hash;
use support::random::{below, below_u128};

/// Draws terms of the classes of one e-graph.
#[derive(Debug)]
pub struct Sampler<'a> {
    egraph: &'a EGraph,
    counts: &'a Counts,
    unranker: Unranker<Vec<u64>>,
    narrow: NarrowUnranker,
    /// Of the last draw.
    root: Option<Root>,
    derivation: Derivation,
}

/// A class from which terms up to a limit are drawn.
#[derive(Clone, Debug)]
struct Root {
    class: Id,
    limit: u32,
    total: BigUint,
    /// If `total` is below 2^128.
    narrow: Option<Narrow>,
}

/// Sizes, each with the number of terms of at most that size.
#[derive(Clone, Debug)]
struct Narrow(Vec<(u32, u128)>);

impl Narrow {
    /// The number of a term, each with the same probability. There must be one.
    fn draw(&self, rng: &mut impl Rng) -> u128 {
        below_u128(self.0.last().map_or(0, |&(_, total)| total), rng)
    }

    /// The size of the term with a number, and the number among those of its size.
    fn place(&self, number: u128) -> Option<(u32, u128)> {
        let i = self.0.partition_point(|&(_, sum)| sum <= number);
        let before = if i > 0 { self.0[i - 1].1 } else { 0 };
        Some((self.0.get(i)?.0, number - before))
    }
}

impl<'a> Sampler<'a> {
    /// A sampler of the classes that `counts` has as roots.
    pub fn new(egraph: &'a EGraph, counts: &'a Counts) -> Self {
        let room = counts.room();
        Sampler {
            egraph,
            counts,
            unranker: Unranker::new(room),
            // It makes nearly all of the choices.
            narrow: NarrowUnranker::new(2 * room),
            root: None,
            derivation: Derivation::default(),
        }
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
        self.derive(class, limit, number, false)?;
        Some(build(self.egraph, bank, &self.derivation.nodes))
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
        let egraph = self.egraph;
        Some(build(egraph, bank, self.draw_nodes(class, limit, rng)?))
    }

    /// As [`Sampler::draw`]: the term's e-nodes in pre-order.
    pub fn draw_nodes(&mut self, class: Id, limit: u32, rng: &mut impl Rng) -> Option<&[Id]> {
        let root = self.root(class, limit);
        if root.total == BigUint::ZERO {
            return None;
        }
        match &root.narrow {
            Some(narrow) => self.derive_narrow(class, narrow, narrow.draw(rng), false),
            None => self.derive(class, limit, &below(&root.total, rng), false),
        }?;
        self.root = Some(root);
        Some(&self.derivation.nodes)
    }

    /// Draws until `wanted` distinct terms are found or `attempts` draws are made. If the counts
    /// are without padded terms ([`crate::counting::terms::Terms`]), those that were counted all the
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
        let root = self.root(class, limit);
        let reject = !self.counts.terms.padded;
        let attempts = if root.total == BigUint::ZERO { 0 } else { attempts };
        let sample = match &root.narrow {
            Some(narrow) => {
                let number = || narrow.draw(rng);
                Sample::draw(wanted, attempts, number, |&number| {
                    self.derive_narrow(class, narrow, number, reject)?;
                    self.derived(bank, reject)
                })
            }
            None => {
                let number = || below(&root.total, rng);
                Sample::draw(wanted, attempts, number, |number| {
                    self.derive(class, limit, number, reject)?;
                    self.derived(bank, reject)
                })
            }
        };
        self.root = Some(root);
        sample
    }

    /// The term that was derived last; none if it is padded and those are left out.
    fn derived(&self, bank: &mut TermBank, reject: bool) -> Option<TermId> {
        let Derivation { nodes, padded } = &self.derivation;
        (!reject || !padded).then(|| build(self.egraph, bank, nodes))
    }

    fn root(&mut self, class: Id, limit: u32) -> Root {
        let class = self.egraph.find(class);
        if let Some(last) = self.root.take_if(|last| (last.class, last.limit) == (class, limit)) {
            return last;
        }
        self.unranker.begin();
        self.narrow.begin();
        let total = self.counts.up_to(class, limit);
        let narrow = (total.bits() <= 128).then(|| {
            let mut sum = 0;
            let mut up_to = |cell: u32, size: u32| {
                sum += limbs::low(self.counts.limbs(cell, size));
                (size, sum)
            };
            let cell = self.counts.grammar.cell_of(class);
            let cell = cell.map(|cell| (cell, self.counts.grammar.cells[cell as usize]));
            Narrow(cell.map_or(Vec::new(), |(cell, Cell { min, max, .. })| {
                (min..=limit.min(max)).map(|size| up_to(cell, size)).collect()
            }))
        });
        Root { class, limit, total, narrow }
    }

    /// As [`Sampler::derive`], where all numbers are narrow.
    fn derive_narrow(
        &mut self,
        class: Id,
        narrow: &Narrow,
        number: u128,
        stop_if_padded: bool,
    ) -> Option<()> {
        let counts = self.counts;
        let cell = counts.grammar.cell_of(self.egraph.find(class))?;
        let (size, number) = narrow.place(number)?;
        self.narrow.derive(counts, (cell, size, number), stop_if_padded, &mut self.derivation);
        Some(())
    }

    /// Derives a term by its number, however large; `None` if there is no such term.
    fn derive(
        &mut self,
        class: Id,
        limit: u32,
        number: &BigUint,
        stop_if_padded: bool,
    ) -> Option<()> {
        let counts = self.counts;
        let root = counts.grammar.cell_of(self.egraph.find(class))?;
        let mut number = number.to_u64_digits();
        let least = counts.grammar.cells[root as usize].min;
        let size = size_of(&mut number, least..=limit, |size| counts.limbs(root, size).to_vec())?;
        let place = RankedTerm { cell: root, size, number };
        let mut steps = Counted { counts, unranker: &mut self.unranker };
        derive(&mut steps, place, stop_if_padded, &mut self.derivation);
        Some(())
    }
}

/// What was found by [`Sampler::sample`] or [`crate::drawing::frontier::Frontier::sample`].
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
    /// Draws numbers of terms until `wanted` distinct terms are found or `attempts` draws are made; `term` gives `None`
    /// for a padded one that is left out. Where there are few terms most numbers come again, and none is
    /// derived twice.
    pub(crate) fn draw<N: Eq + Hash>(
        wanted: usize,
        attempts: u64,
        mut number: impl FnMut() -> N,
        mut term: impl FnMut(&N) -> Option<TermId>,
    ) -> Sample {
        let mut sample = Sample::default();
        let (mut derived, mut seen) = (FxHashMap::default(), FxHashSet::default());
        while sample.terms.len() < wanted && sample.drawn < attempts {
            sample.drawn += 1;
            let found = match derived.entry(number()) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    let found = term(new.key());
                    *new.insert(found)
                }
            };
            match found {
                Some(term) if seen.insert(term) => sample.terms.push(term),
                Some(_) => sample.repeated += 1,
                None => sample.padded += 1,
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_number_is_derived_once_and_counted_each_time(
            numbers in prop::collection::vec(0..20u64, 1..60),
            wanted in 0..12usize,
        ) {
            // Every third number is that of a padded term, and the others are two by two those of one.
            let term = |number: u64| (!number.is_multiple_of(3)).then_some(TermId(number as u32 / 2));
            let mut drawn = numbers.iter().copied();
            let mut derived = Vec::new();
            let attempts = numbers.len() as u64;
            let sample = Sample::draw(wanted, attempts, || drawn.next().unwrap(), |&number| {
                derived.push(number);
                term(number)
            });
            let mut expected = Sample::default();
            for &number in &numbers {
                if expected.terms.len() == wanted {
                    break;
                }
                expected.drawn += 1;
                match term(number) {
                    None => expected.padded += 1,
                    Some(term) if expected.terms.contains(&term) => expected.repeated += 1,
                    Some(term) => expected.terms.push(term),
                }
            }
            prop_assert_eq!(sample, expected);
            let derived_once: FxHashSet<u64> = derived.iter().copied().collect();
            prop_assert_eq!(derived.len(), derived_once.len());
        }
    }
}
