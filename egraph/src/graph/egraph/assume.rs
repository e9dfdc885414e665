//! Equalities that are given by hand: each becomes a rule of the system, so that proofs can name it.

use super::EGraph;
use crate::graph::proof_forest::Reason;
use crate::id::Id;
use crate::term::bank::{TermBank, TermId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl EGraph {
    /// Makes the two terms of each pair equal, whatever the rules say. They are added, and the equality becomes a rule of
    /// the e-graph's system, `ruleset-1`, `ruleset-2` and so on, in a ruleset that is new with the first of them; later
    /// calls go on with it and its name. Rebuild before matching. Takes time in proportion to the terms.
    ///
    /// # Errors
    /// A message: a term is too large to be matched, there are too many rules, or a name is taken. What was given before
    /// the pair that is wrong holds.
    pub fn assume(
        &mut self,
        ruleset: &str,
        bank: &TermBank,
        pairs: &[(TermId, TermId)],
    ) -> Result<(), String> {
        // The system is copied once, where others have it too.
        let mut given = match self.given {
            Some(given) => given,
            None => Arc::make_mut(&mut self.system).begin_given(ruleset)?,
        };
        let mut bound = Vec::new();
        for &(left, right) in pairs {
            let rule = Arc::make_mut(&mut self.system).give(&mut given, bank, (left, right))?;
            self.given = Some(given);
            bound.clear();
            let left = self.add_matched(bank, left, &mut bound);
            let right = self.add_matched(bank, right, &mut bound);
            self.union(left, right, Reason::Rule { rule, bound: &bound });
        }
        if !self.seen.epochs.is_empty() {
            let rules = self.system.rules.len();
            self.seen.extend(rules);
        }
        Ok(())
    }

    /// Adds a term, and appends to `bound` the e-nodes of the applications in it but the root, in pre-order, as
    /// [`crate::rules::compiled::rewrite`] lays down a match of the term as a pattern.
    fn add_matched(&mut self, bank: &TermBank, term: TermId, bound: &mut Vec<Id>) -> Id {
        let mut ids = FxHashMap::default();
        let root = self.add_into(bank, term, &mut ids);
        let mut todo: Vec<TermId> = bank.children(term).iter().rev().copied().collect();
        while let Some(part) = todo.pop() {
            let children = bank.children(part);
            if !children.is_empty() {
                bound.push(ids[&part]);
                todo.extend(children.iter().rev());
            }
        }
        root
    }
}
