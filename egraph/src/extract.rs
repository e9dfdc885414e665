//! Extraction: the smallest term of a class, and the smallest that satisfies a sketch.
//!
//! A table gives for every class the size of the smallest term that satisfies one (sub-)sketch;
//! tables of larger sketches are made from those of their parts, and the term is read off from
//! the top. Sizes count nodes as a tree and saturate at [`u64::MAX`], which stands for "none".

use crate::egraph::{EGraph, Id};
use crate::leaves::Node;
use crate::sketch::Sketch;
use crate::term::{TermBank, TermId};

/// The size of the smallest term by class, [`u64::MAX`] for none; entries of ids that are not
/// canonical mean nothing.
type Sizes = Vec<u64>;

const NO_TERM: u64 = u64::MAX;

/// The smallest term of a class; of several the first in the order of its e-nodes.
pub fn extract_smallest(egraph: &EGraph, bank: &mut TermBank, class: Id) -> TermId {
    let table = Table::new(egraph, &Sketch::Any, &smallest_sizes(egraph));
    table.term(egraph, bank, egraph.find(class)).expect("every class has a finite term")
}

/// Whether a term of the class satisfies the sketch.
pub fn sketch_satisfied(egraph: &EGraph, class: Id, sketch: &Sketch) -> bool {
    let table = Table::new(egraph, sketch, &smallest_sizes(egraph));
    table.sizes[egraph.find(class).0 as usize] != NO_TERM
}

/// The smallest term of the class that satisfies the sketch, if any does.
pub fn extract_sketch(
    egraph: &EGraph,
    bank: &mut TermBank,
    class: Id,
    sketch: &Sketch,
) -> Option<TermId> {
    Table::new(egraph, sketch, &smallest_sizes(egraph)).term(egraph, bank, egraph.find(class))
}

/// The sizes for one sketch, with those of its parts.
struct Table<'s> {
    sketch: &'s Sketch,
    sizes: Sizes,
    /// For `?` inside `contains`.
    smallest: Sizes,
    parts: Vec<Table<'s>>,
}

impl<'s> Table<'s> {
    fn new(egraph: &EGraph, sketch: &'s Sketch, smallest: &Sizes) -> Table<'s> {
        let parts: Vec<Table<'s>> = match sketch {
            Sketch::Any | Sketch::Leaf(_) => Vec::new(),
            Sketch::Op(_, all) | Sketch::Or(all) => {
                all.iter().map(|s| Table::new(egraph, s, smallest)).collect()
            }
            Sketch::Contains(inner) | Sketch::OnlyContains(inner) => {
                vec![Table::new(egraph, inner, smallest)]
            }
        };
        let sizes = match sketch {
            Sketch::Any => smallest.clone(),
            Sketch::Leaf(leaf) => {
                let mut sizes = vec![NO_TERM; egraph.built() as usize];
                if let Some(node) = egraph.leaf_node(leaf) {
                    sizes[egraph.find(node).0 as usize] = 1;
                }
                sizes
            }
            Sketch::Op(op, _) => {
                let mut sizes = vec![NO_TERM; egraph.built() as usize];
                for class in egraph.classes() {
                    let sum = |&node: &Id| {
                        let parts = parts.iter().zip(egraph.children(node));
                        application(parts.map(|(part, c)| part.sizes[c.0 as usize]))
                    };
                    let nodes = egraph.nodes(class).iter();
                    let nodes = nodes.filter(|&&n| egraph.node(n) == Node::Op(*op));
                    sizes[class.0 as usize] = nodes.map(sum).min().unwrap_or(NO_TERM);
                }
                sizes
            }
            Sketch::Or(_) => {
                let least = |i| parts.iter().map(|p| p.sizes[i]).min().unwrap_or(NO_TERM);
                (0..egraph.built() as usize).map(least).collect()
            }
            Sketch::Contains(_) => fixpoint(egraph, parts[0].sizes.clone(), |sizes, node| {
                (0..egraph.children(node).len())
                    .map(|i| application(containing(egraph, sizes, smallest, node, i)))
                    .min()
                    .unwrap_or(NO_TERM)
            }),
            Sketch::OnlyContains(_) => fixpoint(egraph, parts[0].sizes.clone(), |sizes, node| {
                let children = egraph.children(node);
                if children.is_empty() {
                    return NO_TERM;
                }
                application(children.iter().map(|c| sizes[c.0 as usize]))
            }),
        };
        let smallest = match sketch {
            Sketch::Any | Sketch::Contains(_) => smallest.clone(),
            _ => Vec::new(),
        };
        Table { sketch, sizes, smallest, parts }
    }

    /// Reads the smallest term off the table, choosing the first e-node that has its size.
    fn term(&self, egraph: &EGraph, bank: &mut TermBank, class: Id) -> Option<TermId> {
        let size = self.sizes[class.0 as usize];
        if size == NO_TERM {
            return None;
        }
        match self.sketch {
            Sketch::Leaf(leaf) => return Some(bank.leaf(leaf)),
            Sketch::Or(_) => {
                let part = self.parts.iter().find(|p| p.sizes[class.0 as usize] == size)?;
                return part.term(egraph, bank, class);
            }
            Sketch::Contains(_) | Sketch::OnlyContains(_)
                if self.parts[0].sizes[class.0 as usize] == size =>
            {
                return self.parts[0].term(egraph, bank, class);
            }
            _ => {}
        }
        for &node in egraph.nodes(class) {
            let children = egraph.children(node);
            let op = match egraph.node(node) {
                Node::Op(op) => op,
                Node::Leaf(leaf) if matches!(self.sketch, Sketch::Any) && size == 1 => {
                    return Some(bank.leaf(leaf));
                }
                Node::Leaf(_) => continue,
            };
            // For each way to satisfy the sketch at this e-node: which table each child uses.
            let ways: Vec<Vec<&Table<'s>>> = match self.sketch {
                Sketch::Any | Sketch::OnlyContains(_) => vec![vec![self; children.len()]],
                Sketch::Op(wanted, _) if *wanted == op => vec![self.parts.iter().collect()],
                Sketch::Contains(_) => {
                    for i in 0..children.len() {
                        let sizes = containing(egraph, &self.sizes, &self.smallest, node, i);
                        if application(sizes) == size {
                            return self.containing_term(egraph, bank, node, i);
                        }
                    }
                    Vec::new()
                }
                _ => Vec::new(),
            };
            for way in ways {
                let sizes = way.iter().zip(children).map(|(t, c)| t.sizes[c.0 as usize]);
                if application(sizes) == size {
                    let args = way.iter().zip(children).map(|(t, &c)| t.term(egraph, bank, c));
                    let args = args.collect::<Option<Vec<_>>>()?;
                    return Some(bank.apply(op, &args));
                }
            }
        }
        None
    }

    /// The application at `node` whose child `i` contains the sketch, the others being smallest.
    fn containing_term(
        &self,
        egraph: &EGraph,
        bank: &mut TermBank,
        node: Id,
        i: usize,
    ) -> Option<TermId> {
        let any = Table {
            sketch: &Sketch::Any,
            sizes: self.smallest.clone(),
            smallest: Vec::new(),
            parts: Vec::new(),
        };
        let Node::Op(op) = egraph.node(node) else { return None };
        let mut args = Vec::new();
        for (j, &child) in egraph.children(node).iter().enumerate() {
            let table = if i == j { self } else { &any };
            args.push(table.term(egraph, bank, child)?);
        }
        Some(bank.apply(op, &args))
    }
}

fn containing<'a>(
    egraph: &'a EGraph,
    sizes: &'a Sizes,
    smallest: &'a Sizes,
    node: Id,
    i: usize,
) -> impl Iterator<Item = u64> + 'a {
    let children = egraph.children(node).iter().enumerate();
    children.map(move |(j, c)| if i == j { sizes[c.0 as usize] } else { smallest[c.0 as usize] })
}

/// One node more than its children have together.
fn application(children: impl Iterator<Item = u64>) -> u64 {
    children.fold(1, u64::saturating_add)
}

fn smallest_sizes(egraph: &EGraph) -> Sizes {
    let none = vec![NO_TERM; egraph.built() as usize];
    fixpoint(egraph, none, |sizes, node| {
        application(egraph.children(node).iter().map(|c| sizes[c.0 as usize]))
    })
}

/// Lowers `sizes` to what the e-nodes of each class allow, until nothing changes.
fn fixpoint(egraph: &EGraph, mut sizes: Sizes, size: impl Fn(&Sizes, Id) -> u64) -> Sizes {
    let classes: Vec<Id> = egraph.classes().collect();
    loop {
        let mut changed = false;
        for &class in &classes {
            let best = egraph.nodes(class).iter().map(|&n| size(&sizes, n)).min();
            let best = best.unwrap_or(NO_TERM);
            if best < sizes[class.0 as usize] {
                sizes[class.0 as usize] = best;
                changed = true;
            }
        }
        if !changed {
            return sizes;
        }
    }
}
