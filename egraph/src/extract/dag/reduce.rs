//! A question for the cheapest choice made smaller, with answers that cost the same: what no best answer needs goes, what every
//! answer has stands with the root, and what one place alone needs becomes part of it.

use crate::bounds::count_step;
use crate::extract::dag::implied::{Implied, circles};
use crate::extract::dag::question::{Question, Way};
use crate::extract::dag::sums::{Number, Sum, add};
use std::time::Instant;

/// Ways of a place that are compared with each other, at most.
const COMPARED: usize = 512;

impl Question {
    /// Makes the question smaller until nothing more goes, or the time is over, if it has an end. Answers that cost `bound` or more may be
    /// lost; those below cost the same as before. Nothing is left of the root where there are none.
    pub fn reduce(&mut self, bound: Option<&Sum>, end: Option<Instant>) {
        let is_over = || end.is_some_and(|end| Instant::now() >= end);
        self.clean();
        loop {
            let before = self.size();
            self.step(bound, &is_over);
            self.clean();
            if self.size() == before || is_over() {
                return;
            }
        }
    }

    fn step(&mut self, bound: Option<&Sum>, is_over: &dyn Fn() -> bool) {
        let least = self.least_trees();
        if least[self.root as usize].is_none() {
            return self.places[self.root as usize].clear();
        }
        let known = Known {
            implied: Implied::of(self, &least, is_over),
            circles: circles(self),
            trees: least.into_iter().map(|least| least.map(|(cost, _)| cost)).collect(),
        };
        if let Some(bound) = bound {
            self.leave_out_dear(&known, bound);
        }
        self.leave_out_dominated(&known, is_over);
        self.free_of_what_is_made(&known);
        self.clean();
        self.join_with_only_users();
    }

    /// Leaves out ways with which any answer costs the bound or more: it has all that is implied, of each place the cheapest
    /// way at least.
    fn leave_out_dear(&mut self, known: &Known, bound: &Sum) {
        let Some(start) = self.start() else { return };
        let least: Vec<Option<Sum>> = self
            .places
            .iter()
            .map(|ways| ways.iter().map(|way| &way.weight).min().cloned())
            .collect();
        let forced = known.implied.by(self.root);
        let mut marks = Marks::new(self.places.len());
        let mut total = |own: Option<(Number, &Way)>| {
            marks.clear();
            let mut sum = own.map_or_else(|| start.weight.clone(), |(_, way)| way.weight.clone());
            if let Some((place, way)) = own {
                marks.mark(place);
                if place != self.root {
                    add(&mut sum, &start.weight);
                }
                for &needed in &way.needs {
                    for &other in known.implied.by(needed) {
                        if marks.mark(other)
                            && let Some(least) = &least[other as usize]
                        {
                            add(&mut sum, least);
                        }
                    }
                }
            }
            for &other in forced {
                if other != self.root
                    && marks.mark(other)
                    && let Some(least) = &least[other as usize]
                {
                    add(&mut sum, least);
                }
            }
            sum
        };
        let kept: Vec<Vec<bool>> = (0..)
            .zip(&self.places)
            .map(|(place, ways)| {
                ways.iter().map(|way| count_step_of(total(Some((place, way))) < *bound)).collect()
            })
            .collect();
        for (ways, kept) in self.places.iter_mut().zip(kept) {
            let mut kept = kept.into_iter();
            ways.retain(|_| kept.next() == Some(true));
        }
    }

    /// Leaves out ways in place of which another one does: where that is used, all that the other one needs is there, or its
    /// cheapest trees make up for it. No circle comes of it, as what is needed anew is not in a circle with the place.
    fn leave_out_dominated(&mut self, known: &Known, is_over: &dyn Fn() -> bool) {
        let mut marks = Marks::new(self.places.len());
        for place in 0..self.places.len() as Number {
            let mut ways = std::mem::take(&mut self.places[place as usize]);
            if ways.len() > 1 && ways.len() <= COMPARED && !is_over() {
                ways.sort_by(|a, b| {
                    (&a.weight, a.needs.len(), &a.needs).cmp(&(&b.weight, b.needs.len(), &b.needs))
                });
                let mut kept: Vec<Way> = Vec::new();
                for way in ways {
                    marks.clear();
                    for &needed in &way.needs {
                        for &other in known.implied.by(needed) {
                            if !known.are_in_circle(place, other) {
                                marks.mark(other);
                            }
                        }
                    }
                    way.needs.iter().for_each(|&needed| _ = marks.mark(needed));
                    let does = |other: &Way| {
                        count_step();
                        let mut cost = other.weight.clone();
                        other.needs.iter().all(|&needed| {
                            if marks.is_marked(needed) {
                                return true;
                            }
                            // Strictly less, as what is exchanged for what must come to an end.
                            let tree = known.trees[needed as usize].as_ref();
                            let tree = tree.filter(|_| !known.are_in_circle(place, needed));
                            tree.is_some_and(|tree| {
                                add(&mut cost, tree);
                                cost < way.weight
                            })
                        })
                    };
                    if !kept.iter().any(does) {
                        kept.push(way);
                    }
                }
                ways = kept;
            }
            self.places[place as usize] = ways;
        }
    }

    /// No way needs what every answer has, but the root, nor what costs nothing. Within circles it does: they must not close.
    fn free_of_what_is_made(&mut self, known: &Known) {
        let mut forced = vec![false; self.places.len()];
        known.implied.by(self.root).iter().for_each(|&place| forced[place as usize] = true);
        let mut is_free = vec![false; self.places.len()];
        for place in 0..self.places.len() as Number {
            let costs_nothing =
                |way: &&Way| way.needs.is_empty() && way.weight.iter().all(|&weight| weight == 0);
            let found = self.places[place as usize].iter().find(costs_nothing).cloned();
            if let Some(way) = found.filter(|_| place != self.root) {
                self.give(&way);
                is_free[place as usize] = true;
            }
        }
        let root = self.root;
        for (place, ways) in (0..).zip(&mut self.places) {
            if is_free[place as usize] {
                ways.clear();
            }
            for way in ways {
                way.needs.retain(|&needed| {
                    let is_made = forced[needed as usize] && !known.are_in_circle(place, needed);
                    !(is_free[needed as usize] || place != root && is_made)
                });
            }
        }
        if let Some(start) = self.places[root as usize].first_mut() {
            start.needs.extend(known.implied.by(root));
            start.needs.retain(|&place| place != root && !is_free[place as usize]);
            start.needs.sort_unstable();
            start.needs.dedup();
        }
    }

    /// Makes a place that one place alone needs part of the ways there that need it, if these become no more.
    fn join_with_only_users(&mut self) {
        let mut users: Vec<Vec<Number>> = vec![Vec::new(); self.places.len()];
        for (place, ways) in (0..).zip(&self.places) {
            for &needed in ways.iter().flat_map(|way| &way.needs) {
                let users = &mut users[needed as usize];
                if !users.contains(&place) {
                    users.push(place);
                }
            }
        }
        for place in 0..self.places.len() as Number {
            let [user] = users[place as usize][..] else { continue };
            let needing = |way: &&Way| way.needs.binary_search(&place).is_ok();
            let uses = self.places[user as usize].iter().filter(needing).count();
            let makes = self.places[place as usize].len();
            // The root keeps one way.
            let most = if user == self.root { 1 } else { uses + makes };
            if place == self.root || uses == 0 || makes == 0 || uses * makes > most {
                continue;
            }
            let made = std::mem::take(&mut self.places[place as usize]);
            for way in std::mem::take(&mut self.places[user as usize]) {
                count_step();
                if way.needs.binary_search(&place).is_err() {
                    self.places[user as usize].push(way);
                    continue;
                }
                for used in made.iter().filter(|used| !used.needs.contains(&user)) {
                    let joined = self.joined(&way, used, place);
                    self.places[user as usize].push(joined);
                }
            }
            for &needed in made.iter().flat_map(|way| &way.needs) {
                let users = &mut users[needed as usize];
                users.retain(|&other| other != place);
                if !users.contains(&user) {
                    users.push(user);
                }
            }
        }
    }
}

/// Counts a step that decides something.
fn count_step_of(decided: bool) -> bool {
    count_step();
    decided
}

/// What is known of the places of a question.
struct Known {
    implied: Implied,
    circles: Vec<Number>,
    /// What the cheapest tree of each costs.
    trees: Vec<Option<Sum>>,
}

impl Known {
    fn are_in_circle(&self, a: Number, b: Number) -> bool {
        self.circles[a as usize] == self.circles[b as usize]
    }
}

/// Places that are marked, without clearing anything in between.
struct Marks {
    round: u32,
    marked: Vec<u32>,
}

impl Marks {
    fn new(places: usize) -> Marks {
        Marks { round: 0, marked: vec![0; places] }
    }

    fn clear(&mut self) {
        self.round += 1;
    }

    /// Marks a place; whether it was not.
    fn mark(&mut self, place: Number) -> bool {
        std::mem::replace(&mut self.marked[place as usize], self.round) != self.round
    }

    fn is_marked(&self, place: Number) -> bool {
        self.marked[place as usize] == self.round
    }
}
