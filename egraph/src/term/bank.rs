//! Terms, hash-consed: one id per distinct term, children in one flat array.
//!
//! Invariants of a [`TermBank`]: equal terms have equal ids; children have smaller ids than
//! their parents; every node is well-sorted when it was made by [`TermBank::parse`] (and by
//! [`TermBank::add`], which checks in debug builds).

use crate::bounds::{count_bytes, count_step};
use crate::term::language::{Language, Leaf, LeafValue, OpId, SortId};
use crate::term::leaves::{Head, Leaves, Node};
use crate::term::literal::Value;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use std::collections::BinaryHeap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

/// A term of one [`TermBank`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

/// About what a term takes in the arrays of a bank without its children, in ids.
const IDS_PER_TERM: usize = 8;

/// A store of distinct terms over one language.
#[derive(Clone, Debug)]
pub struct TermBank {
    language: Arc<Language>,
    leaves: Leaves,
    heads: Vec<Head>,
    /// `children[starts[t]..starts[t + 1]]` are the children of term `t`.
    starts: Vec<u32>,
    children: Vec<TermId>,
    sizes: Vec<u64>,
    /// See [`TermBank::loose`]; empty where the language binds no variables.
    loose: Vec<u32>,
    index: HashTable<u32>,
}

impl TermBank {
    /// An empty bank.
    pub fn new(language: Arc<Language>) -> Self {
        TermBank {
            leaves: Leaves::new(&language),
            language,
            heads: Vec::new(),
            starts: vec![0],
            children: Vec::new(),
            sizes: Vec::new(),
            loose: Vec::new(),
            index: HashTable::new(),
        }
    }

    /// The language of the terms.
    pub fn language(&self) -> &Arc<Language> {
        &self.language
    }

    /// Number of distinct terms.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether the bank holds no term.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The term `head(children…)`, entered if new.
    pub fn add(&mut self, head: Head, children: &[TermId]) -> TermId {
        debug_assert!(self.well_sorted(head, children), "ill-sorted node {head:?}");
        let hash = hash_node(head, children);
        let (heads, starts, all) = (&self.heads, &self.starts, &self.children);
        let same = |&t: &u32| {
            let t = t as usize;
            heads[t] == head && all[starts[t] as usize..starts[t + 1] as usize] == *children
        };
        if let Some(&found) = self.index.find(hash, same) {
            return TermId(found);
        }
        count_step();
        count_bytes((IDS_PER_TERM + children.len()) * size_of::<TermId>());
        let id = self.heads.len() as u32;
        let size =
            children.iter().fold(1u64, |sum, c| sum.saturating_add(self.sizes[c.0 as usize]));
        if self.language.has_binders() {
            self.loose.push(self.loose_of(head, children));
        }
        self.heads.push(head);
        self.children.extend_from_slice(children);
        self.starts.push(self.children.len() as u32);
        self.sizes.push(size);
        let (heads, starts, all) = (&self.heads, &self.starts, &self.children);
        self.index.insert_unique(hash, id, |&t| {
            let t = t as usize;
            hash_node(heads[t], &all[starts[t] as usize..starts[t + 1] as usize])
        });
        TermId(id)
    }

    /// The operator application `op(children…)`.
    pub fn apply(&mut self, op: OpId, children: &[TermId]) -> TermId {
        self.add(op.into(), children)
    }

    /// The term of one literal or variable.
    pub fn leaf(&mut self, leaf: &Leaf) -> TermId {
        let head = self.leaves.intern(leaf);
        self.add(head, &[])
    }

    /// The term `head(children…)`, if the bank has it.
    pub(crate) fn find(&self, head: Head, children: &[TermId]) -> Option<TermId> {
        let same =
            |&t: &u32| self.heads[t as usize] == head && self.children(TermId(t)) == children;
        self.index.find(hash_node(head, children), same).copied().map(TermId)
    }

    /// The term of one leaf, if the bank has it.
    pub(crate) fn find_leaf(&self, leaf: &Leaf) -> Option<TermId> {
        self.find(self.leaves.get(leaf)?, &[])
    }

    fn well_sorted(&self, head: Head, children: &[TermId]) -> bool {
        match self.leaves.node(head) {
            Node::Leaf(_) => children.is_empty(),
            Node::Op(op) => {
                let args = &self.language.op(op).args;
                args.len() == children.len()
                    && args.iter().zip(children).all(|(sort, c)| self.sort(*c) == *sort)
            }
        }
    }

    /// What stands at the root of `t`.
    pub fn node(&self, t: TermId) -> Node<'_> {
        self.leaves.node(self.head(t))
    }

    /// The head at the root of `t`, valid in this bank only.
    pub fn head(&self, t: TermId) -> Head {
        self.heads[t.0 as usize]
    }

    /// The children of `t`, in order.
    pub fn children(&self, t: TermId) -> &[TermId] {
        let t = t.0 as usize;
        &self.children[self.starts[t] as usize..self.starts[t + 1] as usize]
    }

    /// Number of nodes of `t` as a tree; `u64::MAX` stands for that many or more.
    pub fn size(&self, t: TermId) -> u64 {
        self.sizes[t.0 as usize]
    }

    /// The set of indices that are loose in `t`: bit `i` is index `i`, and bit 31 stands for every index from 31 on.
    pub(crate) fn loose(&self, t: TermId) -> u32 {
        self.loose.get(t.0 as usize).copied().unwrap_or(0)
    }

    fn loose_of(&self, head: Head, children: &[TermId]) -> u32 {
        match self.leaves.node(head) {
            Node::Leaf(leaf) => leaf.loose(),
            Node::Op(op) => self.language.op(op).loose(children.iter().map(|&c| self.loose(c))),
        }
    }

    /// The sort of `t`.
    pub fn sort(&self, t: TermId) -> SortId {
        match self.node(t) {
            Node::Op(op) => self.language.op(op).result,
            Node::Leaf(leaf) => leaf.sort,
        }
    }

    /// The value of `t` if it is a literal.
    pub fn literal(&self, t: TermId) -> Option<Value> {
        match self.node(t) {
            Node::Leaf(Leaf { value: LeafValue::Literal(value), .. }) => Some(*value),
            _ => None,
        }
    }

    /// The subterm of `t` at `path` (child indices from the root), if there is one.
    pub fn subterm(&self, t: TermId, path: &[u32]) -> Option<TermId> {
        path.iter().try_fold(t, |t, &i| self.children(t).get(i as usize).copied())
    }

    /// Where `part` first stands in `t`, in pre-order: child indices from the root.
    pub fn place_of(&self, t: TermId, part: TermId) -> Option<Vec<u32>> {
        let mut without = rustc_hash::FxHashSet::default();
        // The way to a term, and which of its children is next.
        let mut way: Vec<(TermId, u32)> = vec![(t, 0)];
        while let Some((at, next)) = way.last_mut() {
            if *at == part {
                way.pop();
                return Some(way.iter().map(|(_, next)| next - 1).collect());
            }
            match self.children(*at).get(*next as usize) {
                Some(&child) => {
                    *next += 1;
                    // What is smaller than the part can't hold it.
                    if self.size(child) >= self.size(part) && !without.contains(&child) {
                        way.push((child, 0));
                    }
                }
                None => {
                    without.insert(*at);
                    way.pop();
                }
            }
        }
        None
    }

    /// `t` with its subterm at `path` replaced, or `None` if there is no such position.
    pub fn replace(&mut self, t: TermId, path: &[u32], with: TermId) -> Option<TermId> {
        let mut above = SmallVec::<[_; 16]>::new();
        let mut at = t;
        for &i in path {
            above.push((at, i as usize));
            at = *self.children(at).get(i as usize)?;
        }
        let mut new = with;
        for (parent, i) in above.into_iter().rev() {
            let mut children: SmallVec<[TermId; 6]> = self.children(parent).into();
            children[i] = new;
            new = self.add(self.head(parent), &children);
        }
        Some(new)
    }

    /// The term with other terms in every place of some parts. What is in the place of a part stays as it is.
    pub fn replace_all(&mut self, t: TermId, with: FxHashMap<TermId, TermId>) -> TermId {
        let mut image = with;
        let mut todo = vec![t];
        while let Some(&next) = todo.last() {
            let begun = todo.len();
            if let (Node::Op(op), false) = (self.node(next), image.contains_key(&next)) {
                let open = self.children(next).iter().rev().filter(|c| !image.contains_key(c));
                todo.extend(open);
                if todo.len() == begun {
                    let children: Vec<TermId> =
                        self.children(next).iter().map(|child| image[child]).collect();
                    let new = self.apply(op, &children);
                    image.insert(next, new);
                }
            } else {
                image.entry(next).or_insert(next);
            }
            if todo.len() == begun {
                todo.pop();
            }
        }
        image[&t]
    }

    /// The distinct subterms of `t`, each after its children; `t` is last.
    pub fn subterms(&self, t: TermId) -> Vec<TermId> {
        self.subterms_but(t, |_| false)
    }

    /// The same without those that are passed over, and what stands in these alone.
    pub(super) fn subterms_but(
        &self,
        t: TermId,
        is_passed_over: impl Fn(TermId) -> bool,
    ) -> Vec<TermId> {
        // A term has a higher number than its children: the highest that is left has no parent left, and so comes next.
        let room = self.size(t).min(64) as usize;
        let (mut todo, mut all) = (BinaryHeap::with_capacity(room), Vec::with_capacity(room));
        let is_open = |&t: &TermId| !is_passed_over(t);
        todo.extend(Some(t).filter(is_open));
        while let Some(t) = todo.pop() {
            if all.last() != Some(&t) {
                all.push(t);
                todo.extend(self.children(t).iter().copied().filter(is_open));
            }
        }
        all.reverse();
        all
    }

    /// The distinct variables of `t` in order of first occurrence from left to right.
    pub fn variables(&self, t: TermId) -> Vec<&Leaf> {
        self.leaves(t, |value| matches!(value, LeafValue::Variable(_)))
    }

    /// The literals of `t` in order of first occurrence.
    pub fn literals(&self, t: TermId) -> Vec<&Leaf> {
        self.leaves(t, |value| matches!(value, LeafValue::Literal(_)))
    }

    fn leaves(&self, t: TermId, wanted: fn(&LeafValue) -> bool) -> Vec<&Leaf> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut found = Vec::new();
        let mut todo = vec![t];
        while let Some(t) = todo.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.node(t) {
                Node::Leaf(leaf) if wanted(&leaf.value) => found.push(leaf),
                _ => todo.extend(self.children(t).iter().rev()),
            }
        }
        found
    }

    /// `t` with every leaf mapped by `f`, which must keep sorts.
    pub fn map_leaves(&mut self, t: TermId, f: &mut impl FnMut(&Leaf) -> Leaf) -> TermId {
        let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
        for s in self.subterms(t) {
            let new = match self.node(s) {
                Node::Leaf(leaf) => {
                    let leaf = f(leaf);
                    self.leaf(&leaf)
                }
                Node::Op(op) => {
                    let children: Vec<_> = self.children(s).iter().map(|c| image[c]).collect();
                    self.apply(op, &children)
                }
            };
            image.insert(s, new);
        }
        image[&t]
    }
}

pub(crate) fn hash_node<C: Hash>(head: Head, children: &[C]) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    head.hash(&mut hasher);
    for c in children {
        c.hash(&mut hasher);
    }
    hasher.finish()
}
