//! The terms of a cell that an earlier state of the e-graph had in none of some cells.
//!
//! A term f(t₁, t₂) was there if t₁ and t₂ were in classes r₁′ and r₂′ with an e-node f(r₁′, r₂′)
//! in one of those cells. So a new one has either a t₁ of an r₁′ that is a first child there, and
//! as t₂ any term of its class but those of the r₂′ that go with r₁′; or as t₁ any term of its
//! class but those of all r₁′, and then t₂ is free. Both are differences of the same kind again,
//! with the exact number of terms each: nothing that is drawn is rejected.

use crate::counting::counts::{Counts, Room, TooLarge};
use crate::counting::grammar::{Alternative, Grammar, NONE};
use crate::counting::limbs;
use crate::counting::state::Earlier;
use crate::counting::terms::{Filter, Terms};
use crate::drawing::derivation::Steps;
use crate::drawing::running_sums::RunningSums;
use crate::drawing::unrank::{RankedTerm, Unranker};
use egraph::{EGraph, Id};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::rc::Rc;

/// The counts of an e-graph and of an earlier state of it.
#[derive(Debug)]
pub struct FreshTerms<'a> {
    later: &'a EGraph,
    pub all: Counts,
    /// Of the terms that the later e-graph's filter admits.
    pub known: Counts,
    images: Images,
    unranker: Unranker,
    known_unranker: Unranker,
    sets: Sets,
    /// By cell, size and set.
    sums: RunningSums<(u32, u32, u32)>,
}

/// Where the earlier grammar went. Few of its cells are asked for: they are looked up then.
#[derive(Debug, Default)]
struct Images {
    /// Of each alternative of an earlier cell, by cell; ascending.
    alternatives: FxHashMap<u32, Rc<[Image]>>,
    /// By later cell: the places of its e-nodes among its alternatives.
    places: FxHashMap<u32, FxHashMap<Id, u32>>,
}

/// The place of an alternative of a later cell, and that of one of an earlier cell which became it.
type Image = (u32, u32);

/// Sets of earlier cells, ascending, by number.
#[derive(Debug, Default)]
struct Sets {
    cells: Vec<Rc<[u32]>>,
    numbers: FxHashMap<Rc<[u32]>, u32>,
}

/// A term of a cell, by its number among some of the cell's terms.
#[derive(Debug)]
pub enum TermOf {
    /// All of the later cell.
    Later(RankedTerm),
    /// All of the earlier cell.
    Earlier(RankedTerm),
    /// All of the later cell but those of a set of earlier ones.
    Fresh(RankedTerm, u32),
}

impl<'a> FreshTerms<'a> {
    /// Counts the `terms` of the roots of both, see [`crate::drawing::frontier::Frontier::within`]. An
    /// earlier root is a later one too.
    pub fn new(
        (later, roots): (&'a EGraph, &[(Id, u32)]),
        (earlier, known_roots): (Earlier<'_>, &[(Id, u32)]),
        terms: Terms,
        room: Room,
    ) -> Result<FreshTerms<'a>, TooLarge> {
        let filter = Filter::new(later, roots.iter().map(|&(root, _)| root), terms);
        let all = Counts::of(Grammar::new(later, roots, &filter), terms, room)?;
        let room = room.beside(&all);
        let known = Counts::of(Grammar::new(&earlier, known_roots, &filter), terms, room)?;
        let room = all.room();
        Ok(FreshTerms {
            later,
            all,
            known,
            images: Images::default(),
            unranker: Unranker::new(room),
            known_unranker: Unranker::new(room),
            sets: Sets::default(),
            sums: RunningSums::new(room),
        })
    }

    /// Before terms of another class or limit, see [`RunningSums::begin`].
    pub fn begin(&mut self) {
        self.unranker.begin();
        self.known_unranker.begin();
        self.sums.begin();
    }

    /// How many terms of `size` a cell has that the earlier cells `known` did not have.
    pub fn fresh(&self, cell: u32, size: u32, known: &[u32]) -> Vec<u64> {
        let mut fresh = self.all.limbs(cell, size).to_vec();
        for &cell in known {
            limbs::subtract(&mut fresh, self.known.limbs(cell, size));
        }
        fresh
    }

    /// The term of a later cell with this number among those that are in none of the earlier cells
    /// `known` (ascending).
    pub fn term(&mut self, place: RankedTerm, mut known: Vec<u32>) -> TermOf {
        known.retain(|&cell| self.had(cell, place.size));
        match known.is_empty() {
            true => TermOf::Later(place),
            false => TermOf::Fresh(place, self.sets.number(known)),
        }
    }

    fn fresh_step(&mut self, place: RankedTerm, set: u32, mut child: impl FnMut(TermOf)) -> Id {
        let RankedTerm { cell, size, mut number } = place;
        let images = self.images(set);
        let FreshTerms { all, known, sums, .. } = self;
        let (all, known) = (&*all, &*known);
        let alternatives = all.grammar.alternatives(cell);
        let width = limbs::trim(all.limbs(cell, size)).len();
        let size_below = size - all.grammar.cells[cell as usize].own_size();
        // The earlier alternatives that became one of the cell.
        let had = |chosen: usize| {
            images.iter().flat_map(move |(cell, images)| {
                let start = images.partition_point(|&(image, _)| (image as usize) < chosen);
                let same = images[start..].iter().take_while(move |i| i.0 as usize == chosen);
                same.map(|&(_, place)| &known.grammar.alternatives(*cell)[place as usize])
            })
        };
        let mut less = Vec::new();
        let weight = |i: usize, sum: &mut Vec<u64>| {
            all.add_alternative(&alternatives[i], size_below, sum);
            for alternative in had(i) {
                less.clear();
                known.add_alternative(alternative, size_below, &mut less);
                limbs::subtract(sum, &less);
            }
        };
        let key = (cell, size, set);
        let chosen = sums.choose(key, alternatives.len(), width, &mut number, weight);
        let (alternative, size) = (alternatives[chosen], size_below);
        let known: Vec<Alternative> = had(chosen).copied().collect();
        match (alternative.left, alternative.right) {
            (NONE, _) => {}
            (only, NONE) => {
                let mut known: Vec<u32> = known.iter().map(|a| a.left).collect();
                known.sort_unstable();
                child(self.term(RankedTerm { cell: only, size, number }, known));
            }
            (left, right) => {
                let [first, second] = self.split(left, right, size, number, &known);
                child(second);
                child(first);
            }
        }
        alternative.node
    }

    /// Whether an earlier cell had terms of `size`.
    fn had(&self, cell: u32, size: u32) -> bool {
        !limbs::trim(self.known.limbs(cell, size)).is_empty()
    }

    /// Pair `number` of those of two later cells with `size` nodes together that are not of the
    /// pairs of earlier cells in `known`.
    fn split(
        &mut self,
        left: u32,
        right: u32,
        size: u32,
        mut number: Vec<u64>,
        known: &[Alternative],
    ) -> [TermOf; 2] {
        let (first, last) =
            self.all.split_sizes(left, right, size).expect("the pair was counted at this size");
        let mut left_size = first;
        // The pairs of earlier cells that have pairs of terms with these sizes.
        let mut had: Vec<(u32, u32)> = Vec::new();
        let mut pairs = Vec::new();
        loop {
            let right_size = size - left_size;
            had.clear();
            had.extend(known.iter().map(|a| (a.left, a.right)));
            had.retain(|&(l, r)| self.had(l, left_size) && self.had(r, right_size));
            if left_size == last {
                break;
            }
            pairs.clear();
            let (x, y) = (self.all.limbs(left, left_size), self.all.limbs(right, right_size));
            limbs::add_product(&mut pairs, x, y);
            for &(l, r) in &had {
                let (x, y) = (self.known.limbs(l, left_size), self.known.limbs(r, right_size));
                limbs::subtract_product(&mut pairs, x, y);
            }
            if limbs::compare(&number, &pairs) == Ordering::Less {
                break;
            }
            limbs::subtract(&mut number, &pairs);
            left_size += 1;
        }
        let right_size = size - left_size;
        had.sort_unstable();
        // The first of an earlier class, the second of none of those that go with it.
        for group in had.chunk_by(|a, b| a.0 == b.0) {
            let (cell, seconds) = (group[0].0, group.iter().map(|&(_, r)| r).collect::<Vec<_>>());
            let rest = self.fresh(right, right_size, &seconds);
            pairs.clear();
            limbs::add_product(&mut pairs, self.known.limbs(cell, left_size), &rest);
            if limbs::compare(&number, &pairs) == Ordering::Less {
                let (first, second) = limbs::divide(&number, &rest);
                let second = RankedTerm { cell: right, size: right_size, number: second };
                return [
                    TermOf::Earlier(RankedTerm { cell, size: left_size, number: first }),
                    self.term(second, seconds),
                ];
            }
            limbs::subtract(&mut number, &pairs);
        }
        // The first of none of those, the second free.
        let (first, second) = limbs::divide(&number, self.all.limbs(right, right_size));
        let mut firsts: Vec<u32> = had.iter().map(|&(l, _)| l).collect();
        firsts.dedup();
        [
            self.term(RankedTerm { cell: left, size: left_size, number: first }, firsts),
            TermOf::Later(RankedTerm { cell: right, size: right_size, number: second }),
        ]
    }

    /// The cells of a set with their images, see [`Images::alternatives`].
    fn images(&mut self, set: u32) -> Vec<(u32, Rc<[Image]>)> {
        let (all, known) = (&self.all.grammar, &self.known.grammar);
        let images = &mut self.images;
        let cells = self.sets.cells[set as usize].iter();
        cells.map(|&cell| (cell, images.alternatives(self.later, all, known, cell))).collect()
    }
}

impl Steps for FreshTerms<'_> {
    type Term = TermOf;

    /// The later cell.
    fn class(&self, term: &TermOf) -> Option<u32> {
        match term {
            TermOf::Earlier(place) => {
                let is_class = self.known.grammar.cells[place.cell as usize].is_class;
                let (all, known) = (&self.all.grammar, &self.known.grammar);
                is_class.then(|| Images::class(self.later, all, known, place.cell))
            }
            TermOf::Later(place) | TermOf::Fresh(place, _) => {
                self.all.grammar.cells[place.cell as usize].is_class.then_some(place.cell)
            }
        }
    }

    /// The node is of either state.
    fn step(&mut self, term: TermOf, mut child: impl FnMut(TermOf)) -> Id {
        match term {
            TermOf::Later(place) => {
                self.unranker.step(&self.all, place, |place| child(TermOf::Later(place)))
            }
            TermOf::Earlier(place) => {
                self.known_unranker.step(&self.known, place, |place| child(TermOf::Earlier(place)))
            }
            TermOf::Fresh(place, set) => self.fresh_step(place, set, child),
        }
    }
}

impl Images {
    /// The later cell of an earlier class.
    fn class(later: &EGraph, all: &Grammar, known: &Grammar, cell: u32) -> u32 {
        let class = later.find(known.alternatives(cell)[0].node);
        all.cell_of(class).expect("what fitted under a root fits there still")
    }

    /// The places of the alternatives of an earlier cell among those of the later one.
    fn alternatives(
        &mut self,
        later: &EGraph,
        all: &Grammar,
        known: &Grammar,
        cell: u32,
    ) -> Rc<[Image]> {
        if let Some(images) = self.alternatives.get(&cell) {
            return images.clone();
        }
        let images: Rc<[Image]> = if known.cells[cell as usize].is_class {
            let image = Images::class(later, all, known, cell);
            let places = self.places.entry(image).or_insert_with(|| {
                all.alternatives(image).iter().map(|a| a.node).zip(0..).collect()
            });
            let place = |a: &Alternative| places.get(&later.congruent(a.node));
            let expect = "an e-node stays in its class, and fits where it did";
            let images = known.alternatives(cell).iter().map(|a| *place(a).expect(expect));
            let mut images: Vec<Image> = images.zip(0..).collect();
            images.sort_unstable();
            images.into()
        } else {
            // A product has one alternative, and so has its image.
            Rc::new([(0, 0)])
        };
        self.alternatives.insert(cell, images.clone());
        images
    }
}

impl Sets {
    fn number(&mut self, set: Vec<u32>) -> u32 {
        let set: Rc<[u32]> = set.into();
        let next = self.cells.len() as u32;
        let number = *self.numbers.entry(set.clone()).or_insert(next);
        if number == next {
            self.cells.push(set);
        }
        number
    }
}
