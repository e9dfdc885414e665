//! What is added to an e-graph, by amount.

/// What one or more additions may take: e-nodes, ids bound by edges, unions, and facts beside those that
/// e-nodes and unions bring with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Room {
    pub nodes: usize,
    /// E-nodes that may be new literals.
    pub leaves: usize,
    pub bound: usize,
    pub unions: usize,
    pub facts: usize,
}

impl Room {
    /// What so many of these additions take.
    pub fn times(self, times: usize) -> Room {
        let Room { nodes, leaves, bound, unions, facts } = self;
        let [nodes, leaves, bound, unions, facts] =
            [nodes, leaves, bound, unions, facts].map(|amount| amount * times);
        Room { nodes, leaves, bound, unions, facts }
    }
}
