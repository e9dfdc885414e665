//! From which e-nodes the search for new matches begins.

use crate::graph::changes::{Changes, Epoch};
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::rules::compiled::program::Atom;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// One of the queries that semi-naive evaluation makes of a pattern, or a piece of it: the matches
/// whose first changed atom is number `first`, from some e-nodes.
#[derive(Clone, Copy)]
pub(crate) struct DeltaQuery<'a> {
    pub first: usize,
    pub begin: Begin<'a>,
    /// A filter on the roots, where the query begins with roots.
    pub below: Option<Below<'a>>,
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

/// A filter on the roots of a delta query: a root can have a new match only if one of its children is a class with a changed
/// e-node of a certain operator. Most roots are refused without a look at what is below them.
#[derive(Clone, Copy)]
pub(crate) struct Below<'a> {
    child: usize,
    operator: u16,
    operators: &'a [u16],
}

impl Below<'_> {
    /// Whether an e-node may have such a child; operators that share a bit are not told apart.
    #[inline]
    pub fn may_hold(&self, egraph: &EGraph, node: Id) -> bool {
        let class = egraph.table().child_of(node, self.child);
        self.operators[class.0 as usize] & self.operator != 0
    }
}

/// An operator as one of sixteen bits; operators share bits where there are more than sixteen.
fn bit(op: usize) -> u16 {
    1 << (op % 16)
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

/// The cost of going down from an e-node, in uses of a class that could be looked at instead.
const ROOT_COST: usize = 2;
/// The number of e-nodes that can be asked whether they have changed at the cost of looking at one use.
const SKIPS: usize = 8;

/// Lists of e-nodes that the searches of one iteration share; each list is made when it is first asked for.
pub(crate) struct Candidates<'e> {
    egraph: &'e EGraph,
    /// By operator: all e-nodes with it.
    all: Vec<OnceLock<Vec<Id>>>,
    changed: BTreeMap<Epoch, Changed>,
}

/// E-nodes that have changed since some epoch.
struct Changed {
    nodes: Changes,
    /// By operator: the number of uses of its changed e-nodes.
    uses: Vec<OnceLock<u64>>,
    /// By class: the operators of the changed e-nodes in it, as [`bit`]s.
    operators: OnceLock<Vec<u16>>,
}

impl<'e> Candidates<'e> {
    /// The lists for an e-graph; `seen` has the epoch up to which each search has seen it.
    pub fn new(egraph: &'e EGraph, seen: impl Iterator<Item = Option<Epoch>>) -> Candidates<'e> {
        let mut epochs: Vec<Epoch> = seen.flatten().collect();
        epochs.sort_unstable();
        epochs.dedup();
        let mut changed: BTreeMap<Epoch, Changed> = BTreeMap::new();
        for epoch in epochs {
            // E-nodes that changed after this epoch changed after every earlier one, too.
            let nodes = match changed.last_key_value() {
                None => egraph.changes(epoch),
                Some((_, Changed { nodes, .. })) => {
                    nodes.later(|&node| egraph.changed_since(node, epoch))
                }
            };
            let operators = egraph.system().language.operators.len();
            let uses = (0..operators).map(|_| OnceLock::new()).collect();
            changed.insert(epoch, Changed { nodes, uses, operators: OnceLock::new() });
        }
        let all = egraph.system().language.operators.iter().map(|_| OnceLock::new()).collect();
        Candidates { egraph, all, changed }
    }

    /// Bytes of all lists, those included that are not made yet.
    pub fn heap_bytes(&self) -> usize {
        let all: u32 = self.egraph.live_by_operator().iter().sum();
        let operators = self.egraph.index().ids() * size_of::<u16>();
        let changed = self.changed.values().map(|changed| changed.nodes.heap_bytes() + operators);
        all as usize * size_of::<Id>() + changed.sum::<usize>()
    }

    /// All e-nodes with an operator.
    fn all(&self, op: usize) -> &[Id] {
        self.all[op].get_or_init(|| self.egraph.applications(op))
    }

    /// All delta queries, in the order of their results, with at most `most` e-nodes each. `seen`
    /// is the epoch up to which the search for a pattern with these atoms has seen the e-graph.
    pub fn delta_queries<'c, 'a>(
        &'c self,
        atoms: &'a [Atom],
        seen: Option<Epoch>,
        most: usize,
    ) -> impl Iterator<Item = DeltaQuery<'c>> + use<'c, 'a> {
        let bare =
            atoms.is_empty().then_some(DeltaQuery { first: 0, begin: Begin::Classes, below: None });
        let changed = seen.map(|epoch| &self.changed[&epoch]);
        let root = atoms.first().map(|atom| atom.op.0 as usize);
        let queries = atoms.iter().enumerate().map(move |(first, atom)| {
            let op = atom.op.0 as usize;
            let (nodes, from_root): (&[Id], bool) = match (changed, root) {
                (Some(changed), Some(root)) => {
                    let from_root = first > 0 && self.begins_at_root(changed, root, op);
                    (if from_root { self.all(root) } else { changed.nodes.operator(op) }, from_root)
                }
                // Where nothing has been seen, the root is always the first changed atom.
                (None, Some(root)) if first == 0 => (self.all(root), false),
                _ => (&[], false),
            };
            let below = changed.filter(|_| from_root).and_then(|changed| self.below(changed, atom));
            nodes.chunks(most).map(move |nodes| {
                let begin = if from_root { Begin::Roots(nodes) } else { Begin::Changed(nodes) };
                DeltaQuery { first, begin, below }
            })
        });
        bare.into_iter().chain(queries.flatten())
    }

    /// The filter on roots for queries whose first changed atom is `atom`; `None` if its parent is not the root.
    fn below<'c>(&self, changed: &'c Changed, atom: &Atom) -> Option<Below<'c>> {
        let (_, child) = atom.parent.filter(|&(parent, _)| parent == 0)?;
        let operators = changed.operators.get_or_init(|| {
            let mut operators = vec![0; self.egraph.index().ids()];
            for op in 0..self.all.len() {
                let nodes = changed.nodes.operator(op).iter();
                nodes.for_each(|&n| operators[self.egraph.class_of(n).0 as usize] |= bit(op));
            }
            operators
        });
        Some(Below { child, operator: bit(atom.op.0 as usize), operators })
    }

    /// Whether going down from the e-nodes of the root's operator costs less than going up from the changed e-nodes of
    /// operator `op`.
    fn begins_at_root(&self, changed: &Changed, root: usize, op: usize) -> bool {
        let all = self.egraph.live_by_operator()[root] as usize;
        let unchanged = all - changed.nodes.operator(root).len();
        let nodes = changed.nodes.operator(op);
        let uses = || nodes.iter().map(|&node| u64::from(self.egraph.weight(node))).sum();
        ((all / SKIPS + unchanged * ROOT_COST) as u64) < *changed.uses[op].get_or_init(uses)
    }
}
