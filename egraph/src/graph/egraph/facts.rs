//! What is known of classes: facts of e-nodes follow from those of their children.

use super::EGraph;
use crate::graph::facts::{FactId, Facts};
use crate::id::Id;
use crate::room::Room;
use crate::rules::analysis::{Transfer, TransferId, fits};
use crate::rules::variables::VarId;
use crate::term::language::AnalysisId;
use crate::term::leaves::Node;
use crate::term::literal::Value;
use smallvec::SmallVec;
use std::sync::Arc;

impl EGraph {
    /// What an analysis knows of a class.
    pub fn fact(&self, analysis: AnalysisId, class: Id) -> Option<Value> {
        Some(self.facts.as_ref()?.value(self.fact_id(analysis, class)?))
    }

    /// All that analyses know of a class, for people: `lo = 1, hi = 6`; nothing where they know nothing.
    pub fn facts_text(&self, class: Id) -> String {
        let known = (0u16..).map(AnalysisId).zip(&self.system.language.analyses);
        let known = known.filter_map(|(id, analysis)| {
            self.fact(id, class).map(|value| format!("{} = {value}", analysis.name))
        });
        known.collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn fact_id(&self, analysis: AnalysisId, class: Id) -> Option<FactId> {
        self.facts.as_ref()?.of(analysis, self.find(class))
    }

    /// All facts, of a system that has analyses.
    pub(crate) fn facts(&self) -> Option<&Facts> {
        self.facts.as_deref()
    }

    /// Applies all transfers to an e-node.
    #[inline]
    pub(super) fn transfer(&mut self, node: Id) {
        if self.facts.is_some() {
            self.transfer_all(node);
        }
    }

    #[cold] // apart, so that systems without analyses pay a look at most
    fn transfer_all(&mut self, node: Id) {
        let system = Arc::clone(&self.system);
        let root = self.find(node);
        for (id, transfer) in system.analyses.at(self.node(node)) {
            let Some(value) = self.transferred(transfer, node) else { continue };
            let merge = |old, new| system.analyses.merge(transfer.analysis, old, new);
            // Most say what is known.
            let known = self.fact(transfer.analysis, root);
            if known.is_some_and(|known| merge(known, value) == known) {
                continue;
            }
            let Some(premises) = self.premises(transfer, node) else { continue };
            let because: (TransferId, &[Id]) = (id, &premises);
            let Some(facts) = &mut self.facts else { return };
            facts.found((root, node), transfer.analysis, value, because, merge);
        }
    }

    /// The value of a transfer at an e-node.
    fn transferred(&self, transfer: &Transfer, node: Id) -> Option<Value> {
        if let Node::Leaf(leaf) = self.node(node) {
            return transfer.at_leaf(&self.system.language, leaf);
        }
        let arg = |VarId(arg): VarId| self.children(node)[usize::from(arg)];
        let value = transfer.value.eval(&|var| match transfer.variables.fact(var) {
            Some(fact) => self.fact(fact.analysis, arg(fact.var)),
            None => self.literal(arg(var)),
        });
        value.filter(|&value| fits(&self.system.language, transfer, value))
    }

    /// What a transfer reads at an e-node: literals, then facts.
    fn premises(&self, transfer: &Transfer, node: Id) -> Option<SmallVec<[Id; 6]>> {
        let mut premises = SmallVec::new();
        if let Node::Leaf(_) = self.node(node) {
            return Some(premises);
        }
        let arg = |VarId(arg): VarId| self.children(node)[usize::from(arg)];
        for var in transfer.literals() {
            premises.push(self.literal_node(arg(var))?);
        }
        for fact in &transfer.variables.facts {
            premises.push(Id(self.fact_id(fact.analysis, arg(fact.var))?.0));
        }
        Some(premises)
    }

    /// Merges the facts of two roots, one of which was absorbed.
    #[cold]
    pub(super) fn merge_facts(&mut self, kept: Id, absorbed: Id) {
        let EGraph { facts: Some(facts), system, .. } = self else { return };
        facts
            .united(kept, absorbed, |analysis, old, new| system.analyses.merge(analysis, old, new));
    }

    /// Looks at the uses of a class whose facts have changed; false if there is none, or no room.
    pub(super) fn pass_facts_on(&mut self) -> bool {
        let EGraph { facts: Some(facts), classes, .. } = self else { return false };
        let Some(class) = facts.next_changed(|class| classes.find(class)) else { return false };
        let limit = facts.limit;
        let uses = self.weight(class) as usize;
        let facts = 2 * uses * self.system.analyses.most_at_a_node();
        let room = Room { facts, ..Room::default() };
        if !self.reserve(room, |_| Room::default(), limit) {
            return false;
        }
        if let Some(facts) = &mut self.facts {
            facts.take_changed();
        }
        self.look_at_uses(class);
        true
    }
}
