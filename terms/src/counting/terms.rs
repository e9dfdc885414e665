//! Which terms are counted, and which e-nodes they may use.

use crate::counting::state::State;
use egraph::{EGraph, Id};

/// Which terms of a class are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Padded terms too: those in which a subterm equals, in the e-graph, one of its own proper
    /// subterms, as in x + 0. Without them the count leaves out those in which it equals one of
    /// its own *children*, and [`crate::drawing::sampling::Sampler::sample`] rejects the rest.
    pub padded: bool,
    /// Terms too with a proper subterm that equals a literal and is written otherwise, as the
    /// y − y in x + (y − y).
    pub constants: bool,
}

impl Terms {
    /// All terms of the class.
    pub const ALL: Terms = Terms { padded: true, constants: true };
    /// Neither padded terms nor constants that are not written as literals.
    pub const PLAIN: Terms = Terms { padded: false, constants: false };
}

/// Which e-nodes the wanted terms may use. What they are equal to is asked of one e-graph, also
/// where the e-nodes are those of an earlier state of it.
#[derive(Debug)]
pub struct Filter<'a> {
    egraph: &'a EGraph,
    terms: Terms,
    /// Canonical and sorted.
    roots: Vec<Id>,
}

impl<'a> Filter<'a> {
    /// Admits the `terms` of `roots` in `egraph`.
    pub fn new(egraph: &'a EGraph, roots: impl Iterator<Item = Id>, terms: Terms) -> Self {
        let mut roots: Vec<Id> = roots.map(|root| egraph.find(root)).collect();
        roots.sort_unstable();
        Filter { egraph, terms, roots }
    }

    /// The e-nodes of a class that are admitted. `state` is the e-graph that the filter asks, or
    /// an earlier state of it.
    pub fn nodes<'e>(&'e self, state: &'e impl State, class: Id) -> impl Iterator<Item = Id> + 'e {
        let id = self.egraph.find(class);
        let literal_only = !self.terms.constants
            && self.egraph.literal(id).is_some()
            && self.roots.binary_search(&id).is_err();
        state.nodes(class).iter().copied().filter(move |&node| {
            let mut children = state.children(node);
            (!literal_only || children.clone().next().is_none())
                && (self.terms.padded || children.all(|child| self.egraph.find(child) != id))
        })
    }
}
