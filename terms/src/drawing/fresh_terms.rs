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
use crate::counting::number::Number;
use crate::counting::state::Earlier;
use crate::counting::terms::{Filter, Terms};
use crate::drawing::derivation::Steps;
use crate::drawing::running_sums::RunningSums;
use crate::drawing::unrank::{RankedTerm, Unranker};
use egraph::{EGraph, Id};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The counts of an e-graph and of an earlier state of it.
#[derive(Debug)]
pub struct FreshTerms<'a> {
    later: &'a EGraph,
    pub all: Counts,
    /// Of the terms that the later e-graph's filter admits.
    pub known: Counts,
    images: Images,
    sets: Sets,
}

/// What is remembered of draws, for numbers of one kind.
#[derive(Debug)]
pub struct Drawn<N> {
    unranker: Unranker<N>,
    known_unranker: Unranker<N>,
    /// By cell, size and set.
    sums: RunningSums<(u32, u32, u32), N>,
}

impl<N: Number> Drawn<N> {
    /// Nothing yet; at most this many bytes of sums of each kind.
    pub fn new(room: usize) -> Drawn<N> {
        Drawn {
            unranker: Unranker::new(room),
            known_unranker: Unranker::new(room),
            sums: RunningSums::new(room),
        }
    }

    /// Before terms of another class or limit, see [`RunningSums::begin`].
    pub fn begin(&mut self) {
        self.unranker.begin();
        self.known_unranker.begin();
        self.sums.begin();
    }
}

/// Takes fresh terms apart.
pub struct Drawing<'a, 'b, N> {
    /// Of which they are.
    pub terms: &'b mut FreshTerms<'a>,
    /// What is remembered.
    pub drawn: &'b mut Drawn<N>,
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
pub enum TermOf<N> {
    /// All of the later cell.
    Later(RankedTerm<N>),
    /// All of the earlier cell.
    Earlier(RankedTerm<N>),
    /// All of the later cell but those of a set of earlier ones.
    Fresh(RankedTerm<N>, u32),
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
        let (images, sets) = (Images::default(), Sets::default());
        Ok(FreshTerms { later, all, known, images, sets })
    }

    /// How many terms of `size` a cell has that the earlier cells `known` did not have.
    pub fn fresh<N: Number>(&self, cell: u32, size: u32, known: &[u32]) -> N {
        let mut fresh = N::of(self.all.limbs(cell, size));
        for &cell in known {
            fresh.subtract_count(self.known.limbs(cell, size));
        }
        fresh
    }

    /// The term of a later cell with this number among those that are in none of the earlier cells
    /// `known` (ascending).
    pub fn term<N>(&mut self, place: RankedTerm<N>, mut known: Vec<u32>) -> TermOf<N> {
        known.retain(|&cell| self.had(cell, place.size));
        match known.is_empty() {
            true => TermOf::Later(place),
            false => TermOf::Fresh(place, self.sets.number(known)),
        }
    }

    fn step<N: Number>(
        &mut self,
        sums: &mut RunningSums<(u32, u32, u32), N>,
        place: RankedTerm<N>,
        set: u32,
        mut child: impl FnMut(TermOf<N>),
    ) -> Id {
        let RankedTerm { cell, size, mut number } = place;
        let images = self.images(set);
        let FreshTerms { all, known, .. } = &*self;
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
        let mut less = N::default();
        let weight = |i: usize, sum: &mut N| {
            sum.add_alternative(all, &alternatives[i], size_below);
            for alternative in had(i) {
                less.clear();
                less.add_alternative(known, alternative, size_below);
                sum.subtract(&less);
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
    fn split<N: Number>(
        &mut self,
        left: u32,
        right: u32,
        size: u32,
        mut number: N,
        known: &[Alternative],
    ) -> [TermOf<N>; 2] {
        let (first, last) =
            self.all.split_sizes(left, right, size).expect("the pair was counted at this size");
        let mut left_size = first;
        // The pairs of earlier cells that have pairs of terms with these sizes.
        let mut had: Vec<(u32, u32)> = Vec::new();
        let mut pairs = N::default();
        loop {
            let right_size = size - left_size;
            had.clear();
            had.extend(known.iter().map(|a| (a.left, a.right)));
            had.retain(|&(l, r)| self.had(l, left_size) && self.had(r, right_size));
            if left_size == last {
                break;
            }
            pairs.set_product(self.all.limbs(left, left_size), self.all.limbs(right, right_size));
            for &(l, r) in &had {
                let (x, y) = (self.known.limbs(l, left_size), self.known.limbs(r, right_size));
                pairs.subtract_product(x, y);
            }
            if number.is_below(&pairs) {
                break;
            }
            number.subtract(&pairs);
            left_size += 1;
        }
        let right_size = size - left_size;
        had.sort_unstable();
        // The first of an earlier class, the second of none of those that go with it.
        for group in had.chunk_by(|a, b| a.0 == b.0) {
            let (cell, seconds) = (group[0].0, group.iter().map(|&(_, r)| r).collect::<Vec<_>>());
            let rest: N = self.fresh(right, right_size, &seconds);
            let pairs = rest.times(self.known.limbs(cell, left_size));
            if number.is_below(&pairs) {
                let (first, second) = number.divide(&rest);
                let second = RankedTerm { cell: right, size: right_size, number: second };
                return [
                    TermOf::Earlier(RankedTerm { cell, size: left_size, number: first }),
                    self.term(second, seconds),
                ];
            }
            number.subtract(&pairs);
        }
        // The first of none of those, the second free.
        let (first, second) = number.divide(&N::of(self.all.limbs(right, right_size)));
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

impl<N: Number> Steps for Drawing<'_, '_, N> {
    type Term = TermOf<N>;

    /// The later cell.
    fn class(&self, term: &TermOf<N>) -> Option<u32> {
        let FreshTerms { later, all, known, .. } = &*self.terms;
        match term {
            TermOf::Earlier(place) => {
                let (all, known) = (&all.grammar, &known.grammar);
                let is_class = known.cells[place.cell as usize].is_class;
                is_class.then(|| Images::class(later, all, known, place.cell))
            }
            TermOf::Later(place) | TermOf::Fresh(place, _) => {
                all.grammar.cells[place.cell as usize].is_class.then_some(place.cell)
            }
        }
    }

    /// The node is of either state.
    fn step(&mut self, term: TermOf<N>, mut child: impl FnMut(TermOf<N>)) -> Id {
        let Drawing { terms, drawn: Drawn { unranker, known_unranker, sums } } = self;
        match term {
            TermOf::Later(place) => {
                unranker.step(&terms.all, place, |place| child(TermOf::Later(place)))
            }
            TermOf::Earlier(place) => {
                known_unranker.step(&terms.known, place, |place| child(TermOf::Earlier(place)))
            }
            TermOf::Fresh(place, set) => terms.step(sums, place, set, child),
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
