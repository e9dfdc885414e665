//! Terms into an e-graph, and e-nodes out of it as terms.

use super::EGraph;
use crate::id::Id;
use crate::term::bank::{TermBank, TermId};
use crate::term::leaves::Node;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

impl EGraph {
    /// Adds a term and its subterms; returns the e-node of the term. Rebuild before matching.
    pub fn add_term(&mut self, bank: &TermBank, t: TermId) -> Id {
        self.add_into(bank, t, &mut FxHashMap::default())
    }

    /// The same; enters the e-nodes of its subterms into `ids`.
    pub(super) fn add_into(
        &mut self,
        bank: &TermBank,
        t: TermId,
        ids: &mut FxHashMap<TermId, Id>,
    ) -> Id {
        for s in bank.subterms(t) {
            let id = match bank.node(s) {
                Node::Leaf(leaf) => self.add_leaf(leaf),
                Node::Op(op) => {
                    let children: Vec<Id> = bank.children(s).iter().map(|c| ids[c]).collect();
                    self.add(op.into(), &children)
                }
            };
            ids.insert(s, id);
        }
        ids[&t]
    }

    /// The class that represents `t`, if there is one. Valid after [`EGraph::rebuild`].
    pub fn lookup(&self, bank: &TermBank, t: TermId) -> Option<Id> {
        let mut ids = FxHashMap::default();
        self.represent(bank, t, &mut ids).map(|id| self.find(id))
    }

    /// The e-node congruent to `t`, if there is one; enters those of its subterms into `ids`.
    pub(crate) fn represent(
        &self,
        bank: &TermBank,
        t: TermId,
        ids: &mut FxHashMap<TermId, Id>,
    ) -> Option<Id> {
        if let Some(&id) = ids.get(&t) {
            return Some(id);
        }
        let subterms = bank.subterms(t);
        ids.reserve(subterms.len());
        for s in subterms {
            if ids.contains_key(&s) {
                continue;
            }
            let id = match bank.node(s) {
                Node::Leaf(leaf) => self.leaf_node(leaf)?,
                Node::Op(op) => {
                    let children = bank.children(s).iter().map(|c| ids[c]);
                    self.lookup_node(op.into(), &children.collect::<SmallVec<[Id; 4]>>())?
                }
            };
            ids.insert(s, id);
        }
        Some(ids[&t])
    }

    /// The term that an e-node is.
    pub fn term(&self, bank: &mut TermBank, id: Id) -> TermId {
        self.term_cached(bank, id, &mut FxHashMap::default())
    }

    pub(crate) fn term_cached(
        &self,
        bank: &mut TermBank,
        id: Id,
        terms: &mut FxHashMap<Id, TermId>,
    ) -> TermId {
        let mut todo = vec![id];
        while let Some(&n) = todo.last() {
            if terms.contains_key(&n) {
                todo.pop();
                continue;
            }
            let before = todo.len();
            todo.extend(self.original_children(n).iter().filter(|c| !terms.contains_key(c)));
            if todo.len() > before {
                continue;
            }
            let t = match self.node(n) {
                Node::Leaf(leaf) => bank.leaf(leaf),
                Node::Op(op) => {
                    let children: Vec<TermId> =
                        self.original_children(n).iter().map(|c| terms[c]).collect();
                    bank.apply(op, &children)
                }
            };
            terms.insert(n, t);
            todo.pop();
        }
        terms[&id]
    }
}
