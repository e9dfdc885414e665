//! Whether an edge or a fact of an e-graph that was read from a file can be read as a proof at all. Somebody may have
//! made the file up: its numbers are within bounds, but need not be those of a match. What is let through here can be
//! written down as a proof; whether it is one the checker says.

use super::Explainer;
use crate::building::bound_ids::{compute_all, literal_value};
use crate::building::term_function::{Instance, NewHead, Part};
use crate::graph::egraph::EGraph;
use crate::graph::facts::{Because, FactId};
use crate::graph::proof_forest::Reason;
use crate::id::Id;
use crate::rules::analysis::TransferOf;
use crate::rules::pattern::Pattern;
use crate::rules::rule::RuleId;
use crate::rules::variables::{FactOf, VarId};
use crate::term::language::{AnalysisId, LeafValue, SortId};
use crate::term::leaves::{Head, Node};

impl Explainer<'_> {
    /// `None` if the edge that `id` owns can't be read.
    pub(super) fn readable_edge(&self, id: Id) -> Option<()> {
        let egraph = self.egraph;
        let (left, right, reason, _) = self.edge(id);
        match reason {
            Reason::Congruence => when(egraph.head(left) == egraph.head(right)),
            Reason::Fold { bound } => {
                let children = egraph.original_children(left);
                when(bound.len() == children.len() && !bound.is_empty())?;
                let mut pairs = bound.iter().zip(children);
                pairs.try_for_each(|(&id, &child)| literal(egraph, id, egraph.sort(child)))
            }
            Reason::Rule { rule, bound } => self.readable_match(rule, left, right, bound),
        }
    }

    fn readable_match(&self, rule: RuleId, left: Id, right: Id, bound: &[Id]) -> Option<()> {
        let egraph = self.egraph;
        let rewrite = &egraph.system().rewrites[rule.0 as usize];
        let rule = egraph.system().rule(rule);
        let found: Vec<Id> = [left].iter().chain(bound).copied().collect();
        let read = found.get(..rewrite.stride())?;
        let facts = rewrite.facts_of(&found);
        let (inner, ids) = (&found[rewrite.stride()..], &read[..read.len() - facts.len()]);
        ids.iter().chain(inner).try_for_each(|&id| within(egraph, id))?;
        shape(egraph, &rule.lhs, &mut found[..rewrite.nodes()].iter().copied(), &[])?;
        let mut substitution = Vec::new();
        rewrite.substitution(egraph, &found, &mut substitution);
        let mut sorts = substitution.iter().zip(&rule.variables.sorts);
        sorts.try_for_each(|(&id, &sort)| when(egraph.sort(id) == sort))?;
        self.readable_facts(&rule.variables.facts, facts, u32::MAX)?;
        if !rule.rhs.has_functions() {
            let computed = compute_all(egraph, rule, &substitution, facts);
            let root = matches!(&rule.rhs, Pattern::Op(_, args) if !args.is_empty());
            let mut nodes = root.then_some(right).into_iter().chain(inner.iter().copied());
            return shape(egraph, &rule.rhs, &mut nodes, &computed);
        }
        let instance = Instance::of(egraph, &rule.rhs, &substitution)?;
        let root = matches!(instance.root, Part::New(_)).then_some(right);
        when(inner.len() + usize::from(root.is_some()) == instance.nodes.len())?;
        let mut nodes = inner.iter().copied().chain(root).zip(&instance.nodes);
        nodes.try_for_each(|(id, new)| match &new.head {
            NewHead::Op(op) => when(egraph.head(id) == Head::from(*op)),
            NewHead::Leaf(leaf) => when(egraph.leaf_node(leaf) == Some(id)),
        })
    }

    /// `None` if a fact can't be read. It is one of those that there are.
    pub(super) fn readable_fact(&self, fact: FactId) -> Option<()> {
        let egraph = self.egraph;
        let found = egraph.facts()?.get(fact);
        match found.because {
            Because::Merged(old, new) => {
                let mut both = [old, new].into_iter();
                both.try_for_each(|premise| self.readable_premise(premise, found.analysis, fact.0))
            }
            Because::Transfer(id, premises) => {
                let transfer = egraph.system().analyses.transfer(id)?;
                let literals = transfer.literals();
                let (literal_ids, facts) = premises.split_at_checked(literals.len())?;
                when(transfer.analysis == found.analysis)?;
                match (transfer.of, egraph.node(found.at)) {
                    (TransferOf::Operator(op), Node::Op(other)) => when(op == other)?,
                    (TransferOf::Literals, Node::Leaf(leaf)) => {
                        when(matches!(leaf.value, LeafValue::Literal(_)))?;
                    }
                    (TransferOf::Variables, Node::Leaf(leaf)) => {
                        when(matches!(leaf.value, LeafValue::Variable(_)))?;
                    }
                    _ => return None,
                }
                for (&VarId(var), &id) in literals.iter().zip(literal_ids) {
                    literal(egraph, id, transfer.variables.sorts[usize::from(var)])?;
                }
                self.readable_facts(&transfer.variables.facts, facts, fact.0)
            }
        }
    }

    fn readable_facts(&self, of: &[FactOf], facts: &[Id], before: u32) -> Option<()> {
        when(of.len() == facts.len())?;
        let mut pairs = of.iter().zip(facts);
        pairs.try_for_each(|(of, &Id(fact))| {
            self.readable_premise(FactId(fact), of.analysis, before)
        })
    }

    fn readable_premise(&self, fact: FactId, analysis: AnalysisId, before: u32) -> Option<()> {
        let facts = self.egraph.facts()?;
        when(fact.0 < before && (fact.0 as usize) < facts.len())?;
        when(facts.get(fact).analysis == analysis)
    }
}

fn when(holds: bool) -> Option<()> {
    holds.then_some(())
}

fn within(egraph: &EGraph, id: Id) -> Option<()> {
    when(u64::from(id.0) < egraph.built())
}

/// Whether an id is that of a literal of a sort.
fn literal(egraph: &EGraph, id: Id, sort: SortId) -> Option<()> {
    within(egraph, id)?;
    when(egraph.sort(id) == sort && literal_value(egraph, id).is_some())
}

/// Whether the e-nodes of a pattern's applications, in pre-order, are of its operators, and all else in it is there.
fn shape(
    egraph: &EGraph,
    pattern: &Pattern,
    nodes: &mut impl Iterator<Item = Id>,
    computed: &[(Pattern, Id)],
) -> Option<()> {
    match pattern {
        Pattern::Op(op, args) if !args.is_empty() => {
            when(egraph.head(nodes.next()?) == Head::from(*op))?;
            args.iter().try_for_each(|arg| shape(egraph, arg, nodes, computed))
        }
        Pattern::Op(op, _) => egraph.lookup_node((*op).into(), &[]).map(drop),
        Pattern::Leaf(leaf) => egraph.leaf_node(leaf).map(drop),
        Pattern::Compute(..) => computed.iter().find(|(known, _)| known == pattern).map(drop),
        Pattern::Var(_) => Some(()),
        Pattern::Function(..) => None,
    }
}
