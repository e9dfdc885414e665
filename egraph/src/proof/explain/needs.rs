//! What the proof of an edge or of a fact uses: equalities of ids, and facts.

use super::functions::Applied;
use super::instance::Instance;
use crate::graph::egraph::EGraph;
use crate::graph::facts::{Because, FactId};
use crate::graph::proof_forest::Reason;
use crate::id::Id;
use crate::rules::analysis::{Transfer, TransferOf};
use crate::rules::variables::VarId;
use smallvec::SmallVec;

/// What a proof uses.
#[derive(Default)]
pub(crate) struct Needs {
    /// Pairs of ids that are equal.
    pub equal: Vec<(Id, Id)>,
    pub facts: Vec<FactId>,
}

impl Needs {
    /// Adds what an edge uses between these two ids, the left-hand side first.
    pub fn edge(&mut self, egraph: &EGraph, left: Id, right: Id, reason: Reason<'_>) {
        let children = |id| egraph.original_children(id).iter().copied();
        match reason {
            Reason::Congruence => self.equal.extend(children(left).zip(children(right))),
            Reason::Fold { bound } => self.equal.extend(children(left).zip(bound.iter().copied())),
            Reason::Rule { rule, bound } => {
                let instance = Instance::read(egraph, rule, left, bound);
                let rule = egraph.system().rule(rule);
                let mut inner = instance.lhs_inner().iter().copied();
                instance.needs(egraph, &rule.lhs, left, &mut inner, &mut self.equal, true);
                for (of, &Id(fact)) in rule.variables.facts.iter().zip(instance.facts()) {
                    let id = instance.substitution[usize::from(of.var.0)];
                    self.fact_at(egraph, FactId(fact), id);
                }
                if rule.rhs.has_functions() {
                    let applied: Applied = instance.applied(egraph, &rule.rhs, right);
                    applied.needs(egraph, right, &mut self.equal);
                    return;
                }
                let mut inner = instance.rhs_inner().iter().copied();
                instance.needs(egraph, &rule.rhs, right, &mut inner, &mut self.equal, true);
            }
        }
    }

    /// Adds what a fact uses.
    pub fn fact(&mut self, egraph: &EGraph, fact: FactId) {
        let Some(facts) = egraph.facts() else { return };
        let found = facts.get(fact);
        match found.because {
            Because::Merged(old, new) => {
                self.facts.push(old);
                self.fact_at(egraph, new, found.at);
            }
            Because::Transfer(id, premises) => {
                let transfer = egraph.system().analyses.transfer(id);
                let transfer = transfer.expect("a transfer of the system");
                let args = arguments(egraph, transfer, found.at, premises);
                let made_with = egraph.original_children(found.at).iter().copied();
                self.equal.extend(made_with.zip(args.iter().copied()));
                let facts = &premises[transfer.literals().len()..];
                for (of, &Id(fact)) in transfer.variables.facts.iter().zip(facts) {
                    self.fact_at(egraph, FactId(fact), args[usize::from(of.var.0)]);
                }
            }
        }
    }

    /// Adds that a fact holds at an id.
    fn fact_at(&mut self, egraph: &EGraph, fact: FactId, id: Id) {
        let Some(facts) = egraph.facts() else { return };
        self.facts.push(fact);
        self.equal.push((id, facts.get(fact).at));
    }
}

/// Whether all that an edge uses between these two ids is so.
pub(crate) fn holds(egraph: &EGraph, left: Id, right: Id, reason: Reason<'_>) -> bool {
    let mut needs = Needs::default();
    needs.edge(egraph, left, right, reason);
    needs.equal.iter().all(|&(a, b)| egraph.find(a) == egraph.find(b))
}

/// The arguments of the e-node at which a transfer was made, where it reads literals those.
pub(super) fn arguments(
    egraph: &EGraph,
    transfer: &Transfer,
    at: Id,
    premises: &[Id],
) -> SmallVec<[Id; 6]> {
    let mut args: SmallVec<[Id; 6]> = match transfer.of {
        TransferOf::Literals | TransferOf::Variables => SmallVec::from_slice(&[at]),
        TransferOf::Operator(_) => SmallVec::from_slice(egraph.original_children(at)),
    };
    for (&VarId(var), &literal) in transfer.literals().iter().zip(premises) {
        args[usize::from(var)] = literal;
    }
    args
}
