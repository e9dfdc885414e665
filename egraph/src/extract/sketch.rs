//! The terms of a class that satisfy a sketch, as choices: of an e-node, and of what its children must
//! satisfy in turn.

use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::term::leaves::Node;
use crate::term::sketch::Sketch;
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

/// The number of a sketch or of one of its parts.
pub(super) type PartId = usize;

/// The number of `?`, which is a part of all sketches.
pub(super) const ANY: PartId = 0;

/// A sketch and its parts, equal ones once, each after those that it is made of.
pub(super) struct Parts<'s> {
    parts: Vec<(&'s Sketch, Vec<PartId>)>,
    known: FxHashMap<&'s Sketch, PartId>,
}

/// One way to make a term of a class that satisfies a part of a sketch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way<'p> {
    /// Any term of the class that satisfies this part.
    As(PartId),
    /// This e-node over terms that satisfy what is asked of its children.
    Node(Id, Needed<'p>),
}

/// What the children of an e-node must satisfy.
#[derive(Clone, Copy, Debug)]
pub(super) enum Needed<'p> {
    /// All the same.
    All(PartId),
    /// Each its own.
    Each(&'p [PartId]),
    /// One child this part, the others anything.
    One(usize, PartId),
}

impl Needed<'_> {
    /// What the child `i` must satisfy.
    #[inline]
    pub fn of(&self, i: usize) -> PartId {
        match *self {
            Needed::All(part) => part,
            Needed::Each(parts) => parts[i],
            Needed::One(place, part) if place == i => part,
            Needed::One(..) => ANY,
        }
    }
}

impl<'s> Parts<'s> {
    /// Those of a sketch, whose own number is the last one.
    pub fn of(sketch: &'s Sketch) -> Parts<'s> {
        let mut parts =
            Parts { parts: vec![(&Sketch::Any, Vec::new())], known: FxHashMap::default() };
        parts.known.insert(&Sketch::Any, ANY);
        parts.enter(sketch);
        parts
    }

    fn enter(&mut self, sketch: &'s Sketch) -> PartId {
        if let Some(&known) = self.known.get(sketch) {
            return known;
        }
        let inner: Vec<PartId> = match sketch {
            Sketch::Any | Sketch::Leaf(_) => Vec::new(),
            Sketch::Op(_, all) | Sketch::Or(all) => all.iter().map(|s| self.enter(s)).collect(),
            Sketch::Contains(inner) | Sketch::OnlyContains(inner) => vec![self.enter(inner)],
        };
        self.parts.push((sketch, inner));
        self.known.insert(sketch, self.parts.len() - 1);
        self.parts.len() - 1
    }

    /// The number of the whole sketch.
    pub fn whole(&self) -> PartId {
        self.parts.len() - 1
    }

    /// A part, and the numbers of those that it is made of.
    pub fn get(&self, part: PartId) -> (&'s Sketch, &[PartId]) {
        let (sketch, inner) = &self.parts[part];
        (sketch, inner)
    }

    /// Whether a term that satisfies the part may have parts that must satisfy it, too.
    pub fn is_recursive(&self, part: PartId) -> bool {
        matches!(self.parts[part].0, Sketch::Any | Sketch::Contains(_) | Sketch::OnlyContains(_))
    }

    /// The one class whose terms can satisfy a part that is a literal or variable, if it is one; `None`
    /// in it where there is no such class.
    pub fn only_class(&self, egraph: &EGraph, part: PartId) -> Option<Option<Id>> {
        match self.parts[part].0 {
            Sketch::Leaf(leaf) => Some(egraph.leaf_node(leaf).map(|node| egraph.find(node))),
            _ => None,
        }
    }

    /// Calls `f` with the ways of a class to satisfy a part, until it has found what it looks for.
    #[inline]
    pub fn each_way<T>(
        &self,
        egraph: &EGraph,
        part: PartId,
        class: Id,
        mut f: impl FnMut(Way<'_>) -> ControlFlow<T>,
    ) -> ControlFlow<T> {
        let (sketch, inner) = &self.parts[part];
        let nodes = egraph.nodes(class);
        match sketch {
            Sketch::Any => {
                for &node in nodes {
                    f(Way::Node(node, Needed::All(ANY)))?;
                }
            }
            Sketch::Leaf(leaf) => {
                let same = |&&node: &&Id| egraph.node(node) == Node::Leaf(leaf);
                if let Some(&node) = nodes.iter().find(same) {
                    f(Way::Node(node, Needed::All(ANY)))?;
                }
            }
            Sketch::Op(op, _) => {
                for &node in nodes.iter().filter(|&&node| egraph.node(node) == Node::Op(*op)) {
                    f(Way::Node(node, Needed::Each(inner)))?;
                }
            }
            Sketch::Or(_) => {
                for &part in inner {
                    f(Way::As(part))?;
                }
            }
            Sketch::Contains(_) => {
                f(Way::As(inner[0]))?;
                for &node in nodes {
                    for place in 0..egraph.children(node).len() {
                        f(Way::Node(node, Needed::One(place, part)))?;
                    }
                }
            }
            Sketch::OnlyContains(_) => {
                f(Way::As(inner[0]))?;
                for &node in nodes.iter().filter(|&&node| !egraph.children(node).is_empty()) {
                    f(Way::Node(node, Needed::All(part)))?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
