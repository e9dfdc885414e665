//! Applying matches: what they say that is not known yet is added to the e-graph.

use crate::egraph::{EGraph, Id};
use crate::forest::Reason;
use crate::recipe::{Lookup, LookupRoom};
use crate::rewrite::Rewrite;

/// Applies matches one after the other, and looks at many of one rule before: most of them have
/// become known by what was applied since they were found.
#[derive(Default)]
pub(crate) struct Applier {
    /// By match that was looked at: whether it says nothing new.
    known: Vec<bool>,
    classes: Vec<Id>,
    lookups: LookupRoom,

    // Of one match: the e-nodes of its variables, its bound ids, the e-nodes added for it.
    substitution: Vec<Id>,
    bound: Vec<Id>,
    added: Vec<Id>,
}

impl Applier {
    /// Looks at matches of a rule: runs of [`Rewrite::stride`] ids.
    pub fn look(&mut self, egraph: &EGraph, rewrite: &Rewrite, ids: &[Id]) {
        self.known.clear();
        let count = ids.len() / rewrite.stride();
        if !rewrite.rhs.is_narrow(egraph) {
            self.known.resize(count, false);
            return;
        }
        self.classes.clear();
        for found in ids.chunks_exact(rewrite.stride()) {
            rewrite.substitution(egraph, found, &mut self.substitution);
            self.classes.extend(self.substitution.iter().map(|&id| egraph.find(id)));
        }
        let variables = self.classes.len() / count.max(1);
        let class = |i: usize, var: usize| self.classes[i * variables + var];
        let literals = rewrite.rhs.known_literals(egraph);
        rewrite.rhs.lookup_many(egraph, count, class, &literals, &mut self.lookups);
        let matches = ids.chunks_exact(rewrite.stride()).zip(&self.lookups.results);
        self.known.extend(matches.map(|(found, &lookup)| {
            matches!(lookup, Lookup::Class(class) if class == egraph.find(found[0]))
        }));
    }

    /// Whether the match of this number said nothing new when it was looked at.
    pub fn is_known(&self, number: usize) -> bool {
        self.known[number]
    }

    /// Applies a match: adds the right-hand side and unites it with the matched e-node. Returns
    /// whether that changed the equalities.
    pub fn apply(&mut self, egraph: &mut EGraph, rewrite: &Rewrite, found: &[Id]) -> bool {
        let Applier { substitution, bound, added, .. } = self;
        rewrite.substitution(egraph, found, substitution);
        bound.clear();
        bound.extend_from_slice(&found[1..]);
        let root = rewrite.rhs.build(egraph, substitution, added, bound);
        egraph.union(found[0], root, Reason::Rule { rule: rewrite.rule, bound })
    }
}
