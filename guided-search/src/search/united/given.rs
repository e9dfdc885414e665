//! Equalities that an e-graph is told, as rules of its own, and proofs without them.
//!
//! That the terms of a leg are equal is known from the leg before. Its e-graph is told so by rules, and what it proves
//! has steps by them. When a search has ended, these steps are replaced by their proofs, from the first leg on
//! and each once: the whole is no longer than what it uses of each e-graph.

use anyhow::Result;
use egraph::{
    How, MAX_DEPTH, MatchOrder, MatchView, Proof, RuleId, SmallestFirst, Step, StepRef, Steps,
    System, TermBank, TermId,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use support::Internal;

/// The ruleset of the equalities. No file can have one of this name.
const RULESET: &str = "given to one e-graph";

/// Proofs of the terms that a leg led to, each from a term that the leg began with. Steps by a rule that the system
/// lacks say that two of those are equal.
pub type Reached = FxHashMap<TermId, Proof>;

/// A system that e-graphs may be told equalities beside.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The system alone.
    pub system: &'a Arc<System>,
}

impl Given<'_> {
    /// The system with rules that say of each side that its terms are equal. A term that is too large to be matched
    /// is left out.
    ///
    /// # Errors
    /// [`Internal`], if there are too many.
    pub fn equal(self, bank: &TermBank, sides: &[Vec<TermId>; 2]) -> Result<Arc<System>> {
        let mut pairs = Vec::new();
        for side in sides {
            let mut known = side.iter().filter(|&&term| bank.size(term) <= MAX_DEPTH as u64);
            if let Some(&first) = known.next() {
                pairs.extend(known.map(|&term| (first, term)));
            }
        }
        if pairs.is_empty() {
            return Ok(self.system.clone());
        }
        Ok(Arc::new(self.system.with_given(RULESET, bank, &pairs).map_err(Internal::new)?))
    }

    /// An order of matches, the smallest first by default, in which those of equalities come before all others.
    pub fn first(self, order: Option<Arc<dyn MatchOrder>>) -> Arc<dyn MatchOrder> {
        let order = order.unwrap_or_else(|| Arc::new(SmallestFirst));
        Arc::new(GivenFirst { rules: self.system.rules.len(), order })
    }

    /// The proof from an end of the question to where `last` ends: `last` is a proof of the leg after those of
    /// `reached`, and begins with a term of it.
    pub fn discharged(self, last: &Proof, reached: &[Reached]) -> Proof {
        // What is used of each leg, from the last to the first.
        let mut used: Vec<Vec<TermId>> = Vec::with_capacity(reached.len());
        let mut proofs = vec![last];
        for reached in reached.iter().rev() {
            let mut terms: Vec<TermId> = Vec::new();
            for proof in proofs {
                terms.push(proof.start());
                let given = proof.steps.iter().filter(|step| self.is_given(step));
                terms.extend(given.flat_map(|step| [step.from, step.to]));
            }
            terms.sort_unstable();
            terms.dedup();
            proofs = terms.iter().map(|term| &reached[term]).collect();
            used.push(terms);
        }
        let mut steps = Steps::default();
        // The ways from an end of the question to terms that a leg begins with; none to the end itself.
        let mut ways: FxHashMap<TermId, StepRef> = FxHashMap::default();
        for (terms, reached) in used.iter().rev().zip(reached) {
            let way = |&term: &TermId| (term, self.append(&mut steps, &reached[&term], &ways));
            ways = terms.iter().map(way).collect();
        }
        let root = self.append(&mut steps, last, &ways);
        Proof { steps, root }
    }

    /// Adds a proof of a leg behind the way to its start. Steps by equalities are replaced: back to the end of the
    /// question, and from there to the other term.
    fn append(
        self,
        steps: &mut Steps,
        proof: &Proof,
        ways: &FxHashMap<TermId, StepRef>,
    ) -> StepRef {
        let part = steps.append(proof, |steps, step| {
            self.is_given(&step).then(|| {
                let around = [ways[&step.from].flip(), ways[&step.to]];
                steps.push(step.from, step.to, How::Chain(&around))
            })
        });
        match ways.get(&proof.start()) {
            None => part,
            Some(&way) => {
                let (from, to) = (steps.ends(way).0, steps.ends(part).1);
                steps.push(from, to, How::Chain(&[way, part]))
            }
        }
    }

    /// Whether a step is by an equality.
    fn is_given(self, step: &Step<'_>) -> bool {
        matches!(step.how, How::Rule(RuleId(rule), _) if rule as usize >= self.system.rules.len())
    }
}

/// Equalities before everything else.
#[derive(Debug)]
struct GivenFirst {
    /// How many rules are the system's own.
    rules: usize,
    /// Their order.
    order: Arc<dyn MatchOrder>,
}

impl MatchOrder for GivenFirst {
    fn rank(&self, matches: &[MatchView], ranks: &mut Vec<f32>) {
        let is_given = |seen: &MatchView| seen.rule as usize >= self.rules;
        if !matches.iter().any(is_given) {
            return self.order.rank(matches, ranks);
        }
        let own: Vec<MatchView> = matches.iter().filter(|&m| !is_given(m)).copied().collect();
        let mut of_own = Vec::with_capacity(own.len());
        self.order.rank(&own, &mut of_own);
        let mut of_own = of_own.into_iter();
        let rank = |seen| if is_given(seen) { Some(f32::MAX) } else { of_own.next() };
        ranks.extend(matches.iter().filter_map(rank));
    }

    fn ranks_may_be_old(&self) -> bool {
        self.order.ranks_may_be_old()
    }
}
