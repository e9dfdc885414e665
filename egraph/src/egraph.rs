//! The e-graph: e-nodes in flat arrays, hash-consed, with deferred rebuilding.
//!
//! Every e-node id is a term for ever: `original` keeps the children it was added with. Its
//! `canonical` children follow the unions; two e-nodes with the same head and the same canonical
//! children are congruent, and rebuilding unites them and drops the younger from the e-graph
//! (not from the bank of terms).
//!
//! Invariants after [`EGraph::rebuild`]:
//! 1. canonical children are roots of the union-find;
//! 2. the hash-cons holds exactly the live e-nodes, each under its canonical form;
//! 3. no two live e-nodes have the same canonical form;
//! 4. with constant folding, an application of a built-in operator to classes with literals is
//!    in the class of the literal that it evaluates to.

mod memory;
mod rebuild;
mod terms;

pub(crate) use memory::Room;

use crate::class_index::ClassIndex;
use crate::forest::{ProofForest, Reason};
use crate::language::{Leaf, LeafValue, SortId, Value};
use crate::leaves::{Head, Leaves, Node};
use crate::system::System;
use crate::term::hash_node;
use crate::unionfind::UnionFind;
use hashbrown::HashTable;
use smallvec::SmallVec;
use std::sync::Arc;

/// An e-node. An e-class is named by its canonical e-node, see [`EGraph::find`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

/// "No entry" in arrays of ids or slots.
const NONE: u32 = u32::MAX;

/// E-classes of equal terms over the language of one rewrite system.
#[derive(Clone, Debug)]
pub struct EGraph {
    system: Arc<System>,
    leaves: Leaves,

    // By e-node.
    heads: Vec<Head>,
    /// The children of node `n` are slots `starts[n]..starts[n + 1]`.
    starts: Vec<u32>,
    dead: Vec<bool>,
    classes: UnionFind,
    forest: ProofForest,

    // By slot.
    original: Vec<Id>,
    canonical: Vec<Id>,
    owners: Vec<Id>,
    /// The next slot that holds a member of the same class.
    next_use: Vec<u32>,

    // By class; entries of ids that are not roots are stale.
    /// The list of slots whose child is in the class: its first and last slot, its length.
    first_use: Vec<u32>,
    last_use: Vec<u32>,
    uses: Vec<u32>,
    /// The literal e-node of the class, or [`NONE`].
    literals: Vec<u32>,

    /// Live e-nodes by canonical form.
    memo: HashTable<u32>,
    class_count: usize,
    conflict: Option<(Id, Id)>,
    index: ClassIndex,

    // Work left for the next rebuild.
    /// Runs (first, last) of `next_use` whose canonical children may be out of date.
    stale_uses: Vec<(u32, u32)>,
    /// Classes that came to have a literal.
    new_literals: Vec<Id>,
}

impl EGraph {
    /// An empty e-graph for a system.
    pub fn new(system: Arc<System>) -> EGraph {
        EGraph {
            leaves: Leaves::new(&system.language),
            system,
            heads: Vec::new(),
            starts: vec![0],
            dead: Vec::new(),
            classes: UnionFind::default(),
            forest: ProofForest::new(),
            original: Vec::new(),
            canonical: Vec::new(),
            owners: Vec::new(),
            next_use: Vec::new(),
            first_use: Vec::new(),
            last_use: Vec::new(),
            uses: Vec::new(),
            literals: Vec::new(),
            memo: HashTable::new(),
            class_count: 0,
            conflict: None,
            index: ClassIndex::default(),
            stale_uses: Vec::new(),
            new_literals: Vec::new(),
        }
    }

    /// The rewrite system.
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }

    /// Number of canonical e-nodes.
    pub fn node_count(&self) -> usize {
        self.memo.len()
    }

    /// Number of e-classes.
    pub fn class_count(&self) -> usize {
        self.class_count
    }

    /// Number of e-nodes ever built, those found congruent to others since included: the unit
    /// in which searches are charged for work.
    pub fn built(&self) -> u64 {
        self.heads.len() as u64
    }

    /// Two distinct literals that were found equal, if that happened: the system is unsound, or
    /// the terms were asserted to be equal and are not.
    pub fn conflict(&self) -> Option<(Id, Id)> {
        self.conflict
    }

    /// The canonical e-node of the class of `id`.
    pub fn find(&self, id: Id) -> Id {
        self.classes.find(id)
    }

    /// The classes, by id. Valid after [`EGraph::rebuild`].
    pub fn classes(&self) -> impl Iterator<Item = Id> + '_ {
        (0..self.heads.len() as u32).map(Id).filter(|&id| self.classes.find(id) == id)
    }

    /// The e-nodes of a class, sorted by operator. Valid after [`EGraph::rebuild`].
    pub fn nodes(&self, class: Id) -> &[Id] {
        self.index.class(class)
    }

    pub(crate) fn index(&self) -> &ClassIndex {
        &self.index
    }

    pub(crate) fn forest(&self) -> &ProofForest {
        &self.forest
    }

    /// What stands at an e-node.
    pub fn node(&self, node: Id) -> Node<'_> {
        self.leaves.node(self.head(node))
    }

    pub(crate) fn head(&self, node: Id) -> Head {
        self.heads[node.0 as usize]
    }

    fn slots(&self, node: Id) -> std::ops::Range<usize> {
        self.starts[node.0 as usize] as usize..self.starts[node.0 as usize + 1] as usize
    }

    /// The classes of an e-node's children, canonical after [`EGraph::rebuild`].
    pub fn children(&self, node: Id) -> &[Id] {
        &self.canonical[self.slots(node)]
    }

    /// The children with which an e-node was added: the e-node as a term.
    pub fn original_children(&self, node: Id) -> &[Id] {
        &self.original[self.slots(node)]
    }

    /// The sort of an e-node's terms.
    pub fn sort(&self, id: Id) -> SortId {
        match self.node(id) {
            Node::Op(op) => self.system.language.op(op).result,
            Node::Leaf(leaf) => leaf.sort,
        }
    }

    /// The literal that a class equals, if one is known.
    pub fn literal(&self, class: Id) -> Option<Value> {
        match self.node(self.literal_node(class)?) {
            Node::Leaf(Leaf { value: LeafValue::Literal(value), .. }) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn literal_node(&self, class: Id) -> Option<Id> {
        match self.literals[self.find(class).0 as usize] {
            NONE => None,
            node => Some(Id(node)),
        }
    }

    /// Adds the e-node `head(children…)`, or finds it. The children may be any ids.
    pub(crate) fn add(&mut self, head: Head, children: &[Id]) -> Id {
        let node = Id(self.heads.len() as u32);
        // Written at the end of the arrays first, and taken back if it is there already.
        let start = self.canonical.len();
        for &child in children {
            let class = self.classes.find_compress(child);
            self.canonical.push(class);
        }
        let hash = hash_node(head, &self.canonical[start..]);
        if let Some(found) = self.find_memo(hash, head, &self.canonical[start..]) {
            self.canonical.truncate(start);
            return found;
        }
        self.heads.push(head);
        self.starts.push(self.canonical.len() as u32);
        self.dead.push(false);
        self.classes.push();
        self.forest.push();
        self.first_use.push(NONE);
        self.last_use.push(NONE);
        self.uses.push(0);
        self.literals.push(NONE);
        self.class_count += 1;
        self.insert_memo(hash, node);
        for (i, &child) in children.iter().enumerate() {
            self.original.push(child);
            self.owners.push(node);
            self.next_use.push(NONE);
            self.append_use(self.canonical[start + i], (start + i) as u32);
        }
        match self.leaves.node(head) {
            Node::Leaf(Leaf { value: LeafValue::Literal(_), .. }) => {
                self.literals[node.0 as usize] = node.0;
            }
            Node::Op(_) => self.fold(node),
            Node::Leaf(_) => {}
        }
        node
    }

    fn append_use(&mut self, class: Id, slot: u32) {
        let class = class.0 as usize;
        match self.last_use[class] {
            NONE => self.first_use[class] = slot,
            last => self.next_use[last as usize] = slot,
        }
        self.last_use[class] = slot;
        self.uses[class] += 1;
    }

    fn find_memo(&self, hash: u64, head: Head, children: &[Id]) -> Option<Id> {
        let same = |&n: &u32| self.head(Id(n)) == head && self.children(Id(n)) == children;
        self.memo.find(hash, same).map(|&n| Id(n))
    }

    fn insert_memo(&mut self, hash: u64, node: Id) {
        let (heads, starts, canonical) = (&self.heads, &self.starts, &self.canonical);
        self.memo.insert_unique(hash, node.0, |&n| {
            let n = n as usize;
            hash_node(heads[n], &canonical[starts[n] as usize..starts[n + 1] as usize])
        });
    }

    /// Adds a literal or variable.
    pub(crate) fn add_leaf(&mut self, leaf: &Leaf) -> Id {
        let head = self.leaves.intern(leaf);
        self.add(head, &[])
    }

    /// The e-node of a literal or variable, if it was ever added.
    pub(crate) fn leaf_node(&self, leaf: &Leaf) -> Option<Id> {
        self.lookup_node(self.leaves.get(leaf)?, &[])
    }

    /// The e-node congruent to `head(children…)`, if there is one.
    pub(crate) fn lookup_node(&self, head: Head, children: &[Id]) -> Option<Id> {
        let classes: SmallVec<[Id; 6]> = children.iter().map(|&c| self.find(c)).collect();
        self.find_memo(hash_node(head, &classes), head, &classes)
    }

    /// Unites the classes of `left` and `right`; false if they are one already.
    pub(crate) fn union(&mut self, left: Id, right: Id, reason: Reason<'_>) -> bool {
        let (l, r) = (self.classes.find_compress(left), self.classes.find_compress(right));
        if l == r {
            return false;
        }
        // The class with fewer uses is absorbed, because its uses must be looked at again.
        let (kept, absorbed) = if self.uses[l.0 as usize] < self.uses[r.0 as usize] {
            self.forest.link(left, right, reason, true);
            (r, l)
        } else {
            self.forest.link(right, left, reason, false);
            (l, r)
        };
        self.classes.union(kept, absorbed);
        self.class_count -= 1;
        self.merge_literals(kept, absorbed);
        let (k, a) = (kept.0 as usize, absorbed.0 as usize);
        if self.first_use[a] != NONE {
            self.stale_uses.push((self.first_use[a], self.last_use[a]));
            match self.last_use[k] {
                NONE => self.first_use[k] = self.first_use[a],
                last => self.next_use[last as usize] = self.first_use[a],
            }
            self.last_use[k] = self.last_use[a];
            self.uses[k] += self.uses[a];
        }
        true
    }

    fn merge_literals(&mut self, kept: Id, absorbed: Id) {
        let (of_kept, of_absorbed) =
            (self.literals[kept.0 as usize], self.literals[absorbed.0 as usize]);
        match (of_kept, of_absorbed) {
            (NONE, NONE) => {}
            (NONE, literal) => {
                self.literals[kept.0 as usize] = literal;
                self.new_literals.push(kept);
            }
            // The absorbed class's uses have a literal child now; repairing them will see it.
            (_, NONE) => {}
            // A literal has one e-node, so that distinct e-nodes are distinct literals.
            (a, b) if a != b => {
                self.conflict.get_or_insert((Id(a), Id(b)));
            }
            _ => {}
        }
    }
}
