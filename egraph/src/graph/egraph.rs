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
//!    in the class of the literal that it evaluates to;
//! 5. with analyses, no transfer says anything new, unless there is no room for it or the class has had
//!    too many facts ([`crate::graph::facts`]);
//! 6. every live e-node points straight at its class ([`EGraph::class_of`]);
//! 7. the trees of the proof forest are the classes ([`crate::graph::proof_forest`]). This holds between rebuilds, too.

mod add;
mod assume;
mod facts;
mod memory;
mod rebuild;
mod stored;
mod terms;

pub use stored::{NotStored, begins_as_egraph};

use crate::graph::changes::{Changes, Epoch, Stamps};
use crate::graph::class_index::ClassIndex;
use crate::graph::facts::Facts;
use crate::graph::node_table::NodeTable;
use crate::graph::parents::{Run, Uses};
use crate::graph::proof_forest::{ProofForest, Reason};
use crate::graph::seen::Seen;
use crate::graph::small_slice::with_slice;
use crate::graph::unionfind::UnionFind;
use crate::id::Id;
use crate::rules::given::Given;
use crate::rules::system::System;
use crate::term::language::{Leaf, LeafValue, SortId};
use crate::term::leaves::{Head, Leaves, Node};
use crate::term::literal::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Where less than one class in so many has other e-nodes, only these are indexed anew. To note them takes a 200th of the
/// e-graph at most, and nothing after a rebuild.
const FEW: usize = 16;

/// E-classes of equal terms over the language of one rewrite system.
#[derive(Clone, Debug)]
pub struct EGraph {
    system: Arc<System>,
    leaves: Leaves,
    nodes: NodeTable,
    stamps: Stamps,
    classes: UnionFind,
    forest: ProofForest,
    uses: Uses,
    index: ClassIndex,
    /// The literal e-node of each class that has one.
    literals: FxHashMap<Id, Id>,
    /// What is known of classes, where the system has analyses.
    facts: Option<Box<Facts>>,
    class_count: usize,
    conflict: Option<(Id, Id)>,
    /// Whether operators of the language bind variables.
    binds: bool,
    /// See [`EGraph::loose`]; empty where the language binds no variables, as the next two.
    loose: Vec<u32>,
    /// See [`EGraph::representative`]; by canonical e-node.
    representatives: Vec<Id>,
    /// Classes that came to have another one.
    new_representatives: Vec<Id>,

    // Work left for the next rebuild.
    /// Classes that have fewer e-nodes, or those of others, since the last one; nothing once they are many.
    regrouped: Option<Vec<Id>>,
    /// Uses whose canonical children may be out of date.
    stale_uses: Vec<Run>,
    /// Classes that came to have a literal.
    new_literals: Vec<Id>,

    /// What the rules have seen in earlier runs, a few words a rule.
    seen: Seen,
    /// Whether it was read from a file, which may say what is not so.
    told: bool,
    /// The ruleset of equalities that were given by hand, see [`EGraph::assume`].
    given: Option<Given>,
}

impl EGraph {
    /// An empty e-graph for a system.
    pub fn new(system: Arc<System>) -> EGraph {
        let analyses = system.analyses.len();
        let binds = system.language.has_binders();
        let facts = (analyses > 0).then(|| Box::new(Facts::new(analyses)));
        EGraph {
            leaves: Leaves::new(&system.language),
            nodes: NodeTable::new(&system.language),
            system,
            stamps: Stamps::new(),
            classes: UnionFind::default(),
            forest: ProofForest::new(),
            uses: Uses::default(),
            index: ClassIndex::default(),
            literals: FxHashMap::default(),
            facts,
            class_count: 0,
            conflict: None,
            binds,
            loose: Vec::new(),
            representatives: Vec::new(),
            new_representatives: Vec::new(),
            regrouped: Some(Vec::new()),
            stale_uses: Vec::new(),
            new_literals: Vec::new(),
            seen: Seen::default(),
            told: false,
            given: None,
        }
    }

    /// The rewrite system.
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }

    /// Goes on with another system, which must have the same language and analyses, and the rules so far
    /// as its first ones, for proofs name these; otherwise nothing changes, and that is said.
    ///
    /// # Errors
    /// The other system is handed back.
    pub fn go_on_with(&mut self, system: Arc<System>) -> Result<(), Arc<System>> {
        let old = &self.system;
        let fits = Arc::ptr_eq(old, &system)
            || system.language == old.language
                && system.analyses == old.analyses
                && system.rules.starts_with(&old.rules);
        if !fits {
            return Err(system);
        }
        if !self.seen.epochs.is_empty() {
            self.seen.extend(system.rules.len());
        }
        self.system = system;
        Ok(())
    }

    /// Number of canonical e-nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.live()
    }

    /// Number of e-classes.
    pub fn class_count(&self) -> usize {
        self.class_count
    }

    /// Number of e-nodes ever built, those found congruent to others since included: the unit
    /// in which searches are charged for work.
    pub fn built(&self) -> u64 {
        self.nodes.len() as u64
    }

    /// Number of unions so far that changed the equalities: each made one class of two.
    pub(crate) fn unions(&self) -> usize {
        self.nodes.len() - self.class_count
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

    /// As [`EGraph::find`], and faster. Valid after [`EGraph::rebuild`].
    #[inline]
    pub(crate) fn class_of(&self, id: Id) -> Id {
        self.classes.compressed(id)
    }

    /// The classes, by id. Valid after [`EGraph::rebuild`].
    pub fn classes(&self) -> impl Iterator<Item = Id> + '_ {
        self.ids().filter(|&id| self.classes.is_root(id))
    }

    /// The e-nodes of a class, sorted by operator. Valid after [`EGraph::rebuild`].
    pub fn nodes(&self, class: Id) -> &[Id] {
        self.index.class(class)
    }

    pub(crate) fn index(&self) -> &ClassIndex {
        &self.index
    }

    pub(crate) fn table(&self) -> &NodeTable {
        &self.nodes
    }

    pub(crate) fn is_told(&self) -> bool {
        self.told
    }

    pub(crate) fn forest(&self) -> &ProofForest {
        &self.forest
    }

    /// What stands at an e-node.
    pub fn node(&self, node: Id) -> Node<'_> {
        self.leaves.node(self.head(node))
    }

    pub(crate) fn head(&self, node: Id) -> Head {
        self.nodes.head(node)
    }

    /// All ids, those of e-nodes included that were found congruent to others.
    pub(crate) fn ids(&self) -> impl Iterator<Item = Id> + Clone + use<> {
        (0..self.nodes.len() as u32).map(Id)
    }

    /// The classes of an e-node's children, canonical after [`EGraph::rebuild`].
    pub fn children(&self, node: Id) -> &[Id] {
        self.nodes.children(node)
    }

    /// The e-node of the e-graph that is congruent to `node`: itself, unless it was found congruent
    /// to an older one and dropped. Valid after [`EGraph::rebuild`].
    pub fn congruent(&self, node: Id) -> Id {
        let found = self.lookup_node(self.head(node), self.original_children(node));
        found.expect("each e-node that was added has a congruent one")
    }

    /// The children with which an e-node was added: the e-node as a term.
    pub fn original_children(&self, node: Id) -> &[Id] {
        self.nodes.original_children(node)
    }

    /// The e-nodes that have `class` as a child, and which child it is; those that were found
    /// congruent to others are left out. Valid after [`EGraph::rebuild`].
    pub(crate) fn parents(&self, class: Id) -> impl Iterator<Item = (Id, usize)> + '_ {
        let owners = self.uses.of(class).map(|slot| self.nodes.owner(slot));
        owners.filter(|&(node, _)| !self.stamps.is_dead(node))
    }

    /// Whether a live e-node has changed since the end of `epoch`, see [`crate::graph::changes`].
    #[inline]
    pub(crate) fn changed_since(&self, node: Id, epoch: Epoch) -> bool {
        self.stamps.changed_since(node, epoch)
    }

    /// About how many e-nodes and uses the class of an e-node has.
    pub(crate) fn weight(&self, node: Id) -> u32 {
        self.classes.weight(self.find(node))
    }

    /// The live applications of an operator. Valid after [`EGraph::rebuild`].
    pub(crate) fn applications(&self, op: usize) -> Vec<Id> {
        let mut nodes = Vec::with_capacity(self.live_by_operator()[op] as usize);
        nodes.extend(self.index.nodes().iter().filter(|&&node| self.head(node).0 as usize == op));
        nodes
    }

    /// The live applications that have changed since the end of `epoch`. Valid after [`EGraph::rebuild`].
    pub(crate) fn changes(&self, epoch: Epoch) -> Changes {
        let mut counts = vec![0; self.live_by_operator().len()];
        let mut changed = 0;
        self.stamps.later_than(epoch).for_each(|node| {
            changed += 1;
            if let Some(count) = counts.get_mut(self.head(node).0 as usize) {
                *count += 1;
            }
        });
        // In the order of the index: where they are few they are sorted, else the others are passed over.
        if changed < self.index.ids() / FEW {
            let by_class = |node: Id| u64::from(self.class_of(node).0) << 32 | u64::from(node.0);
            let mut nodes: Vec<u64> = self.stamps.later_than(epoch).map(by_class).collect();
            nodes.sort_unstable();
            self.by_operator(nodes.into_iter().map(|node| Id(node as u32)), &counts)
        } else {
            let changed = |node: &Id| self.stamps.changed_since(*node, epoch);
            self.by_operator(self.index.nodes().iter().copied().filter(changed), &counts)
        }
    }

    /// Numbers of live applications, by operator. Valid after [`EGraph::rebuild`].
    pub(crate) fn live_by_operator(&self) -> &[u32] {
        self.nodes.live_by_operator()
    }

    /// `counts`: how many e-nodes have each operator.
    fn by_operator(&self, nodes: impl Iterator<Item = Id>, counts: &[u32]) -> Changes {
        Changes::collect(nodes, counts, |node| self.head(node).0 as usize)
    }

    pub(crate) fn now(&self) -> Epoch {
        self.stamps.now()
    }

    /// Ends the epoch, see [`Stamps::advance`].
    pub(crate) fn advance(&mut self) {
        let shift = self.stamps.advance();
        if shift > 0 {
            self.seen.lower(shift);
        }
    }

    /// What the rules have seen.
    pub(crate) fn seen(&mut self) -> &mut Seen {
        &mut self.seen
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
        if self.literals.is_empty() { None } else { self.literals.get(&self.find(class)).copied() }
    }

    /// The indices that are loose in the term that an e-node is, as bits; the last one for all that have
    /// none.
    pub(crate) fn loose(&self, node: Id) -> u32 {
        self.loose.get(node.0 as usize).copied().unwrap_or(0)
    }

    /// Of the e-nodes of a class the first of those with the fewest loose indices, which can be lowered
    /// where others can't. One that was found congruent to another counts, too.
    pub(crate) fn representative(&self, class: Id) -> Id {
        self.representatives.get(self.find(class).0 as usize).copied().unwrap_or(class)
    }

    /// Chooses between the representatives of two classes that are one now.
    fn join_representatives(&mut self, kept: Id, absorbed: Id) {
        let [of_kept, of_absorbed] =
            [kept, absorbed].map(|class| self.representatives[class.0 as usize]);
        let rank = |node: Id| (self.loose(node).count_ones(), node);
        if rank(of_absorbed) < rank(of_kept) {
            let better = self.loose(of_absorbed).count_ones() < self.loose(of_kept).count_ones();
            self.representatives[kept.0 as usize] = of_absorbed;
            if better {
                self.new_representatives.push(kept);
            }
        }
    }

    fn loose_of(&self, head: Head, children: &[Id]) -> u32 {
        match self.leaves.node(head) {
            Node::Leaf(leaf) => leaf.loose(),
            Node::Op(op) => {
                let loose = children.iter().map(|&child| self.loose(child));
                self.system.language.op(op).loose(loose)
            }
        }
    }

    /// The e-node of a literal or variable, if it was ever added.
    pub(crate) fn leaf_node(&self, leaf: &Leaf) -> Option<Id> {
        self.lookup_node(self.leaves.get(leaf)?, &[])
    }

    /// The e-node congruent to `head(children…)`, if there is one.
    pub(crate) fn lookup_node(&self, head: Head, children: &[Id]) -> Option<Id> {
        with_slice(children.iter().map(|&c| self.find(c)), |classes| self.nodes.find(head, classes))
    }

    /// As [`EGraph::lookup_node`], for canonical children.
    #[inline]
    pub(crate) fn lookup_canonical(&self, head: Head, classes: &[Id]) -> Option<Id> {
        self.nodes.find(head, classes)
    }

    /// Whether two e-nodes have equal children one by one. `others`: those of the second one.
    fn children_equal(&self, node: Id, others: &[Id]) -> bool {
        let children = self.original_children(node);
        children.len() == others.len()
            && children.iter().zip(others).all(|(&a, &b)| self.find(a) == self.find(b))
    }

    /// Whether a reason holds; what a rule says is checked where it is applied.
    fn holds(&self, left: Id, right: Id, reason: Reason<'_>) -> bool {
        match reason {
            Reason::Congruence => {
                self.head(left) == self.head(right)
                    && self.children_equal(left, self.original_children(right))
            }
            Reason::Fold { bound } => self.children_equal(left, bound),
            Reason::Rule { .. } => true,
        }
    }

    /// Unites the classes of `left` and `right`; false if they are one already.
    pub(crate) fn union(&mut self, left: Id, right: Id, reason: Reason<'_>) -> bool {
        debug_assert!(self.holds(left, right, reason));
        let (l, r) = (self.classes.find_compress(left), self.classes.find_compress(right));
        if l == r {
            return false;
        }
        // The lighter class is absorbed, because its members and uses must be looked at again.
        let (kept, absorbed) = if self.classes.weight(l) < self.classes.weight(r) {
            self.forest.link(left, right, reason, true);
            (r, l)
        } else {
            self.forest.link(right, left, reason, false);
            (l, r)
        };
        self.classes.union(kept, absorbed);
        self.regroup(kept);
        self.regroup(absorbed);
        self.class_count -= 1;
        self.merge_literals(kept, absorbed);
        if self.facts.is_some() {
            self.merge_facts(kept, absorbed);
        }
        if !self.representatives.is_empty() {
            self.join_representatives(kept, absorbed);
        }
        self.stale_uses.extend(self.uses.join(kept, absorbed));
        true
    }

    /// Notes that a class has fewer e-nodes now, or those of another.
    #[inline]
    fn regroup(&mut self, class: Id) {
        if let Some(classes) = &mut self.regrouped {
            classes.push(class);
            if classes.len() > self.index.ids() / FEW {
                self.regrouped = None;
            }
        }
    }

    fn merge_literals(&mut self, kept: Id, absorbed: Id) {
        if self.literals.is_empty() {
            return;
        }
        // Where the kept class has a literal already, the absorbed class's uses have a literal
        // child now; repairing them will see it.
        let Some(literal) = self.literals.remove(&absorbed) else { return };
        match self.literals.get(&kept) {
            None => {
                self.literals.insert(kept, literal);
                self.new_literals.push(kept);
            }
            // A literal has one e-node, so that distinct e-nodes are distinct literals.
            Some(&other) => {
                self.conflict.get_or_insert((other, literal));
            }
        }
    }
}
