//! Whether some term of a class satisfies a sketch, without a thought to what it costs: which is asked
//! after every iteration of an e-graph that grows until one does.

use crate::extract::sketch::{ANY, PartId, Parts, Way};
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::term::leaves::Node;
use crate::term::sketch::Sketch;
use std::ops::ControlFlow;

/// A set of classes: a bit for each id, and a list.
struct Classes {
    bits: Vec<u64>,
    all: Vec<Id>,
}

impl Classes {
    fn contains(&self, Id(class): Id) -> bool {
        self.bits[class as usize / 64] >> (class % 64) & 1 == 1
    }

    /// The class is in none of the lists yet.
    fn insert(&mut self, class: Id) {
        self.bits[class.0 as usize / 64] |= 1 << (class.0 % 64);
        self.all.push(class);
    }
}

/// Whether a term of the class satisfies the sketch.
pub fn sketch_satisfied(egraph: &EGraph, class: Id, sketch: &Sketch) -> bool {
    let parts = Parts::of(sketch);
    let mut satisfied: Vec<Classes> = Vec::new();
    for part in 0..=parts.whole() {
        let bits = vec![0; (egraph.built() as usize).div_ceil(64)];
        let candidates = candidates(egraph, &parts, &satisfied, part);
        satisfied.push(Classes { bits, all: Vec::new() });
        for class in candidates {
            if !satisfied[part].contains(class) && holds(egraph, &parts, &satisfied, part, class) {
                satisfied[part].insert(class);
            }
        }
        // What stands above one that satisfies it may satisfy it, too.
        let mut next = 0;
        while let Some(&class) = satisfied[part].all.get(next).filter(|_| parts.is_recursive(part))
        {
            next += 1;
            for (node, _) in egraph.parents(class) {
                let above = egraph.find(node);
                if !satisfied[part].contains(above)
                    && holds(egraph, &parts, &satisfied, part, above)
                {
                    satisfied[part].insert(above);
                }
            }
        }
    }
    let class = egraph.find(class);
    parts.whole() == ANY || satisfied[parts.whole()].contains(class)
}

/// Classes among which all are that satisfy a part, but for those that do because what is below them does; from what satisfies
/// the parts that it is made of, which is little where a sketch names most of a term. Nobody asks about [`ANY`].
fn candidates(egraph: &EGraph, parts: &Parts<'_>, satisfied: &[Classes], part: PartId) -> Vec<Id> {
    let (sketch, inner) = parts.get(part);
    let told = inner.iter().filter(|&&inner| inner != ANY).map(|&inner| &satisfied[inner].all);
    match sketch {
        Sketch::Any => Vec::new(),
        Sketch::Leaf(_) => parts.only_class(egraph, part).flatten().into_iter().collect(),
        Sketch::Op(op, _) => match told.min_by_key(|all| all.len()) {
            None => egraph.classes().collect(),
            Some(below) => {
                let above = below.iter().flat_map(|&class| egraph.parents(class));
                let above = above.filter(|&(node, _)| egraph.node(node) == Node::Op(*op));
                above.map(|(node, _)| egraph.find(node)).collect()
            }
        },
        _ if inner.contains(&ANY) => egraph.classes().collect(),
        Sketch::Or(_) | Sketch::Contains(_) | Sketch::OnlyContains(_) => {
            told.flatten().copied().collect()
        }
    }
}

/// Whether a class has a way to satisfy a part, as far as is known.
fn holds(
    egraph: &EGraph,
    parts: &Parts<'_>,
    satisfied: &[Classes],
    part: PartId,
    class: Id,
) -> bool {
    let known = |part: PartId, class: Id| part == ANY || satisfied[part].contains(class);
    let found = parts.each_way(egraph, part, class, |way| {
        let holds = match way {
            Way::As(part) => known(part, class),
            Way::Node(node, needed) => {
                let mut children = egraph.children(node).iter().enumerate();
                children.all(|(i, &child)| known(needed.of(i), child))
            }
        };
        if holds { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found.is_break()
}
