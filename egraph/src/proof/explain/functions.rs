//! Proofs of applications whose right-hand side has functions on terms: between the e-nodes that an
//! application found or made, and the very term that the functions give.

use super::Explainer;
use crate::building::term_function::{Instance, NewHead, NewNode, Part};
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::proof::dag::StepRef;
use crate::rules::pattern::Pattern;
use crate::term::bank::{TermBank, TermId};
use smallvec::SmallVec;

/// A right-hand side, computed again, with the e-nodes of its application.
pub(super) struct Applied {
    instance: Instance<Id>,
    /// By new node.
    nodes: Vec<Id>,
}

impl Applied {
    /// `inner` are the e-nodes of all new nodes but the root, `root` that of the whole.
    pub fn of(egraph: &EGraph, rhs: &Pattern, substitution: &[Id], inner: &[Id], root: Id) -> Self {
        let instance = Instance::of(egraph, rhs, substitution);
        let instance = instance.expect("an instance that was applied");
        let mut nodes = inner.to_vec();
        if let Part::New(_) = instance.root {
            nodes.push(root);
        }
        Applied { instance, nodes }
    }

    fn node(&self, part: Part<Id>) -> Id {
        match part {
            Part::Old(id) => id,
            Part::New(number) => self.nodes[number as usize],
        }
    }

    /// The pairs of ids whose equality the proof uses; `root` as above.
    pub fn needs(&self, egraph: &EGraph, root: Id, needs: &mut Vec<(Id, Id)>) {
        needs.push((root, self.node(self.instance.root)));
        for (NewNode { children, .. }, &node) in self.instance.nodes.iter().zip(&self.nodes) {
            let made_with = egraph.original_children(node).iter().copied();
            needs.extend(made_with.zip(children.iter().map(|&child| self.node(child))));
        }
    }
}

impl Explainer<'_> {
    /// From the term of `root` to the term that the functions give.
    pub(super) fn function_bridge(
        &mut self,
        bank: &mut TermBank,
        applied: &Applied,
        root: Id,
    ) -> (Option<StepRef>, TermId) {
        // By new node: from the term of its e-node to its own, and that.
        let mut bridges: Vec<(Option<StepRef>, TermId)> = Vec::new();
        for (NewNode { head, children, .. }, &node) in
            applied.instance.nodes.iter().zip(&applied.nodes)
        {
            let from = self.term(bank, node);
            let NewHead::Op(op) = head else {
                bridges.push((None, from));
                continue;
            };
            let mut proofs = SmallVec::<[Option<StepRef>; 6]>::new();
            let mut terms = SmallVec::<[TermId; 6]>::new();
            for (&child, &made_with) in children.iter().zip(self.egraph.original_children(node)) {
                let (proof, term) = self.bridge_to(bank, applied, &bridges, child, made_with);
                proofs.push(proof);
                terms.push(term);
            }
            let end = bank.apply(*op, &terms);
            bridges.push((self.congruence(from, end, &proofs), end));
        }
        self.bridge_to(bank, applied, &bridges, applied.instance.root, root)
    }

    /// From the term of an e-node to a part of an instance that it is equal to.
    fn bridge_to(
        &mut self,
        bank: &mut TermBank,
        applied: &Applied,
        bridges: &[(Option<StepRef>, TermId)],
        part: Part<Id>,
        node: Id,
    ) -> (Option<StepRef>, TermId) {
        let first = self.equal(bank, node, applied.node(part));
        let (second, end) = match part {
            Part::Old(id) => (None, self.term(bank, id)),
            Part::New(number) => bridges[number as usize],
        };
        let parts: SmallVec<[StepRef; 2]> = first.into_iter().chain(second).collect();
        let from = self.term(bank, node);
        (self.chain(from, end, &parts), end)
    }
}
