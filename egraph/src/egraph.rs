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

use crate::class_index::ClassIndex;
use crate::forest::{ProofForest, Reason};
use crate::language::{Leaf, LeafValue, SortId, Value};
use crate::system::System;
use crate::term::{Head, Leaves, Node, TermBank, TermId, hash_node};
use crate::unionfind::UnionFind;
use hashbrown::HashTable;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// An e-node. An e-class is named by its canonical e-node, see [`EGraph::find`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

/// What one or more additions may take: e-nodes, their children, ids bound by edges, unions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Room {
    pub nodes: usize,
    pub slots: usize,
    pub bound: usize,
    pub unions: usize,
}

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

    /// Bytes on the heap: the capacities of all arrays, names of variables included.
    pub fn heap_bytes(&self) -> usize {
        self.leaves.heap_bytes()
            + self.heads.capacity() * size_of::<Head>()
            + self.dead.capacity()
            + self.classes.heap_bytes()
            + self.forest.heap_bytes()
            + self.index.heap_bytes()
            + self.memo.allocation_size()
            + size_of::<u32>()
                * (self.starts.capacity()
                    + self.original.capacity()
                    + self.canonical.capacity()
                    + self.owners.capacity()
                    + self.next_use.capacity()
                    + self.first_use.capacity()
                    + self.last_use.capacity()
                    + self.uses.capacity()
                    + self.literals.capacity()
                    + 2 * self.stale_uses.capacity()
                    + self.new_literals.capacity())
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

    /// Adds a term and its subterms; returns the e-node of the term. Rebuild before matching.
    pub fn add_term(&mut self, bank: &TermBank, t: TermId) -> Id {
        let mut ids: FxHashMap<TermId, Id> = FxHashMap::default();
        for s in bank.subterms(t) {
            let id = match bank.node(s) {
                Node::Leaf(leaf) => self.add_leaf(leaf),
                Node::Op(op) => {
                    let children: Vec<Id> = bank.children(s).iter().map(|c| ids[c]).collect();
                    self.add(op.into(), &children)
                }
            };
            ids.insert(s, id);
        }
        ids[&t]
    }

    /// The class that represents `t`, if there is one. Valid after [`EGraph::rebuild`].
    pub fn lookup(&self, bank: &TermBank, t: TermId) -> Option<Id> {
        let mut ids = FxHashMap::default();
        self.represent(bank, t, &mut ids).map(|id| self.find(id))
    }

    /// The e-node congruent to `t`, if there is one; enters those of its subterms into `ids`.
    pub(crate) fn represent(
        &self,
        bank: &TermBank,
        t: TermId,
        ids: &mut FxHashMap<TermId, Id>,
    ) -> Option<Id> {
        if let Some(&id) = ids.get(&t) {
            return Some(id);
        }
        for s in bank.subterms(t) {
            if ids.contains_key(&s) {
                continue;
            }
            let id = match bank.node(s) {
                Node::Leaf(leaf) => self.leaf_node(leaf)?,
                Node::Op(op) => {
                    let children: Vec<Id> = bank.children(s).iter().map(|c| ids[c]).collect();
                    self.lookup_node(op.into(), &children)?
                }
            };
            ids.insert(s, id);
        }
        Some(ids[&t])
    }

    /// The term that an e-node is.
    pub fn term(&self, bank: &mut TermBank, id: Id) -> TermId {
        self.term_cached(bank, id, &mut FxHashMap::default())
    }

    pub(crate) fn term_cached(
        &self,
        bank: &mut TermBank,
        id: Id,
        terms: &mut FxHashMap<Id, TermId>,
    ) -> TermId {
        let mut todo = vec![id];
        while let Some(&n) = todo.last() {
            if terms.contains_key(&n) {
                todo.pop();
                continue;
            }
            let before = todo.len();
            todo.extend(self.original_children(n).iter().filter(|c| !terms.contains_key(c)));
            if todo.len() > before {
                continue;
            }
            let t = match self.node(n) {
                Node::Leaf(leaf) => bank.leaf(leaf),
                Node::Op(op) => {
                    let children: Vec<TermId> =
                        self.original_children(n).iter().map(|c| terms[c]).collect();
                    bank.apply(op, &children)
                }
            };
            terms.insert(n, t);
            todo.pop();
        }
        terms[&id]
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

    /// Restores the invariants: unites congruent e-nodes, folds constants, indexes the classes.
    pub fn rebuild(&mut self) {
        loop {
            while let Some((first, last)) = self.stale_uses.pop() {
                self.repair_uses(first, last);
            }
            match self.new_literals.pop() {
                Some(class) => self.fold_uses(self.find(class)),
                None => break,
            }
        }
        self.classes.compress_all();
        let mut index = std::mem::take(&mut self.index);
        index.build(
            self.heads.len(),
            self.system.language.operators.len(),
            |id| !self.dead[id.0 as usize],
            |id| self.find(id),
            |id| self.head(id),
        );
        self.index = index;
        #[cfg(debug_assertions)]
        self.check_invariants();
    }

    /// Brings the owners of a run of uses up to date.
    fn repair_uses(&mut self, first: u32, last: u32) {
        let mut slot = first;
        loop {
            let next = self.next_use[slot as usize];
            let node = self.owners[slot as usize];
            if !self.dead[node.0 as usize] {
                self.repair_node(node);
                self.fold(node);
            }
            if slot == last {
                return;
            }
            slot = next;
        }
    }

    fn repair_node(&mut self, node: Id) {
        let slots = self.slots(node);
        let stale =
            slots.clone().any(|s| self.classes.find(self.canonical[s]) != self.canonical[s]);
        if !stale {
            return;
        }
        let head = self.head(node);
        let old = hash_node(head, &self.canonical[slots.clone()]);
        if let Ok(entry) = self.memo.find_entry(old, |&n| n == node.0) {
            entry.remove();
        }
        for s in slots.clone() {
            self.canonical[s] = self.classes.find_compress(self.canonical[s]);
        }
        let new = hash_node(head, &self.canonical[slots.clone()]);
        match self.find_memo(new, head, &self.canonical[slots]) {
            Some(twin) => {
                self.dead[node.0 as usize] = true;
                self.union(node, twin, Reason::Congruence);
            }
            None => self.insert_memo(new, node),
        }
    }

    fn fold_uses(&mut self, class: Id) {
        let mut slot = self.first_use[class.0 as usize];
        while slot != NONE {
            let node = self.owners[slot as usize];
            if !self.dead[node.0 as usize] {
                self.fold(node);
            }
            slot = self.next_use[slot as usize];
        }
    }

    /// Unites an application of a built-in operator with its value, if all children have one.
    fn fold(&mut self, node: Id) {
        let Node::Op(op) = self.node(node) else { return };
        if !self.system.language.constant_folding {
            return;
        }
        let operator = self.system.language.op(op);
        let (Some(builtin), sort) = (operator.builtin, operator.result) else { return };
        let literals = self.children(node).iter().map(|&c| self.literal_node(c));
        let Some(bound) = literals.collect::<Option<SmallVec<[Id; 6]>>>() else { return };
        let values: Option<Vec<Value>> = bound.iter().map(|&c| self.literal(c)).collect();
        let Some(value) = values.and_then(|values| builtin.eval(&values)) else { return };
        let literal = self.add_leaf(&Leaf { sort, value: LeafValue::Literal(value) });
        self.union(node, literal, Reason::Fold { bound: &bound });
    }

    /// Makes room for `more`, so that adding that much allocates nothing. False, and nothing is
    /// changed, if that would take more than `limit` bytes.
    pub(crate) fn reserve(&mut self, more: Room, limit: usize) -> bool {
        let full = |len: usize, capacity: usize, more: usize| len + more > capacity;
        let nodes_full = full(self.heads.len(), self.heads.capacity(), more.nodes);
        let slots_full = full(self.canonical.len(), self.canonical.capacity(), more.slots);
        let bound_full = self.forest.bound_room() < more.bound;
        let unions_full = full(self.stale_uses.len(), self.stale_uses.capacity(), more.unions);
        let memo_full = full(self.memo.len(), self.memo.capacity(), more.nodes);
        let leaves_full = self.leaves.is_full(more.nodes);
        if !(nodes_full || slots_full || bound_full || unions_full || memo_full || leaves_full) {
            return true;
        }
        // A quarter more than there is, or as much as the limit allows, but at least what is asked.
        let used = self.heap_bytes();
        for divisor in [4, 16, 64, usize::MAX] {
            let grow = |needed: bool, len: usize, more: usize| {
                if needed { more + len / divisor } else { 0 }
            };
            let room = Room {
                nodes: grow(nodes_full, self.heads.len(), more.nodes),
                slots: grow(slots_full, self.canonical.len(), more.slots),
                bound: grow(bound_full, self.forest.bound_len(), more.bound),
                unions: grow(unions_full, self.stale_uses.len(), more.unions),
            };
            // 13 words and a flag a node (three words of the class index included), 4 words a
            // slot, 2 a union; the hash-cons and the table of leaves double.
            let memo = if memo_full { self.memo.allocation_size().max(64) } else { 0 };
            let leaves = if leaves_full { self.leaves.heap_bytes().max(512) } else { 0 };
            let words = 13 * room.nodes + 4 * room.slots + room.bound + 2 * room.unions;
            if used + 4 * words + room.nodes + memo + leaves > limit {
                continue;
            }
            self.grow(room);
            if memo_full {
                let (heads, starts, canonical) = (&self.heads, &self.starts, &self.canonical);
                self.memo.reserve(more.nodes, |&n| {
                    let n = n as usize;
                    hash_node(heads[n], &canonical[starts[n] as usize..starts[n + 1] as usize])
                });
            }
            if leaves_full {
                self.leaves.reserve(more.nodes);
            }
            return true;
        }
        false
    }

    fn grow(&mut self, room: Room) {
        if room.nodes > 0 {
            self.heads.reserve_exact(room.nodes);
            self.starts.reserve_exact(room.nodes + 1);
            self.dead.reserve_exact(room.nodes);
            self.classes.reserve_exact(room.nodes);
            self.forest.reserve_nodes(room.nodes);
            for array in
                [&mut self.first_use, &mut self.last_use, &mut self.uses, &mut self.literals]
            {
                array.reserve_exact(room.nodes);
            }
            self.index.reserve(self.heads.capacity());
        }
        if room.slots > 0 {
            for array in [&mut self.original, &mut self.canonical, &mut self.owners] {
                array.reserve_exact(room.slots);
            }
            self.next_use.reserve_exact(room.slots);
        }
        if room.bound > 0 {
            self.forest.reserve_bound(room.bound);
        }
        if room.unions > 0 {
            self.stale_uses.reserve_exact(room.unions);
        }
    }

    /// The invariants at the head of this file, after each rebuild in debug builds.
    #[cfg(debug_assertions)]
    fn check_invariants(&self) {
        let mut live = 0;
        let mut roots = 0;
        for n in (0..self.heads.len() as u32).map(Id) {
            roots += usize::from(self.find(n) == n);
            if self.dead[n.0 as usize] {
                continue;
            }
            live += 1;
            assert!(self.children(n).iter().all(|&c| self.find(c) == c), "stale child");
            let hash = hash_node(self.head(n), self.children(n));
            assert_eq!(self.find_memo(hash, self.head(n), self.children(n)), Some(n));
            if let Node::Op(op) = self.node(n)
                && self.system.language.constant_folding
                && self.conflict.is_none()
            {
                let values: Option<Vec<Value>> =
                    self.children(n).iter().map(|&c| self.literal(c)).collect();
                let value = values.and_then(|v| self.system.language.op(op).builtin?.eval(&v));
                assert!(value.is_none() || self.literal(n) == value, "unfolded constant");
            }
        }
        assert_eq!(live, self.memo.len());
        assert_eq!(roots, self.class_count);
    }
}
