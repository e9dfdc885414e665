//! What the ids of a match stand for: constants, substitutions, values. Their order is described in
//! [`crate::rules::compiled::rewrite`].

use crate::graph::egraph::EGraph;
use crate::graph::facts::FactId;
use crate::id::Id;
use crate::rules::compiled::program::Constant;
use crate::rules::compiled::rewrite::{Rewrite, Source};
use crate::rules::pattern::Pattern;
use crate::rules::rule::Rule;
use crate::rules::variables::VarId;
use crate::term::language::{Leaf, LeafValue};
use crate::term::leaves::{Head, Node};
use crate::term::literal::Value;

impl Constant {
    /// Its e-node, if the e-graph has it. A node without children is never congruent to
    /// another, so that this is the same e-node for ever.
    pub fn node(&self, egraph: &EGraph) -> Option<Id> {
        match self {
            Constant::Leaf(leaf) => egraph.leaf_node(leaf),
            Constant::Op(op) => egraph.lookup_node(Head::from(*op), &[]),
        }
    }
}

impl Rewrite {
    /// Whether right-hand sides can be looked up many at a time.
    pub fn is_narrow(&self, egraph: &EGraph) -> bool {
        self.functions.is_none() && self.rhs.is_narrow(egraph)
    }

    /// The e-node of a pattern variable in a match.
    #[inline]
    pub fn variable(&self, egraph: &EGraph, found: &[Id], var: usize) -> Id {
        match self.sources[var] {
            Source::Child(node, child) => egraph.table().original_child(found[node], child),
            Source::Bound(i) => found[i],
        }
    }

    /// The class of each pattern variable in a match, by [`VarId`].
    #[inline]
    pub fn classes(&self, egraph: &EGraph, found: &[Id], classes: &mut Vec<Id>) {
        classes.clear();
        classes.extend((0..self.sources.len()).map(|var| self.class(egraph, found, var)));
    }

    /// The class of a pattern variable in a match.
    #[inline]
    pub fn class(&self, egraph: &EGraph, found: &[Id], var: usize) -> Id {
        match self.sources[var] {
            // From its class as the e-node has it now there are few steps to where it is by now.
            Source::Child(node, child) => egraph.find(egraph.table().child_of(found[node], child)),
            Source::Bound(i) => egraph.find(found[i]),
        }
    }

    /// The e-node of each pattern variable in a match, by [`VarId`].
    #[inline]
    pub fn substitution(&self, egraph: &EGraph, found: &[Id], ids: &mut Vec<Id>) {
        ids.clear();
        ids.extend((0..self.sources.len()).map(|var| self.variable(egraph, found, var)));
    }

    /// The e-nodes of a pattern variable in some matches, and their classes.
    pub fn variable_of_many(
        &self,
        egraph: &EGraph,
        var: usize,
        matches: &[Id],
        (nodes, classes): (&mut [Id], &mut [Id]),
    ) {
        let matches = matches.chunks_exact(self.stride());
        let all = nodes.iter_mut().zip(classes).zip(matches);
        match self.sources[var] {
            // As in [`Rewrite::classes`].
            Source::Child(at, child) => {
                match (egraph.table().binary_rows(), egraph.table().binary_terms()) {
                    ([], _) => all.for_each(|((node, class), ids)| {
                        *node = egraph.table().original_child(ids[at], child);
                        *class = egraph.find(egraph.table().child_of(ids[at], child));
                    }),
                    (rows, terms) => all.for_each(|((node, class), ids)| {
                        let at = ids[at].0 as usize;
                        *node = terms[at][child];
                        *class = egraph.find(rows[at][1 + child]);
                    }),
                }
            }
            Source::Bound(i) => all.for_each(|((node, class), ids)| {
                (*node, *class) = (ids[i], egraph.find(ids[i]));
            }),
        }
    }
}

/// The value of an e-node that is a literal.
pub(crate) fn literal_value(egraph: &EGraph, id: Id) -> Option<Value> {
    match egraph.node(id) {
        Node::Leaf(Leaf { value: LeafValue::Literal(value), .. }) => Some(*value),
        _ => None,
    }
}

/// The value that a match binds a variable to: of a pattern variable that is a literal, or of a fact.
/// `substitution` has the e-nodes of pattern variables, `facts` the numbers of facts.
pub(crate) fn bound_value(
    egraph: &EGraph,
    substitution: &[Id],
    facts: &[Id],
    VarId(var): VarId,
) -> Option<Value> {
    let var = usize::from(var);
    match var.checked_sub(substitution.len()) {
        None => literal_value(egraph, substitution[var]),
        Some(fact) => Some(egraph.facts()?.value(FactId(facts[fact].0))),
    }
}

/// Every computation of a rule's right-hand side with the e-node of its value.
pub(crate) fn compute_all(
    egraph: &EGraph,
    rule: &Rule,
    substitution: &[Id],
    facts: &[Id],
) -> Vec<(Pattern, Id)> {
    fn collect(
        pattern: &Pattern,
        egraph: &EGraph,
        values: &impl Fn(VarId) -> Option<Value>,
        found: &mut Vec<(Pattern, Id)>,
    ) {
        match pattern {
            Pattern::Var(_) | Pattern::Leaf(_) => {}
            // Computed with all of the right-hand side.
            Pattern::Function(..) => {}
            Pattern::Op(_, args) => {
                args.iter().for_each(|arg| collect(arg, egraph, values, found));
            }
            Pattern::Compute(expr, sort) => {
                let leaf = |value| Leaf { sort: *sort, value: LeafValue::Literal(value) };
                let node = expr.eval(values).and_then(|value| egraph.leaf_node(&leaf(value)));
                found.extend(node.map(|node| (pattern.clone(), node)));
            }
        }
    }
    let mut found = Vec::new();
    let values = |var: VarId| bound_value(egraph, substitution, facts, var);
    collect(&rule.rhs, egraph, &values, &mut found);
    found
}
