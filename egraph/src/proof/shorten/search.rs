//! The shortest way through the terms near a proof.
//!
//! The terms of a proof and all that are one rewrite away from one of them are a graph, in which
//! the proof is a path. Its shortest path replaces the proof. Then the neighbours of further
//! terms are added, those first through which a short path may lead: `f(u)`, the sum of the
//! distances of `u` from both ends as far as the graph is known, is least.
//!
//! Terms are told apart by fingerprints, and made only where their own neighbours are asked for.
//! A path that comes of two terms with one fingerprint does not lead from the start to the end,
//! and is seen not to when its terms are made.

use super::moves::{Moves, Rewrite};
use super::walk::{Move, Walk};
use crate::bounds::count_step;
use crate::rules::system::System;
use crate::term::bank::{TermBank, TermId};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Terms whose neighbours are added, beyond those of the proof.
const EXPANDED: usize = 16;
/// Terms of the proof whose neighbours are added; of a longer proof every second one, or third….
const WAYPOINTS: usize = 32;
/// How much longer than the best way known a way through such a term may be.
const SLACK: u32 = 1;

const FAR: u32 = u32::MAX / 4;
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
enum Edge {
    /// A step of the proof, by its index.
    Proof(u32),
    /// A neighbour of the term for which the edge was added, by its index in
    /// [`super::moves::Moves::get`].
    Neighbour(u32),
}

#[derive(Clone, Copy)]
enum Term {
    Made(TermId),
    /// A neighbour, by its index, of the term of an expanded vertex.
    Neighbour {
        of: u32,
        index: u32,
    },
}

#[derive(Clone, Copy)]
struct Vertex {
    term: Term,
    expanded: bool,
    /// Its first entry.
    first: u32,
    /// Distances from the start and from the end, as far as the graph is known.
    distances: [u32; 2],
}

/// Terms and the rewrites between them, undirected; the edges of a term in a linked list.
#[derive(Default)]
pub(super) struct Graph {
    vertices: Vec<Vertex>,
    /// Vertices by the fingerprints of their terms.
    places: FxHashMap<u64, u32>,
    /// Edge `i` gives entries `2 i` (at the vertex for which it was added) and `2 i + 1` (at the
    /// other): the vertex at the other end, and the next entry.
    entries: Vec<(u32, u32)>,
    edges: Vec<Edge>,
    /// Vertices that are not expanded, by `f` and age; those whose `f` fell are here twice.
    open: BinaryHeap<Reverse<(u32, u32)>>,
    changed: Vec<u32>,
}

impl Graph {
    fn clear(&mut self) {
        self.vertices.clear();
        self.places.clear();
        self.entries.clear();
        self.edges.clear();
        self.open.clear();
    }

    /// The vertex of the term with this fingerprint, which is the one given if it is new.
    fn vertex(&mut self, fingerprint: u64, term: Term, distances: [u32; 2]) -> u32 {
        let vertices = &mut self.vertices;
        *self.places.entry(fingerprint).or_insert_with(|| {
            vertices.push(Vertex { term, expanded: false, first: NONE, distances });
            vertices.len() as u32 - 1
        })
    }

    /// The term of a vertex that is expanded.
    fn made(&self, v: u32) -> TermId {
        match self.vertices[v as usize].term {
            Term::Made(term) => term,
            Term::Neighbour { .. } => unreachable!("terms are made before they are expanded"),
        }
    }

    fn f(&self, v: u32) -> u32 {
        let [from_start, from_end] = self.vertices[v as usize].distances;
        from_start + from_end
    }

    /// Adds an edge and shortens the distances that it shortens.
    fn connect(&mut self, a: u32, b: u32, edge: Edge, longest: u32) {
        let entry = self.entries.len() as u32;
        self.entries.push((b, self.vertices[a as usize].first));
        self.entries.push((a, self.vertices[b as usize].first));
        self.vertices[a as usize].first = entry;
        self.vertices[b as usize].first = entry + 1;
        self.edges.push(edge);
        for end in 0..2 {
            self.relax(a, b, end, longest);
            self.relax(b, a, end, longest);
            while let Some(v) = self.changed.pop() {
                let mut entry = self.vertices[v as usize].first;
                while let Some(&(to, next)) = self.entries.get(entry as usize) {
                    count_step();
                    self.relax(v, to, end, longest);
                    entry = next;
                }
            }
        }
    }

    fn relax(&mut self, from: u32, to: u32, end: usize, longest: u32) {
        let through = self.vertices[from as usize].distances[end] + 1;
        let vertex = &mut self.vertices[to as usize];
        if through < vertex.distances[end] {
            vertex.distances[end] = through;
            let f = vertex.distances[0] + vertex.distances[1];
            if !vertex.expanded && f <= longest {
                self.open.push(Reverse((f, to)));
            }
            // A new vertex has no edge but this one.
            if self.entries[vertex.first as usize].1 != NONE {
                self.changed.push(to);
            }
        }
    }

    /// The vertex to expand next, if one may lie on a way of at most `longest` steps.
    fn next(&mut self, longest: u32) -> Option<u32> {
        while let Some(Reverse((f, v))) = self.open.pop() {
            if f > longest {
                return None;
            }
            if !self.vertices[v as usize].expanded && f == self.f(v) {
                return Some(v);
            }
        }
        None
    }

    /// The entries of a vertex: other end, entry.
    fn around(&self, v: u32) -> impl Iterator<Item = (u32, u32)> {
        let mut next = self.vertices[v as usize].first;
        std::iter::from_fn(move || {
            let entry = next;
            let &(to, after) = self.entries.get(entry as usize)?;
            next = after;
            Some((to, entry))
        })
    }

    /// A shortest proof in the neighbourhood of a proof that visits no term twice.
    pub fn shortest(
        &mut self,
        moves: &mut Moves,
        system: &System,
        bank: &mut TermBank,
        proof: Walk,
    ) -> Walk {
        let terms = &proof.terms;
        let largest = terms.iter().map(|&t| bank.size(t)).max().unwrap_or(0);
        moves.begin(bank, terms);
        self.clear();
        let end = proof.moves.len() as u32;
        for (i, &t) in (0..).zip(terms) {
            let fingerprint = moves.fingerprints.of(bank, t);
            if self.vertex(fingerprint, Term::Made(t), [i, end - i]) != i {
                // Two terms of the proof have one fingerprint.
                return proof;
            }
        }
        for i in 0..end {
            self.connect(i, i + 1, Edge::Proof(i), end);
        }
        let stride = end as usize / WAYPOINTS + 1;
        for v in (0..=end).step_by(stride) {
            self.expand(moves, system, bank, v, largest, end + SLACK);
        }
        for _ in 0..EXPANDED {
            let length = self.f(end);
            if length < 2 {
                break;
            }
            let longest = length + SLACK;
            let Some(v) = self.next(longest) else { break };
            self.expand(moves, system, bank, v, largest, longest);
        }
        let shorter = self.f(end) < end;
        let found = shorter.then(|| self.walk(moves, bank, &proof)).flatten();
        found.unwrap_or(proof)
    }

    fn expand(
        &mut self,
        moves: &mut Moves,
        system: &System,
        bank: &mut TermBank,
        v: u32,
        largest: u64,
        longest: u32,
    ) {
        let term = self.make(moves, bank, v);
        self.vertices[v as usize].expanded = true;
        let (from, to) = moves.of(system, bank, term);
        for index in from..to {
            count_step();
            let neighbour = moves.get(index);
            if neighbour.size <= largest {
                let term = Term::Neighbour { of: v, index };
                let u = self.vertex(neighbour.fingerprint, term, [FAR; 2]);
                self.connect(v, u, Edge::Neighbour(index), longest);
            }
        }
    }

    /// The term of a vertex, which is entered in the bank if it was not there.
    fn make(&mut self, moves: &Moves, bank: &mut TermBank, v: u32) -> TermId {
        let term = match self.vertices[v as usize].term {
            Term::Made(term) => return term,
            Term::Neighbour { of, index } => {
                let (path, rewrite) = moves.place(index);
                let near = self.made(of);
                bank.replace(near, &path, rewrite.to).expect("a position of the term")
            }
        };
        self.vertices[v as usize].term = Term::Made(term);
        term
    }

    /// From the first of the proof's terms down the distances to the last; nothing if the moves
    /// don't lead there.
    fn walk(&self, moves: &Moves, bank: &mut TermBank, proof: &Walk) -> Option<Walk> {
        let left = |v: u32| self.vertices[v as usize].distances[1];
        let mut found = Walk::at(proof.terms[0]);
        let (mut at, end) = (0, proof.moves.len() as u32);
        while at != end {
            let closer = |&(to, _): &(u32, u32)| left(to) < left(at);
            let (to, entry) = self.around(at).find(closer).expect("a way to the end");
            // Entry 2 i is at the vertex for which the edge was added.
            let ahead = entry % 2 == 0;
            let m = match self.edges[entry as usize / 2] {
                Edge::Proof(i) => proof.moves[i as usize].clone(),
                Edge::Neighbour(index) => {
                    let (path, Rewrite { to: changed, rule, forward }) = moves.place(index);
                    let whole = self.made(if ahead { at } else { to });
                    let from = bank.subterm(whole, &path).expect("a position of the term");
                    Move { path, rule, forward, from, to: changed }
                }
            };
            let m =
                if ahead { m } else { Move { forward: !m.forward, from: m.to, to: m.from, ..m } };
            if bank.subterm(found.end(), &m.path) != Some(m.from) {
                return None;
            }
            let after = bank.replace(found.end(), &m.path, m.to)?;
            found.push(m, after);
            at = to;
        }
        (found.end() == proof.end()).then_some(found)
    }
}
