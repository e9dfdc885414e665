//! Terms and the equalities proved between them: a graph whose edges are proofs.
//!
//! The terms that are connected with the start are one pool, those that are connected with the target
//! the other; a hypothesis is a term that is connected with neither yet. The question is answered as
//! soon as start and target are connected, by a way along the edges.

use egraph::{Proof, TermId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Proved equalities.
#[derive(Debug, Default)]
pub struct Known {
    terms: Vec<TermId>,
    places: FxHashMap<TermId, usize>,
    /// By term: its neighbours, and the edge to each.
    neighbours: Vec<Vec<(usize, usize)>>,
    edges: Vec<Proof>,
    /// By term: another term of its pool, or itself; a union-find.
    parents: Vec<usize>,
}

impl Known {
    /// Adds a term of which nothing is known yet, if it is new.
    pub fn add(&mut self, term: TermId) {
        self.place(term);
    }

    /// All terms, in the order in which they came.
    pub fn terms(&self) -> &[TermId] {
        &self.terms
    }

    /// Adds a proof. One between terms that were connected already is not needed.
    pub fn connect(&mut self, proof: Proof) {
        let (start, end) = (self.place(proof.start()), self.place(proof.end()));
        let (a, b) = (self.root(start), self.root(end));
        if a == b {
            return;
        }
        self.parents[a.max(b)] = a.min(b);
        self.neighbours[start].push((end, self.edges.len()));
        self.neighbours[end].push((start, self.edges.len()));
        self.edges.push(proof);
    }

    /// Whether two terms are known to be equal.
    pub fn connected(&self, a: TermId, b: TermId) -> bool {
        match (self.places.get(&a), self.places.get(&b)) {
            (Some(&a), Some(&b)) => self.root(a) == self.root(b),
            _ => a == b,
        }
    }

    /// Proofs that follow each other from one term to another, if they are connected; none if they
    /// are the same.
    pub fn path(&self, from: TermId, to: TermId) -> Option<Vec<Proof>> {
        let (&first, &last) = (self.places.get(&from)?, self.places.get(&to)?);
        // From the end, so that the way back is the way there.
        let mut next: Vec<Option<(usize, usize)>> = vec![None; self.terms.len()];
        let mut queue = VecDeque::from([last]);
        while let Some(at) = queue.pop_front() {
            if at == first {
                break;
            }
            for &(neighbour, edge) in &self.neighbours[at] {
                if neighbour != last && next[neighbour].is_none() {
                    next[neighbour] = Some((at, edge));
                    queue.push_back(neighbour);
                }
            }
        }
        let mut path = Vec::new();
        let mut at = first;
        while at != last {
            let (to, edge) = next[at]?;
            let proof = self.edges[edge].clone();
            let forward = proof.start() == self.terms[at];
            path.push(if forward { proof } else { proof.reversed() });
            at = to;
        }
        Some(path)
    }

    fn place(&mut self, term: TermId) -> usize {
        *self.places.entry(term).or_insert_with(|| {
            self.terms.push(term);
            self.neighbours.push(Vec::new());
            self.parents.push(self.parents.len());
            self.parents.len() - 1
        })
    }

    fn root(&self, mut place: usize) -> usize {
        while self.parents[place] != place {
            place = self.parents[place];
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::{EGraph, System, TermBank, explain, saturate};
    use std::sync::Arc;

    #[test]
    fn a_way_leads_along_proofs_in_either_direction() {
        let system = "(sort I) (variable I) (op + (I I) I) (rewrite (+ ?a ?b) (+ ?b ?a))
            (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))";
        let system = Arc::new(System::parse(system).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let texts = ["(+ a (+ b c))", "(+ (+ a b) c)", "(+ c (+ b a))", "(+ b (+ a c))", "d"];
        let [a, b, c, d, other] = texts.map(|text| bank.parse(text, None).unwrap());
        let mut egraph = EGraph::new(system);
        for term in [a, b, c, d] {
            egraph.add_term(&bank, term);
        }
        saturate(&mut egraph, &egraph::SaturationConfig::default(), &mut |_, _| {
            std::ops::ControlFlow::Continue(())
        });
        let mut known = Known::default();
        known.add(a);
        known.add(other);
        for (from, to) in [(b, a), (c, d), (b, c), (a, d)] {
            known.connect(explain(&egraph, &mut bank, from, to).unwrap());
        }
        let path = known.path(a, d).unwrap();
        let stops: Vec<TermId> = path.iter().map(Proof::end).collect();
        assert_eq!((path[0].start(), stops), (a, vec![b, c, d]));
        assert!(path.windows(2).all(|pair| pair[0].end() == pair[1].start()));
        assert_eq!(known.path(a, a).map(|path| path.len()), Some(0));
        assert!(known.connected(a, d) && !known.connected(a, other));
        assert!(known.path(a, other).is_none());
    }
}
