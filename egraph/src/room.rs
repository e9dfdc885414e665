//! What is added to an e-graph, by amount.

/// What one or more additions may take: e-nodes, ids bound by edges, unions, and facts beside those that
/// e-nodes and unions bring with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Room {
    pub nodes: usize,
    pub bound: usize,
    pub unions: usize,
    pub facts: usize,
}
