//! A question for the cheapest choice of ways, as it is made smaller: ways are left out and put together, and the answer is
//! still one of the whole question.

use crate::extract::dag::choices::Choices;
use crate::extract::dag::least_trees::least_trees;
use crate::extract::dag::sums::{Number, Sum, add};

/// What a way is put together from: the number of a way of the whole question, or behind these that of
/// a pair.
type Origin = u32;

/// A way that stands for none.
const NOTHING: Origin = u32::MAX;

/// A way to make a place, and what it stands for.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub weight: Sum,
    /// In order, each once.
    pub needs: Vec<Number>,
    of: Origin,
}

/// Places and the ways to make each, for the root, which has one way: it needs what every answer needs.
#[derive(Clone)]
pub(super) struct Question {
    /// By place; none of a place that is not needed any more.
    pub places: Vec<Vec<Way>>,
    pub root: Number,
    /// How many ways the whole question has.
    whole: Origin,
    /// By number behind these: what a way was put together from.
    pairs: Vec<[Origin; 2]>,
    /// Ways that cost nothing, in which their places are made anyway.
    free: Vec<Origin>,
}

impl Question {
    /// The whole question.
    pub fn of(choices: &Choices) -> Question {
        let way = |way: Number| {
            let mut needs = choices.needs(way).to_vec();
            needs.sort_unstable();
            needs.dedup();
            Way { weight: Sum::from_slice(choices.weight(way)), needs, of: way }
        };
        let places = 0..choices.places() as Number;
        let mut places: Vec<Vec<Way>> =
            places.map(|place| choices.ways(place).map(way).collect()).collect();
        let root = places.len() as Number;
        places.push(vec![Way { weight: choices.zero(), needs: vec![choices.root], of: NOTHING }]);
        Question {
            places,
            root,
            whole: choices.count() as Origin,
            pairs: Vec::new(),
            free: Vec::new(),
        }
    }

    /// The way of the root; none where there is no answer.
    pub fn start(&self) -> Option<&Way> {
        self.places[self.root as usize].first()
    }

    /// Places that are left beside the root, and their ways.
    pub fn size(&self) -> (usize, usize) {
        let left = self.places.iter().filter(|ways| !ways.is_empty());
        left.fold((0, 0), |(places, all), ways| (places + 1, all + ways.len()))
    }

    /// By place what its cheapest tree costs, and the number of the first way of it among those of the place, if it can be made.
    pub fn least_trees(&self) -> Vec<Option<(Sum, usize)>> {
        least_trees(&self.places, |way| (&way.weight, &way.needs))
    }

    /// A way in which two others are made; the needs are those of both but one.
    pub fn joined(&mut self, user: &Way, used: &Way, place: Number) -> Way {
        let mut weight = user.weight.clone();
        add(&mut weight, &used.weight);
        let rest = user.needs.iter().filter(|&&needed| needed != place);
        let mut needs: Vec<Number> = rest.chain(&used.needs).copied().collect();
        needs.sort_unstable();
        needs.dedup();
        Way { weight, needs, of: self.pair(user.of, used.of) }
    }

    fn pair(&mut self, a: Origin, b: Origin) -> Origin {
        match (a, b) {
            (NOTHING, origin) | (origin, NOTHING) => origin,
            _ => {
                self.pairs.push([a, b]);
                self.whole + (self.pairs.len() - 1) as Origin
            }
        }
    }

    /// Notes that a place is made in this way, which costs nothing and needs nothing.
    pub fn give(&mut self, way: &Way) {
        self.free.push(way.of);
    }

    /// The ways of the whole question that ways of this one stand for, with those that cost nothing.
    pub fn ways_of<'w>(&self, ways: impl Iterator<Item = &'w Way>) -> Vec<Number> {
        let mut found = Vec::new();
        let mut todo: Vec<Origin> = self.free.clone();
        todo.extend(ways.map(|way| way.of).filter(|&origin| origin != NOTHING));
        while let Some(origin) = todo.pop() {
            match origin.checked_sub(self.whole) {
                None => found.push(origin),
                Some(pair) => todo.extend(self.pairs[pair as usize]),
            }
        }
        found
    }

    /// Leaves out ways that need their own place or what can't be made, ways with the needs of another one that costs no
    /// more, and places that the root does not need.
    pub fn clean(&mut self) {
        for (place, ways) in (0..).zip(&mut self.places) {
            ways.retain(|way| way.needs.binary_search(&place).is_err());
            ways.sort_by(|a, b| (&a.needs, &a.weight).cmp(&(&b.needs, &b.weight)));
            ways.dedup_by(|next, kept| next.needs == kept.needs);
        }
        let least = self.least_trees();
        for ways in &mut self.places {
            ways.retain(|way| way.needs.iter().all(|&needed| least[needed as usize].is_some()));
        }
        let mut needed = vec![false; self.places.len()];
        let mut todo = vec![self.root];
        while let Some(place) = todo.pop() {
            if !std::mem::replace(&mut needed[place as usize], true) {
                todo.extend(self.places[place as usize].iter().flat_map(|way| &way.needs));
            }
        }
        for (ways, needed) in self.places.iter_mut().zip(needed) {
            if !needed {
                ways.clear();
            }
        }
    }

    /// The questions that this one falls apart into, as no place of the one needs any of another. What the way of the root
    /// costs is in none of them.
    pub fn parts(&self) -> Vec<Part> {
        let Some(start) = self.start() else { return Vec::new() };
        let mut groups = Groups((0..self.places.len() as Number).collect());
        for (place, ways) in (0..).zip(&self.places).filter(|&(place, _)| place != self.root) {
            ways.iter().flat_map(|way| &way.needs).for_each(|&needed| groups.join(place, needed));
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut part_of: Vec<Option<usize>> = vec![None; self.places.len()];
        let mut numbers: Vec<Number> = vec![0; self.places.len()];
        for place in 0..self.places.len() as Number {
            if place == self.root || self.places[place as usize].is_empty() {
                continue;
            }
            let first = groups.first(place) as usize;
            let part = *part_of[first].get_or_insert_with(|| {
                parts.push(Part::beginning(&start.weight));
                parts.len() - 1
            });
            part_of[place as usize] = Some(part);
            numbers[place as usize] = parts[part].question.places.len() as Number;
            parts[part].take(&self.places[place as usize]);
        }
        for &needed in &start.needs {
            if let Some(part) = part_of[needed as usize] {
                parts[part].question.places[0][0].needs.push(needed);
            }
        }
        for way in parts.iter_mut().flat_map(|part| part.question.places.iter_mut().flatten()) {
            way.needs.iter_mut().for_each(|needed| *needed = numbers[*needed as usize]);
            way.needs.sort_unstable();
        }
        parts
    }
}

/// A question that another one falls apart into.
pub(super) struct Part {
    pub question: Question,
    /// The ways of the other one, by the numbers that they have as ways of this whole question.
    pub ways: Vec<Way>,
}

impl Part {
    fn beginning(weight: &Sum) -> Part {
        let weight = Sum::from_elem(0, weight.len());
        let places = vec![vec![Way { weight, needs: Vec::new(), of: NOTHING }]];
        let question = Question { places, root: 0, whole: 0, pairs: Vec::new(), free: Vec::new() };
        Part { question, ways: Vec::new() }
    }

    /// Takes a place, whose ways need places as they are numbered there.
    fn take(&mut self, ways: &[Way]) {
        let numbers = self.question.whole..;
        let taken = ways.iter().zip(numbers).map(|(way, of)| Way { of, ..way.clone() });
        self.question.places.push(taken.collect());
        self.ways.extend_from_slice(ways);
        self.question.whole += ways.len() as Origin;
    }
}

/// Which places belong together; a group is named by its first.
struct Groups(Vec<Number>);

impl Groups {
    fn first(&mut self, mut place: Number) -> Number {
        while self.0[place as usize] != place {
            self.0[place as usize] = self.0[self.0[place as usize] as usize];
            place = self.0[place as usize];
        }
        place
    }

    fn join(&mut self, a: Number, b: Number) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
