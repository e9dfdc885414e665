//! Terms that are instances of the side of a rule.

use crate::small::terms::{Node, Term, Terms};

/// The most variables that a rule has, to be looked at here.
pub const MOST_VARIABLES: usize = 16;

/// What the variables of a rule stand for.
#[derive(Clone, Debug, Default)]
pub struct Bindings([Option<Term>; MOST_VARIABLES]);

impl Bindings {
    /// What a variable stands for.
    pub fn get(&self, variable: u8) -> Option<Term> {
        self.0[usize::from(variable)]
    }
}

/// What the variables of `side` stand for if it is to be the term with a node; none if it can't be.
pub fn matched(terms: &Terms, side: Term, node: Node) -> Option<Bindings> {
    let mut bound = Bindings::default();
    matches_node(terms, side, node, &mut bound).then_some(bound)
}

/// Whether two terms are two sides, with the same terms for their variables.
pub fn matched_both(terms: &Terms, sides: (Term, Term), (left, right): (Term, Term)) -> bool {
    let mut bound = Bindings::default();
    matches(terms, sides.0, left, &mut bound) && matches(terms, sides.1, right, &mut bound)
}

fn matches_node(terms: &Terms, side: Term, node: Node, bound: &mut Bindings) -> bool {
    let at = terms.node(side);
    match (at, node) {
        (Node::Apply(f, _), Node::Apply(g, _)) => {
            f == g
                && (terms.args(&at).iter().zip(terms.args(&node)))
                    .all(|(&side, &arg)| matches(terms, side, arg, bound))
        }
        _ => at == node,
    }
}

fn matches(terms: &Terms, side: Term, term: Term, bound: &mut Bindings) -> bool {
    match terms.node(side) {
        Node::Variable(variable) => {
            let place = &mut bound.0[usize::from(variable)];
            *place.get_or_insert(term) == term
        }
        _ => matches_node(terms, side, terms.node(term), bound),
    }
}
