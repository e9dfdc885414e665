//! A polynomial as a product of sums that are tried one after the other.

use crate::optimise::factors::divisor::Visits;
use crate::optimise::factors::polynomial::{Monomial, Polynomial};
use crate::optimise::factors::whole::{Factors, Whole};
use egraph::{TermBank, TermId};

/// A product that equals a term: of what it is a polynomial of, of sums of two and three of that and of numbers, and of what is left.
/// `None` if there is none, or none is found with these visits.
pub fn product_of_sums(bank: &mut TermBank, term: TermId, visits: &mut Visits) -> Option<TermId> {
    let whole = Whole::of(bank, term)?;
    let variables = whole.atoms.len();
    let mut factors = Factors::of(&whole.polynomial)?;
    let unit = |v: usize| -> Monomial { (0..variables).map(|at| u8::from(at == v)).collect() };
    // The last one is 1.
    let summands: Vec<Polynomial> =
        (0..=variables).map(|v| Polynomial::monomial(unit(v), 1)).collect();
    for variable in &summands[..variables] {
        while factors.take_monomial(variable) {}
    }
    // Those of fewer come first: while one of these is left, a divisor with more of the same summands is not always found.
    for count in [2, 3] {
        for chosen in choices(summands.len(), count) {
            let mut chosen = chosen.iter().map(|&at| &summands[at]);
            let shape = chosen.try_fold(Polynomial::default(), |sum, other| sum.plus(other, 1))?;
            while factors.rest.degree() > 1 && factors.take_sum(&shape, visits) {}
        }
    }
    whole.product(bank, factors)
}

/// All choices of so many of the first numbers, each in order.
fn choices(of: usize, count: usize) -> Vec<Vec<usize>> {
    let mut chosen = vec![Vec::new()];
    for _ in 0..count {
        let longer = chosen.iter().flat_map(|chosen: &Vec<usize>| {
            let first = chosen.last().map_or(0, |last| last + 1);
            (first..of).map(|next| chosen.iter().copied().chain([next]).collect())
        });
        chosen = longer.collect();
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::{System, normalise};

    const POLYNOMIALS: &str = include_str!("../../../../configs/systems/polynomials.rules");

    /// What the normal form of a product becomes.
    fn taken_apart(text: &str) -> Option<String> {
        let system = System::parse(POLYNOMIALS).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let term = bank.parse(text, None).unwrap();
        let form = normalise(&system, &mut bank, term, 10_000).unwrap().term;
        let product = product_of_sums(&mut bank, form, &mut Visits::within(1_000))?;
        assert_eq!(normalise(&system, &mut bank, product, 10_000).unwrap().term, form);
        Some(bank.text(product))
    }

    #[test]
    fn products_of_sums_are_found_again() {
        for text in [
            "(* (+ x 2) (+ x 3))",
            "(* (+ x y) (* (+ x y) (+ x y)))",
            "(* x (* (- (* 7 y) z) (+ (* 5 z) 4)))",
            "(* 6 (* (- x y) (+ x y)))",
            "(* (+ (+ (* 31 x) (* 17 y)) 5) (- (* 3 y) (* 64 z)))",
            "(* (+ x y) (+ (* x x) (+ y 1)))",
        ] {
            let found = taken_apart(text).unwrap();
            let nodes = |text: &str| text.split_whitespace().count();
            assert!(nodes(&found) <= nodes(text), "{found} of {text}");
        }
    }

    #[test]
    fn what_is_no_product_is_none() {
        for text in ["(+ (* x x) 1)", "(+ x y)", "x", "7", "0", "(+ (* x y) z)"] {
            assert_eq!(taken_apart(text), None);
        }
    }

    #[test]
    fn choices_are_all() {
        assert_eq!(choices(3, 2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(choices(9, 3).len(), 84);
        assert!(choices(1, 2).is_empty());
    }
}
