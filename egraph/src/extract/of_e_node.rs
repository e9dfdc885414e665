//! What an e-node costs over children of given values.

use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::rules::costs::function::{CostFunction, Kind};
use crate::rules::costs::read::Read;
use crate::term::literal::Value;

/// A kind of measure, over e-nodes.
pub(super) trait OfENode: Kind {
    /// The value of an e-node over children of these values.
    #[inline]
    fn over_children(&self, egraph: &EGraph, node: Id, parts: impl Iterator<Item = u64>) -> u64 {
        self.over(|| egraph.node(node), |read| of_argument(egraph, node, read), parts)
    }
}

impl<K: Kind + ?Sized> OfENode for K {}

/// The value of an e-node in one measure of a cost, over children of these values; `NONE` where that is not known.
pub(super) fn value_of(
    cost: &CostFunction,
    measure: usize,
    (egraph, node): (&EGraph, Id),
    parts: impl Iterator<Item = u64>,
) -> u64 {
    let value = |read| of_argument(egraph, node, read);
    cost.measure(measure).over(egraph.node(node), value, parts)
}

/// What is read of an e-node's argument.
fn of_argument(egraph: &EGraph, node: Id, read: Read) -> Option<Value> {
    let child = |arg: usize| egraph.children(node)[arg];
    match read {
        Read::Literal(arg) => egraph.literal(child(arg)),
        Read::Fact(analysis, arg) => egraph.fact(analysis, child(arg)),
    }
}
