//! What a place needs in whichever way it is made.

use crate::bounds::count_step;
use crate::extract::dag::question::{Question, Way};
use crate::extract::dag::sums::{Number, Sum};

/// Members of all sets at most: 64 MiB.
const MOST: usize = 1 << 24;

/// Members of sets and ways that are looked at, at most.
const VISITS: usize = 1 << 28;

/// By place: itself and the places that every answer has which has it, in order.
pub(super) struct Implied(Vec<Vec<Number>>);

impl Implied {
    /// The greatest sets of which each is the place, with what is in the sets of the needs of every way: all that follows for
    /// answers, which are made in finitely many steps. Of each place itself alone where the time is over or the sets
    /// become [too large](MOST). `least` are its cheapest trees.
    pub fn of(
        question: &Question,
        least: &[Option<(Sum, usize)>],
        is_over: &dyn Fn() -> bool,
    ) -> Implied {
        let places = question.places.len();
        let mut order: Vec<Number> = (0..places as Number).collect();
        order.retain(|&place| least[place as usize].is_some());
        // Each behind what its cheapest tree needs, so that every set is known when it is looked at the second time.
        order.sort_by(|&a, &b| (&least[a as usize], a).cmp(&(&least[b as usize], b)));
        let mut users: Vec<Vec<Number>> = vec![Vec::new(); places];
        for &place in &order {
            for &needed in question.places[place as usize].iter().flat_map(|way| &way.needs) {
                if users[needed as usize].last() != Some(&place) {
                    users[needed as usize].push(place);
                }
            }
        }
        // None is a set of which nothing is known yet: everything.
        let mut sets: Vec<Option<Vec<Number>>> = vec![None; places];
        let mut common = Common::new(places);
        let mut waiting = vec![true; places];
        let mut queue: std::collections::VecDeque<Number> = order.iter().copied().collect();
        let (mut steps, mut size, mut visits) = (0u32, 0usize, 0usize);
        while let Some(place) = queue.pop_front() {
            count_step();
            steps += 1;
            if size > MOST || visits > VISITS || steps.is_multiple_of(64) && is_over() {
                return Implied((0..places as Number).map(|place| vec![place]).collect());
            }
            waiting[place as usize] = false;
            let Some(found) = common.of_ways(&question.places[place as usize], place, &sets) else {
                // Of no way anything is known: a tie in the order. It is looked at once more.
                if !std::mem::replace(&mut waiting[place as usize], true) {
                    queue.push_back(place);
                }
                continue;
            };
            visits += found.len() + question.places[place as usize].len();
            let known = &mut sets[place as usize];
            if known.as_ref() != Some(&found) {
                size += found.len();
                size -= known.replace(found).map_or(0, |before| before.len());
                for &user in &users[place as usize] {
                    if !std::mem::replace(&mut waiting[user as usize], true) {
                        queue.push_back(user);
                    }
                }
            }
        }
        Implied(sets.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// What every answer has that has the place, with itself, in order.
    pub fn by(&self, place: Number) -> &[Number] {
        &self.0[place as usize]
    }
}

/// What sets have in common, without clearing anything in between.
struct Common {
    /// By place: the last way in which it was met, and how many ways of this round before have it, too.
    met: Vec<u64>,
    count: Vec<u32>,
    way: u64,
}

impl Common {
    fn new(places: usize) -> Common {
        Common { met: vec![0; places], count: vec![0; places], way: 0 }
    }

    /// What the sets of the needs of every way have, with the place itself; none if of no way anything is known.
    fn of_ways(
        &mut self,
        ways: &[Way],
        place: Number,
        sets: &[Option<Vec<Number>>],
    ) -> Option<Vec<Number>> {
        let mut known = 0;
        let mut found: Vec<Number> = Vec::new();
        let begin = self.way;
        for way in ways {
            let is_known = |&needed: &Number| sets[needed as usize].is_some();
            // What is not known yet is everything, and so is what needs it.
            if !way.needs.iter().all(is_known) {
                continue;
            }
            self.way += 1;
            let union = way.needs.iter().filter_map(|&needed| sets[needed as usize].as_ref());
            for &other in union.flatten() {
                let met = &mut self.met[other as usize];
                let before = std::mem::replace(met, self.way);
                if before == self.way {
                    continue;
                }
                // The first way says what may be common.
                if known == 0 {
                    self.count[other as usize] = 1;
                    found.push(other);
                } else if before > begin && self.count[other as usize] == known {
                    self.count[other as usize] += 1;
                }
            }
            known += 1;
        }
        if known == 0 {
            return None;
        }
        found.retain(|&other| self.count[other as usize] == known && other != place);
        found.push(place);
        found.sort_unstable();
        Some(found)
    }
}

/// By place the number of its circle: places that need each other, by way of others, too, have the same.
pub(super) fn circles(question: &Question) -> Vec<Number> {
    // Tarjan's algorithm, with a stack of its own.
    const NEW: Number = Number::MAX;
    let needs = |place: Number| question.places[place as usize].iter().flat_map(|way| &way.needs);
    let places = question.places.len();
    let (mut index, mut low) = (vec![NEW; places], vec![NEW; places]);
    let mut circle = vec![NEW; places];
    let mut open: Vec<Number> = Vec::new();
    let (mut entered, mut circles) = (0, 0);
    for start in 0..places as Number {
        if index[start as usize] != NEW {
            continue;
        }
        let mut path = vec![(start, needs(start))];
        while let Some((place, rest)) = path.last_mut() {
            let place = *place;
            if index[place as usize] == NEW {
                (index[place as usize], low[place as usize]) = (entered, entered);
                entered += 1;
                open.push(place);
            }
            match rest.next() {
                Some(&needed) if index[needed as usize] == NEW => {
                    path.push((needed, needs(needed)))
                }
                Some(&needed) => {
                    if circle[needed as usize] == NEW {
                        low[place as usize] = low[place as usize].min(index[needed as usize]);
                    }
                }
                None => {
                    path.pop();
                    if let Some((above, _)) = path.last() {
                        low[*above as usize] = low[*above as usize].min(low[place as usize]);
                    }
                    if low[place as usize] == index[place as usize] {
                        while let Some(member) = open.pop() {
                            circle[member as usize] = circles;
                            if member == place {
                                break;
                            }
                        }
                        circles += 1;
                    }
                }
            }
        }
    }
    circle
}
