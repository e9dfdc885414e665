//! Explanations: proofs read from the proof forest of an e-graph, which is not changed.
//!
//! An edge of the forest says that a rule matched at certain e-nodes. Its proof goes from the
//! term of the matched e-node by congruence to the instance of the left-hand side, by the rule
//! to the instance of the right-hand side, and by congruence to the term of the e-node that the
//! application found or made. What congruence needs are equalities between older ids, proved by
//! older edges (the invariant of [`crate::forest`]).

use crate::egraph::{EGraph, Id};
use crate::forest::Reason;
use crate::pattern::{Pattern, VarId};
use crate::proof::{How, Proof, Step, StepRef};
use crate::rewrite::compute_all;
use crate::term::{TermBank, TermId};
use rustc_hash::FxHashMap;

/// Explains why two terms are equal. `None` if the e-graph does not represent both in one class.
pub fn explain(egraph: &EGraph, bank: &mut TermBank, a: TermId, b: TermId) -> Option<Proof> {
    Explainer::new(egraph).explain(bank, a, b)
}

/// Explains many pairs over one e-graph and one bank; compiled rules and terms are kept.
pub struct Explainer<'e> {
    egraph: &'e EGraph,
    terms: FxHashMap<Id, TermId>,
    nodes: FxHashMap<TermId, Id>,
}

impl<'e> Explainer<'e> {
    /// For a rebuilt e-graph.
    pub fn new(egraph: &'e EGraph) -> Self {
        Explainer { egraph, terms: FxHashMap::default(), nodes: FxHashMap::default() }
    }

    /// Explains why `a` equals `b`, both of `bank`, which must be the same at every call.
    /// `None` if the e-graph does not represent both in one class.
    pub fn explain(&mut self, bank: &mut TermBank, a: TermId, b: TermId) -> Option<Proof> {
        let id_a = self.egraph.represent(bank, a, &mut self.nodes)?;
        let id_b = self.egraph.represent(bank, b, &mut self.nodes)?;
        if self.egraph.find(id_a) != self.egraph.find(id_b) {
            return None;
        }
        let mut builder = Builder {
            explainer: self,
            bank,
            steps: Vec::new(),
            edges: FxHashMap::default(),
            pairs: FxHashMap::default(),
            to_nodes: FxHashMap::default(),
        };
        let start = builder.term_to_node(a);
        let middle = builder.equal(id_a, id_b);
        let end = builder.term_to_node(b).map(StepRef::flip);
        let parts = [start, middle, end].into_iter().flatten().collect();
        let root = builder.chain(a, b, parts);
        let steps = builder.steps;
        Some(match root {
            Some(root) => prune(Proof { steps, root }),
            None => Proof::reflexive(a),
        })
    }
}

/// Drops the steps that the root does not use.
fn prune(proof: Proof) -> Proof {
    let mut used = vec![false; proof.steps.len()];
    used[proof.root.step as usize] = true;
    for i in (0..proof.steps.len()).rev() {
        if used[i] {
            proof.steps[i].each_ref(|r| used[r.step as usize] = true);
        }
    }
    let mut places = vec![0; used.len()];
    let mut count = 0;
    for (place, &used) in places.iter_mut().zip(&used) {
        *place = count;
        count += u32::from(used);
    }
    let moved = |r: StepRef| StepRef { step: places[r.step as usize], ..r };
    let kept = proof.steps.into_iter().zip(&used).filter(|(_, used)| **used);
    Proof { steps: kept.map(|(step, _)| step.map_refs(moved)).collect(), root: moved(proof.root) }
}

struct Builder<'x, 'e> {
    explainer: &'x mut Explainer<'e>,
    bank: &'x mut TermBank,
    steps: Vec<Step>,
    /// The proof of the edge that an id owns, from the id's term to its neighbour's.
    edges: FxHashMap<Id, Option<StepRef>>,
    /// Proofs between ids; `None` where both are the same term.
    pairs: FxHashMap<(Id, Id), Option<StepRef>>,
    /// Proofs from terms to the e-nodes that represent them.
    to_nodes: FxHashMap<TermId, Option<StepRef>>,
}

impl Builder<'_, '_> {
    fn egraph(&self) -> &EGraph {
        self.explainer.egraph
    }

    fn term(&mut self, id: Id) -> TermId {
        let Explainer { egraph, terms, .. } = &mut *self.explainer;
        egraph.term_cached(self.bank, id, terms)
    }

    fn push(&mut self, from: TermId, to: TermId, how: How) -> StepRef {
        self.steps.push(Step { from, to, how });
        StepRef { step: self.steps.len() as u32 - 1, reversed: false }
    }

    /// Transitivity, as short as it can be: `None` where there is nothing to prove.
    fn chain(&mut self, from: TermId, to: TermId, parts: Vec<StepRef>) -> Option<StepRef> {
        match parts[..] {
            [] => None,
            [only] => Some(only),
            _ if from == to => None,
            _ => Some(self.push(from, to, How::Chain(parts))),
        }
    }

    fn congruence(
        &mut self,
        from: TermId,
        to: TermId,
        children: Vec<Option<StepRef>>,
    ) -> Option<StepRef> {
        if from == to { None } else { Some(self.push(from, to, How::Congruence(children))) }
    }

    /// From a term to the e-node that represents it: its children's proofs, and from their
    /// e-nodes to the children with which the e-node was made.
    fn term_to_node(&mut self, t: TermId) -> Option<StepRef> {
        for s in self.bank.subterms(t) {
            if self.to_nodes.contains_key(&s) {
                continue;
            }
            let node = self.explainer.nodes[&s];
            let to = self.term(node);
            let children: Vec<TermId> = self.bank.children(s).to_vec();
            let mut proofs = Vec::with_capacity(children.len());
            for (i, &child) in children.iter().enumerate() {
                let made_with = self.egraph().original_children(node)[i];
                let child_node = self.explainer.nodes[&child];
                let first = self.to_nodes[&child];
                let second = self.equal(child_node, made_with);
                let end = self.term(made_with);
                proofs.push(self.chain(child, end, first.into_iter().chain(second).collect()));
            }
            let proof = self.congruence(s, to, proofs);
            self.to_nodes.insert(s, proof);
        }
        self.to_nodes[&t]
    }

    /// From the term of `a` to that of `b`, which are in one class.
    fn equal(&mut self, a: Id, b: Id) -> Option<StepRef> {
        if a == b {
            return None;
        }
        if let Some(&known) = self.pairs.get(&(a, b)) {
            return known;
        }
        self.build_edges(a, b);
        let (up, down) = self.path(a, b);
        let mut parts: Vec<StepRef> = up.iter().filter_map(|id| self.edges[id]).collect();
        parts.extend(down.iter().rev().filter_map(|id| self.edges[id].map(StepRef::flip)));
        let (from, to) = (self.term(a), self.term(b));
        let proof = self.chain(from, to, parts);
        self.pairs.insert((a, b), proof);
        self.pairs.insert((b, a), proof.map(StepRef::flip));
        proof
    }

    fn path(&self, a: Id, b: Id) -> (Vec<Id>, Vec<Id>) {
        self.egraph().forest().paths(a, b).expect("the members of a class are in one tree")
    }

    /// Proves all edges on the way from `a` to `b`, those that they need before them. An explicit
    /// stack, because edges may depend on each other thousands deep.
    fn build_edges(&mut self, a: Id, b: Id) {
        let mut todo = Vec::new();
        let push_path = |this: &Self, todo: &mut Vec<(Id, bool)>, a: Id, b: Id| {
            if a == b || this.pairs.contains_key(&(a, b)) {
                return;
            }
            let (up, down) = this.path(a, b);
            let edges = up.into_iter().chain(down);
            todo.extend(edges.filter(|id| !this.edges.contains_key(id)).map(|id| (id, false)));
        };
        push_path(self, &mut todo, a, b);
        while let Some(&mut (id, ref mut expanded)) = todo.last_mut() {
            if self.edges.contains_key(&id) {
                todo.pop();
            } else if *expanded {
                todo.pop();
                let proof = self.edge(id);
                self.edges.insert(id, proof);
            } else {
                *expanded = true;
                for (a, b) in self.needs(id) {
                    push_path(self, &mut todo, a, b);
                }
            }
        }
    }

    /// The pairs of ids whose equality the proof of an edge uses.
    fn needs(&self, id: Id) -> Vec<(Id, Id)> {
        let egraph = self.egraph();
        let edge = egraph.forest().edge(id).expect("an edge on a path");
        let (left, right) = if edge.forward { (id, edge.to) } else { (edge.to, id) };
        let mut needs = Vec::new();
        match edge.reason {
            Reason::Congruence => needs.extend(
                egraph
                    .original_children(left)
                    .iter()
                    .zip(egraph.original_children(right))
                    .map(|(&l, &r)| (l, r)),
            ),
            Reason::Fold { bound } => needs.extend(
                egraph.original_children(left).iter().zip(bound).map(|(&child, &lit)| (child, lit)),
            ),
            Reason::Rule { rule, bound } => {
                let instance = self.instance(rule, left, bound);
                let rule = egraph.system().rule(rule);
                let mut inner = instance.lhs_inner.iter().copied();
                instance.needs(egraph, &rule.lhs, left, &mut inner, &mut needs, true);
                let mut inner = instance.rhs_inner.iter().copied();
                instance.needs(egraph, &rule.rhs, right, &mut inner, &mut needs, true);
            }
        }
        needs
    }

    /// The proof of the edge that `id` owns, from `id`'s term to its neighbour's. All that it
    /// needs has been proved.
    fn edge(&mut self, id: Id) -> Option<StepRef> {
        let egraph = self.explainer.egraph;
        let edge = egraph.forest().edge(id).expect("an edge on a path");
        let (left, right) = if edge.forward { (id, edge.to) } else { (edge.to, id) };
        let (from, to) = (self.term(left), self.term(right));
        let proof = match edge.reason {
            Reason::Congruence => {
                let children = egraph
                    .original_children(left)
                    .iter()
                    .zip(egraph.original_children(right))
                    .map(|(&l, &r)| self.equal(l, r))
                    .collect();
                self.congruence(from, to, children)
            }
            Reason::Fold { bound } => {
                let children: Vec<_> = egraph
                    .original_children(left)
                    .iter()
                    .zip(bound)
                    .map(|(&child, &literal)| self.equal(child, literal))
                    .collect();
                let literals: Vec<TermId> = bound.iter().map(|&l| self.term(l)).collect();
                let applied = self.bank.add(self.bank.head(from), &literals);
                let first = self.congruence(from, applied, children);
                let fold = self.push(applied, to, How::Fold);
                let parts = first.into_iter().chain([fold]).collect();
                self.chain(from, to, parts)
            }
            Reason::Rule { rule: rule_id, bound } => {
                let instance = self.instance(rule_id, left, bound);
                let rule = egraph.system().rule(rule_id);
                let substitution: Vec<TermId> =
                    instance.substitution.iter().map(|&s| self.term(s)).collect();
                let mut inner = instance.lhs_inner.iter().copied();
                let lhs = self.bridge(&instance, &rule.lhs, left, &mut inner, true);
                let mut inner = instance.rhs_inner.iter().copied();
                let rhs = self.bridge(&instance, &rule.rhs, right, &mut inner, true);
                let step = self.push(lhs.1, rhs.1, How::Rule(rule_id, substitution));
                let parts =
                    lhs.0.into_iter().chain([step]).chain(rhs.0.map(StepRef::flip)).collect();
                self.chain(from, to, parts)
            }
        };
        if edge.forward { proof } else { proof.map(StepRef::flip) }
    }

    fn instance(&self, rule: crate::system::RuleId, left: Id, bound: &[Id]) -> Instance {
        let system = self.egraph().system();
        let rewrite = &system.rewrites[rule.0 as usize];
        let mut found = vec![left];
        found.extend_from_slice(bound);
        let mut substitution = Vec::new();
        rewrite.substitution(self.egraph(), &found, &mut substitution);
        let stride = rewrite.stride();
        let computed = compute_all(self.egraph(), system.rule(rule), &substitution);
        Instance {
            substitution,
            lhs_inner: found[1..rewrite.nodes()].to_vec(),
            rhs_inner: found[stride..].to_vec(),
            computed,
        }
    }

    /// From the term of e-node `id` to the instance of `pattern` that it is equal to. `inner`
    /// yields the bound e-nodes of the pattern's applications, in pre-order, without the root.
    fn bridge(
        &mut self,
        instance: &Instance,
        pattern: &Pattern,
        id: Id,
        inner: &mut impl Iterator<Item = Id>,
        root: bool,
    ) -> (Option<StepRef>, TermId) {
        let from = self.term(id);
        let Some((node, args)) = instance.application(pattern, id, inner, root) else {
            let end = instance.end(self.egraph(), pattern);
            return (self.equal(id, end), self.term(end));
        };
        let first = self.equal(id, node);
        let node_term = self.term(node);
        let mut proofs = Vec::with_capacity(args.len());
        let mut children = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let child = self.egraph().original_children(node)[i];
            let (proof, term) = self.bridge(instance, arg, child, inner, false);
            proofs.push(proof);
            children.push(term);
        }
        let end = self.bank.add(self.bank.head(node_term), &children);
        let second = self.congruence(node_term, end, proofs);
        let parts = first.into_iter().chain(second).collect();
        (self.chain(from, end, parts), end)
    }
}

/// A match and its application, read back from an edge.
struct Instance {
    substitution: Vec<Id>,
    lhs_inner: Vec<Id>,
    rhs_inner: Vec<Id>,
    /// The literals of the right-hand side's computations, by their expressions.
    computed: Vec<(Pattern, Id)>,
}

impl Instance {
    /// The bound e-node and the arguments of an application with arguments.
    fn application<'p>(
        &self,
        pattern: &'p Pattern,
        id: Id,
        inner: &mut impl Iterator<Item = Id>,
        root: bool,
    ) -> Option<(Id, &'p [Pattern])> {
        match pattern {
            Pattern::Op(_, args) if !args.is_empty() => {
                let node = if root { id } else { inner.next().expect("an e-node per application") };
                Some((node, args))
            }
            _ => None,
        }
    }

    /// The e-node of a pattern that is no application with arguments.
    fn end(&self, egraph: &EGraph, pattern: &Pattern) -> Id {
        let constant = |node: Option<Id>| node.expect("a constant of a match is in the e-graph");
        match pattern {
            Pattern::Var(VarId(var)) => self.substitution[usize::from(*var)],
            Pattern::Leaf(leaf) => constant(egraph.leaf_node(leaf)),
            Pattern::Op(op, _) => constant(egraph.lookup_node((*op).into(), &[])),
            Pattern::Compute(..) => {
                let known = self.computed.iter().find(|(p, _)| p == pattern);
                constant(known.map(|(_, id)| *id))
            }
        }
    }

    fn needs(
        &self,
        egraph: &EGraph,
        pattern: &Pattern,
        id: Id,
        inner: &mut impl Iterator<Item = Id>,
        needs: &mut Vec<(Id, Id)>,
        root: bool,
    ) {
        let Some((node, args)) = self.application(pattern, id, inner, root) else {
            needs.push((id, self.end(egraph, pattern)));
            return;
        };
        needs.push((id, node));
        for (arg, &child) in args.iter().zip(egraph.original_children(node)) {
            self.needs(egraph, arg, child, inner, needs, false);
        }
    }
}
