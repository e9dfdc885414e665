//! The least cost of a term whose equal parts count once.
//!
//! Which way a class is made in depends on what the rest of the term has already, so that the exact
//! answer is hard to find. Here are three answers, each at least as good as the one before: the best
//! tree; a greedy one, which knows for every class the whole set of classes below it; and a search
//! that can be stopped at any time. The search tries to make one class otherwise, with what the term
//! has already for nothing (a *switch*), and to have one more class for nothing and make all others
//! anew (a *gift*), until no such change lowers the cost any more.

use crate::bounds::count_step;
use crate::extract::dag::choices::Choices;
use crate::extract::dag::sums::{Number, Sum, add};
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::rc::Rc;

/// The greedy answer looks at so many places for every way, and at this many in any case.
const GREEDY_VISITS: (u64, u64) = (64, 1 << 20);

/// Shares of what a way costs are told apart this finely.
const SHARES: u64 = 12;

/// A search for the cheapest choice of a way for each place that is needed.
pub(super) struct Changes {
    choices: Choices,
    /// By place: the way that is best as far as is known. Those of places that are not used are such
    /// that they cost little beside what is used.
    chosen: Vec<Number>,
    /// The places that are used, each after those that it needs.
    used: Vec<Number>,
    is_used: Vec<bool>,
    total: Sum,
    /// Places that could be given, those that most ways need first.
    gifts: Vec<Number>,
    /// The next change to try, and how many were tried since the last that helped.
    next: usize,
    idle: usize,
    visits: u64,
    marks: Marks,
}

/// Which places were entered and left on a walk, without clearing anything between walks.
struct Marks {
    walk: u32,
    entered: Vec<u32>,
    left: Vec<u32>,
}

impl Changes {
    /// The first answers, that of trees and the greedy one, are there at once.
    pub fn new(choices: Choices) -> Changes {
        let places = choices.places();
        let mut gifts: Vec<Number> = (0..places as Number).collect();
        gifts.sort_by_key(|&place| Reverse(choices.above(place).len()));
        let mut solver = Changes {
            chosen: (0..places as Number).map(|place| choices.ways(place).start).collect(),
            used: Vec::new(),
            is_used: vec![false; places],
            total: Sum::from_elem(u64::MAX, choices.zero().len()),
            gifts,
            next: 0,
            idle: 0,
            visits: 0,
            marks: Marks { walk: 0, entered: vec![0; places], left: vec![0; places] },
            choices,
        };
        solver.offer(solver.chosen.clone());
        let greedy = solver.greedy();
        solver.offer(greedy);
        solver.visits = 0;
        solver
    }

    /// What the best answer so far costs, by measure.
    pub fn total(&self) -> &[u64] {
        &self.total
    }

    /// The ways of the best answer so far, each behind those that it needs.
    pub fn ways(&self) -> impl Iterator<Item = usize> {
        self.used.iter().map(|&place| self.chosen[place as usize] as usize)
    }

    /// Makes places in these ways if that costs less; whether it does.
    pub fn take(&mut self, ways: &[Number]) -> bool {
        let mut chosen = self.chosen.clone();
        for &way in ways {
            chosen[self.choices.place_of(way) as usize] = way;
        }
        self.offer(chosen)
    }

    pub fn way_of(&self, place: Number) -> Number {
        self.chosen[place as usize]
    }

    pub fn choices(&self) -> &Choices {
        &self.choices
    }

    /// Tries changes until none helps, or so many more ways and places were looked at; whether there
    /// is more to try.
    pub fn improve(&mut self, visits: u64) -> bool {
        let most = self.visits.saturating_add(visits);
        let changes = self.choices.count() + self.gifts.len();
        while self.idle < changes {
            if self.visits >= most {
                return true;
            }
            let change = self.next;
            self.next = (self.next + 1) % changes;
            self.visits += 1;
            let helped = match change.checked_sub(self.choices.count()) {
                None => self.switch(change as Number),
                Some(gift) => self.give(self.gifts[gift]),
            };
            self.idle = if helped { 0 } else { self.idle + 1 };
        }
        false
    }

    /// Makes a place that is used in this way.
    fn switch(&mut self, way: Number) -> bool {
        let place = self.choices.place_of(way) as usize;
        if !self.is_used[place] || self.chosen[place] == way {
            return false;
        }
        let before = std::mem::replace(&mut self.chosen[place], way);
        let chosen = std::mem::take(&mut self.chosen);
        let found = self.walk(&chosen);
        self.chosen = chosen;
        match found {
            Some((total, used)) => self.accept(total, used),
            None => self.chosen[place] = before,
        }
        self.chosen[place] == way
    }

    /// Makes all places anew, where one that is not used costs nothing, nor what it needs, and what is
    /// used costs less the more other places need it.
    fn give(&mut self, gift: Number) -> bool {
        if self.is_used[gift as usize] {
            return false;
        }
        let mut given = vec![false; self.choices.places()];
        let mut todo = vec![gift];
        while let Some(place) = todo.pop() {
            if !std::mem::replace(&mut given[place as usize], true) {
                self.visits += 1;
                todo.extend(self.choices.needs(self.chosen[place as usize]));
            }
        }
        let mut uses = vec![0u64; self.choices.places()];
        for &place in &self.used {
            for &needed in self.choices.needs(self.chosen[place as usize]) {
                uses[needed as usize] += 1;
            }
        }
        let price = |place: Number, way: Number| {
            let of = |&weight: &u64| {
                let weight = weight.saturating_mul(SHARES);
                match self.is_used[place as usize] && self.chosen[place as usize] == way {
                    true => weight / uses[place as usize].max(1),
                    false => weight,
                }
            };
            self.choices.weight(way).iter().map(of).collect()
        };
        let is_given = |place: Number| given[place as usize];
        let mut chosen = self.choices.cheapest(is_given, price, &mut self.visits);
        for (place, way) in chosen.iter_mut().enumerate().filter(|&(place, _)| given[place]) {
            *way = self.chosen[place];
        }
        self.offer(chosen)
    }

    /// Takes these choices if they are better.
    fn offer(&mut self, chosen: Vec<Number>) -> bool {
        let Some((total, used)) = self.walk(&chosen) else { return false };
        self.chosen = chosen;
        self.accept(total, used);
        true
    }

    /// Keeps what `chosen` leads to, and has other places made so that they cost little beside it.
    fn accept(&mut self, total: Sum, used: Vec<Number>) {
        self.total = total;
        self.used.iter().for_each(|&place| self.is_used[place as usize] = false);
        used.iter().for_each(|&place| self.is_used[place as usize] = true);
        self.used = used;
        let weight = |_, way| Sum::from_slice(self.choices.weight(way));
        let is_used = |place: Number| self.is_used[place as usize];
        let beside = self.choices.cheapest(is_used, weight, &mut self.visits);
        for (place, way) in beside.into_iter().enumerate().filter(|&(p, _)| !self.is_used[p]) {
            self.chosen[place] = way;
        }
    }

    /// What choices cost and which places they use, if that is less than the best so far and no place
    /// is needed by itself.
    fn walk(&mut self, chosen: &[Number]) -> Option<(Sum, Vec<Number>)> {
        self.marks.walk += 1;
        let Marks { walk, entered, left } = &mut self.marks;
        let mut total = self.choices.zero();
        let mut used = Vec::new();
        let mut open = vec![(self.choices.root, 0)];
        entered[self.choices.root as usize] = *walk;
        while let Some((place, done)) = open.last_mut() {
            count_step();
            self.visits += 1;
            let (number, way) = (*place, chosen[*place as usize]);
            match self.choices.needs(way).get(*done) {
                Some(&needed) => {
                    *done += 1;
                    if entered[needed as usize] != *walk {
                        entered[needed as usize] = *walk;
                        open.push((needed, 0));
                    } else if left[needed as usize] != *walk {
                        return None;
                    }
                }
                None => {
                    add(&mut total, self.choices.weight(way));
                    if total >= self.total {
                        return None;
                    }
                    left[number as usize] = *walk;
                    used.push(number);
                    open.pop();
                }
            }
        }
        Some((total, used))
    }

    /// For every place the way with the cheapest set of places below it, as they are found.
    fn greedy(&mut self) -> Vec<Number> {
        let choices = &self.choices;
        let places = choices.places();
        let (each, least) = GREEDY_VISITS;
        let mut left = (each * choices.count() as u64).max(least);
        let mut chosen = self.chosen.clone();
        let mut sets: Vec<Option<(Sum, Rc<[Number]>)>> = vec![None; places];
        let mut marks = vec![0u32; places];
        let mut round = 0;
        let mut waiting = vec![true; places];
        let mut queue: VecDeque<Number> = (0..places as Number).collect();
        while let Some(place) = queue.pop_front() {
            waiting[place as usize] = false;
            let mut better = false;
            for way in choices.ways(place) {
                count_step();
                let mut total = Sum::from_slice(choices.weight(way));
                let mut set = vec![place];
                round += 1;
                let fits = choices.needs(way).iter().all(|&needed| {
                    let Some((_, below)) = &sets[needed as usize] else { return false };
                    left = left.saturating_sub(below.len() as u64 + 1);
                    for &other in below.iter() {
                        if std::mem::replace(&mut marks[other as usize], round) != round {
                            add(&mut total, choices.weight(chosen[other as usize]));
                            set.push(other);
                        }
                    }
                    marks[place as usize] != round
                });
                let known = &mut sets[place as usize];
                if fits && known.as_ref().is_none_or(|(least, _)| total < *least) {
                    *known = Some((total, set.into()));
                    chosen[place as usize] = way;
                    better = true;
                }
                if left == 0 {
                    return chosen;
                }
            }
            if better {
                for &above in choices.above(place) {
                    if !std::mem::replace(&mut waiting[above as usize], true) {
                        queue.push_back(above);
                    }
                }
            }
        }
        chosen
    }
}
