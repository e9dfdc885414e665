//! From which e-nodes the search for new matches begins.

use crate::graph::changes::{Changes, Epoch};
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::rules::compiled::program::Atom;
use std::collections::BTreeMap;

/// One of the queries that semi-naive evaluation makes of a pattern, or a piece of it: the matches
/// whose first changed atom is number `first`, from some e-nodes.
#[derive(Clone, Copy)]
pub(crate) struct DeltaQuery<'a> {
    pub first: usize,
    pub begin: Begin<'a>,
}

/// Where a delta query begins.
#[derive(Clone, Copy)]
pub(crate) enum Begin<'a> {
    /// With changed e-nodes for the first changed atom, and goes up from there.
    Changed(&'a [Id]),
    /// With unchanged e-nodes for the root, and goes down to the first changed atom: where these
    /// are few, and the changed ones have many uses.
    Roots(&'a [Id]),
    /// With all classes, for a pattern without atoms.
    Classes,
}

impl Begin<'_> {
    /// Number of e-nodes.
    pub fn len(&self) -> usize {
        match self {
            Begin::Changed(nodes) | Begin::Roots(nodes) => nodes.len(),
            Begin::Classes => 0,
        }
    }
}

/// Going down from an e-node costs about as much as looking at so many uses of a class,
const ROOT_COST: usize = 4;
/// and looking at one use as much as seeing of so many e-nodes that they have changed.
const SKIPS: usize = 8;

/// What the searches of one iteration share.
pub(crate) struct Candidates {
    /// All e-nodes.
    pub all: Changes,
    /// Those that have changed since some epoch, with their uses.
    changed: BTreeMap<Epoch, (Changes, Vec<u64>)>,
}

impl Candidates {
    /// For an e-graph and what has been seen of it.
    pub fn new(egraph: &EGraph, seen: impl Iterator<Item = Option<Epoch>>) -> Candidates {
        let mut changed = BTreeMap::new();
        for epoch in seen.flatten() {
            changed.entry(epoch).or_insert_with(|| {
                let changes = egraph.changes(Some(epoch));
                let operators = 0..egraph.system().language.operators.len();
                let uses = |&node: &Id| u64::from(egraph.weight(node));
                let uses = operators.map(|op| changes.operator(op).iter().map(uses).sum());
                let uses = uses.collect();
                (changes, uses)
            });
        }
        Candidates { all: egraph.changes(None), changed }
    }

    pub fn heap_bytes(&self) -> usize {
        let changed = self.changed.values().map(|(changes, _)| changes.heap_bytes());
        self.all.heap_bytes() + changed.sum::<usize>()
    }

    /// All delta queries, in the order of their results, with at most `most` e-nodes each. `seen`
    /// is what was seen before by the search for a pattern with these atoms.
    pub fn delta_queries<'c, 'a>(
        &'c self,
        atoms: &'a [Atom],
        seen: Option<Epoch>,
        most: usize,
    ) -> impl Iterator<Item = DeltaQuery<'c>> + use<'c, 'a> {
        let bare = atoms.is_empty().then_some(DeltaQuery { first: 0, begin: Begin::Classes });
        let changed = seen.map(|epoch| &self.changed[&epoch]);
        let root = atoms.first().map(|atom| self.all.operator(atom.op.0 as usize));
        let queries = atoms.iter().enumerate().map(move |(first, atom)| {
            let op = atom.op.0 as usize;
            let (nodes, from_root): (&[Id], bool) = match (changed, root) {
                (Some((changes, uses)), Some(root)) => {
                    let root_op = atoms[0].op.0 as usize;
                    let unchanged = root.len() - changes.operator(root_op).len();
                    let cost = (root.len() / SKIPS + unchanged * ROOT_COST) as u64;
                    let from_root = first > 0 && cost < uses[op];
                    (if from_root { root } else { changes.operator(op) }, from_root)
                }
                // Where nothing has been seen, the root is always the first changed atom.
                (None, Some(root)) if first == 0 => (root, false),
                _ => (&[], false),
            };
            nodes.chunks(most).map(move |nodes| {
                let begin = if from_root { Begin::Roots(nodes) } else { Begin::Changed(nodes) };
                DeltaQuery { first, begin }
            })
        });
        bare.into_iter().chain(queries.flatten())
    }
}
