//! Whether some term of a class satisfies a sketch, without a thought to what it costs: which is asked
//! after every iteration of an e-graph that grows until one does.

use crate::extract::sketch::{ANY, PartId, Parts, Way};
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::term::sketch::Sketch;
use std::ops::ControlFlow;

/// A set of classes, a bit for each id.
struct Classes(Vec<u64>);

impl Classes {
    fn contains(&self, Id(class): Id) -> bool {
        self.0[class as usize / 64] >> (class % 64) & 1 == 1
    }

    /// Whether the class is new.
    fn insert(&mut self, class: Id) -> bool {
        let new = !self.contains(class);
        self.0[class.0 as usize / 64] |= 1 << (class.0 % 64);
        new
    }
}

/// Whether a term of the class satisfies the sketch.
pub fn sketch_satisfied(egraph: &EGraph, class: Id, sketch: &Sketch) -> bool {
    let parts = Parts::of(sketch);
    let mut satisfied: Vec<Classes> = Vec::new();
    for part in 0..=parts.whole() {
        let mut found = Vec::new();
        satisfied.push(Classes(vec![0; (egraph.built() as usize).div_ceil(64)]));
        // Any term satisfies the first, which is not looked up.
        let candidates = match (part, parts.only_class(egraph, part)) {
            (ANY, _) => continue,
            (_, Some(class)) => class.into_iter().collect(),
            (_, None) => egraph.classes().collect::<Vec<Id>>(),
        };
        for class in candidates {
            if holds(egraph, &parts, &satisfied, part, class) && satisfied[part].insert(class) {
                found.push(class);
            }
        }
        // What stands above one that satisfies it may satisfy it, too.
        while let Some(class) = found.pop().filter(|_| parts.is_recursive(part)) {
            for (node, _) in egraph.parents(class) {
                let above = egraph.find(node);
                if !satisfied[part].contains(above)
                    && holds(egraph, &parts, &satisfied, part, above)
                {
                    satisfied[part].insert(above);
                    found.push(above);
                }
            }
        }
    }
    let class = egraph.find(class);
    parts.whole() == ANY || satisfied[parts.whole()].contains(class)
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
