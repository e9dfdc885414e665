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
use rustc_hash::FxHashSet;
use support::random::{below, below_u128};

/// Draws terms of the classes of one e-graph.
#[derive(Debug)]
pub struct Sampler<'a> {
    egraph: &'a EGraph,
    counts: &'a Counts,
    unranker: Unranker,
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
    /// If `total` is below 2^128: sizes, each with the number of terms of at most that size.
    narrow: Option<Vec<(u32, u128)>>,
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
        self.draw_derivation(&root, false, rng);
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
        let sample = Sample::draw(wanted, attempts, || {
            self.draw_derivation(&root, reject, rng);
            let Derivation { nodes, padded } = &self.derivation;
            (!reject || !padded).then(|| build(self.egraph, bank, nodes))
        });
        self.root = Some(root);
        sample
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
            cell.map_or(Vec::new(), |(cell, Cell { min, max, .. })| {
                (min..=limit.min(max)).map(|size| up_to(cell, size)).collect()
            })
        });
        Root { class, limit, total, narrow }
    }

    /// Draws a derivation from a class that has terms.
    fn draw_derivation(&mut self, root: &Root, stop_if_padded: bool, rng: &mut impl Rng) {
        match (&root.narrow, self.counts.grammar.cell_of(root.class)) {
            (Some(sizes), Some(cell)) => {
                let mut number = below_u128(limbs::low(&root.total.to_u64_digits()), rng);
                let i = sizes.partition_point(|&(_, sum)| sum <= number);
                number -= if i > 0 { sizes[i - 1].1 } else { 0 };
                let place = (cell, sizes[i].0, number);
                self.narrow.derive(self.counts, place, stop_if_padded, &mut self.derivation);
            }
            _ => {
                let number = below(&root.total, rng);
                self.derive(root.class, root.limit, &number, stop_if_padded);
            }
        }
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
        let size = size_of(&mut number, least..=limit, |size| counts.limbs(root, size))?;
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
    /// Draws terms until `wanted` distinct ones are found or `attempts` draws are made; `None` is
    /// a padded one that is left out.
    pub(crate) fn draw(
        wanted: usize,
        attempts: u64,
        mut term: impl FnMut() -> Option<TermId>,
    ) -> Sample {
        let mut sample = Sample::default();
        let mut seen = FxHashSet::default();
        while sample.terms.len() < wanted && sample.drawn < attempts {
            sample.drawn += 1;
            match term() {
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
