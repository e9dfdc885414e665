//! The classes and e-nodes of an e-graph, or of what it was.

use egraph::{EGraph, Id, Past};

/// A rebuilt e-graph, or an earlier state of one.
pub trait State {
    /// Number of e-nodes that had been built.
    fn built(&self) -> u64;
    /// The canonical e-node of the class of `id`.
    fn find(&self, id: Id) -> Id;
    /// The e-nodes of a class, by its canonical e-node.
    fn nodes(&self, class: Id) -> &[Id];
    /// The classes of an e-node's children.
    fn children(&self, node: Id) -> impl Iterator<Item = Id> + Clone;
}

impl State for EGraph {
    fn built(&self) -> u64 {
        EGraph::built(self)
    }

    fn find(&self, id: Id) -> Id {
        EGraph::find(self, id)
    }

    fn nodes(&self, class: Id) -> &[Id] {
        EGraph::nodes(self, class)
    }

    fn children(&self, node: Id) -> impl Iterator<Item = Id> + Clone {
        EGraph::children(self, node).iter().copied()
    }
}

/// An earlier state, with the e-graph that it became.
#[derive(Clone, Copy, Debug)]
pub struct Earlier<'a> {
    pub egraph: &'a EGraph,
    pub past: &'a Past,
}

impl State for Earlier<'_> {
    fn built(&self) -> u64 {
        self.past.built()
    }

    fn find(&self, id: Id) -> Id {
        self.past.find(id)
    }

    fn nodes(&self, class: Id) -> &[Id] {
        self.past.nodes(class)
    }

    fn children(&self, node: Id) -> impl Iterator<Item = Id> + Clone {
        self.past.children(self.egraph, node)
    }
}
