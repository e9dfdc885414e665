//! A match and its application, read back from the edge that they made.

use super::functions::Applied;
use crate::building::bound_ids::compute_all;
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::rules::pattern::Pattern;
use crate::rules::rule::RuleId;
use crate::rules::variables::VarId;
use smallvec::SmallVec;

/// A match and its application, read back from an edge.
pub(super) struct Instance {
    pub substitution: Vec<Id>,
    /// The match as [`crate::rules::compiled::rewrite`] lays it down.
    found: SmallVec<[Id; 12]>,
    nodes: usize,
    stride: usize,
    /// Number of facts that it read.
    facts: usize,
    /// The literals of the right-hand side's computations, by their expressions.
    computed: Vec<(Pattern, Id)>,
}

impl Instance {
    /// Of the rule that matched at `left` and bound these ids.
    pub fn read(egraph: &EGraph, rule: RuleId, left: Id, bound: &[Id]) -> Instance {
        let rewrite = &egraph.system().rewrites[rule.0 as usize];
        let mut found = SmallVec::<[Id; 12]>::new();
        found.push(left);
        found.extend_from_slice(bound);
        let mut substitution = Vec::new();
        rewrite.substitution(egraph, &found, &mut substitution);
        let rule = egraph.system().rule(rule);
        let read = rewrite.facts_of(&found);
        let computed = compute_all(egraph, rule, &substitution, read);
        let (nodes, stride, facts) = (rewrite.nodes(), rewrite.stride(), read.len());
        Instance { substitution, found, nodes, stride, facts, computed }
    }

    pub fn lhs_inner(&self) -> &[Id] {
        &self.found[1..self.nodes]
    }

    pub fn facts(&self) -> &[Id] {
        &self.found[self.stride - self.facts..self.stride]
    }

    pub fn rhs_inner(&self) -> &[Id] {
        &self.found[self.stride..]
    }

    /// The application of a right-hand side with functions on terms.
    pub fn applied(&self, egraph: &EGraph, rhs: &Pattern, right: Id) -> Applied {
        Applied::of(egraph, rhs, &self.substitution, self.rhs_inner(), right)
    }

    /// The bound e-node and the arguments of an application with arguments.
    pub fn application<'p>(
        &self,
        pattern: &'p Pattern,
        id: Id,
        inner: &mut impl Iterator<Item = Id>,
        root: bool,
    ) -> Option<(Id, &'p [Pattern])> {
        match pattern {
            Pattern::Op(_, args) if !args.is_empty() => {
                let node = if root { id } else { inner.next().expect("an e-node per application") };
                Some((node, args))
            }
            _ => None,
        }
    }

    /// The e-node of a pattern that is no application with arguments.
    pub fn end(&self, egraph: &EGraph, pattern: &Pattern) -> Id {
        let constant = |node: Option<Id>| node.expect("a constant of a match is in the e-graph");
        match pattern {
            Pattern::Var(VarId(var)) => self.substitution[usize::from(*var)],
            Pattern::Leaf(leaf) => constant(egraph.leaf_node(leaf)),
            Pattern::Op(op, _) => constant(egraph.lookup_node((*op).into(), &[])),
            Pattern::Function(..) => unreachable!("functions have proofs of their own"),
            Pattern::Compute(..) => {
                let known = self.computed.iter().find(|(p, _)| p == pattern);
                constant(known.map(|(_, id)| *id))
            }
        }
    }

    pub fn needs(
        &self,
        egraph: &EGraph,
        pattern: &Pattern,
        id: Id,
        inner: &mut impl Iterator<Item = Id>,
        needs: &mut Vec<(Id, Id)>,
        root: bool,
    ) {
        let Some((node, args)) = self.application(pattern, id, inner, root) else {
            needs.push((id, self.end(egraph, pattern)));
            return;
        };
        needs.push((id, node));
        for (arg, &child) in args.iter().zip(egraph.original_children(node)) {
            self.needs(egraph, arg, child, inner, needs, false);
        }
    }
}
