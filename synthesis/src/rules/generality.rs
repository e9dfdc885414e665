//! Which of many candidates is the most general: what follows from it need not be looked at.

use crate::small::order::compare;
use crate::small::terms::{Term, Terms};
use std::cmp::{Ordering, Reverse};

/// Compares two pairs of terms, the more general first: many variables, few literals, few nodes, few operators; what is alike
/// then by the order of terms.
pub fn by_generality(terms: &Terms, a: (Term, Term), b: (Term, Term)) -> Ordering {
    let key = |(left, right): (Term, Term)| {
        let (left, right) = (terms.shape(left), terms.shape(right));
        (
            Reverse((left.variables | right.variables).count_ones()),
            left.literals + right.literals,
            left.size.max(right.size),
            left.size + right.size,
        )
    };
    key(a)
        .cmp(&key(b))
        .then_with(|| terms.operators_in(a).count().cmp(&terms.operators_in(b).count()))
        .then_with(|| compare(terms, a.0, b.0))
        .then_with(|| compare(terms, a.1, b.1))
}
