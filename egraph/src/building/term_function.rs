//! Right-hand sides with functions on terms ([`TermFunction`]): computed on the terms that a match
//! determines.
//!
//! What functions read are terms: a variable is the child with which the matched e-node was made, or,
//! where it is lowered and that has no value, the representative of its class
//! ([`EGraph::representative`]). Every e-node is a term for ever, so the e-nodes that a match binds
//! determine the result, whatever becomes equal later. Where a class gets another representative, with
//! fewer loose indices, its uses count as changed, and matches are looked for again.
//!
//! The instance is made of old terms and new nodes, and is walked as the graph that it is, each term once
//! for each number of binders around it; what has no loose index there stays as it is.

use crate::building::right_side::{Extent, Lookup};
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::room::Room;
use crate::rules::compiled::rewrite::MOST_NEW;
use crate::rules::expression::value_fits;
use crate::rules::pattern::Pattern;
use crate::rules::pattern::TermFunction;
use crate::rules::variables::VarId;
use crate::term::bank::{TermBank, TermId};
use crate::term::language::{Language, Leaf, LeafValue, OpId, SortId};
use crate::term::leaves::Node;
use crate::term::literal::Value;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::hash::Hash;

/// At most this many terms wait while one is walked.
const MOST_WAITING: usize = 16 * MOST_NEW;

/// Something whose ids are terms.
pub(crate) trait Terms {
    /// An id.
    type Term: Copy + Eq + Hash;
    fn language(&self) -> &Language;
    fn node(&self, t: Self::Term) -> Node<'_>;
    fn children(&self, t: Self::Term) -> &[Self::Term];
    /// The indices that are loose in a term, as bits; the last one for all that have none.
    fn loose(&self, t: Self::Term) -> u32;
}

impl Terms for EGraph {
    type Term = Id;

    fn language(&self) -> &Language {
        &self.system().language
    }

    fn node(&self, t: Id) -> Node<'_> {
        EGraph::node(self, t)
    }

    fn children(&self, t: Id) -> &[Id] {
        self.original_children(t)
    }

    fn loose(&self, t: Id) -> u32 {
        EGraph::loose(self, t)
    }
}

impl Terms for TermBank {
    type Term = TermId;

    fn language(&self) -> &Language {
        TermBank::language(self)
    }

    fn node(&self, t: TermId) -> Node<'_> {
        TermBank::node(self, t)
    }

    fn children(&self, t: TermId) -> &[TermId] {
        TermBank::children(self, t)
    }

    fn loose(&self, t: TermId) -> u32 {
        TermBank::loose(self, t)
    }
}

/// A term of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part<T> {
    Old(T),
    /// A new node, by number.
    New(u32),
}

/// A term, and the number of binders around it.
type Place<T> = (Part<T>, u32);

/// What stands at a new node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NewHead {
    Op(OpId),
    Leaf(Leaf),
}

#[derive(Clone, Debug)]
pub(crate) struct NewNode<T> {
    pub head: NewHead,
    pub children: SmallVec<[Part<T>; 4]>,
    loose: u32,
}

/// An instance of a right-hand side: new nodes, the children of each before it, the root last.
#[derive(Clone, Debug)]
pub(crate) struct Instance<T> {
    pub nodes: Vec<NewNode<T>>,
    pub root: Part<T>,
}

impl<T: Copy + Eq + Hash> Instance<T> {
    /// The instance under a substitution, by variable. `None` if a function or a computation has no
    /// value, or the instance would be too large.
    pub fn of<L: Terms<Term = T>>(
        terms: &L,
        rhs: &Pattern,
        substitution: &[T],
    ) -> Option<Instance<T>> {
        let mut builder = Builder { terms, substitution, nodes: Vec::new() };
        let root = builder.instance(rhs)?;
        Some(builder.used_by(root))
    }
}

impl Instance<Id> {
    /// What applying it takes at most but for values of what it adds, where a match has so many ids.
    pub fn room(&self, stride: usize) -> Room {
        let new = self.nodes.len();
        Room { nodes: new, leaves: new, bound: 2 + stride + 3 * new, unions: 1, facts: 0 }
    }

    /// Looks for it in an e-graph that does not change.
    pub fn lookup(&self, egraph: &EGraph) -> Lookup {
        self.extent(egraph).class.map_or(Lookup::Missing, Lookup::Class)
    }

    /// How much of it is in an e-graph that does not change.
    pub fn extent(&self, egraph: &EGraph) -> Extent {
        let mut classes: Vec<Option<Id>> = Vec::with_capacity(self.nodes.len());
        let class = |part: Part<Id>, classes: &[Option<Id>]| match part {
            Part::Old(id) => Some(egraph.find(id)),
            Part::New(number) => classes[number as usize],
        };
        for NewNode { head, children, .. } in &self.nodes {
            let node = match head {
                NewHead::Leaf(leaf) => egraph.leaf_node(leaf),
                NewHead::Op(op) => {
                    let children = children.iter().map(|&child| class(child, &classes));
                    let children: Option<SmallVec<[Id; 4]>> = children.collect();
                    children.and_then(|children| egraph.lookup_canonical((*op).into(), &children))
                }
            };
            classes.push(node.map(|node| egraph.find(node)));
        }
        let missing = classes.iter().filter(|class| class.is_none()).count() as u32;
        Extent { missing, class: class(self.root, &classes) }
    }

    /// Adds it, and appends the e-nodes of all new nodes but the root to `bound`.
    pub fn build(&self, egraph: &mut EGraph, bound: &mut Vec<Id>) -> Id {
        let start = bound.len();
        for NewNode { head, children, .. } in &self.nodes {
            let node = match head {
                NewHead::Leaf(leaf) => egraph.add_leaf(leaf),
                NewHead::Op(op) => {
                    let child = |&part: &Part<Id>| match part {
                        Part::Old(id) => id,
                        Part::New(number) => bound[start + number as usize],
                    };
                    let children: SmallVec<[Id; 4]> = children.iter().map(child).collect();
                    egraph.add((*op).into(), &children)
                }
            };
            bound.push(node);
        }
        match self.root {
            Part::Old(id) => id,
            Part::New(_) => bound.pop().expect("the root is the last of the new nodes"),
        }
    }
}

impl Instance<TermId> {
    /// The term in the bank.
    pub fn enter(&self, bank: &mut TermBank) -> TermId {
        let mut entered: Vec<TermId> = Vec::with_capacity(self.nodes.len());
        let term = |part: Part<TermId>, entered: &[TermId]| match part {
            Part::Old(t) => t,
            Part::New(number) => entered[number as usize],
        };
        for NewNode { head, children, .. } in &self.nodes {
            let t = match head {
                NewHead::Leaf(leaf) => bank.leaf(leaf),
                NewHead::Op(op) => {
                    let children = children.iter().map(|&child| term(child, &entered));
                    bank.apply(*op, &children.collect::<SmallVec<[TermId; 4]>>())
                }
            };
            entered.push(t);
        }
        term(self.root, &entered)
    }
}

/// What a function does to the loose indices of a term.
enum Action<T> {
    /// The first becomes this term, of this sort, the others are lowered.
    Replace(Part<T>, SortId),
    Raise(u32),
    Lower,
}

struct Builder<'t, L: Terms> {
    terms: &'t L,
    substitution: &'t [L::Term],
    nodes: Vec<NewNode<L::Term>>,
}

impl<L: Terms> Builder<'_, L> {
    fn instance(&mut self, pattern: &Pattern) -> Option<Part<L::Term>> {
        match pattern {
            Pattern::Var(var) => Some(Part::Old(self.substitution[usize::from(var.0)])),
            Pattern::Leaf(leaf) => self.leaf(leaf.clone()),
            Pattern::Op(op, args) => {
                let args: Option<_> = args.iter().map(|arg| self.instance(arg)).collect();
                self.push(NewHead::Op(*op), args?)
            }
            Pattern::Compute(expr, sort) => {
                let value = expr.eval(&|var: VarId| self.literal(var))?;
                let kind = self.terms.language().literal_kind(*sort)?;
                let leaf = Leaf { sort: *sort, value: LeafValue::Literal(value) };
                if value_fits(kind, value) { self.leaf(leaf) } else { None }
            }
            Pattern::Function(function, args) => {
                let body = self.instance(&args[0])?;
                let action = match function {
                    TermFunction::Subst => {
                        let with = self.instance(&args[1])?;
                        Action::Replace(with, self.sort(with))
                    }
                    TermFunction::Raise => Action::Raise(1),
                    TermFunction::Lower => Action::Lower,
                };
                self.walk(body, &action)
            }
        }
    }

    fn literal(&self, VarId(var): VarId) -> Option<Value> {
        match self.terms.node(self.substitution[usize::from(var)]) {
            Node::Leaf(Leaf { value: LeafValue::Literal(value), .. }) => Some(*value),
            _ => None,
        }
    }

    fn leaf(&mut self, leaf: Leaf) -> Option<Part<L::Term>> {
        self.push(NewHead::Leaf(leaf), SmallVec::new())
    }

    fn push(
        &mut self,
        head: NewHead,
        children: SmallVec<[Part<L::Term>; 4]>,
    ) -> Option<Part<L::Term>> {
        if self.nodes.len() >= MOST_NEW {
            return None;
        }
        let loose = match &head {
            NewHead::Leaf(leaf) => leaf.loose(),
            NewHead::Op(op) => {
                let op = self.terms.language().op(*op);
                op.loose(children.iter().map(|&child| self.loose(child)))
            }
        };
        self.nodes.push(NewNode { head, children, loose });
        Some(Part::New(self.nodes.len() as u32 - 1))
    }

    fn loose(&self, part: Part<L::Term>) -> u32 {
        match part {
            Part::Old(t) => self.terms.loose(t),
            Part::New(number) => self.nodes[number as usize].loose,
        }
    }

    fn sort(&self, part: Part<L::Term>) -> SortId {
        let (op, leaf) = self.head(part);
        match (op, leaf) {
            (Some(op), _) => self.terms.language().op(op).result,
            (None, leaf) => leaf.map_or(SortId(0), |leaf| leaf.sort),
        }
    }

    /// The operator or the leaf at a part.
    fn head(&self, part: Part<L::Term>) -> (Option<OpId>, Option<&Leaf>) {
        match part {
            Part::Old(t) => match self.terms.node(t) {
                Node::Op(op) => (Some(op), None),
                Node::Leaf(leaf) => (None, Some(leaf)),
            },
            Part::New(number) => match &self.nodes[number as usize].head {
                NewHead::Op(op) => (Some(*op), None),
                NewHead::Leaf(leaf) => (None, Some(leaf)),
            },
        }
    }

    fn children(&self, part: Part<L::Term>) -> SmallVec<[Part<L::Term>; 4]> {
        match part {
            Part::Old(t) => self.terms.children(t).iter().map(|&child| Part::Old(child)).collect(),
            Part::New(number) => self.nodes[number as usize].children.clone(),
        }
    }

    /// Does something to all indices of `term` that are loose in it. An explicit stack: terms may be
    /// deeper than the thread's.
    fn walk(&mut self, term: Part<L::Term>, action: &Action<L::Term>) -> Option<Part<L::Term>> {
        let mut done: FxHashMap<Place<L::Term>, Part<L::Term>> = FxHashMap::default();
        let mut todo: Vec<Place<L::Term>> = vec![(term, 0)];
        while let Some(&(t, depth)) = todo.last() {
            if todo.len() > MOST_WAITING {
                return None;
            }
            if done.contains_key(&(t, depth)) {
                todo.pop();
                continue;
            }
            // Where the last bit is set, it is not known that nothing is loose.
            let new = if self.loose(t) >> depth.min(31) == 0 {
                t
            } else {
                match self.head(t) {
                    (Some(op), _) => {
                        let bound = |i| self.terms.language().op(op).bound(i).is_some();
                        let inner: SmallVec<[Place<L::Term>; 4]> = (0..)
                            .zip(self.children(t))
                            .map(|(i, child)| (child, depth + u32::from(bound(i))))
                            .collect();
                        let before = todo.len();
                        todo.extend(inner.iter().rev().filter(|at| !done.contains_key(at)));
                        if todo.len() > before {
                            continue;
                        }
                        let children = inner.iter().map(|at| done[at]).collect();
                        self.push(NewHead::Op(op), children)?
                    }
                    (None, leaf) => {
                        let leaf = leaf?.clone();
                        self.at_index(leaf, depth, action)?
                    }
                }
            };
            done.insert((t, depth), new);
            todo.pop();
        }
        done.get(&(term, 0)).copied()
    }

    /// What becomes of an index under `depth` binders.
    fn at_index(
        &mut self,
        leaf: Leaf,
        depth: u32,
        action: &Action<L::Term>,
    ) -> Option<Part<L::Term>> {
        let LeafValue::Bound(index) = leaf.value else { return None };
        let moved = match *action {
            _ if index < depth => index,
            Action::Raise(by) => index.checked_add(by)?,
            Action::Lower if index == depth => return None,
            Action::Replace(_, sort) if index == depth && sort != leaf.sort => return None,
            Action::Replace(with, _) if index == depth => {
                return match depth {
                    0 => Some(with),
                    _ => self.walk(with, &Action::Raise(depth)),
                };
            }
            Action::Lower | Action::Replace(..) => index - 1,
        };
        self.leaf(Leaf { value: LeafValue::Bound(moved), ..leaf })
    }

    /// The nodes that `root` is made of.
    fn used_by(self, root: Part<L::Term>) -> Instance<L::Term> {
        let mut used = vec![false; self.nodes.len()];
        if let Part::New(number) = root {
            used[number as usize] = true;
        }
        for (number, node) in self.nodes.iter().enumerate().rev() {
            if used[number] {
                for child in &node.children {
                    if let Part::New(child) = child {
                        used[*child as usize] = true;
                    }
                }
            }
        }
        let mut place = vec![0u32; self.nodes.len()];
        let mut nodes: Vec<NewNode<L::Term>> = Vec::new();
        let moved = |part: Part<L::Term>, place: &[u32]| match part {
            Part::Old(t) => Part::Old(t),
            Part::New(number) => Part::New(place[number as usize]),
        };
        for (number, mut node) in self.nodes.into_iter().enumerate() {
            if used[number] {
                node.children.iter_mut().for_each(|child| *child = moved(*child, &place));
                place[number] = nodes.len() as u32;
                nodes.push(node);
            }
        }
        Instance { nodes, root: moved(root, &place) }
    }
}
