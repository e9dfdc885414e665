//! An order of terms, by which rules that only move arguments about are applied in one direction.

use crate::term::bank::{TermBank, TermId};
use crate::term::language::{Leaf, LeafValue, OpId};
use crate::term::leaves::Node;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::rc::Rc;

/// Terms of more nodes are compared by their sizes only.
const MOST: u64 = 4_096;
/// Symbols of keys that are kept; with more all are forgotten.
const MOST_KEPT: usize = 1 << 20;

/// What stands at a node. Literals come first, and operators before variables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Symbol {
    Literal,
    Op(OpId),
    Leaf(Leaf),
}

/// A total order of terms of at most [`MOST`] nodes: lexicographic, arguments before their operator, as if
/// literals were not there; among equals by where literals stand, and then by what they are. So multiples of a term, `(* 3 t)` and `(* 5 t)`, come
/// next to each other, directly after `t`.
#[derive(Debug, Default)]
pub(super) struct TermOrder {
    keys: FxHashMap<TermId, Rc<Key>>,
    /// Symbols of them all.
    kept: usize,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    without_literals: Vec<Symbol>,
    all: Vec<Symbol>,
    literals: Vec<Leaf>,
}

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
        if a == b {
            return Ordering::Equal;
        }
        let (of_a, of_b) = (bank.size(a), bank.size(b));
        if of_a.max(of_b) > MOST {
            return of_a.cmp(&of_b);
        }
        let (a, b) = (self.key(bank, a), self.key(bank, b));
        a.cmp(&b)
    }

    fn key(&mut self, bank: &TermBank, t: TermId) -> Rc<Key> {
        if let Some(key) = self.keys.get(&t) {
            return key.clone();
        }
        let (mut all, mut literals) = (Vec::new(), Vec::new());
        // Each node twice: before its arguments, and after them.
        let mut stack = vec![(t, false)];
        while let Some((at, done)) = stack.pop() {
            match bank.node(at) {
                Node::Leaf(leaf) if matches!(leaf.value, LeafValue::Literal(_)) => {
                    all.push(Symbol::Literal);
                    literals.push(leaf.clone());
                }
                Node::Leaf(leaf) => all.push(Symbol::Leaf(leaf.clone())),
                Node::Op(op) if done => all.push(Symbol::Op(op)),
                Node::Op(_) => {
                    stack.push((at, true));
                    stack.extend(bank.children(at).iter().rev().map(|&child| (child, false)));
                }
            }
        }
        let others = all.iter().filter(|symbol| **symbol != Symbol::Literal);
        let key = Key { without_literals: others.cloned().collect(), all, literals };
        self.kept += 2 * key.all.len();
        if self.kept > MOST_KEPT {
            self.keys.clear();
            self.kept = 2 * key.all.len();
        }
        let key = Rc::new(key);
        self.keys.insert(t, key.clone());
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::system::System;

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
    fn what_is_forgotten_is_found_again_and_huge_terms_are_compared_by_size() {
        let mut bank = bank();
        let mut terms = vec![bank.parse("x", None).unwrap()];
        let one = bank.parse("(f x)", None).unwrap();
        let f = bank.head(one);
        for _ in 0..3_000 {
            terms.push(bank.add(f, &[terms[terms.len() - 1]]));
        }
        let mut order = TermOrder::default();
        for pair in terms.windows(2) {
            assert_eq!(order.compare(&bank, pair[0], pair[1]), Ordering::Less);
            assert!(order.kept <= MOST_KEPT + 2 * 3_001);
        }
        assert!(order.keys.len() < terms.len());
        let sum = bank.parse("(+ x x)", None).unwrap();
        let plus = bank.head(sum);
        for _ in 0..70 {
            terms.push(bank.add(plus, &[terms[terms.len() - 1]; 2]));
        }
        let [small, large] = [terms[terms.len() - 40], terms[terms.len() - 39]];
        assert_eq!(order.compare(&bank, small, large), Ordering::Less);
    }
}
