//! The proof forest: why the members of a class are equal.
//!
//! Each effective union adds one edge between the two ids it was asked to join, so every class
//! is a tree. An edge holds only its rule and the e-nodes bound by the match; the terms of a
//! proof are rebuilt when somebody asks ([`crate::proof::explain`]).
//!
//! Invariants:
//! 1. The trees are the classes: as many edges as ids less classes, each between ids of one class, and no cycle
//!    ([`ProofForest::spans`]). So no edge was ever made between ids that were connected.
//! 2. Well-foundedness: what an edge needs, that certain ids are equal, held when the edge was made
//!    ([`crate::proof::explain::holds`]). The path between two ids in a tree never changes once there is one, so these
//!    equalities are proved by older edges only, and explaining terminates.
//!
//! Both rest on one thing: whoever unites or adds goes by the classes as they are then, and keeps the root of no class
//! over an addition, which may fold a constant and so unite classes.

use crate::graph::unionfind::leads_to_an_end;
use crate::id::Id;
use crate::rules::rule::{MOST_BOUND, MOST_RULES, RuleId};

/// Why two ids were united.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason<'a> {
    /// Same head, children equal one by one.
    Congruence,
    /// A rule match. `bound`: the ids that [`crate::rules::compiled::rewrite::Rewrite`] lays down for its rule.
    Rule { rule: RuleId, bound: &'a [Id] },
    /// Constant folding of an application; `bound`: the literal that each child equals.
    Fold { bound: &'a [Id] },
}

/// An edge seen from the id that owns it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge<'a> {
    /// The other end.
    pub to: Id,
    /// Why.
    pub reason: Reason<'a>,
    /// Whether the reason reads from the owner (left-hand side) to `to` (right-hand side).
    pub forward: bool,
}

const ROOT: u32 = u32::MAX;
/// No rule has this number: it stands for constant folding.
const FOLD: u32 = MOST_RULES;
/// Offset 0 of `bound` is taken, so that it can stand for congruence.
const CONGRUENCE: u32 = 0;

#[derive(Clone, Debug)]
pub(crate) struct ProofForest {
    /// The next id towards the root of the tree, or [`ROOT`].
    to: Vec<u32>,
    /// `offset << 1 | forward` of the edge to it.
    why: Vec<u32>,
    /// Runs of `number of ids << 20 | rule or FOLD`, ids….
    bound: Vec<Id>,
}

impl ProofForest {
    pub fn new() -> Self {
        ProofForest { to: Vec::new(), why: Vec::new(), bound: vec![Id(0)] }
    }

    /// New ids, each a tree of its own, up to `len` ids.
    pub fn extend_to(&mut self, len: usize) {
        self.to.resize(len, ROOT);
        self.why.resize(len, CONGRUENCE);
    }

    pub fn reserve_nodes(&mut self, additional: usize) {
        self.to.reserve_exact(additional);
        self.why.reserve_exact(additional);
    }

    /// Room for ids bound by further edges, in ids.
    pub fn bound_room(&self) -> usize {
        self.bound.capacity() - self.bound.len()
    }

    pub fn bound_len(&self) -> usize {
        self.bound.len()
    }

    pub fn reserve_bound(&mut self, additional: usize) {
        self.bound.reserve_exact(additional);
    }

    pub fn shrink_nodes_to(&mut self, nodes: usize) {
        self.to.shrink_to(nodes);
        self.why.shrink_to(nodes);
    }

    pub fn shrink_bound_to(&mut self, ids: usize) {
        self.bound.shrink_to(ids);
    }

    pub fn heap_bytes(&self) -> usize {
        (self.to.capacity() + self.why.capacity() + self.bound.capacity()) * size_of::<u32>()
    }

    /// Where edges lead, and why.
    pub fn stored(&self) -> [&Vec<u32>; 2] {
        [&self.to, &self.why]
    }

    /// What edges need.
    pub fn stored_bound(&self) -> &Vec<Id> {
        &self.bound
    }

    /// Takes edges as they were stored.
    pub fn read(&mut self, [to, why]: [Vec<u32>; 2], bound: Vec<Id>) {
        (self.to, self.why, self.bound) = (to, why, bound);
    }

    /// Whether all edges lead to a root, and name what is there, with so many rules.
    pub fn is_sound(&self, rules: usize) -> bool {
        let names_what_is_there = |&why: &u32| {
            let offset = (why >> 1) as usize;
            offset as u32 == CONGRUENCE
                || self.bound.get(offset).is_some_and(|&Id(header)| {
                    let tag = header & MOST_RULES;
                    (tag == FOLD || (tag as usize) < rules)
                        && offset + ((header >> 20) as usize) < self.bound.len()
                })
        };
        self.why.iter().all(names_what_is_there) && leads_to_an_end(&self.to, |to| to == ROOT)
    }

    /// Whether its trees are so many classes, by the class of each id.
    pub fn spans(&self, classes: usize, class: impl Fn(Id) -> Id) -> bool {
        let edges = (0u32..).zip(&self.to).filter(|&(_, &to)| to != ROOT);
        let is_within = |(from, &to): (u32, &u32)| class(Id(from)) == class(Id(to));
        self.to.len() - edges.clone().count() == classes
            && edges.into_iter().all(is_within)
            && leads_to_an_end(&self.to, |to| to == ROOT)
    }

    /// Joins the tree of `a`, which is re-rooted, to `b`. `forward`: `a` is the left-hand side.
    pub fn link(&mut self, a: Id, b: Id, reason: Reason<'_>, forward: bool) {
        let offset = match reason {
            Reason::Congruence => CONGRUENCE,
            Reason::Rule { rule, bound } => self.store(rule.0, bound),
            Reason::Fold { bound } => self.store(FOLD, bound),
        };
        self.reroot(a);
        self.to[a.0 as usize] = b.0;
        self.why[a.0 as usize] = offset << 1 | u32::from(forward);
    }

    fn store(&mut self, tag: u32, ids: &[Id]) -> u32 {
        let offset = self.bound.len() as u32;
        debug_assert!(offset < 1 << 31, "edges beyond the reach of an offset");
        debug_assert!(tag <= MOST_RULES && ids.len() <= MOST_BOUND as usize);
        self.bound.push(Id((ids.len() as u32) << 20 | tag));
        // One by one: they are a few.
        ids.iter().for_each(|&id| self.bound.push(id));
        offset
    }

    fn reroot(&mut self, id: Id) {
        let (mut id, mut next, mut why) = (id.0, ROOT, CONGRUENCE);
        while id != ROOT {
            let old = (self.to[id as usize], self.why[id as usize]);
            self.to[id as usize] = next;
            self.why[id as usize] = why;
            // Seen from its other end, an edge reads the other way.
            (next, why, id) = (id, old.1 ^ 1, old.0);
        }
    }

    /// The edge from `id` towards its root.
    pub fn edge(&self, id: Id) -> Option<Edge<'_>> {
        let to = self.to[id.0 as usize];
        if to == ROOT {
            return None;
        }
        let why = self.why[id.0 as usize];
        let offset = (why >> 1) as usize;
        let reason = if offset as u32 == CONGRUENCE {
            Reason::Congruence
        } else {
            let Id(header) = self.bound[offset];
            let bound = &self.bound[offset + 1..offset + 1 + (header >> 20) as usize];
            match header & MOST_RULES {
                FOLD => Reason::Fold { bound },
                rule => Reason::Rule { rule: RuleId(rule), bound },
            }
        };
        Some(Edge { to: Id(to), reason, forward: why & 1 == 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A proof forest without re-rooting: edges in the order in which they were made.
    struct Naive(Vec<(Id, Id, u32)>);

    impl Naive {
        /// The edges on the way from an id to another, each with the way in which it is gone through.
        fn path(&self, from: Id, to: Id, without: &mut Vec<Id>) -> Option<Vec<(u32, bool)>> {
            if from == to {
                return Some(Vec::new());
            }
            without.push(from);
            self.0.iter().find_map(|&(a, b, name)| {
                let (next, forward) = match from {
                    _ if from == a => (b, true),
                    _ if from == b => (a, false),
                    _ => return None,
                };
                if without.contains(&next) {
                    return None;
                }
                let rest = self.path(next, to, without)?;
                Some([vec![(name, forward)], rest].concat())
            })
        }
    }

    /// The edges on the way from an id to the root of its tree, each with the way in which it is gone through.
    fn to_root(forest: &ProofForest, id: Id) -> Vec<(Id, (u32, bool))> {
        let edges = std::iter::successors(forest.edge(id).map(|edge| (id, edge)), |(_, edge)| {
            forest.edge(edge.to).map(|next| (edge.to, next))
        });
        let name = |edge: Edge<'_>| match edge.reason {
            Reason::Rule { rule, .. } => rule.0,
            _ => unreachable!("all edges are rules"),
        };
        edges.map(|(owner, edge)| (owner, (name(edge), edge.forward))).collect()
    }

    proptest! {
        #[test]
        fn the_way_between_two_ids_is_that_of_a_naive_forest(
            unions in prop::collection::vec((0u32..24, 0u32..24, any::<bool>()), 1..60),
        ) {
            let mut forest = ProofForest::new();
            forest.extend_to(24);
            let mut naive = Naive(Vec::new());
            for (name, (a, b, forward)) in (0..).zip(unions) {
                let (a, b) = (Id(a), Id(b));
                if a != b && naive.path(a, b, &mut Vec::new()).is_none() {
                    forest.link(a, b, Reason::Rule { rule: RuleId(name), bound: &[a, b] }, forward);
                    naive.0.push(if forward { (a, b, name) } else { (b, a, name) });
                }
            }
            let class = |id: Id| to_root(&forest, id).last().map_or(id, |&(owner, _)| {
                forest.edge(owner).map_or(owner, |edge| edge.to)
            });
            prop_assert!(forest.spans(24 - naive.0.len(), class));
            for (a, b) in (0..24).flat_map(|a| (0..24).map(move |b| (Id(a), Id(b)))) {
                let expected = naive.path(a, b, &mut Vec::new());
                prop_assert_eq!(class(a) == class(b), expected.is_some());
                let Some(expected) = expected else { continue };
                let (mut up, mut down) = (to_root(&forest, a), to_root(&forest, b));
                while !up.is_empty() && !down.is_empty() && up.last() == down.last() {
                    up.pop();
                    down.pop();
                }
                let back = down.into_iter().rev().map(|(_, (name, forward))| (name, !forward));
                let way: Vec<_> = up.into_iter().map(|(_, step)| step).chain(back).collect();
                prop_assert_eq!(way, expected);
            }
        }
    }

    #[test]
    fn rerooting_turns_edges_round() {
        let mut forest = ProofForest::new();
        forest.extend_to(4);
        let rule = |r| Reason::Rule { rule: RuleId(r), bound: &[] };
        forest.link(Id(0), Id(1), rule(7), true);
        forest.link(Id(2), Id(1), rule(8), true);
        // Re-roots the tree of 0, whose edge to 1 turns round.
        forest.link(Id(0), Id(3), rule(9), false);
        let edge = forest.edge(Id(1)).unwrap();
        assert_eq!((edge.to, edge.forward), (Id(0), false));
        assert_eq!(edge.reason, rule(7));
        let above = |id| forest.edge(id).map(|edge| edge.to);
        assert_eq!(
            [Id(2), Id(1), Id(0), Id(3)].map(above),
            [Some(Id(1)), Some(Id(0)), Some(Id(3)), None]
        );
    }
}
