//! The best term of a class, and the best that satisfies a sketch: what others call.

use crate::extract::of_e_node::value_of;
use crate::extract::tree::Tables;
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::rules::costs::function::{Cost, CostFunction, NONE};
use crate::rules::costs::unit::Amount;
use crate::term::bank::{TermBank, TermId};
use crate::term::sketch::Sketch;
use rustc_hash::FxHashMap;
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
        self.0.value(self.0.whole(class), 0)
    }
}

/// What the best terms of all classes cost, and how each is made.
pub struct BestTerms<'e> {
    tables: Tables<'e>,
    /// By class: the e-node at the root of its best term.
    nodes: FxHashMap<Id, Id>,
}

impl<'e> BestTerms<'e> {
    /// Of a rebuilt e-graph.
    pub fn of(egraph: &'e EGraph, cost: &'e CostFunction) -> BestTerms<'e> {
        let tables = Tables::new(egraph, &Sketch::Any, cost);
        let node = |class| Some((class, tables.best_node(tables.whole(class))?));
        let nodes = egraph.classes().filter_map(node).collect();
        BestTerms { tables, nodes }
    }

    /// The e-graph.
    pub fn egraph(&self) -> &'e EGraph {
        self.tables.egraph
    }

    /// What the best term of a canonical class costs, if one has a known cost.
    pub fn cost(&self, class: Id) -> Option<Cost> {
        self.tables.least(self.tables.whole(class))
    }

    /// The e-node at the root of the best term of a canonical class.
    pub fn node(&self, class: Id) -> Option<Id> {
        self.nodes.get(&class).copied()
    }

    /// The best term of a canonical class.
    pub fn term(&self, bank: &mut TermBank, class: Id) -> Option<TermId> {
        self.tables.term(bank, self.tables.whole(class))
    }

    /// What it costs, as text.
    pub fn text(&self, class: Id) -> String {
        self.cost(class).map_or("none".to_owned(), |cost| self.tables.cost.text(&cost))
    }

    /// What so many parts of the first measure are.
    pub fn amount(&self, parts: u64) -> Amount {
        self.tables.cost.amount(parts)
    }

    /// What an e-node costs in the first measure, in its parts, where its children cost nothing, if that is known.
    pub fn own(&self, node: Id) -> Option<u64> {
        let egraph = self.tables.egraph;
        let nothing = egraph.children(node).iter().map(|_| 0);
        let own = value_of(self.tables.cost, 0, (egraph, node), nothing);
        (own != NONE).then_some(own)
    }
}

/// The smallest term of a class; of several the first in the order of its e-nodes. Where all have more nodes than can be
/// counted, one of them.
pub fn extract_smallest(egraph: &EGraph, bank: &mut TermBank, class: Id) -> TermId {
    let counted = extract_sketch(egraph, bank, class, &Sketch::Any);
    counted.unwrap_or_else(|| egraph.term(bank, egraph.find(class)))
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
