//! The well-sorted terms over fixed leaves: counted by size, exactly, and numbered.
//!
//! With t(q, s) the number of terms of sort q with s nodes, and p(q₁…q_k, s) that of sequences of
//! terms of the sorts q₁…q_k with s nodes together,
//!
//! ```text
//! t(q, s)       = leaves of q if s = 1, and Σ over operators f(q₁…q_k) of q   p(q₁…q_k, s − 1)
//! p(q₁…q_k, s)  = Σ over s₁ ≥ 1   t(q₁, s₁) · p(q₂…q_k, s − s₁),   p(ε, 0) = 1
//! ```
//!
//! A number below t(q, s) says which leaf, or which operator and which sequence of arguments; what
//! is left of it says which argument is first, and which sequence follows.

use egraph::{Language, Leaf, LeafValue, OpId, SortId, TermBank, TermId};
use num_bigint::BigUint;

/// The operators of a language by their sorts, and literals.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Lists of argument sorts and all ends of them, as (first, number of the rest); number 0 is
    /// the empty list, and a rest has a smaller number than its list.
    lists: Vec<(SortId, usize)>,
    /// By sort: its operators by their lists of arguments.
    operators: Vec<Vec<(usize, Vec<OpId>)>>,
    /// By sort.
    literals: Vec<Vec<Leaf>>,
}

impl Signature {
    /// The operators of `language`, and these literals, each once.
    pub fn new(language: &Language, literals: &[Leaf]) -> Signature {
        let sorts = language.sorts.len();
        let mut signature = Signature {
            // The sort of the empty list is not looked at.
            lists: vec![(SortId(0), 0)],
            operators: vec![Vec::new(); sorts],
            literals: vec![Vec::new(); sorts],
        };
        for (op, operator) in (0..).map(OpId).zip(&language.operators) {
            let list = operator.args.iter().rfold(0, |rest, &sort| signature.list(sort, rest));
            let of_sort = &mut signature.operators[usize::from(operator.result.0)];
            match of_sort.iter_mut().find(|(other, _)| *other == list) {
                Some((_, operators)) => operators.push(op),
                None => of_sort.push((list, vec![op])),
            }
        }
        for literal in literals {
            signature.literals[usize::from(literal.sort.0)].push(literal.clone());
        }
        signature
    }

    /// The number of a list, entered if new.
    fn list(&mut self, first: SortId, rest: usize) -> usize {
        let mut known = 1..self.lists.len();
        known.find(|&list| self.lists[list] == (first, rest)).unwrap_or_else(|| {
            self.lists.push((first, rest));
            self.lists.len() - 1
        })
    }
}

/// The numbers of terms over a signature and some variables.
#[derive(Clone, Debug)]
pub struct TermNumbers {
    /// By sort: its number of variables.
    variables: Vec<usize>,
    /// By sort and size.
    terms: Vec<Vec<BigUint>>,
    /// By list of sorts and total size.
    sequences: Vec<Vec<BigUint>>,
}

impl TermNumbers {
    /// Counts the terms with at most `largest` nodes over as many variables of each sort.
    pub fn new(signature: &Signature, variables: Vec<usize>, largest: usize) -> TermNumbers {
        let mut terms = vec![vec![BigUint::ZERO]; signature.operators.len()];
        let mut sequences = vec![vec![BigUint::ZERO]; signature.lists.len()];
        sequences[0][0] = BigUint::from(1u8);
        for size in 1..=largest {
            for (sort, operators) in signature.operators.iter().enumerate() {
                let leaves = signature.literals[sort].len() + variables[sort];
                let mut sum = BigUint::from(if size == 1 { leaves } else { 0 });
                for (list, operators) in operators {
                    sum += &sequences[*list][size - 1] * operators.len();
                }
                terms[sort].push(sum);
            }
            sequences[0].push(BigUint::ZERO);
            for (list, &(sort, rest)) in signature.lists.iter().enumerate().skip(1) {
                let (first, rests) = (&terms[usize::from(sort.0)], &sequences[rest]);
                let products = (1..=size).map(|s| (&first[s], &rests[size - s]));
                let sum = products
                    .filter(|(a, b)| **a > BigUint::ZERO && **b > BigUint::ZERO)
                    .fold(BigUint::ZERO, |sum, (a, b)| sum + a * b);
                sequences[list].push(sum);
            }
        }
        TermNumbers { variables, terms, sequences }
    }

    /// The number of terms of a sort with `size` nodes, which must have been counted.
    pub fn count(&self, sort: SortId, size: usize) -> &BigUint {
        &self.terms[usize::from(sort.0)][size]
    }

    /// Term number `number`, from 0, of a sort with `size` nodes; `None` if there are not so many.
    /// Variable number i is called `v` and i, in each sort.
    pub fn term(
        &self,
        signature: &Signature,
        bank: &mut TermBank,
        sort: SortId,
        size: usize,
        mut number: BigUint,
    ) -> Option<TermId> {
        if size == 1 {
            let literals = &signature.literals[usize::from(sort.0)];
            let leaves = literals.len() + self.variables[usize::from(sort.0)];
            if number < BigUint::from(leaves) {
                let place = index(&number);
                let variable = |place: usize| LeafValue::Variable(format!("v{place}"));
                return Some(match literals.get(place) {
                    Some(literal) => bank.leaf(literal),
                    None => bank.leaf(&Leaf { sort, value: variable(place - literals.len()) }),
                });
            }
            number -= leaves;
        }
        for (list, operators) in &signature.operators[usize::from(sort.0)] {
            let each = &self.sequences[*list][size.checked_sub(1)?];
            let here = each * operators.len();
            if number >= here {
                number -= here;
                continue;
            }
            let op = operators[index(&(&number / each))];
            let arguments = self.arguments(signature, bank, *list, size - 1, number % each)?;
            return Some(bank.apply(op, &arguments));
        }
        None
    }

    /// Sequence number `number` of terms of a list of sorts with `size` nodes together.
    fn arguments(
        &self,
        signature: &Signature,
        bank: &mut TermBank,
        mut list: usize,
        mut size: usize,
        mut number: BigUint,
    ) -> Option<Vec<TermId>> {
        let mut arguments = Vec::new();
        while list != 0 {
            let (sort, rest) = signature.lists[list];
            let rests = &self.sequences[rest];
            let (first, place) = from_both_ends(size).find_map(|first| {
                let each = &rests[size - first];
                let here = self.count(sort, first) * each;
                if number >= here {
                    number -= here;
                    return None;
                }
                let place = &number / each;
                number %= each;
                Some((first, place))
            })?;
            arguments.push(self.term(signature, bank, sort, first, place)?);
            (list, size) = (rest, size - first);
        }
        Some(arguments)
    }
}

/// 1, n, 2, n − 1, …: most random terms have one large argument, which is found soon so.
fn from_both_ends(n: usize) -> impl Iterator<Item = usize> {
    (0..n).map(move |i| if i % 2 == 0 { 1 + i / 2 } else { n - i / 2 })
}

/// A number that is known to be an index.
fn index(number: &BigUint) -> usize {
    number.iter_u64_digits().next().unwrap_or(0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Sorts with and without literals and variables, one of them empty, and up to three arguments.
    const RULES: &str = "(sort I) (sort B) (sort E) (literal i64 I) (literal bool B) (variable B) \
        (variable I) (op + (I I) I) (op - (I I) I) (op c () I) (op < (I I) B) (op if (B I I) I) \
        (op ! (B) B) (op never (E) I)";

    #[test]
    fn numbers_are_terms_and_terms_are_numbers() {
        let language = System::parse(RULES).unwrap().language;
        let literals: Vec<_> = ["0", "1", "-2"]
            .into_iter()
            .flat_map(|text| (0..2).map(move |sort| (text, SortId(sort))))
            .filter_map(|(text, sort)| language.leaf(text, Some(sort)).ok())
            .collect();
        let signature = Signature::new(&language, &literals);
        let numbers = TermNumbers::new(&signature, vec![2, 1, 0], 6);
        let mut bank = TermBank::new(language);
        for (sort, size) in (0..3).flat_map(|sort| (0..=6).map(move |size| (SortId(sort), size))) {
            let count = index(numbers.count(sort, size));
            let mut term = |n: usize| numbers.term(&signature, &mut bank, sort, size, n.into());
            let all: BTreeSet<_> = (0..count).map_while(&mut term).collect();
            assert_eq!(term(count), None);
            assert_eq!(all.len(), count, "{sort:?}, size {size}");
            assert!(all.iter().all(|&t| bank.size(t) == size as u64 && bank.sort(t) == sort));
        }
        // Over 6 integer and 3 boolean leaves: x + y, x − y; x < y, !!b.
        assert_eq!(*numbers.count(SortId(0), 3), BigUint::from(2u32 * 36));
        assert_eq!(*numbers.count(SortId(1), 3), BigUint::from(36u32 + 3));
    }

    proptest! {
        #[test]
        fn both_ends_meet(n in 0usize..50) {
            let mut all: Vec<_> = from_both_ends(n).collect();
            all.sort_unstable();
            prop_assert_eq!(all, (1..=n).collect::<Vec<_>>());
        }
    }
}
