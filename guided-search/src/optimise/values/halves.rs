//! Terms that are put together of small ones, from the root down: with up to two operators around a small term that is looked
//! up by its values, or is one part of a conjunction or disjunction. Not all such terms are gone through.

use crate::optimise::values::small_terms::{Inside, Made, SmallTerms, StepUp, TermPlace};
use crate::optimise::values::words::{Known, POINTS, Values, WordOp};

/// Operators around what is looked up.
const AROUND: usize = 2;
/// Small terms that a conjunction may have for a part, at most; the smallest ones.
const PARTS: usize = 512;
/// So many values that are only compared take as long as a visit.
const COMPARED: u64 = 16;

/// The smallest term of at most `most` nodes with the values of `target` that is found with so many `visits`.
pub fn of_halves(
    terms: &mut SmallTerms,
    target: &Values,
    most: usize,
    visits: u64,
) -> Option<Made> {
    let mut halves = Halves { terms, most, way: Vec::new(), best: None };
    for around in 1..=AROUND {
        halves.terms.most_visits = halves.terms.visits + visits / AROUND as u64;
        // With the smallest ones beside it first, so that these were tried when visits end.
        let mut others = 1;
        while halves.terms.of_size(others) > 0
            && halves.look_up(target, 0, (others, around)).is_some()
        {
            others += 1;
        }
        halves.way.clear();
    }
    let (_, inside, way) = halves.best?;
    Some(Made { inside: Inside::Term(inside), way })
}

struct Halves<'a> {
    terms: &'a mut SmallTerms,
    most: usize,
    way: Vec<StepUp>,
    /// Its size, what was looked up, and the way there.
    best: Option<(usize, TermPlace, Vec<StepUp>)>,
}

impl Halves<'_> {
    /// Looks for what is `wanted` inside of `used` nodes, with up to `depth` operators around it and other arguments of at
    /// most `others` nodes. `None` after too many visits.
    fn look_up(
        &mut self,
        wanted: &Values,
        used: usize,
        (others, depth): (usize, usize),
    ) -> Option<()> {
        self.terms.visit(1)?;
        if let Some(place) = self.terms.with_values(wanted) {
            self.note(used + place.0, place, None);
        }
        let Some(depth) = depth.checked_sub(1) else { return Some(()) };
        if others == 1 {
            self.split(wanted, used)?;
        }
        for number in 0..self.terms.ops.len() {
            let op = self.terms.ops[number];
            if op.arity() == 1 {
                self.below(wanted, used + 1, (number, None, false), (others, depth))?;
                continue;
            }
            for size in 1..=others {
                for place in (0..self.terms.of_size(size)).map(|at| (size, at)) {
                    for second in [false, true] {
                        if !(second && op.commutes()) {
                            let step = (number, Some(place), second);
                            self.below(wanted, used + 1 + size, step, (others, depth))?;
                        }
                    }
                }
            }
        }
        Some(())
    }

    fn below(
        &mut self,
        wanted: &Values,
        used: usize,
        step: StepUp,
        more: (usize, usize),
    ) -> Option<()> {
        let (number, other, second) = step;
        let (op, ones) = (self.terms.ops[number], self.terms.ones);
        let values = self.terms.beside(other);
        let mut inside = [0; POINTS];
        for ((inside, &value), other) in inside.iter_mut().zip(wanted).zip(values) {
            match op.argument(Known { mask: ones, value }, other, second, ones) {
                Some(known) if known.mask == ones => *inside = known.value,
                _ => return Some(()),
            }
        }
        self.way.push(step);
        self.look_up(&inside, used, more)?;
        self.way.pop();
        Some(())
    }

    /// What is wanted as a conjunction or disjunction of two small terms.
    fn split(&mut self, wanted: &Values, used: usize) -> Option<()> {
        for number in 0..self.terms.ops.len() {
            let op = self.terms.ops[number];
            if !matches!(op, WordOp::And | WordOp::Or) {
                continue;
            }
            let ones = self.terms.ones;
            let may_be_part = |values: &Values| {
                values.iter().zip(wanted).all(|(&part, &all)| op.of(part, all, ones) == all)
            };
            let parts: Vec<(TermPlace, Values)> = (self.terms.all())
                .filter(|(_, values)| may_be_part(values))
                .map(|(place, values)| (place, *values))
                .take(PARTS)
                .collect();
            self.terms
                .visit((self.terms.classes() + (parts.len() * parts.len()) as u64) / COMPARED)?;
            for (i, &(place, a)) in parts.iter().enumerate() {
                for (other, b) in &parts[..i] {
                    if self.terms.apply(op, &a, b) == *wanted {
                        let step = (number, Some(*other), false);
                        self.note(used + 1 + place.0 + other.0, place, Some(step));
                    }
                }
            }
        }
        Some(())
    }

    /// Keeps what was found if it is the smallest: `step` is one more above it.
    fn note(&mut self, size: usize, place: TermPlace, step: Option<StepUp>) {
        if size <= self.most && self.best.as_ref().is_none_or(|best| size < best.0) {
            self.best = Some((size, place, self.way.iter().copied().chain(step).collect()));
        }
    }
}
