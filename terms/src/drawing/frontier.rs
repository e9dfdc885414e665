//! Frontier terms: those that an earlier state of an e-graph did not represent in a class.
//!
//! Let the class q of the e-graph have absorbed the classes q₁′…q_n′ of its earlier state, and
//! others that don't matter. The terms of different classes of one e-graph are different, so that
//!
//! ```text
//! frontier(q, s) = c(q, s) − Σ c′(qᵢ′, s)
//! ```
//!
//! Terms are drawn from such a difference without rejection, see `fresh_terms.rs`.

use crate::counting::counts::{Counts, Room, TooLarge};
use crate::counting::limbs;
use crate::counting::number::Number;
use crate::counting::state::Earlier;
use crate::counting::terms::Terms;
use crate::drawing::derivation::{Derivation, build, derive, size_of};
use crate::drawing::fresh_terms::{Drawing, Drawn, FreshTerms};
use crate::drawing::sampling::Sample;
use crate::drawing::unrank::RankedTerm;
use egraph::{EGraph, Id, Past, TermBank, TermId};
use num_bigint::BigUint;
use rand::Rng;
use rustc_hash::FxHashMap;
use support::random::below;

/// Counts and draws the frontier terms of some classes.
#[derive(Debug)]
pub struct Frontier<'a> {
    later: &'a EGraph,
    /// The classes of the later e-graph, each with the earlier cells whose terms are left out.
    roots: Vec<(Id, Vec<u32>)>,
    fresh: FreshTerms<'a>,
    drawn: DrawnNumbers,
}

/// What is remembered of draws.
#[derive(Debug)]
enum DrawnNumbers {
    /// Of no more terms than 2^128.
    Narrow(Drawn<u128>),
    /// Of any.
    Wide(Drawn<Vec<u64>>),
}

impl<'a> Frontier<'a> {
    /// The frontier of the classes of `roots` in `later`, up to a size each: of their `terms`,
    /// those that `earlier` did not represent in the class of one of `roots`. Roots that are one
    /// class by now are one root, with the largest of the sizes.
    ///
    /// `earlier` is what `later`, which is rebuilt, was some iterations ago. It represented nothing
    /// in the class of an id that it does not have. What is padded or constant ([`Terms`]) is
    /// asked of `later`.
    pub fn new(
        later: &'a EGraph,
        earlier: &Past,
        roots: &[(Id, u32)],
        terms: Terms,
    ) -> Frontier<'a> {
        Frontier::within(later, earlier, roots, terms, Room::ANY).expect("any size fits")
    }

    /// As [`Frontier::new`], if all counts together take no more than `room`.
    ///
    /// # Errors
    /// They would take more, see [`Counts::within`].
    pub fn within(
        later: &'a EGraph,
        earlier: &Past,
        roots: &[(Id, u32)],
        terms: Terms,
        room: Room,
    ) -> Result<Frontier<'a>, TooLarge> {
        let mut limits: FxHashMap<Id, u32> = FxHashMap::default();
        for &(root, limit) in roots {
            let largest = limits.entry(later.find(root)).or_default();
            *largest = limit.max(*largest);
        }
        let roots: Vec<(Id, u32)> =
            roots.iter().map(|&(root, _)| (root, limits[&later.find(root)])).collect();
        let is_known = |id: &Id| u64::from(id.0) < earlier.built();
        let known: Vec<(Id, u32)> = roots.iter().copied().filter(|(id, _)| is_known(id)).collect();
        let state = Earlier { egraph: later, past: earlier };
        let fresh = FreshTerms::new((later, &roots), (state, &known), terms, room)?;
        let mut classes: Vec<(Id, Vec<u32>)> = Vec::new();
        for &(root, _) in &roots {
            let class = later.find(root);
            let known = is_known(&root).then(|| earlier.find(root));
            let known = known.and_then(|class| fresh.known.grammar.cell_of(class));
            match classes.iter_mut().find(|(other, _)| *other == class) {
                Some((_, cells)) => cells.extend(known),
                None => classes.push((class, Vec::from_iter(known))),
            }
        }
        for (_, cells) in &mut classes {
            cells.sort_unstable();
            cells.dedup();
        }
        let drawn = DrawnNumbers::Narrow(Drawn::new(fresh.all.room()));
        Ok(Frontier { later, roots: classes, fresh, drawn })
    }

    /// The counts of all terms of the roots, those that were represented earlier included.
    pub fn counts(&self) -> &Counts {
        &self.fresh.all
    }

    /// The number of frontier terms of `class` (canonical in the later e-graph, and a root) with
    /// exactly `size` nodes; zero for other classes.
    pub fn count(&self, class: Id, size: u32) -> BigUint {
        match self.root(class) {
            Some((cell, known)) => {
                limbs::to_biguint(&self.fresh.fresh::<Vec<u64>>(cell, size, known))
            }
            None => BigUint::ZERO,
        }
    }

    /// The number of frontier terms of `class` with at most `limit` nodes; see
    /// [`Frontier::count`].
    pub fn up_to(&self, class: Id, limit: u32) -> BigUint {
        let Some((cell, known)) = self.root(class) else { return BigUint::ZERO };
        let mut sum = Vec::new();
        for size in self.fresh.all.grammar.cells[cell as usize].min..=limit {
            limbs::add(&mut sum, &self.fresh.fresh::<Vec<u64>>(cell, size, known));
        }
        limbs::to_biguint(&sum)
    }

    /// Frontier term number `number` (from 0) of those of `class` with at most `limit` nodes, by
    /// size; `None` if there are no more than `number`.
    pub fn term(
        &mut self,
        bank: &mut TermBank,
        class: Id,
        limit: u32,
        number: &BigUint,
    ) -> Option<TermId> {
        let total = self.up_to(self.later.find(class), limit);
        self.begin(&total);
        if *number >= total {
            return None;
        }
        let derivation = self.derive(class, limit, number, false)?;
        Some(build(self.later, bank, &derivation.nodes))
    }

    /// Draws until `wanted` distinct frontier terms of `class` are found or `attempts` draws are
    /// made, as [`crate::drawing::sampling::Sampler::sample`] does: each that is not padded has the same
    /// probability, and no draw is lost to terms that are not of the frontier.
    pub fn sample(
        &mut self,
        bank: &mut TermBank,
        class: Id,
        limit: u32,
        wanted: usize,
        attempts: u64,
        rng: &mut impl Rng,
    ) -> Sample {
        let class = self.later.find(class);
        let total = self.up_to(class, limit);
        self.begin(&total);
        let reject = !self.fresh.all.terms.padded;
        let attempts = if total == BigUint::ZERO { 0 } else { attempts };
        let number = || below(&total, rng);
        Sample::draw(wanted, attempts, number, |number| {
            let derivation = self.derive(class, limit, number, reject)?;
            let left_out = reject && derivation.padded;
            (!left_out).then(|| build(self.later, bank, &derivation.nodes))
        })
    }

    fn root(&self, class: Id) -> Option<(u32, &[u32])> {
        root_of(&self.roots, &self.fresh, class)
    }

    /// Before numbers below `total` of terms of a class and limit.
    fn begin(&mut self, total: &BigUint) {
        let room = self.fresh.all.room();
        match (&mut self.drawn, total.bits() <= 128) {
            (DrawnNumbers::Narrow(drawn), true) => drawn.begin(),
            (DrawnNumbers::Wide(drawn), false) => drawn.begin(),
            (drawn, true) => *drawn = DrawnNumbers::Narrow(Drawn::new(room)),
            (drawn, false) => *drawn = DrawnNumbers::Wide(Drawn::new(room)),
        }
    }

    fn derive(
        &mut self,
        class: Id,
        limit: u32,
        number: &BigUint,
        stop_if_padded: bool,
    ) -> Option<Derivation> {
        let Frontier { later, roots, fresh, drawn } = self;
        let class = later.find(class);
        let (root, known) = root_of(roots, fresh, class)?;
        let place = (root, limit, known);
        let number = number.to_u64_digits();
        match drawn {
            DrawnNumbers::Narrow(drawn) => {
                derived(Drawing { terms: fresh, drawn }, place, u128::of(&number), stop_if_padded)
            }
            DrawnNumbers::Wide(drawn) => {
                derived(Drawing { terms: fresh, drawn }, place, number, stop_if_padded)
            }
        }
    }
}

/// The cell of a class that is a root, and the earlier cells whose terms are left out.
fn root_of<'r>(
    roots: &'r [(Id, Vec<u32>)],
    fresh: &FreshTerms<'_>,
    class: Id,
) -> Option<(u32, &'r [u32])> {
    let (_, known) = roots.iter().find(|(root, _)| *root == class)?;
    Some((fresh.all.grammar.cell_of(class)?, known))
}

/// Derives a term of a root cell up to a limit by its number among those that the earlier cells did not have.
fn derived<N: Number>(
    mut drawing: Drawing<'_, '_, N>,
    (root, limit, known): (u32, u32, &[u32]),
    mut number: N,
    stop_if_padded: bool,
) -> Option<Derivation> {
    let terms = &mut *drawing.terms;
    let least = terms.all.grammar.cells[root as usize].min;
    let size = size_of(&mut number, least..=limit, |size| terms.fresh(root, size, known))?;
    let term = terms.term(RankedTerm { cell: root, size, number }, known.to_vec());
    let mut derivation = Derivation::default();
    derive(&mut drawing, term, stop_if_padded, &mut derivation);
    Some(derivation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::{History, Limits, SaturationConfig, System, saturate};
    use std::ops::ControlFlow;
    use std::sync::Arc;

    #[test]
    fn numbers_of_any_length_give_the_same_terms() {
        let rules = "(sort I) (variable I) (op + (I I) I) (op - (I) I)
            (rewrite (+ ?a ?b) (+ ?b ?a))
            (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))
            (birewrite (- (+ ?a ?b)) (+ (- ?b) (- ?a)))
            (birewrite (- (- ?a)) ?a)";
        let system = Arc::new(System::parse(rules).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let sum = bank.parse("(+ (- a) (+ b (+ (- c) (+ d a))))", None).unwrap();
        let mut egraph = EGraph::new(system);
        let root = egraph.add_term(&bank, sum);
        let limits = Limits { iterations: Some(3), ..Limits::default() };
        let config = SaturationConfig { limits, ..SaturationConfig::default() };
        let mut history = History::new(1);
        saturate(&mut egraph, &config, &mut |egraph, _| {
            history.record(egraph);
            ControlFlow::Continue(())
        });
        let before = Past::new(&egraph, history.earlier().unwrap());
        let class = egraph.find(root);
        let mut frontier = Frontier::new(&egraph, &before, &[(root, 16)], Terms::PLAIN);
        let total = frontier.up_to(class, 16);
        assert!(total > BigUint::from(10_000u32));
        let step = &total / 997u32;
        let mut seen = 0;
        for i in 0..997u32 {
            let number = &step * i;
            frontier.begin(&total);
            assert!(matches!(frontier.drawn, DrawnNumbers::Narrow(_)));
            let narrow = frontier.derive(class, 16, &number, true).unwrap();
            frontier.begin(&(BigUint::from(1u32) << 200));
            assert!(matches!(frontier.drawn, DrawnNumbers::Wide(_)));
            let wide = frontier.derive(class, 16, &number, true).unwrap();
            assert_eq!((&narrow.nodes, narrow.padded), (&wide.nodes, wide.padded), "{number}");
            seen += usize::from(!narrow.padded);
        }
        assert!(seen > 10, "{seen}");
    }
}
