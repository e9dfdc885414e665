//! A polynomial and the terms that its variables are, and how it is written as a product.

use crate::optimise::factors::divisor::{Visits, divisor};
use crate::optimise::factors::polynomial::Polynomial;
use crate::optimise::factors::ring::Ring;
use egraph::{TermBank, TermId};

/// A term as a polynomial.
pub struct Whole {
    pub ring: Ring,
    pub polynomial: Polynomial,
    /// What it is a polynomial of.
    pub atoms: Vec<TermId>,
}

/// Factors of a polynomial, as far as they are known.
pub struct Factors {
    number: i128,
    monomials: Vec<Polynomial>,
    sums: Vec<Polynomial>,
    /// What is left to be taken apart.
    pub rest: Polynomial,
}

impl Whole {
    /// That of sums, differences and products of integers or words. `None` of other terms, and of large ones.
    pub fn of(bank: &TermBank, term: TermId) -> Option<Whole> {
        let ring = Ring::of(bank, bank.sort(term))?;
        let atoms = ring.atoms(bank, term)?;
        let polynomial = ring.polynomial(bank, term, &atoms, true)?;
        Some(Whole { ring, polynomial, atoms })
    }

    /// A product in as few nodes as its number allows: this stands where it takes the fewest. `None` if there is but one factor.
    pub fn product(&self, bank: &mut TermBank, factors: Factors) -> Option<TermId> {
        let Factors { mut number, monomials, mut sums, rest } = factors;
        match rest.number() {
            Some(left) => number = number.checked_mul(left)?,
            None => sums.push(rest),
        }
        if monomials.len() + sums.len() < 2 {
            return None;
        }
        for sum in &mut sums {
            let negative = sum.multiple(-1)?;
            let is_negative = sum.summands().next_back().is_some_and(|(_, first)| first < 0);
            let sizes = [self.size(bank, &negative)?, self.size(bank, sum)?];
            if sizes[0] < sizes[1] || is_negative && sizes[0] == sizes[1] {
                (*sum, number) = (negative, -number);
            }
        }
        let mut best = self.written(bank, number, &monomials, &sums)?;
        for place in 0..sums.len() {
            let mut other = sums.clone();
            other[place] = other[place].multiple(number)?;
            let way = self.written(bank, 1, &monomials, &other)?;
            if bank.size(way) < bank.size(best) {
                best = way;
            }
        }
        Some(best)
    }

    fn written(
        &self,
        bank: &mut TermBank,
        number: i128,
        monomials: &[Polynomial],
        sums: &[Polynomial],
    ) -> Option<TermId> {
        let mut factors = Vec::new();
        if number != 1 {
            factors.push(self.ring.literal(bank, number)?);
        }
        for factor in monomials.iter().chain(sums) {
            factors.push(self.ring.term(bank, factor, &self.atoms)?);
        }
        self.ring.product(bank, factors)
    }

    fn size(&self, bank: &mut TermBank, polynomial: &Polynomial) -> Option<u64> {
        self.ring.term(bank, polynomial, &self.atoms).map(|term| bank.size(term))
    }
}

impl Factors {
    /// The number by which all coefficients can be divided, and nothing else. `None` of 0.
    pub fn of(whole: &Polynomial) -> Option<Factors> {
        let number = whole.content();
        let rest = whole.clone().divided_by(&whole.constant(number))?;
        Some(Factors { number, monomials: Vec::new(), sums: Vec::new(), rest })
    }

    /// Takes a factor off whose coefficient is 1, once. Whether it is one.
    pub fn take_monomial(&mut self, monomial: &Polynomial) -> bool {
        let Some(rest) = self.rest.clone().divided_by(monomial) else { return false };
        self.monomials.push(monomial.clone());
        self.rest = rest;
        true
    }

    /// Takes a factor off that has the monomials of a sum, once. Whether one was found, with these visits.
    pub fn take_sum(&mut self, shape: &Polynomial, visits: &mut Visits) -> bool {
        let Some((sum, rest)) = divisor(&self.rest, shape, visits) else { return false };
        self.sums.push(sum);
        self.rest = rest;
        true
    }
}
