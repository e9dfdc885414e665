//! Rebuilding: congruence closure and constant folding after a batch of unions.

use super::{EGraph, FEW};
use crate::graph::class_index::ClassIndex;
use crate::graph::parents::Run;
use crate::graph::proof_forest::Reason;
use crate::id::Id;
use crate::term::language::{Leaf, LeafValue};
use crate::term::leaves::Node;
use crate::term::literal::Value;
use smallvec::SmallVec;

impl EGraph {
    /// Restores the invariants: unites congruent e-nodes, folds constants, indexes the classes.
    pub fn rebuild(&mut self) {
        self.close();
        let new = self.nodes.len() - self.index.ids();
        let regrouped = self.regrouped.replace(Vec::new());
        let regrouped = regrouped.filter(|_| new <= self.index.ids() / FEW);
        self.touch_absorbed(regrouped.as_deref());
        self.compress(regrouped.as_deref());
        let EGraph { index, nodes, stamps, classes, .. } = self;
        let (ids, live) = (nodes.len(), |id| !stamps.is_dead(id));
        let (class, head) = (|id| classes.compressed(id), |id| nodes.head(id));
        match regrouped {
            Some(regrouped) => {
                index.update(ids, &regrouped, live, class, head);
                debug_assert!({
                    let mut all = ClassIndex::default();
                    all.build(ids, live, class, head);
                    *index == all
                });
            }
            None => index.build(ids, live, class, head),
        }
        // A file may say what is not so.
        debug_assert!(self.told || self.broken().is_none(), "{:?}", self.broken());
    }

    /// Closes the equalities under congruence and folds constants.
    pub(crate) fn close(&mut self) {
        loop {
            while let Some(run) = self.stale_uses.pop() {
                self.update_uses(run, EGraph::repair_node);
            }
            if let Some(class) = self.new_literals.pop() {
                self.look_at_uses(self.find(class));
            } else if let Some(class) = self.new_representatives.pop() {
                // A function that had no value may have one now.
                self.look_at_uses(self.find(class));
            } else if !self.pass_facts_on() {
                break;
            }
        }
    }

    /// Brings the owners of a run of uses up to date: what changes one, then what follows from its
    /// children as they are now.
    #[inline]
    fn update_uses(&mut self, run: Run, change: impl Fn(&mut EGraph, Id)) {
        let mut next = Some(run.first);
        while let Some(slot) = next {
            next = self.uses.after(slot, run);
            let (node, _) = self.nodes.owner(slot);
            if !self.stamps.is_dead(node) {
                change(self, node);
                self.fold(node);
                self.transfer(node);
            }
        }
    }

    fn repair_node(&mut self, node: Id) {
        let slots = self.nodes.slots(node);
        let stale = |s: usize| !self.classes.is_root(self.nodes.child(s));
        if !slots.clone().any(stale) {
            return;
        }
        self.nodes.memo_remove(node);
        for s in slots {
            let class = self.classes.find_compress(self.nodes.child(s));
            self.nodes.set_child(s, class);
        }
        match self.nodes.find(self.head(node), self.nodes.children(node)) {
            Some(twin) => {
                self.stamps.kill(node);
                self.regroup(self.find(node));
                self.union(node, twin, Reason::Congruence);
            }
            None => {
                self.nodes.memo_insert(node);
                self.stamps.touch(node);
            }
        }
    }

    /// Looks at the uses of a class that came to have a literal, another representative or other facts.
    pub(super) fn look_at_uses(&mut self, class: Id) {
        if let Some(run) = self.uses.all(class) {
            self.update_uses(run, |egraph, node| egraph.stamps.touch(node));
        }
    }

    /// The members of classes that were absorbed since the last rebuild have changed. Later
    /// members are new, and have changed anyhow.
    fn touch_absorbed(&mut self, regrouped: Option<&[Id]>) {
        let EGraph { index, classes, stamps, .. } = self;
        let mut touch = |class: Id| {
            if !classes.is_root(class) {
                index.class(class).iter().for_each(|&node| stamps.touch(node));
            }
        };
        match regrouped {
            Some(regrouped) => regrouped.iter().copied().for_each(&mut touch),
            None => (0..index.ids() as u32).map(Id).for_each(&mut touch),
        }
    }

    /// Points every live e-node straight at its class.
    fn compress(&mut self, regrouped: Option<&[Id]>) {
        let EGraph { index, classes, nodes, .. } = self;
        let Some(regrouped) = regrouped else { return classes.compress_all() };
        for &class in regrouped {
            if !classes.is_root(class) {
                classes.compress(class);
                index.class(class).iter().for_each(|&node| classes.compress(node));
            }
        }
        (index.ids()..nodes.len()).for_each(|id| classes.compress(Id(id as u32)));
    }

    /// Unites an application of a built-in operator with its value, if all children have one.
    pub(super) fn fold(&mut self, node: Id) {
        let Node::Op(op) = self.node(node) else { return };
        let language = &self.system.language;
        let (Some(builtin), sort) = (language.folds(op), language.op(op).result) else { return };
        let literals = self.children(node).iter().map(|&c| self.literal_node(c));
        let Some(bound) = literals.collect::<Option<SmallVec<[Id; 6]>>>() else { return };
        let values: Option<Vec<Value>> = bound.iter().map(|&c| self.literal(c)).collect();
        let Some(value) = values.and_then(|values| builtin.eval(&values)) else { return };
        let literal = self.add_leaf(&Leaf { sort, value: LeafValue::Literal(value) });
        self.union(node, literal, Reason::Fold { bound: &bound });
    }

    /// Which of the invariants at the head of [`crate::graph::egraph`] does not hold: none after a rebuild. What a file
    /// says is held to them, too.
    pub(super) fn broken(&self) -> Option<&'static str> {
        let mut live = 0;
        let mut by_operator = vec![0; self.system.language.operators.len()];
        for n in self.ids() {
            let class = self.find(n);
            if self.binds && self.loose(n) != self.loose_of(self.head(n), self.original_children(n))
            {
                return Some("an e-node has other loose indices");
            }
            if self.binds && self.find(self.representative(class)) != class {
                return Some("a class is represented by another one");
            }
            if self.stamps.is_dead(n) {
                continue;
            }
            live += 1;
            if !self.classes.is_compressed(n) {
                return Some("an e-node does not point straight at its class");
            }
            if let Some(count) = by_operator.get_mut(self.head(n).0 as usize) {
                *count += 1;
            }
            if self.children(n).iter().any(|&c| self.find(c) != c) {
                return Some("an e-node has a child that is no class");
            }
            if self.nodes.find(self.head(n), self.children(n)) != Some(n) {
                return Some("two e-nodes are congruent");
            }
            if let Node::Op(op) = self.node(n)
                && self.system.language.constant_folding
                && self.conflict.is_none()
            {
                let values: Option<Vec<Value>> =
                    self.children(n).iter().map(|&c| self.literal(c)).collect();
                let value = values.and_then(|v| self.system.language.op(op).builtin?.eval(&v));
                if value.is_some() && self.literal(n) != value {
                    return Some("a constant is not folded");
                }
            }
        }
        let mut literals = self.literals.iter();
        if literals.any(|(&class, &id)| self.find(id) != class || self.literal(class).is_none()) {
            return Some("a class has the literal of another");
        }
        let roots = self.ids().filter(|&id| self.find(id) == id).count();
        let are_right = live == self.nodes.live()
            && by_operator == self.nodes.live_by_operator()
            && roots == self.class_count;
        if !are_right {
            return Some("the counts are others");
        }
        let spans = self.forest.spans(self.class_count, |id| self.find(id));
        (!spans).then_some("the trees of the proof forest are not the classes")
    }
}
