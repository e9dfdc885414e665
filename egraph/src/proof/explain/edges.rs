//! Proofs of the forest's edges.

use super::instance::Instance;
use super::needs::Needs;
use super::{Explainer, Goal};
use crate::bounds::{count_bytes, count_step};
use crate::graph::facts::FactId;
use crate::graph::proof_forest::Reason;
use crate::id::Id;
use crate::proof::dag::{How, StepRef};
use crate::rules::pattern::Pattern;
use crate::term::bank::{TermBank, TermId};
use smallvec::SmallVec;

/// At most a bridge, a rule and a bridge.
type Parts = SmallVec<[StepRef; 3]>;

impl Explainer<'_> {
    /// The proof of a proved edge, from the term of the id that owns it to its neighbour's.
    pub(super) fn edge_parts(&self, id: Id) -> &[StepRef] {
        let [next, len] = self.edges[id.0 as usize];
        &self.parts[next as usize - 1..(next + len) as usize - 1]
    }

    fn is_proved(&self, id: Id) -> bool {
        self.edges[id.0 as usize][0] != 0
    }

    fn is_done(&self, goal: Goal) -> bool {
        match goal {
            Goal::Edge(id) => self.is_proved(id),
            Goal::Fact(fact) => self.facts.contains_key(&fact),
        }
    }

    /// Proves all edges on the way from `a` to `b`, those that they need before them. An explicit
    /// stack, because edges may depend on each other thousands deep. `None` if that can't be done, for a file has told
    /// the e-graph what is not so.
    pub(super) fn prove_path(&mut self, bank: &mut TermBank, a: Id, b: Id) -> Option<()> {
        let mut todo = Vec::new();
        self.push_path(&mut todo, a, b);
        let mut needs = Needs::default();
        while let Some(&mut (goal, ref mut expanded)) = todo.last_mut() {
            count_step();
            if self.is_done(goal) {
                todo.pop();
            } else if *expanded {
                todo.pop();
                match goal {
                    Goal::Edge(id) => self.prove_edge(bank, id),
                    Goal::Fact(fact) => self.prove_fact(bank, fact),
                }
            } else {
                *expanded = true;
                if self.egraph.is_told() {
                    self.readable(goal)?;
                } else {
                    debug_assert!(self.begun.insert(goal), "a goal that needs itself");
                }
                match goal {
                    Goal::Edge(id) => {
                        let (left, right, reason, _) = self.edge(id);
                        needs.edge(self.egraph, left, right, reason);
                    }
                    Goal::Fact(fact) => needs.fact(self.egraph, fact),
                }
                if self.egraph.is_told() {
                    let mut equal = needs.equal.iter();
                    let same = |&(a, b)| self.egraph.find(a) == self.egraph.find(b);
                    equal.all(same).then_some(())?;
                }
                needs.equal.drain(..).for_each(|(a, b)| self.push_path(&mut todo, a, b));
                let facts = needs.facts.drain(..).map(|fact| (Goal::Fact(fact), false));
                todo.extend(facts);
            }
        }
        Some(())
    }

    /// `None` if a goal can't be read, or needs itself.
    fn readable(&mut self, goal: Goal) -> Option<()> {
        self.begun.insert(goal).then_some(())?;
        match goal {
            Goal::Edge(id) => self.readable_edge(id),
            Goal::Fact(fact) => self.readable_fact(fact),
        }
    }

    fn push_path(&mut self, todo: &mut Vec<(Goal, bool)>, a: Id, b: Id) {
        if a == b || self.pairs.contains_key(&(a.min(b), a.max(b))) {
            return;
        }
        self.path(a, b);
        let edges = self.up.iter().chain(&self.down).copied();
        let edges = edges.filter(|&id| !self.is_proved(id));
        let before = todo.len();
        todo.extend(edges.map(|id| (Goal::Edge(id), false)));
        count_bytes((todo.len() - before) * size_of::<(Goal, bool)>());
    }

    /// From the term of `a` to that of `b`, whose path has been proved.
    pub(super) fn equal(&mut self, bank: &mut TermBank, a: Id, b: Id) -> Option<StepRef> {
        if a == b {
            return None;
        }
        if a > b {
            // One way round only, so that no proof depends on which was asked for first.
            return self.equal(bank, b, a).map(StepRef::flip);
        }
        if let Some(&known) = self.pairs.get(&(a, b)) {
            return known;
        }
        self.path(a, b);
        let mut parts = SmallVec::<[StepRef; 32]>::new();
        self.up.iter().for_each(|&id| parts.extend_from_slice(self.edge_parts(id)));
        for &id in self.down.iter().rev() {
            parts.extend(self.edge_parts(id).iter().rev().map(|r| r.flip()));
        }
        let (from, to) = (self.term(bank, a), self.term(bank, b));
        let proof = self.chain(from, to, &parts);
        self.pairs.insert((a, b), proof);
        proof
    }

    /// Transitivity, as short as it can be: `None` where there is nothing to prove.
    pub(super) fn chain(&mut self, from: TermId, to: TermId, parts: &[StepRef]) -> Option<StepRef> {
        match parts {
            _ if from == to => None,
            [only] => Some(*only),
            _ => Some(self.steps.push(from, to, How::Chain(parts))),
        }
    }

    pub(super) fn congruence(
        &mut self,
        from: TermId,
        to: TermId,
        children: &[Option<StepRef>],
    ) -> Option<StepRef> {
        if from == to { None } else { Some(self.steps.push(from, to, How::Congruence(children))) }
    }

    /// The two ends of the edge that `id` owns, the left-hand side first, and the reason.
    pub(super) fn edge(&self, id: Id) -> (Id, Id, Reason<'_>, bool) {
        let edge = self.egraph.forest().edge(id).expect("an edge on a path");
        let (left, right) = if edge.forward { (id, edge.to) } else { (edge.to, id) };
        (left, right, edge.reason, edge.forward)
    }

    /// Proves the edge that `id` owns. All that it needs has been proved.
    fn prove_edge(&mut self, bank: &mut TermBank, id: Id) {
        let egraph = self.egraph;
        let edge = egraph.forest().edge(id).expect("an edge on a path");
        let (left, right) = if edge.forward { (id, edge.to) } else { (edge.to, id) };
        let (from, to) = (self.term(bank, left), self.term(bank, right));
        let mut parts = Parts::new();
        match edge.reason {
            Reason::Congruence => {
                let right = egraph.original_children(right);
                let children = self.equal_all(bank, egraph.original_children(left), right);
                parts.extend(self.congruence(from, to, &children));
            }
            Reason::Fold { bound } => {
                let children = self.equal_all(bank, egraph.original_children(left), bound);
                let literals: SmallVec<[TermId; 6]> =
                    bound.iter().map(|&l| self.term(bank, l)).collect();
                let applied = bank.add(bank.head(from), &literals);
                parts.extend(self.congruence(from, applied, &children));
                parts.push(self.steps.push(applied, to, How::Fold));
            }
            Reason::Rule { rule: rule_id, bound } => {
                let instance = Instance::read(egraph, rule_id, left, bound);
                let rule = egraph.system().rule(rule_id);
                let mut substitution: SmallVec<[TermId; 8]> =
                    instance.substitution.iter().map(|&s| self.term(bank, s)).collect();
                let mut because = SmallVec::<[StepRef; 2]>::new();
                for (of, &Id(fact)) in rule.variables.facts.iter().zip(instance.facts()) {
                    let id = instance.substitution[usize::from(of.var.0)];
                    let proved = self.fact_at(bank, FactId(fact), id);
                    substitution.push(self.steps.ends(proved).1);
                    because.push(proved);
                }
                let mut inner = instance.lhs_inner().iter().copied();
                let lhs = self.bridge(bank, &instance, &rule.lhs, left, &mut inner, true);
                let rhs = if rule.rhs.has_functions() {
                    let applied = instance.applied(egraph, &rule.rhs, right);
                    self.function_bridge(bank, &applied, right)
                } else {
                    let mut inner = instance.rhs_inner().iter().copied();
                    self.bridge(bank, &instance, &rule.rhs, right, &mut inner, true)
                };
                parts.extend(lhs.0);
                let how = How::Rule(rule_id, &substitution);
                parts.push(self.steps.push_because(lhs.1, rhs.1, how, &because));
                parts.extend(rhs.0.map(StepRef::flip));
            }
        }
        if !edge.forward {
            parts.reverse();
            parts.iter_mut().for_each(|r| *r = r.flip());
        }
        if from == to {
            parts.clear();
        }
        self.edges[id.0 as usize] = [self.parts.len() as u32 + 1, parts.len() as u32];
        self.parts.extend(parts);
    }

    fn equal_all(
        &mut self,
        bank: &mut TermBank,
        left: &[Id],
        right: &[Id],
    ) -> SmallVec<[Option<StepRef>; 6]> {
        left.iter().zip(right).map(|(&l, &r)| self.equal(bank, l, r)).collect()
    }

    /// From the term of e-node `id` to the instance of `pattern` that it is equal to. `inner`
    /// yields the bound e-nodes of the pattern's applications, in pre-order, without the root.
    fn bridge(
        &mut self,
        bank: &mut TermBank,
        instance: &Instance,
        pattern: &Pattern,
        id: Id,
        inner: &mut impl Iterator<Item = Id>,
        root: bool,
    ) -> (Option<StepRef>, TermId) {
        let from = self.term(bank, id);
        let Some((node, args)) = instance.application(pattern, id, inner, root) else {
            let end = instance.end(self.egraph, pattern);
            return (self.equal(bank, id, end), self.term(bank, end));
        };
        let first = self.equal(bank, id, node);
        let node_term = self.term(bank, node);
        let mut proofs = SmallVec::<[Option<StepRef>; 6]>::new();
        let mut children = SmallVec::<[TermId; 6]>::new();
        for (arg, &child) in args.iter().zip(self.egraph.original_children(node)) {
            let (proof, term) = self.bridge(bank, instance, arg, child, inner, false);
            proofs.push(proof);
            children.push(term);
        }
        let end = bank.add(bank.head(node_term), &children);
        let second = self.congruence(node_term, end, &proofs);
        let parts: Parts = first.into_iter().chain(second).collect();
        (self.chain(from, end, &parts), end)
    }
}
