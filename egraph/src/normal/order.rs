//! An order of terms, by which rules that only move arguments about are applied in one direction.

use crate::term::bank::{TermBank, TermId};
use crate::term::language::{Leaf, LeafValue, OpId};
use crate::term::leaves::Node;
use std::cmp::Ordering;

/// Terms of more nodes are compared by their sizes only.
const MOST: u64 = 4_096;

/// What stands at a node. Literals come first, and operators before variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Symbol<'a> {
    Literal,
    Op(OpId),
    Leaf(&'a Leaf),
}

/// What is compared of two terms.
#[derive(Clone, Copy)]
enum Of {
    AllButLiterals,
    PlacesOfLiterals,
    Literals,
}

/// A total order of terms of at most [`MOST`] nodes: lexicographic, arguments before their operator, as if
/// literals were not there; among equals by where literals stand, and then by what they are. So multiples of a term, `(* 3 t)` and `(* 5 t)`, come
/// next to each other, directly after `t`.
///
/// Terms are walked through side by side up to the first difference, which is mostly at their first leaf: in a sorted sum each
/// step makes new tails, and all of each would be too much to look at.
#[derive(Debug, Default)]
pub(super) struct TermOrder {
    /// What is still to be walked through of two terms.
    walks: [Walk; 2],
}

/// Each node twice: before its arguments, and after them.
type Walk = Vec<(TermId, bool)>;

impl TermOrder {
    /// Which of two rows of terms comes first, lexicographically.
    pub fn compare_all(
        &mut self,
        bank: &TermBank,
        a: impl Iterator<Item = TermId>,
        b: impl Iterator<Item = TermId>,
    ) -> Ordering {
        let mut orders = a.zip(b).map(|(a, b)| self.compare(bank, a, b));
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// Which of two terms comes first.
    fn compare(&mut self, bank: &TermBank, a: TermId, b: TermId) -> Ordering {
        let (of_a, of_b) = (bank.size(a), bank.size(b));
        if a == b || of_a.max(of_b) > MOST {
            return of_a.cmp(&of_b);
        }
        let mut orders = [Of::AllButLiterals, Of::PlacesOfLiterals, Of::Literals]
            .into_iter()
            .map(|of| self.compare_by(bank, a, b, of));
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    fn compare_by(&mut self, bank: &TermBank, a: TermId, b: TermId, of: Of) -> Ordering {
        let [left, right] = &mut self.walks;
        left.clear();
        right.clear();
        left.push((a, false));
        right.push((b, false));
        loop {
            // What is the same term on both sides is the same sequence.
            while let (Some(x), Some(y)) = (left.last(), right.last())
                && x == y
                && !x.1
            {
                left.pop();
                right.pop();
            }
            let (x, y) = (next(bank, left, of), next(bank, right, of));
            match x.cmp(&y) {
                Ordering::Equal if x.is_none() => return Ordering::Equal,
                Ordering::Equal => {}
                order => return order,
            }
        }
    }
}

/// The next symbol of a walk that counts.
fn next<'a>(bank: &'a TermBank, walk: &mut Walk, of: Of) -> Option<Symbol<'a>> {
    while let Some((at, done)) = walk.pop() {
        match (bank.node(at), of) {
            (Node::Leaf(Leaf { value: LeafValue::Literal(_), .. }), Of::AllButLiterals) => {}
            (Node::Leaf(Leaf { value: LeafValue::Literal(_), .. }), Of::PlacesOfLiterals) => {
                return Some(Symbol::Literal);
            }
            (Node::Leaf(leaf @ Leaf { value: LeafValue::Literal(_), .. }), Of::Literals) => {
                return Some(Symbol::Leaf(leaf));
            }
            (Node::Leaf(_), Of::Literals) => {}
            (Node::Leaf(leaf), _) => return Some(Symbol::Leaf(leaf)),
            (Node::Op(op), Of::AllButLiterals | Of::PlacesOfLiterals) if done => {
                return Some(Symbol::Op(op));
            }
            (Node::Op(_), _) if done => {}
            (Node::Op(_), _) => {
                walk.push((at, true));
                walk.extend(bank.children(at).iter().rev().map(|&child| (child, false)));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::system::System;
    use proptest::prelude::*;

    fn bank() -> TermBank {
        let text =
            "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op * (I I) I) (op f (I) I)";
        TermBank::new(System::parse(text).unwrap().language)
    }

    #[test]
    fn multiples_come_right_after_what_they_are_multiples_of() {
        let mut bank = bank();
        let ascending =
            ["3", "x", "(* 3 x)", "(* 5 x)", "(f x)", "(+ 1 (+ x y))", "(+ x (+ 1 y))", "y"];
        let terms = ascending.map(|text| bank.parse(text, None).unwrap());
        let mut order = TermOrder::default();
        for (i, &a) in terms.iter().enumerate() {
            for (j, &b) in terms.iter().enumerate() {
                assert_eq!(
                    order.compare(&bank, a, b),
                    i.cmp(&j),
                    "{} {}",
                    ascending[i],
                    ascending[j]
                );
            }
        }
    }

    #[test]
    fn huge_terms_are_compared_by_size() {
        let mut bank = bank();
        let mut terms = vec![bank.parse("x", None).unwrap()];
        let sum = bank.parse("(+ x x)", None).unwrap();
        let plus = bank.head(sum);
        for _ in 0..40 {
            terms.push(bank.add(plus, &[terms[terms.len() - 1]; 2]));
        }
        let mut order = TermOrder::default();
        for pair in terms.windows(2) {
            assert_eq!(order.compare(&bank, pair[0], pair[1]), Ordering::Less);
        }
    }

    /// All symbols of a term, one after the other.
    fn all<'a>(bank: &'a TermBank, t: TermId, of: Of) -> Vec<Symbol<'a>> {
        let mut walk = vec![(t, false)];
        std::iter::from_fn(|| next(bank, &mut walk, of)).collect()
    }

    /// A term that is read off from bytes, on a stack: leaves, and operators where there is enough for them.
    fn term(bank: &mut TermBank, bytes: &[u8]) -> TermId {
        let mut stack = Vec::new();
        for byte in bytes {
            let term = match (byte % 9, &stack[..]) {
                (0 | 1, [.., a, b]) => format!("(+ {a} {b})"),
                (2, [.., a, b]) => format!("(* {a} {b})"),
                (3, [.., a]) => format!("(f {a})"),
                (4..6, _) => (byte % 3).to_string(),
                _ => ["x", "y", "z"][usize::from(byte / 9 % 3)].to_owned(),
            };
            let taken = match byte % 9 {
                0..3 if stack.len() > 1 => 2,
                3 if !stack.is_empty() => 1,
                _ => 0,
            };
            stack.truncate(stack.len() - taken);
            stack.push(term);
        }
        bank.parse(stack.last().map_or("x", |text| text), None).unwrap()
    }

    proptest! {
        /// Stopping at the first difference, and passing over what both share, changes nothing.
        #[test]
        fn terms_are_in_the_order_of_all_their_symbols(
            rows in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..24), 2..6),
        ) {
            let mut bank = bank();
            let terms: Vec<TermId> = rows.iter().map(|bytes| term(&mut bank, bytes)).collect();
            let mut order = TermOrder::default();
            for &a in &terms {
                for &b in &terms {
                    let keys = [a, b].map(|t| {
                        [Of::AllButLiterals, Of::PlacesOfLiterals, Of::Literals]
                            .map(|of| all(&bank, t, of))
                    });
                    prop_assert_eq!(order.compare(&bank, a, b), keys[0].cmp(&keys[1]));
                }
            }
        }
    }
}
