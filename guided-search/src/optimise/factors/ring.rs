//! Terms of sums, differences and products as polynomials, and back.

use crate::optimise::factors::polynomial::{Monomial, Polynomial};
use egraph::{Leaf, LeafValue, LiteralKind, Node, OpId, SortId, TermBank, TermId, Value, Width};
use rustc_hash::FxHashMap;

/// Terms with more nodes are not read.
const MOST_NODES: u64 = 4_096;

/// The operators of a sort that add and multiply integers or words.
#[derive(Clone, Debug)]
pub struct Ring {
    sort: SortId,
    kind: LiteralKind,
    add: OpId,
    subtract: Option<OpId>,
    multiply: OpId,
}

/// An operation of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
}

impl Ring {
    /// That of a sort, if it has sums, products, integers or words, and variables.
    pub fn of(bank: &TermBank, sort: SortId) -> Option<Ring> {
        let language = bank.language();
        let kind = language.literal_kind(sort)?;
        let of_numbers = matches!(kind, LiteralKind::I64 | LiteralKind::Bits(_));
        let named = |name: &str| {
            let found = language.operators.iter().position(|operator| {
                let builtin = operator.builtin.is_some_and(|builtin| builtin.name() == name);
                builtin && operator.result == sort && operator.args == [sort, sort]
            });
            found.map(|op| OpId(op as u32))
        };
        (of_numbers && language.variables.contains(&sort)).then_some(())?;
        let [add, subtract, multiply] = ["+", "-", "*"].map(named);
        Some(Ring { sort, kind, add: add?, subtract, multiply: multiply? })
    }

    /// The operation at the root of a term, with its two sides.
    pub fn operation(&self, bank: &TermBank, term: TermId) -> Option<(Operation, [TermId; 2])> {
        let Node::Op(op) = bank.node(term) else { return None };
        let operation = match op {
            op if op == self.add => Operation::Add,
            op if Some(op) == self.subtract => Operation::Subtract,
            op if op == self.multiply => Operation::Multiply,
            _ => return None,
        };
        let &[left, right] = bank.children(term) else { return None };
        Some((operation, [left, right]))
    }

    /// The number that a literal is; a word as a signed one.
    pub fn number(&self, bank: &TermBank, term: TermId) -> Option<i128> {
        match bank.literal(term)? {
            Value::Bits(word) => Some(word.signed().into()),
            other => other.whole(),
        }
    }

    /// The literal that a number is, if there is one; a word for a number of as many bits with or without a sign.
    pub fn literal(&self, bank: &mut TermBank, number: i128) -> Option<TermId> {
        let value = match self.kind {
            LiteralKind::Bits(width) => word(width, number)?,
            kind => Value::of_integer(kind, i64::try_from(number).ok()?)?,
        };
        Some(bank.leaf(&Leaf { sort: self.sort, value: LeafValue::Literal(value) }))
    }

    /// The variable with a name.
    pub fn variable(&self, bank: &mut TermBank, name: &str) -> TermId {
        let value = LeafValue::Variable(name.to_owned());
        bank.leaf(&Leaf { sort: self.sort, value })
    }

    pub fn apply(&self, bank: &mut TermBank, operation: Operation, sides: [TermId; 2]) -> TermId {
        let op = match operation {
            Operation::Add => self.add,
            Operation::Multiply => self.multiply,
            Operation::Subtract => {
                self.subtract.unwrap_or_else(|| unreachable!("asked for where there is one"))
            }
        };
        bank.apply(op, &sides)
    }

    /// The product of terms; `None` of none.
    pub fn product(&self, bank: &mut TermBank, factors: Vec<TermId>) -> Option<TermId> {
        let factors = factors.into_iter().rev();
        factors.reduce(|right, left| self.apply(bank, Operation::Multiply, [left, right]))
    }

    /// What stands under operations at the root of a term, from left to right. `None` of terms that are too long.
    pub fn parts(
        &self,
        bank: &TermBank,
        term: TermId,
        operations: &[Operation],
    ) -> Option<Vec<TermId>> {
        (bank.size(term) <= MOST_NODES).then_some(())?;
        let (mut found, mut stack) = (Vec::new(), vec![term]);
        while let Some(at) = stack.pop() {
            match self.operation(bank, at) {
                Some((operation, [left, right])) if operations.contains(&operation) => {
                    stack.extend([right, left]);
                }
                _ => found.push(at),
            }
        }
        Some(found)
    }

    /// What stands in a term that is neither sum, difference, product nor number: variables and other terms, each once.
    /// `None` of terms that are too long.
    pub fn atoms(&self, bank: &TermBank, term: TermId) -> Option<Vec<TermId>> {
        let all = [Operation::Add, Operation::Subtract, Operation::Multiply];
        let mut found = Vec::new();
        for part in self.parts(bank, term, &all)? {
            if self.number(bank, part).is_none() && !found.contains(&part) {
                found.push(part);
            }
        }
        Some(found)
    }

    /// A term as a polynomial whose variables are `atoms`; without `numbers`, all numbers are 1, and what is subtracted is
    /// added, so that nothing is left but which monomials there are. `None` if other atoms occur, or it gets too large.
    pub fn polynomial(
        &self,
        bank: &TermBank,
        term: TermId,
        atoms: &[TermId],
        numbers: bool,
    ) -> Option<Polynomial> {
        (bank.size(term) <= MOST_NODES).then_some(())?;
        let mut known: FxHashMap<TermId, Polynomial> = FxHashMap::default();
        let mut stack = vec![term];
        while let Some(&at) = stack.last() {
            let polynomial = match self.operation(bank, at) {
                None => match self.number(bank, at) {
                    Some(number) => {
                        let number = if numbers { number } else { 1 };
                        Polynomial::monomial(vec![0; atoms.len()], number)
                    }
                    None => {
                        let place = atoms.iter().position(|&atom| atom == at)?;
                        let mut monomial: Monomial = vec![0; atoms.len()];
                        monomial[place] = 1;
                        Polynomial::monomial(monomial, 1)
                    }
                },
                Some((operation, [left, right])) => {
                    let open = [left, right].into_iter().filter(|side| !known.contains_key(side));
                    let before = stack.len();
                    stack.extend(open);
                    if stack.len() > before {
                        continue;
                    }
                    let [left, right] = [&known[&left], &known[&right]];
                    match operation {
                        Operation::Multiply => left.times(right)?,
                        Operation::Subtract if numbers => left.clone().plus(right, -1)?,
                        Operation::Add | Operation::Subtract => left.clone().plus(right, 1)?,
                    }
                }
            };
            stack.pop();
            known.insert(at, polynomial);
        }
        known.remove(&term)
    }

    /// A polynomial as a sum of its monomials, what is subtracted last. `None` if a number is no literal.
    pub fn term(
        &self,
        bank: &mut TermBank,
        polynomial: &Polynomial,
        atoms: &[TermId],
    ) -> Option<TermId> {
        self.added(bank, None, polynomial, atoms)
    }

    /// A term, if there is one, and a polynomial that is added to it, as [`Ring::term`] writes it.
    pub fn added(
        &self,
        bank: &mut TermBank,
        mut sum: Option<TermId>,
        polynomial: &Polynomial,
        atoms: &[TermId],
    ) -> Option<TermId> {
        let is_negative = |&(_, number): &(&Monomial, i128)| number < 0;
        let summands = polynomial.summands().rev();
        let last = summands.clone().filter(is_negative);
        for (monomial, number) in summands.filter(|summand| !is_negative(summand)).chain(last) {
            let subtracts = sum.is_some() && number < 0 && self.subtract.is_some();
            let number = if subtracts { -number } else { number };
            let is_one = monomial.iter().all(|&exponent| exponent == 0);
            let mut parts = Vec::new();
            if number != 1 || is_one {
                parts.push(self.literal(bank, number)?);
            }
            for (&exponent, &atom) in monomial.iter().zip(atoms) {
                parts.extend((0..exponent).map(|_| atom));
            }
            let summand = self.product(bank, parts)?;
            let operation = if subtracts { Operation::Subtract } else { Operation::Add };
            sum = Some(match sum {
                None => summand,
                Some(before) => self.apply(bank, operation, [before, summand]),
            });
        }
        match sum {
            None => self.literal(bank, 0),
            sum => sum,
        }
    }
}

fn word(width: Width, number: i128) -> Option<Value> {
    let half = 1i128 << (width.bits() - 1);
    (-half..2 * half).contains(&number).then(|| Value::word(width, number as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::factors::polynomial::tests::any_polynomial;
    use egraph::System;
    use proptest::prelude::*;

    fn bank(rules: &str) -> TermBank {
        TermBank::new(System::parse(rules).unwrap().language.clone())
    }

    fn ring(rules: &str, text: &str) -> Option<(TermBank, TermId, Ring)> {
        let mut bank = bank(rules);
        let term = bank.parse(text, None).unwrap();
        let ring = Ring::of(&bank, bank.sort(term))?;
        Some((bank, term, ring))
    }

    const POLYNOMIALS: &str = include_str!("../../../../configs/systems/polynomials.rules");
    const MBA: &str = include_str!("../../../../configs/systems/mba.rules");
    const WORDS: &str = include_str!("../../../../configs/systems/words.rules");
    const PROP: &str = include_str!("../../../../configs/systems/prop.rules");

    #[test]
    fn terms_are_read_as_polynomials_and_written_again() {
        for (rules, text, written) in [
            (POLYNOMIALS, "(* (+ x 2) (- x (* y 3)))", None),
            (POLYNOMIALS, "(- x x)", Some("0")),
            (POLYNOMIALS, "(- 0 (* x x))", Some("(* -1 (* x x))")),
            (
                POLYNOMIALS,
                "(* (+ x 2) (- x y))",
                Some("(- (- (+ (* x x) (* 2 x)) (* x y)) (* 2 y))"),
            ),
            (MBA, "(* (& x y) (- z 18446744073709551615))", Some("(+ (* (& x y) z) (& x y))")),
            (WORDS, "(-:8 (*:8 x y) (*:8 200 x))", Some("(+:8 (*:8 x y) (*:8 56 x))")),
        ] {
            let (mut bank, term, ring) = ring(rules, text).unwrap();
            let atoms = ring.atoms(&bank, term).unwrap();
            let polynomial = ring.polynomial(&bank, term, &atoms, true).unwrap();
            let sum = ring.term(&mut bank, &polynomial, &atoms).unwrap();
            assert_eq!(ring.polynomial(&bank, sum, &atoms, true), Some(polynomial));
            if let Some(written) = written {
                assert_eq!(bank.text(sum), written);
            }
        }
        assert!(ring(PROP, "(-> p q)").is_none());
    }

    #[test]
    fn without_numbers_nothing_is_cancelled() {
        let (bank, term, ring) = ring(POLYNOMIALS, "(- (* (+ x y) (- x y)) (* 5 7))").unwrap();
        let atoms = ring.atoms(&bank, term).unwrap();
        let shape = ring.polynomial(&bank, term, &atoms, false).unwrap();
        assert_eq!(shape.len(), 4);
    }

    #[test]
    fn numbers_that_are_no_literals_are_not_written() {
        let (mut bank, _, ring) = ring(POLYNOMIALS, "x").unwrap();
        assert_eq!(ring.literal(&mut bank, 1 << 63), None);
        let (mut bank, _, ring) = self::ring(WORDS, "(+:8 x y)").unwrap();
        let texts = [-129, -128, 255, 256].map(|n| {
            let literal = ring.literal(&mut bank, n);
            literal.map(|literal| bank.text(literal))
        });
        assert_eq!(texts, [None, Some("128".to_owned()), Some("255".to_owned()), None]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_it_was(polynomial in any_polynomial()) {
            let (mut bank, _, ring) = ring(POLYNOMIALS, "x").unwrap();
            let atoms = ["x", "y", "z"].map(|name| ring.variable(&mut bank, name));
            let term = ring.term(&mut bank, &polynomial, &atoms).unwrap();
            prop_assert_eq!(ring.polynomial(&bank, term, &atoms, true), Some(polynomial));
        }
    }
}
