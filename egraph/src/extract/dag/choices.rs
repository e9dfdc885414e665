//! What a term is made of, as a graph in flat arrays: places, the ways to make each, and the places that a way
//! needs. It does not know what places and ways stand for.

use crate::bounds::count_step;
use crate::extract::dag::least_trees::least_trees;
use crate::extract::dag::sums::{Making, Number, Sum, add};
use std::collections::VecDeque;
use std::ops::Range;

/// Places by the cost of their best trees, the least first.
pub(super) struct Choices {
    /// The place of the whole term.
    pub root: Number,
    /// By place: its first way, which is that of its best tree. One more than places.
    starts: Vec<u32>,
    /// By way: where what it needs begins; one more than ways.
    need_starts: Vec<u32>,
    needs: Vec<Number>,
    /// By way and measure: what it costs by itself.
    weights: Vec<u64>,
    measures: usize,
    /// By place: the places that have a way that needs it, each once.
    above_starts: Vec<u32>,
    above: Vec<Number>,
}

impl Choices {
    /// Places in the order of the cost of their best trees, each with its ways, that of its best tree first.
    pub fn new(
        root: Number,
        measures: usize,
        places: impl Iterator<Item = Vec<Making>>,
    ) -> Choices {
        let mut choices = Choices {
            root,
            starts: vec![0],
            need_starts: vec![0],
            needs: Vec::new(),
            weights: Vec::new(),
            measures,
            above_starts: vec![0],
            above: Vec::new(),
        };
        for ways in places {
            for (needed, weights) in ways {
                count_step();
                choices.needs.extend(needed);
                choices.need_starts.push(choices.needs.len() as u32);
                choices.weights.extend(weights);
            }
            choices.starts.push(choices.need_starts.len() as u32 - 1);
        }
        choices.find_above();
        choices
    }

    /// Of places given by the ways to make each, for the one with number `root`, which can need other places only; with it, by
    /// way, the number of its place and that of the way among those of the place. None if the root can't be made.
    ///
    /// # Panics
    /// Where a way needs a place that is not there.
    pub fn arranged(
        places: &[Vec<Making>],
        root: Number,
        measures: usize,
    ) -> Option<(Choices, Vec<[usize; 2]>)> {
        let least = least_trees(places, |(needs, weight)| (weight, needs));
        least[root as usize].as_ref()?;
        // A way that needs what can't be made is none, nor one that needs its own place.
        let possible = |place: usize, (needs, _): &Making| {
            needs.iter().all(|&needed| needed as usize != place && least[needed as usize].is_some())
        };
        let costs = least.iter().enumerate();
        let mut order: Vec<(&Sum, usize)> =
            costs.filter_map(|(place, least)| Some((&least.as_ref()?.0, place))).collect();
        order.sort_unstable();
        let mut numbers = vec![0; places.len()];
        for (number, &(_, place)) in (0..).zip(&order) {
            numbers[place] = number;
        }
        let mut origins = Vec::new();
        let makings = order.iter().map(|&(_, place)| {
            let best = least[place].as_ref().map(|&(_, way)| way);
            let ways = places[place].iter().enumerate();
            let mut ways: Vec<(usize, &Making)> =
                ways.filter(|(_, way)| possible(place, way)).collect();
            ways.sort_by_key(|&(number, _)| Some(number) != best);
            origins.extend(ways.iter().map(|&(number, _)| [place, number]));
            let making = |(_, (needs, weight)): (usize, &Making)| -> Making {
                (needs.iter().map(|&needed| numbers[needed as usize]).collect(), weight.clone())
            };
            ways.into_iter().map(making).collect()
        });
        let choices = Choices::new(numbers[root as usize], measures, makings);
        Some((choices, origins))
    }

    fn find_above(&mut self) {
        let mut above: Vec<Vec<Number>> = vec![Vec::new(); self.places()];
        for place in 0..self.places() as Number {
            for &needed in self.ways(place).flat_map(|way| self.needs(way)) {
                let above = &mut above[needed as usize];
                if above.last() != Some(&place) {
                    above.push(place);
                }
            }
        }
        for above in above {
            self.above.extend(above);
            self.above_starts.push(self.above.len() as u32);
        }
    }

    /// The ways of a place.
    pub fn ways(&self, place: Number) -> Range<Number> {
        self.starts[place as usize]..self.starts[place as usize + 1]
    }

    /// Number of places.
    pub fn places(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of all ways.
    pub fn count(&self) -> usize {
        self.need_starts.len() - 1
    }

    /// The place of a way.
    pub fn place_of(&self, way: Number) -> Number {
        self.starts.partition_point(|&start| start <= way) as Number - 1
    }

    /// The places that a way needs: those of the e-node's children, in order.
    pub fn needs(&self, way: Number) -> &[Number] {
        let way = way as usize;
        &self.needs[self.need_starts[way] as usize..self.need_starts[way + 1] as usize]
    }

    /// The places that have a way that needs `place`.
    pub fn above(&self, place: Number) -> &[Number] {
        let place = place as usize;
        &self.above[self.above_starts[place] as usize..self.above_starts[place + 1] as usize]
    }

    /// What a way costs by itself.
    pub fn weight(&self, way: Number) -> &[u64] {
        &self.weights[way as usize * self.measures..][..self.measures]
    }

    /// The sum of nothing.
    pub fn zero(&self) -> Sum {
        Sum::from_elem(0, self.measures)
    }

    /// For every place the way by which it costs least as a tree, and what it costs then, where `price`
    /// says what a way of a place costs by itself and `free` which places cost nothing. `visits`
    /// counts the ways that are looked at.
    pub fn cheapest(
        &self,
        free: impl Fn(Number) -> bool,
        price: impl Fn(Number, Number) -> Sum,
        visits: &mut u64,
    ) -> Vec<Number> {
        let count = self.places();
        let mut best: Vec<Option<(Sum, Number)>> = vec![None; count];
        let mut waiting = vec![true; count];
        let mut queue: VecDeque<Number> = (0..count as Number).collect();
        while let Some(place) = queue.pop_front() {
            waiting[place as usize] = false;
            let mut found = match (free(place), &best[place as usize]) {
                (true, Some(_)) => continue,
                (true, None) => Some((self.zero(), self.ways(place).start)),
                (false, _) => None,
            };
            let ways = if found.is_some() { 0..0 } else { self.ways(place) };
            for way in ways {
                count_step();
                *visits += 1 + self.needs(way).len() as u64;
                let mut total = price(place, way);
                let known = self.needs(way).iter().all(|&needed| match &best[needed as usize] {
                    Some((sum, _)) => {
                        add(&mut total, sum);
                        true
                    }
                    None => false,
                });
                if known && found.as_ref().is_none_or(|(least, _)| total < *least) {
                    found = Some((total, way));
                }
            }
            let before = &mut best[place as usize];
            let lower = match (&found, &before) {
                (Some((found, _)), Some((before, _))) => found < before,
                (found, None) => found.is_some(),
                (None, Some(_)) => false,
            };
            if lower {
                *before = found;
                for &above in self.above(place) {
                    if !std::mem::replace(&mut waiting[above as usize], true) {
                        queue.push_back(above);
                    }
                }
            }
        }
        let way = |(place, best): (usize, Option<(Sum, Number)>)| {
            best.map_or(self.ways(place as Number).start, |(_, way)| way)
        };
        best.into_iter().enumerate().map(way).collect()
    }
}
