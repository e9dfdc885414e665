//! The best term of a class, and the best that satisfies a sketch: what others call.

use crate::extract::cost::{Cost, CostFunction, NONE};
use crate::extract::tree::Tables;
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::term::bank::{TermBank, TermId};
use crate::term::sketch::Sketch;
use std::sync::LazyLock;

static SIZE: LazyLock<CostFunction> = LazyLock::new(CostFunction::size);

/// The sizes of the smallest terms of all classes.
pub struct LeastSizes<'e>(Tables<'e>);

impl LeastSizes<'_> {
    /// Of a rebuilt e-graph.
    pub fn of(egraph: &EGraph) -> LeastSizes<'_> {
        LeastSizes(Tables::new(egraph, &Sketch::Any, &SIZE))
    }

    /// Nodes of the smallest term of a canonical class.
    pub fn size(&self, class: Id) -> u64 {
        self.0.least(self.0.whole(class)).map_or(NONE, |cost| cost.values()[0])
    }
}

/// The smallest term of a class; of several the first in the order of its e-nodes.
pub fn extract_smallest(egraph: &EGraph, bank: &mut TermBank, class: Id) -> TermId {
    extract_sketch(egraph, bank, class, &Sketch::Any).expect("every class has a finite term")
}

/// The smallest term of the class that satisfies the sketch, if any does.
pub fn extract_sketch(
    egraph: &EGraph,
    bank: &mut TermBank,
    class: Id,
    sketch: &Sketch,
) -> Option<TermId> {
    extract_best(egraph, bank, class, sketch, &SIZE).map(|(term, _)| term)
}

/// The term of the class that satisfies the sketch and costs least as a tree, and what it costs; none
/// where no such term has a known cost. Exact, but for what comes after a depth, which is the least
/// among terms all of whose parts have the least depth that they can have.
pub fn extract_best(
    egraph: &EGraph,
    bank: &mut TermBank,
    class: Id,
    sketch: &Sketch,
    cost: &CostFunction,
) -> Option<(TermId, Cost)> {
    let tables = Tables::new(egraph, sketch, cost);
    let place = tables.whole(egraph.find(class));
    let least = tables.least(place)?;
    Some((tables.term(bank, place)?, least))
}
