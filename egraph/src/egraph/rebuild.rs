//! Rebuilding: congruence closure and constant folding after a batch of unions.

use super::{EGraph, Id, NONE};
use crate::forest::Reason;
use crate::language::{Leaf, LeafValue, Value};
use crate::leaves::Node;
use crate::term::hash_node;
use smallvec::SmallVec;

impl EGraph {
    /// Restores the invariants: unites congruent e-nodes, folds constants, indexes the classes.
    pub fn rebuild(&mut self) {
        loop {
            while let Some((first, last)) = self.stale_uses.pop() {
                self.repair_uses(first, last);
            }
            match self.new_literals.pop() {
                Some(class) => self.fold_uses(self.find(class)),
                None => break,
            }
        }
        self.classes.compress_all();
        let mut index = std::mem::take(&mut self.index);
        index.build(
            self.heads.len(),
            self.system.language.operators.len(),
            |id| !self.dead[id.0 as usize],
            |id| self.find(id),
            |id| self.head(id),
        );
        self.index = index;
        #[cfg(debug_assertions)]
        self.check_invariants();
    }

    /// Brings the owners of a run of uses up to date.
    fn repair_uses(&mut self, first: u32, last: u32) {
        let mut slot = first;
        loop {
            let next = self.next_use[slot as usize];
            let node = self.owners[slot as usize];
            if !self.dead[node.0 as usize] {
                self.repair_node(node);
                self.fold(node);
            }
            if slot == last {
                return;
            }
            slot = next;
        }
    }

    fn repair_node(&mut self, node: Id) {
        let slots = self.slots(node);
        let stale =
            slots.clone().any(|s| self.classes.find(self.canonical[s]) != self.canonical[s]);
        if !stale {
            return;
        }
        let head = self.head(node);
        let old = hash_node(head, &self.canonical[slots.clone()]);
        if let Ok(entry) = self.memo.find_entry(old, |&n| n == node.0) {
            entry.remove();
        }
        for s in slots.clone() {
            self.canonical[s] = self.classes.find_compress(self.canonical[s]);
        }
        let new = hash_node(head, &self.canonical[slots.clone()]);
        match self.find_memo(new, head, &self.canonical[slots]) {
            Some(twin) => {
                self.dead[node.0 as usize] = true;
                self.union(node, twin, Reason::Congruence);
            }
            None => self.insert_memo(new, node),
        }
    }

    fn fold_uses(&mut self, class: Id) {
        let mut slot = self.first_use[class.0 as usize];
        while slot != NONE {
            let node = self.owners[slot as usize];
            if !self.dead[node.0 as usize] {
                self.fold(node);
            }
            slot = self.next_use[slot as usize];
        }
    }

    /// Unites an application of a built-in operator with its value, if all children have one.
    pub(super) fn fold(&mut self, node: Id) {
        let Node::Op(op) = self.node(node) else { return };
        if !self.system.language.constant_folding {
            return;
        }
        let operator = self.system.language.op(op);
        let (Some(builtin), sort) = (operator.builtin, operator.result) else { return };
        let literals = self.children(node).iter().map(|&c| self.literal_node(c));
        let Some(bound) = literals.collect::<Option<SmallVec<[Id; 6]>>>() else { return };
        let values: Option<Vec<Value>> = bound.iter().map(|&c| self.literal(c)).collect();
        let Some(value) = values.and_then(|values| builtin.eval(&values)) else { return };
        let literal = self.add_leaf(&Leaf { sort, value: LeafValue::Literal(value) });
        self.union(node, literal, Reason::Fold { bound: &bound });
    }

    /// The invariants at the head of [`crate::egraph`], after each rebuild in debug builds.
    #[cfg(debug_assertions)]
    fn check_invariants(&self) {
        let mut live = 0;
        let mut roots = 0;
        for n in (0..self.heads.len() as u32).map(Id) {
            roots += usize::from(self.find(n) == n);
            if self.dead[n.0 as usize] {
                continue;
            }
            live += 1;
            assert!(self.children(n).iter().all(|&c| self.find(c) == c), "stale child");
            let hash = hash_node(self.head(n), self.children(n));
            assert_eq!(self.find_memo(hash, self.head(n), self.children(n)), Some(n));
            if let Node::Op(op) = self.node(n)
                && self.system.language.constant_folding
                && self.conflict.is_none()
            {
                let values: Option<Vec<Value>> =
                    self.children(n).iter().map(|&c| self.literal(c)).collect();
                let value = values.and_then(|v| self.system.language.op(op).builtin?.eval(&v));
                assert!(value.is_none() || self.literal(n) == value, "unfolded constant");
            }
        }
        assert_eq!(live, self.memo.len());
        assert_eq!(roots, self.class_count);
    }
}
