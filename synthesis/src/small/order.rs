//! A total order of terms in which rules make terms smaller: by their sizes, then node by node from the left; variables come
//! first, then literals, then operators. What is smaller stays smaller inside of a larger term.

use crate::small::matching::Bindings;
use crate::small::terms::{Node, Term, Terms};
use std::cmp::Ordering;

/// Compares terms of equal sizes, node by node.
fn by_nodes(terms: &Terms, a: Term, b: Term) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    nodes(terms, terms.node(a), terms.node(b), &|a, b| by_nodes(terms, a, b))
}

/// Compares two nodes, and their arguments if need be.
fn nodes(terms: &Terms, a: Node, b: Node, args: &impl Fn(Term, Term) -> Ordering) -> Ordering {
    match (a, b) {
        (Node::Apply(f, _), Node::Apply(g, _)) => f.cmp(&g).then_with(|| {
            let pairs = terms.args(&a).iter().zip(terms.args(&b));
            pairs.map(|(&a, &b)| args(a, b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        }),
        _ => rank(a).cmp(&rank(b)),
    }
}

fn rank(node: Node) -> (u8, u16) {
    match node {
        Node::Variable(number) => (0, number.into()),
        Node::Literal(number) => (1, number),
        Node::Apply(op, _) => (2, op.into()),
    }
}

/// Compares two terms.
pub fn compare(terms: &Terms, a: Term, b: Term) -> Ordering {
    terms.shape(a).size.cmp(&terms.shape(b).size).then_with(|| by_nodes(terms, a, b))
}

/// Compares a term of the same size with the side of a rule whose variables are bound.
pub fn compare_bound(terms: &Terms, side: Term, bound: &Bindings, node: Node) -> Ordering {
    match terms.node(side) {
        Node::Variable(variable) => {
            let with = bound
                .get(variable)
                .map(|term| terms.node(term))
                .unwrap_or(Node::Variable(variable));
            nodes(terms, with, node, &|a, b| by_nodes(terms, a, b))
        }
        at => nodes(terms, at, node, &|a, b| compare_bound(terms, a, bound, terms.node(b))),
    }
}
