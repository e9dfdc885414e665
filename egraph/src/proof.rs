//! Proofs that two terms are equal: DAGs of rule steps, congruence and transitivity, in which
//! subproofs are shared.

use crate::pattern::VarId;
use crate::system::RuleId;
use crate::term::{TermBank, TermId};
use rustc_hash::FxHashMap;

/// A step of a proof, read from its start to its end or the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepRef {
    /// Index in [`Proof::steps`], smaller than that of the step which refers to it.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// `from` is the left-hand side of the rule under the substitution (terms by [`VarId`]),
    /// `to` the right-hand side.
    Rule(RuleId, Vec<TermId>),
    /// `from` applies a built-in operator to literals, `to` is its value.
    Fold,
    /// Both terms have the same operator; each child of `from` is proved equal to that of `to`,
    /// or is the same term (`None`).
    Congruence(Vec<Option<StepRef>>),
    /// Transitivity: `from` to `to` through the steps in order. An empty chain is reflexivity.
    Chain(Vec<StepRef>),
}

/// One node of the proof's DAG: `from` equals `to`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The term at which it starts.
    pub from: TermId,
    /// The term at which it ends.
    pub to: TermId,
    /// Why they are equal.
    pub how: How,
}

/// A proof. Its terms live in the bank it was made with. Nothing is believed of a proof until
/// [`crate::check`] accepts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The steps, each after those it refers to.
    pub steps: Vec<Step>,
    /// The step that proves the whole.
    pub root: StepRef,
}

impl Proof {
    /// The proof that a term equals itself.
    pub fn reflexive(t: TermId) -> Proof {
        let step = Step { from: t, to: t, how: How::Chain(Vec::new()) };
        Proof { steps: vec![step], root: StepRef { step: 0, reversed: false } }
    }

    /// The two ends of a step as read.
    pub fn ends(&self, step: StepRef) -> (TermId, TermId) {
        let Step { from, to, .. } = self.steps[step.step as usize];
        if step.reversed { (to, from) } else { (from, to) }
    }

    /// The term at which the proof starts.
    pub fn start(&self) -> TermId {
        self.ends(self.root).0
    }

    /// The term at which it ends.
    pub fn end(&self) -> TermId {
        self.ends(self.root).1
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
        let mut steps = Vec::with_capacity(proofs.iter().map(Proof::len).sum::<usize>() + 1);
        let mut parts = Vec::with_capacity(proofs.len());
        for proof in proofs {
            let offset = steps.len() as u32;
            let shift = |r: StepRef| StepRef { step: r.step + offset, ..r };
            parts.push(shift(proof.root));
            steps.extend(proof.steps.into_iter().map(|step| step.map_refs(shift)));
        }
        steps.push(Step { from, to, how: How::Chain(parts) });
        let root = StepRef { step: steps.len() as u32 - 1, reversed: false };
        Proof { steps, root }
    }

    /// The same proof over the terms of another bank of the same language.
    pub fn import(&self, bank: &mut TermBank, from: &TermBank) -> Proof {
        let mut images: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut image = |t: TermId| *images.entry(t).or_insert_with(|| bank.import(from, t));
        let mut steps = self.steps.clone();
        for step in &mut steps {
            step.from = image(step.from);
            step.to = image(step.to);
            if let How::Rule(_, substitution) = &mut step.how {
                substitution.iter_mut().for_each(|t| *t = image(*t));
            }
        }
        Proof { steps, root: self.root }
    }
}

impl Step {
    /// Calls `f` for every step that this one refers to.
    pub(crate) fn each_ref(&self, mut f: impl FnMut(StepRef)) {
        match &self.how {
            How::Congruence(children) => children.iter().flatten().for_each(|r| f(*r)),
            How::Chain(parts) => parts.iter().for_each(|r| f(*r)),
            How::Rule(..) | How::Fold => {}
        }
    }

    pub(crate) fn map_refs(mut self, f: impl Fn(StepRef) -> StepRef) -> Step {
        match &mut self.how {
            How::Congruence(children) => children.iter_mut().flatten().for_each(|r| *r = f(*r)),
            How::Chain(parts) => parts.iter_mut().for_each(|r| *r = f(*r)),
            How::Rule(..) | How::Fold => {}
        }
        self
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
    /// Terms by [`VarId`]; empty for folding.
    pub substitution: Vec<TermId>,
}

impl FlatStep {
    /// The term that a variable of the rule stands for.
    pub fn binding(&self, var: VarId) -> Option<TermId> {
        self.substitution.get(usize::from(var.0)).copied()
    }
}

/// A proof as a sequence of terms, each rewritten to the next by one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatProof {
    /// The terms, one more than there are steps.
    pub terms: Vec<TermId>,
    /// The steps between them.
    pub steps: Vec<FlatStep>,
}
