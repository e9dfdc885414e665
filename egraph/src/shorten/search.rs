//! The shortest way through the terms near a proof.
//!
//! The terms of a proof and all that are one rewrite away from one of them are a graph, in which
//! the proof is a path. Its shortest path replaces the proof. Then the neighbours of further
//! terms are added, those first through which a short path may lead: `f(u)`, the sum of the
//! distances of `u` from both ends as far as the graph is known, is least.

use super::moves::Neighbour;
use super::{Move, Shortener};
use crate::term::{TermBank, TermId};
use rustc_hash::FxHashMap;

/// Terms whose neighbours are added, beyond those of the proof.
const EXPANDED: usize = 32;
/// Terms between two looks at the distances.
const BATCH: usize = 8;

const FAR: u32 = u32::MAX;
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
enum Edge {
    /// A step of the proof, by its index.
    Proof(u32),
    /// A neighbour of the term that the edge was added for.
    Neighbour(Neighbour),
}

/// Terms and the rewrites between them, undirected; the edges of a term in a linked list.
#[derive(Default)]
struct Graph {
    terms: Vec<TermId>,
    places: FxHashMap<TermId, u32>,
    expanded: Vec<bool>,
    first: Vec<u32>,
    /// Edge `i` gives entries `2 i` (at its one end) and `2 i + 1` (at the other): the vertex at
    /// the other end, and the next entry.
    entries: Vec<(u32, u32)>,
    edges: Vec<Edge>,
}

impl Graph {
    fn vertex(&mut self, t: TermId) -> u32 {
        let Graph { terms, places, expanded, first, .. } = self;
        *places.entry(t).or_insert_with(|| {
            terms.push(t);
            expanded.push(false);
            first.push(NONE);
            terms.len() as u32 - 1
        })
    }

    fn connect(&mut self, a: u32, b: u32, edge: Edge) {
        let entry = self.entries.len() as u32;
        self.entries.push((b, self.first[a as usize]));
        self.entries.push((a, self.first[b as usize]));
        self.first[a as usize] = entry;
        self.first[b as usize] = entry + 1;
        self.edges.push(edge);
    }

    /// The entries of a vertex: other end, entry.
    fn around(&self, v: u32) -> impl Iterator<Item = (u32, u32)> {
        let mut next = self.first[v as usize];
        std::iter::from_fn(move || {
            let entry = next;
            let &(to, after) = self.entries.get(entry as usize)?;
            next = after;
            Some((to, entry))
        })
    }

    fn distances(&self, from: u32, distances: &mut Vec<u32>) {
        distances.clear();
        distances.resize(self.terms.len(), FAR);
        distances[from as usize] = 0;
        let mut queue = vec![from];
        let mut next = 0;
        while next < queue.len() {
            let v = queue[next];
            next += 1;
            for (to, _) in self.around(v) {
                if distances[to as usize] == FAR {
                    distances[to as usize] = distances[v as usize] + 1;
                    queue.push(to);
                }
            }
        }
    }
}

impl Shortener<'_> {
    /// A shortest proof in the neighbourhood of `proof`, whose terms are `terms`, all distinct.
    pub(super) fn search(
        &mut self,
        bank: &mut TermBank,
        terms: &[TermId],
        proof: Vec<Move>,
    ) -> Vec<Move> {
        let largest = terms.iter().map(|&t| bank.size(t)).max().unwrap_or(0);
        let mut graph = Graph::default();
        for &t in terms {
            graph.vertex(t);
        }
        let end = graph.vertex(terms[terms.len() - 1]);
        for i in 0..proof.len() as u32 {
            graph.connect(i, i + 1, Edge::Proof(i));
        }
        for v in 0..graph.terms.len() as u32 {
            self.expand(bank, &mut graph, v, largest);
        }
        let (mut from_start, mut from_end) = (Vec::new(), Vec::new());
        let mut left = EXPANDED;
        loop {
            graph.distances(0, &mut from_start);
            graph.distances(end, &mut from_end);
            if left == 0 || from_start[end as usize] < 2 {
                break;
            }
            let f = |v: u32| from_start[v as usize] + from_end[v as usize];
            let mut open: Vec<u32> =
                (0..graph.terms.len() as u32).filter(|&v| !graph.expanded[v as usize]).collect();
            let count = open.len().min(BATCH).min(left);
            if count == 0 {
                break;
            }
            open.select_nth_unstable_by_key(count - 1, |&v| (f(v), v));
            open.truncate(count);
            open.sort_unstable();
            for &v in &open {
                self.expand(bank, &mut graph, v, largest);
            }
            left -= count;
        }
        if from_start[end as usize] as usize >= proof.len() {
            return proof;
        }
        self.walk(bank, &graph, &from_end, end, &proof)
    }

    fn expand(&mut self, bank: &mut TermBank, graph: &mut Graph, v: u32, largest: u64) {
        graph.expanded[v as usize] = true;
        let (from, to) = self.moves.of(self.system, bank, graph.terms[v as usize]);
        for index in from..to {
            let neighbour = self.moves.get(index);
            if bank.size(neighbour.to) <= largest {
                let u = graph.vertex(neighbour.to);
                graph.connect(v, u, Edge::Neighbour(neighbour));
            }
        }
    }

    /// The moves from vertex 0 down the distances to `end`.
    fn walk(
        &self,
        bank: &TermBank,
        graph: &Graph,
        from_end: &[u32],
        end: u32,
        proof: &[Move],
    ) -> Vec<Move> {
        let mut found = Vec::with_capacity(from_end[0] as usize);
        let mut at = 0;
        while at != end {
            let closer = |&(to, _): &(u32, u32)| from_end[to as usize] < from_end[at as usize];
            let (to, entry) = graph.around(at).find(closer).expect("a way to the end");
            // Entry 2 i is at the end from which the edge was added.
            let ahead = entry % 2 == 0;
            let m = match graph.edges[entry as usize / 2] {
                Edge::Proof(i) => proof[i as usize].clone(),
                Edge::Neighbour(neighbour) => {
                    let (path, rule, forward) = self.moves.place(neighbour);
                    let (a, b) = if ahead { (at, to) } else { (to, at) };
                    let sub = |v: u32| bank.subterm(graph.terms[v as usize], &path);
                    let ends = sub(a).zip(sub(b));
                    let (from, to) = ends.expect("a position of both terms");
                    Move { path, rule, forward, from, to }
                }
            };
            found.push(if ahead {
                m
            } else {
                Move { forward: !m.forward, from: m.to, to: m.from, ..m }
            });
            at = to;
        }
        found
    }
}
