//! The shape of a polynomial: its monomials, all with the coefficient 1, and what is no polynomial as variables. A model
//! that has learned to take small numbers apart says what product has this shape; with which numbers is worked out.
//!
//! `18x² − 69xy + 28y²` has the shape `x² + xy + y²`, which a model takes for `(x + y)(x + y)`; so there may be two sums of x and y
//! as factors, `(a x + b y)(c x + d y)`, and a times c is 18.

use crate::optimise::factors::divisor::Visits;
use crate::optimise::factors::polynomial::Polynomial;
use crate::optimise::factors::ring::Operation;
use crate::optimise::factors::whole::{Factors, Whole};
use egraph::{TermBank, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A polynomial whose shape a model can be asked about.
pub struct Shape {
    whole: Whole,
    /// The variables that stand for its own in the question.
    names: Vec<TermId>,
    /// The shape, in the order of the polynomial.
    pub question: TermId,
}

impl Shape {
    /// That of a sum of monomials, one of which is a product. `None` if it is no such sum of integers or words, or the same as
    /// its shape.
    pub fn of(bank: &mut TermBank, sum: TermId) -> Option<Shape> {
        let whole = Whole::of(bank, sum).filter(|whole| whole.polynomial.degree() > 1)?;
        let names = names(bank, &whole);
        let question = without_numbers(bank, &whole, sum, &names)?;
        (question != sum).then_some(Shape { whole, names, question })
    }

    /// A term that equals the polynomial and has the shape of an answer, at least as far as sums that are multiplied
    /// have divisors of their shapes. `None` if it has none, or none is found with these visits.
    pub fn fitted(
        &self,
        bank: &mut TermBank,
        answer: TermId,
        visits: &mut Visits,
    ) -> Option<TermId> {
        let Whole { ring, polynomial, atoms } = &self.whole;
        let mut products = Vec::new();
        for summand in ring.parts(bank, answer, &[Operation::Add, Operation::Subtract])? {
            let factors = ring.parts(bank, summand, &[Operation::Multiply])?;
            let shape = |factor: TermId| ring.polynomial(bank, factor, &self.names, false);
            let mut factors = factors.into_iter().map(shape).collect::<Option<Vec<_>>>()?;
            factors.retain(|factor| factor.number().is_none());
            if factors.iter().any(|factor| factor.len() > 1) {
                products.push(factors);
            }
        }
        let (mut rest, mut sum) = (polynomial.clone(), None);
        for factors in products {
            let mut all = factors.iter();
            let all = all.try_fold(polynomial.constant(1), |all, factor| all.times(factor))?;
            let own = rest.part(|monomial| all.contains(monomial));
            if let Some(product) = self.product(bank, &own, factors, visits) {
                rest = rest.plus(&own, -1)?;
                sum = Some(match sum {
                    None => product,
                    Some(sum) => ring.apply(bank, Operation::Add, [sum, product]),
                });
            }
        }
        ring.added(bank, Some(sum?), &rest, atoms)
    }

    /// A polynomial as a product of factors with these shapes, as far as they are found: those with the fewest variables
    /// first, and what is left as the last. `None` if it has no factor of such a shape.
    fn product(
        &self,
        bank: &mut TermBank,
        polynomial: &Polynomial,
        shapes: Vec<Polynomial>,
        visits: &mut Visits,
    ) -> Option<TermId> {
        let mut factors = Factors::of(polynomial)?;
        let (monomials, mut sums): (Vec<_>, Vec<_>) =
            shapes.into_iter().partition(|shape| shape.len() == 1);
        for monomial in &monomials {
            factors.take_monomial(monomial).then_some(())?;
        }
        sums.sort_by_key(Polynomial::count_variables);
        sums.pop();
        for shape in &sums {
            factors.take_sum(shape, visits);
        }
        self.whole.product(bank, factors)
    }
}

/// A variable for each atom: itself, or one that is none of the others.
fn names(bank: &mut TermBank, Whole { ring, atoms, .. }: &Whole) -> Vec<TermId> {
    let mut taken: FxHashSet<TermId> = atoms.iter().copied().collect();
    let mut number = 0;
    let mut name = |bank: &mut TermBank, atom: TermId| {
        if bank.size(atom) == 1 && bank.variables(atom).len() == 1 {
            return atom;
        }
        loop {
            number += 1;
            let name = ring.variable(bank, &format!("part{number}"));
            if taken.insert(name) {
                return name;
            }
        }
    };
    atoms.iter().map(|&atom| name(bank, atom)).collect()
}

/// A term without the numbers in its products, with 1 for other numbers and `names` for what it is a polynomial of.
fn without_numbers(
    bank: &mut TermBank,
    Whole { ring, atoms, .. }: &Whole,
    term: TermId,
    names: &[TermId],
) -> Option<TermId> {
    let one = ring.literal(bank, 1)?;
    let mut image: FxHashMap<TermId, TermId> =
        atoms.iter().copied().zip(names.iter().copied()).collect();
    for part in bank.subterms(term) {
        if ring.number(bank, part).is_some() {
            image.insert(part, one);
        }
        let Some((operation, [left, right])) = ring.operation(bank, part) else { continue };
        let is_number = [left, right].map(|side| ring.number(bank, side).is_some());
        let (Some(&a), Some(&b)) = (image.get(&left), image.get(&right)) else { continue };
        let without = match (operation, is_number) {
            (Operation::Multiply, [true, _]) => b,
            (Operation::Multiply, [_, true]) => a,
            (Operation::Multiply, _) => ring.apply(bank, Operation::Multiply, [a, b]),
            (Operation::Add | Operation::Subtract, _) => ring.apply(bank, Operation::Add, [a, b]),
        };
        image.insert(part, without);
    }
    image.get(&term).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::{System, normalise};

    const POLYNOMIALS: &str = include_str!("../../../../configs/systems/polynomials.rules");
    const MBA: &str = include_str!("../../../../configs/systems/mba.rules");

    /// The shape of what a product is expanded to, and what an answer becomes with its numbers, which has the same normal form.
    fn fitted(rules: &str, product: &str, answer: &str) -> (String, Option<String>) {
        let system = System::parse(rules).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let product = bank.parse(product, None).unwrap();
        let form = normalise(&system, &mut bank, product, 10_000).unwrap().term;
        let shape = Shape::of(&mut bank, form).unwrap();
        let answer = bank.parse(answer, None).unwrap();
        let fitted = shape.fitted(&mut bank, answer, &mut Visits::within(1_000));
        if let Some(fitted) = fitted {
            assert_eq!(normalise(&system, &mut bank, fitted, 10_000).unwrap().term, form);
        }
        (bank.text(shape.question), fitted.map(|fitted| bank.text(fitted)))
    }

    #[test]
    fn numbers_are_worked_out() {
        let (shape, fitted) = fitted(
            POLYNOMIALS,
            "(* (- (* 6 x) (* 17 y)) (+ (* 53 x) (* 98 y)))",
            "(* (+ x y) (+ x y))",
        );
        assert_eq!(shape, "(+ (* x x) (+ (* x y) (* y y)))");
        let fitted = fitted.unwrap();
        assert!(
            fitted == "(* (- (* 6 x) (* 17 y)) (+ (* 53 x) (* 98 y)))"
                || fitted == "(* (+ (* 53 x) (* 98 y)) (- (* 6 x) (* 17 y)))",
            "{fitted}"
        );
    }

    #[test]
    fn a_number_that_all_share_stands_where_it_takes_the_fewest_nodes() {
        let (_, of_one) = fitted(POLYNOMIALS, "(* 7 (* (+ x 3) (+ y 2)))", "(* (+ x 1) (+ y 1))");
        assert_eq!(of_one.unwrap(), "(* 7 (* (+ x 3) (+ y 2)))");
        let (_, of_all) =
            fitted(POLYNOMIALS, "(* 7 (* (+ (* 3 x) 5) (+ y 2)))", "(* (+ x 1) (+ y 1))");
        let of_all = of_all.unwrap();
        assert!(of_all.contains("(+ (* 21 x) 35)") && of_all.contains("(+ y 2)"), "{of_all}");
    }

    #[test]
    fn what_is_no_polynomial_is_a_variable_of_the_question() {
        let (shape, fitted) = fitted(
            MBA,
            "(* (- (* 6 (& x y)) (* 17 part1)) (+ (* 53 (& x y)) 98))",
            "(* (+ part2 part1) (+ part2 1))",
        );
        assert!(!shape.contains('&') && shape.contains("part2"), "{shape}");
        let fitted = fitted.unwrap();
        assert!(fitted.contains("(* 53 (& x y))") && fitted.len() < 60, "{fitted}");
    }

    #[test]
    fn summands_beside_a_product_are_left() {
        let (_, fitted) = fitted(
            POLYNOMIALS,
            "(- (* (+ (* 5 x) (* 3 y)) (+ (* 2 z) 7)) (* 11 u))",
            "(+ u (* (+ x y) (+ z 1)))",
        );
        let fitted = fitted.unwrap();
        assert!(fitted.ends_with("(* 11 u))") && fitted.contains("(* 2 z)"), "{fitted}");
    }

    #[test]
    fn a_shape_that_does_not_fit_is_fitted_in_part_or_not() {
        let wrong = fitted(POLYNOMIALS, "(* (+ x 3) (+ y 2))", "(* (+ x y) (+ y 1))").1;
        assert!(wrong.is_none_or(|wrong| wrong.len() < 60));
        let product = "(* (+ x 3) (* (+ y 2) (+ z 5)))";
        let in_part = fitted(POLYNOMIALS, product, "(* (+ x 1) (* (+ y z) (+ y 1)))").1.unwrap();
        assert!(in_part.contains("(+ x 3)"), "{in_part}");
        let x_twice = fitted(POLYNOMIALS, "(+ (* 3 (* x x)) x)", "(* y y)").1;
        assert_eq!(x_twice, None);
    }

    #[test]
    fn what_has_no_numbers_or_no_products_is_not_asked_about() {
        let system = System::parse(POLYNOMIALS).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        for text in ["(+ (* x x) (+ x 1))", "x", "1", "7", "(+ (* 3 x) 5)"] {
            let term = bank.parse(text, None).unwrap();
            assert!(Shape::of(&mut bank, term).is_none());
        }
    }
}
