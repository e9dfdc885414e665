//! An order of terms, by which rules that only move arguments about are applied in one direction.

use crate::term::bank::{TermBank, TermId};
use crate::term::language::{Leaf, LeafValue, OpId};
use crate::term::leaves::Node;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::rc::Rc;

/// Terms of more nodes are compared by their sizes only.
const MOST: u64 = 4_096;

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
        let key = Rc::new(key);
        self.keys.insert(t, key.clone());
        key
    }
}
