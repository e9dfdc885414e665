//! Terms with one literal, which may be any: gone through from the root down, with what the rest of the term says of its
//! value.

use crate::optimise::values::small_terms::{Inside, Made, SmallTerms, StepUp};
use crate::optimise::values::words::{Known, POINTS, Values};

/// What a search for a literal came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Literal {
    Found(Made),
    /// No term has the values.
    None,
    /// None was found, and there may be one.
    Unsure,
}

/// Goes through the terms of `size` nodes with one literal and small terms beside it, which were gone through: one that
/// has the values of `target`. `None` after too many visits.
pub fn with_literal(terms: &mut SmallTerms, target: &Values, size: usize) -> Option<Literal> {
    let wanted = target.map(|value| Known { mask: terms.ones, value });
    let made = Made { inside: Inside::Literal(0), way: Vec::new() };
    let mut search = Search { terms, target, made, is_unsure: false };
    Some(match search.inside(&wanted, size)? {
        true => Literal::Found(search.made),
        false if search.is_unsure => Literal::Unsure,
        false => Literal::None,
    })
}

struct Search<'a> {
    terms: &'a mut SmallTerms,
    target: &'a Values,
    /// Its way leads from the root to the place that is looked at.
    made: Made,
    is_unsure: bool,
}

impl Search<'_> {
    /// Whether the literal is found inside of a part of `size` nodes of which this is `wanted`.
    fn inside(&mut self, wanted: &[Known; POINTS], size: usize) -> Option<bool> {
        self.terms.visit(1)?;
        if size == 1 {
            let Some(literal) = the_same(wanted) else { return Some(false) };
            self.made.inside = Inside::Literal(literal);
            let found = self.terms.values_of(&self.made) == *self.target;
            // What was wanted of it is not all that must be.
            self.is_unsure |= !found;
            return Some(found);
        }
        for number in 0..self.terms.ops.len() {
            let op = self.terms.ops[number];
            if op.arity() == 1 {
                if self.below(wanted, size - 1, (number, None, false))? {
                    return Some(true);
                }
                continue;
            }
            for other in 1..size - 1 {
                for place in (0..self.terms.of_size(other)).map(|at| (other, at)) {
                    self.terms.visit(2)?;
                    for second in [false, true] {
                        let step = (number, Some(place), second);
                        if !(second && op.commutes())
                            && self.below(wanted, size - 1 - other, step)?
                        {
                            return Some(true);
                        }
                    }
                }
            }
        }
        Some(false)
    }

    /// Whether the literal is found below a step, in a part of `size` nodes.
    fn below(&mut self, wanted: &[Known; POINTS], size: usize, step: StepUp) -> Option<bool> {
        let (number, other, second) = step;
        let (op, values) = (self.terms.ops[number], self.terms.beside(other));
        let mut inside = [Known::NOTHING; POINTS];
        for ((inside, wanted), other) in inside.iter_mut().zip(wanted).zip(values) {
            match op.argument(*wanted, other, second, self.terms.ones) {
                Some(known) => *inside = known,
                None => return Some(false),
            }
        }
        self.made.way.push(step);
        let found = self.inside(&inside, size)?;
        if !found {
            self.made.way.pop();
        }
        Some(found)
    }
}

/// The word that may be what is known at each point, if one may; of bits that are not known all are 0.
fn the_same(known: &[Known; POINTS]) -> Option<u64> {
    let mut all = Known::NOTHING;
    for known in known {
        if (all.value ^ known.value) & all.mask & known.mask != 0 {
            return None;
        }
        all = Known { mask: all.mask | known.mask, value: all.value | known.value };
    }
    Some(all.value)
}
