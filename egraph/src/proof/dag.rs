//! Proofs that two terms are equal: DAGs of rule steps, congruence and transitivity, in which
//! subproofs are shared.

use crate::rules::system::RuleId;
use crate::term::bank::{TermBank, TermId};
use rustc_hash::FxHashMap;

/// A step of a proof, read from its start to its end or the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepRef {
    /// Index in [`Steps`], smaller than that of the step which refers to it.
    pub step: u32,
    /// Whether it is read from its end to its start.
    pub reversed: bool,
}

impl StepRef {
    /// The same step, read the other way.
    pub fn flip(self) -> StepRef {
        StepRef { reversed: !self.reversed, ..self }
    }
}

/// How a step proves that its two terms are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How<'a> {
    /// `from` is the left-hand side of the rule under the substitution (terms by [`crate::VarId`]),
    /// `to` the right-hand side.
    Rule(RuleId, &'a [TermId]),
    /// `from` applies a built-in operator to literals, `to` is its value.
    Fold,
    /// Both terms have the same operator; each child of `from` is proved equal to that of `to`,
    /// or is the same term (`None`).
    Congruence(&'a [Option<StepRef>]),
    /// Transitivity: `from` to `to` through the steps in order. An empty chain is reflexivity.
    Chain(&'a [StepRef]),
}

/// One node of the proof's DAG: `from` equals `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// The term at which it starts.
    pub from: TermId,
    /// The term at which it ends.
    pub to: TermId,
    /// Why they are equal.
    pub how: How<'a>,
}

impl Step<'_> {
    /// Calls `f` for every step that this one refers to, in order.
    pub(crate) fn each_ref(&self, mut f: impl FnMut(StepRef)) {
        match self.how {
            How::Congruence(children) => children.iter().flatten().for_each(|r| f(*r)),
            How::Chain(parts) => parts.iter().for_each(|r| f(*r)),
            How::Rule(..) | How::Fold => {}
        }
    }
}

/// Steps of one or more proofs, in flat arrays. A step made here refers to earlier ones only;
/// what it says is not checked, see [`crate::proof::check`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    entries: Vec<Entry>,
    /// The terms of rule steps.
    bindings: Vec<TermId>,
    /// The children of congruences.
    children: Vec<Option<StepRef>>,
    /// The parts of chains.
    links: Vec<StepRef>,
}

/// `start..end` is its run in the array of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    from: TermId,
    to: TermId,
    kind: Kind,
    start: u32,
    end: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Rule(RuleId),
    Fold,
    Congruence,
    Chain,
}

impl Steps {
    /// Number of steps.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The step at `index`.
    pub fn get(&self, index: u32) -> Step<'_> {
        let Entry { from, to, kind, start, end } = self.entries[index as usize];
        let run = start as usize..end as usize;
        let how = match kind {
            Kind::Rule(rule) => How::Rule(rule, &self.bindings[run]),
            Kind::Fold => How::Fold,
            Kind::Congruence => How::Congruence(&self.children[run]),
            Kind::Chain => How::Chain(&self.links[run]),
        };
        Step { from, to, how }
    }

    /// The steps in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Step<'_>> + ExactSizeIterator {
        (0..self.entries.len() as u32).map(|i| self.get(i))
    }

    /// The two ends of a step as read.
    pub fn ends(&self, step: StepRef) -> (TermId, TermId) {
        let Entry { from, to, .. } = self.entries[step.step as usize];
        if step.reversed { (to, from) } else { (from, to) }
    }

    /// Adds a step; refers to it as read from `from` to `to`.
    pub fn push(&mut self, from: TermId, to: TermId, how: How<'_>) -> StepRef {
        self.push_mapped(Step { from, to, how }, |r| r, |t| t)
    }

    /// Adds a step of other `Steps`, its references mapped by `step`, its terms by `term`.
    pub(crate) fn push_mapped(
        &mut self,
        step: Step<'_>,
        map: impl Fn(StepRef) -> StepRef,
        mut term: impl FnMut(TermId) -> TermId,
    ) -> StepRef {
        let (kind, start, end) = match step.how {
            How::Rule(rule, terms) => {
                let start = self.bindings.len();
                self.bindings.extend(terms.iter().map(|&t| term(t)));
                (Kind::Rule(rule), start, self.bindings.len())
            }
            How::Fold => (Kind::Fold, 0, 0),
            How::Congruence(children) => {
                let start = self.children.len();
                self.children.extend(children.iter().map(|c| c.map(&map)));
                (Kind::Congruence, start, self.children.len())
            }
            How::Chain(parts) => {
                let start = self.links.len();
                self.links.extend(parts.iter().map(|&r| map(r)));
                (Kind::Chain, start, self.links.len())
            }
        };
        let (from, to) = (term(step.from), term(step.to));
        self.entries.push(Entry { from, to, kind, start: start as u32, end: end as u32 });
        StepRef { step: self.entries.len() as u32 - 1, reversed: false }
    }

    /// Forgets all steps and keeps the room.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.bindings.clear();
        self.children.clear();
        self.links.clear();
    }
}

/// A proof. Its terms live in the bank it was made with. Nothing is believed of a proof until
/// [`crate::proof::check`] accepts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The steps, each after those it refers to.
    pub steps: Steps,
    /// The step that proves the whole.
    pub root: StepRef,
}

impl Proof {
    /// The proof that a term equals itself.
    pub fn reflexive(t: TermId) -> Proof {
        let mut steps = Steps::default();
        let root = steps.push(t, t, How::Chain(&[]));
        Proof { steps, root }
    }

    /// The term at which the proof starts.
    pub fn start(&self) -> TermId {
        self.steps.ends(self.root).0
    }

    /// The term at which it ends.
    pub fn end(&self) -> TermId {
        self.steps.ends(self.root).1
    }

    /// Number of steps of the DAG. The flattened proof may be exponentially longer.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is no step, which no proof made here has.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The proof read from its end to its start.
    pub fn reversed(self) -> Proof {
        Proof { root: self.root.flip(), steps: self.steps }
    }

    /// One proof from the start of the first to the end of the last, all of one bank.
    ///
    /// # Panics
    /// If there is no proof, or one does not start where the one before ends.
    pub fn chain(proofs: Vec<Proof>) -> Proof {
        assert!(!proofs.is_empty(), "a chain of no proofs has no ends");
        for pair in proofs.windows(2) {
            assert_eq!(pair[0].end(), pair[1].start(), "the proofs of a chain do not meet");
        }
        let (from, to) = (proofs[0].start(), proofs[proofs.len() - 1].end());
        let mut steps = Steps::default();
        let mut parts = Vec::with_capacity(proofs.len());
        for proof in proofs {
            let offset = steps.len() as u32;
            let shift = |r: StepRef| StepRef { step: r.step + offset, ..r };
            parts.push(shift(proof.root));
            proof.steps.iter().for_each(|step| {
                steps.push_mapped(step, shift, |t| t);
            });
        }
        let root = steps.push(from, to, How::Chain(&parts));
        Proof { steps, root }
    }

    /// The same proof over the terms of another bank of the same language.
    pub fn import(&self, bank: &mut TermBank, from: &TermBank) -> Proof {
        let mut images: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut image = |t: TermId| *images.entry(t).or_insert_with(|| bank.import(from, t));
        let mut steps = Steps::default();
        for step in self.steps.iter() {
            steps.push_mapped(step, |r| r, &mut image);
        }
        Proof { steps, root: self.root }
    }
}

/// Why a single rewrite of a flat proof is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Justification {
    /// A rule.
    Rule(RuleId),
    /// Constant folding.
    Fold,
}

/// One rewrite of a whole term, at one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatStep {
    /// The rule.
    pub rule: Justification,
    /// Whether it is used from left to right.
    pub forward: bool,
    /// Child indices from the root to the rewritten subterm.
    pub path: Vec<u32>,
    /// Terms by [`crate::VarId`]; empty for folding.
    pub substitution: Vec<TermId>,
}

/// A proof as a sequence of terms, each rewritten to the next by one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatProof {
    /// The terms, one more than there are steps.
    pub terms: Vec<TermId>,
    /// The steps between them.
    pub steps: Vec<FlatStep>,
}
