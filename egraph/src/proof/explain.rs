//! Explanations: proofs read from the proof forest of an e-graph, which is not changed.
//!
//! An edge of the forest says that a rule matched at certain e-nodes. Its proof goes from the
//! term of the matched e-node by congruence to the instance of the left-hand side, by the rule
//! to the instance of the right-hand side, and by congruence to the term of the e-node that the
//! application found or made ([`edges`]). What congruence needs are equalities between older
//! ids, proved by older edges (the invariant of [`crate::graph::proof_forest`]). The facts that a match
//! read are proved in the same way ([`facts`]).
//!
//! Edges are proved once per [`Explainer`], in one growing DAG; the proof of a pair is what it
//! uses of that DAG, copied. Which proof a pair gets does not depend on the pairs before it.

mod edges;
mod facts;
mod functions;
mod instance;
mod needs;
mod readable;

pub(crate) use needs::holds;

use crate::bounds::{count_bytes, count_step};
use crate::graph::egraph::EGraph;
use crate::graph::facts::FactId;
use crate::id::Id;
use crate::proof::copy::Copier;
use crate::proof::dag::{How, Proof, StepRef, Steps};
use crate::term::bank::{TermBank, TermId};
use crate::term::leaves::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// What is to be proved.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Goal {
    /// The edge that an id owns.
    Edge(Id),
    Fact(FactId),
}

/// Explains why two terms are equal. `None` as [`Explainer::explain`].
pub fn explain(egraph: &EGraph, bank: &mut TermBank, a: TermId, b: TermId) -> Option<Proof> {
    Explainer::new(egraph).explain(bank, a, b)
}

/// Explains many pairs over one e-graph and one bank; what was found out is kept.
pub struct Explainer<'e> {
    egraph: &'e EGraph,
    // By e-node. Tables of zeros cost nothing until they are written, however large the e-graph.
    /// One more than the term of each e-node, once known.
    terms: Vec<u32>,
    /// One more than the distance of each id from the root of its tree in the forest, once known.
    depths: Vec<u32>,
    /// The e-node that represents each term.
    nodes: FxHashMap<TermId, Id>,

    /// Proofs of edges and of what they need.
    steps: Steps,
    /// The proof of the edge that an id owns, as a run of `parts`: one more than its start, and
    /// its length, once proved.
    edges: Vec<[u32; 2]>,
    /// The parts of these, steps of `steps`.
    parts: Vec<StepRef>,
    /// Proofs that edges need, from an id to a larger one; `None` where both are the same term.
    pairs: FxHashMap<(Id, Id), Option<StepRef>>,
    /// Facts that edges and other facts need, each at its own term, once proved.
    facts: FxHashMap<FactId, StepRef>,
    /// Of an e-graph that was read from a file: what was begun to be proved. A goal that is begun twice needs itself.
    begun: FxHashSet<Goal>,

    /// The proof that is being put together.
    proof: Steps,
    /// From `steps` into it.
    copier: Copier,
    /// Its proofs from terms to the e-nodes that represent them.
    to_nodes: FxHashMap<TermId, StepRef>,
    seen: FxHashSet<TermId>,
    up: Vec<Id>,
    down: Vec<Id>,
}

impl<'e> Explainer<'e> {
    /// For a rebuilt e-graph.
    pub fn new(egraph: &'e EGraph) -> Self {
        let ids = egraph.built() as usize;
        count_bytes(ids * (2 * size_of::<u32>() + size_of::<[u32; 2]>()));
        Explainer {
            egraph,
            terms: vec![0; ids],
            depths: vec![0; ids],
            nodes: FxHashMap::default(),
            steps: Steps::default(),
            edges: vec![[0; 2]; ids],
            parts: Vec::new(),
            pairs: FxHashMap::default(),
            facts: FxHashMap::default(),
            begun: FxHashSet::default(),
            proof: Steps::default(),
            copier: Copier::default(),
            to_nodes: FxHashMap::default(),
            seen: FxHashSet::default(),
            up: Vec::new(),
            down: Vec::new(),
        }
    }

    /// Explains why `a` equals `b`, both of `bank`, which must be the same at every call.
    /// `None` if the e-graph does not represent both in one class, or was read from a file that somebody made up and that
    /// gives no reason.
    pub fn explain(&mut self, bank: &mut TermBank, a: TermId, b: TermId) -> Option<Proof> {
        let id_a = self.represent(bank, a)?;
        let id_b = self.represent(bank, b)?;
        if self.egraph.find(id_a) != self.egraph.find(id_b) {
            return None;
        }
        if a == b {
            return Some(Proof::reflexive(a));
        }
        self.proof.clear();
        self.copier.clear();
        self.to_nodes.clear();
        let mut parts = SmallVec::<[StepRef; 32]>::new();
        self.term_to_node(bank, a)?;
        parts.extend(self.to_nodes.get(&a).copied());
        self.copy_path(bank, id_a, id_b, &mut parts)?;
        self.term_to_node(bank, b)?;
        parts.extend(self.to_nodes.get(&b).map(|to| to.flip()));
        let root = match parts[..] {
            [only] => only,
            _ => self.proof.push(a, b, How::Chain(&parts)),
        };
        Some(Proof { steps: self.proof.clone(), root })
    }

    /// The ids whose edges were proved for what was explained so far.
    pub(crate) fn proved(&self) -> impl Iterator<Item = Id> + '_ {
        (0u32..).zip(&self.edges).filter(|(_, edge)| edge[0] != 0).map(|(id, _)| Id(id))
    }

    /// The e-node congruent to `t`, if there is one.
    fn represent(&mut self, bank: &TermBank, t: TermId) -> Option<Id> {
        if let Some(&known) = self.nodes.get(&t) {
            return Some(known);
        }
        let mut unknown = vec![t];
        self.seen.clear();
        let mut next = 0;
        while next < unknown.len() {
            for &c in bank.children(unknown[next]) {
                if !self.nodes.contains_key(&c) && self.seen.insert(c) {
                    unknown.push(c);
                }
            }
            next += 1;
        }
        // Children have smaller ids.
        unknown.sort_unstable();
        for s in unknown {
            let id = match bank.node(s) {
                Node::Leaf(leaf) => self.egraph.leaf_node(leaf)?,
                Node::Op(op) => {
                    let children = bank.children(s).iter().map(|c| self.nodes[c]);
                    let children: SmallVec<[Id; 6]> = children.collect();
                    self.egraph.lookup_node(op.into(), &children)?
                }
            };
            self.nodes.insert(s, id);
        }
        self.nodes.get(&t).copied()
    }

    /// The term that an e-node is.
    fn term(&mut self, bank: &mut TermBank, id: Id) -> TermId {
        if let Some(known) = self.terms[id.0 as usize].checked_sub(1) {
            return TermId(known);
        }
        let mut todo = vec![id];
        while let Some(&n) = todo.last() {
            let before = todo.len();
            let unknown = |c: &Id| self.terms[c.0 as usize] == 0;
            if unknown(&n) {
                let children = self.egraph.original_children(n);
                todo.extend(children.iter().copied().filter(unknown));
                if todo.len() > before {
                    continue;
                }
                let TermId(t) = match self.egraph.node(n) {
                    Node::Leaf(leaf) => bank.leaf(leaf),
                    Node::Op(op) => {
                        let term = |c: &Id| TermId(self.terms[c.0 as usize] - 1);
                        let children: SmallVec<[TermId; 6]> = children.iter().map(term).collect();
                        bank.apply(op, &children)
                    }
                };
                self.terms[n.0 as usize] = t + 1;
            }
            todo.pop();
        }
        TermId(self.terms[id.0 as usize] - 1)
    }

    /// From a term to the e-node that represents it, unless that was made as just this term: its children's proofs, and
    /// from their e-nodes to the children with which the e-node was made. A step of `proof`, in `to_nodes`; `None` as
    /// [`Explainer::prove_path`].
    fn term_to_node(&mut self, bank: &mut TermBank, t: TermId) -> Option<()> {
        let mut all = Vec::new();
        self.seen.clear();
        let mut todo = vec![t];
        while let Some(s) = todo.pop() {
            if !self.to_nodes.contains_key(&s) && self.seen.insert(s) && !self.is_exact(bank, s) {
                all.push(s);
                todo.extend_from_slice(bank.children(s));
            }
        }
        // Children have smaller ids.
        all.sort_unstable();
        for &s in &all {
            let node = self.nodes[&s];
            let made_with = self.egraph.original_children(node);
            let mut proofs = SmallVec::<[Option<StepRef>; 6]>::new();
            for (i, &made_with) in made_with.iter().enumerate() {
                let child = bank.children(s)[i];
                let child_node = self.nodes[&child];
                let mut parts = SmallVec::<[StepRef; 32]>::new();
                parts.extend(self.to_nodes.get(&child).copied());
                self.copy_path(bank, child_node, made_with, &mut parts)?;
                let end = self.term(bank, made_with);
                proofs.push(match parts[..] {
                    _ if child == end => None,
                    [only] => Some(only),
                    _ => Some(self.proof.push(child, end, How::Chain(&parts))),
                });
            }
            let end = self.term(bank, node);
            let step = self.proof.push(s, end, How::Congruence(&proofs));
            self.to_nodes.insert(s, step);
        }
        Some(())
    }

    /// Whether the e-node that represents `t` was made as just this term.
    fn is_exact(&mut self, bank: &mut TermBank, t: TermId) -> bool {
        self.term(bank, self.nodes[&t]) == t
    }

    /// Appends the parts of the path from `a` to `b` to `parts`, as steps of `proof`; `None` as [`Explainer::prove_path`].
    fn copy_path(
        &mut self,
        bank: &mut TermBank,
        a: Id,
        b: Id,
        parts: &mut SmallVec<[StepRef; 32]>,
    ) -> Option<()> {
        if a == b {
            return Some(());
        }
        self.begun.clear();
        self.prove_path(bank, a, b)?;
        let start = parts.len();
        self.path(a, b);
        let up = std::mem::take(&mut self.up);
        up.iter().for_each(|&id| parts.extend_from_slice(self.edge_parts(id)));
        let down = std::mem::take(&mut self.down);
        for &id in down.iter().rev() {
            parts.extend(self.edge_parts(id).iter().rev().map(|r| r.flip()));
        }
        (self.up, self.down) = (up, down);
        for part in &mut parts[start..] {
            *part = self.copy(*part);
        }
        Some(())
    }

    /// A step of `steps` with all that it uses, copied into `proof`.
    fn copy(&mut self, step: StepRef) -> StepRef {
        self.copier.copy(&self.steps, &mut self.proof, step)
    }

    /// Sets `up` to the ids on the way from `a` up to the common ancestor, and `down` to those
    /// from `b` up to it, both without the ancestor itself.
    fn path(&mut self, a: Id, b: Id) {
        self.up.clear();
        self.down.clear();
        let (mut a, mut b) = (a, b);
        let (mut depth_a, mut depth_b) = (self.depth(a), self.depth(b));
        let forest = self.egraph.forest();
        let above = |id: Id| forest.edge(id).expect("the members of a class are in one tree").to;
        while a != b {
            count_step();
            if depth_a >= depth_b {
                self.up.push(a);
                a = above(a);
                depth_a -= 1;
            } else {
                self.down.push(b);
                b = above(b);
                depth_b -= 1;
            }
        }
    }

    fn depth(&mut self, id: Id) -> u32 {
        let mut at = id;
        let mut below = SmallVec::<[Id; 32]>::new();
        while self.depths[at.0 as usize] == 0 {
            match self.egraph.forest().edge(at) {
                Some(edge) => {
                    count_step();
                    count_bytes(size_of::<Id>());
                    below.push(at);
                    at = edge.to;
                }
                None => self.depths[at.0 as usize] = 1,
            }
        }
        let mut depth = self.depths[at.0 as usize];
        for id in below.into_iter().rev() {
            depth += 1;
            self.depths[id.0 as usize] = depth;
        }
        depth
    }
}
