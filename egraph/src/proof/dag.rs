//! Proofs that two terms are equal: DAGs of rule steps, congruence and transitivity, in which
//! subproofs are shared.

use crate::bounds::{count_bytes, count_step};
use crate::rules::analysis::TransferId;
use crate::rules::rule::RuleId;
use crate::term::bank::{TermBank, TermId};
use crate::term::import::Import;
use crate::term::language::AnalysisId;
use std::collections::BTreeSet;

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
    /// `from` is the left-hand side of the rule under the substitution (terms by [`crate::VarId`], of a
    /// fact its value), `to` the right-hand side.
    Rule(RuleId, &'a [TermId]),
    /// `from` applies a built-in operator to literals, `to` is its value.
    Fold,
    /// Both terms have the same operator; each child of `from` is proved equal to that of `to`,
    /// or is the same term (`None`).
    Congruence(&'a [Option<StepRef>]),
    /// Transitivity: `from` to `to` through the steps in order. An empty chain is reflexivity.
    Chain(&'a [StepRef]),
    /// No equality but a *fact*: an analysis has the value `to`, a literal, at the term `from`.
    Fact(AnalysisId, FactBy<'a>),
}

/// How a fact follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactBy<'a> {
    /// From a transfer under the substitution: the arguments, and the values of the facts that it reads,
    /// which are proved by the steps that stand in [`Step::because`].
    Transfer(TransferId, &'a [TermId]),
    /// `because` has two steps: that `from` equals a term, and the fact of that term.
    Equality,
    /// `because` has two facts of `from`, which are merged.
    Merge,
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
    /// What a fact follows from; and for a rule or a transfer the facts that it reads, in the order of
    /// [`crate::Variables::facts`].
    pub because: &'a [StepRef],
}

impl Step<'_> {
    /// Calls `f` for every step that this one refers to, in order.
    pub(crate) fn each_ref(&self, mut f: impl FnMut(StepRef)) {
        match self.how {
            How::Congruence(children) => children.iter().flatten().for_each(|r| f(*r)),
            How::Chain(parts) => parts.iter().for_each(|r| f(*r)),
            How::Rule(..) | How::Fold | How::Fact(..) => {}
        }
        self.because.iter().for_each(|r| f(*r));
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
    /// The parts of chains, and what steps follow from beside.
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
    /// Its run in `links`, behind that of a chain.
    because: u32,
    last: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Rule(RuleId),
    Fold,
    Congruence,
    Chain,
    Transfer(AnalysisId, TransferId),
    FactOfEqual(AnalysisId),
    MergedFact(AnalysisId),
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
        let Entry { from, to, kind, start, end, because, last } = self.entries[index as usize];
        let run = start as usize..end as usize;
        let how = match kind {
            Kind::Rule(rule) => How::Rule(rule, &self.bindings[run]),
            Kind::Fold => How::Fold,
            Kind::Congruence => How::Congruence(&self.children[run]),
            Kind::Chain => How::Chain(&self.links[run]),
            Kind::Transfer(analysis, transfer) => {
                How::Fact(analysis, FactBy::Transfer(transfer, &self.bindings[run]))
            }
            Kind::FactOfEqual(analysis) => How::Fact(analysis, FactBy::Equality),
            Kind::MergedFact(analysis) => How::Fact(analysis, FactBy::Merge),
        };
        Step { from, to, how, because: &self.links[because as usize..last as usize] }
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
        self.push_because(from, to, how, &[])
    }

    /// As [`Steps::push`], for a step that follows from others beside.
    pub fn push_because(
        &mut self,
        from: TermId,
        to: TermId,
        how: How<'_>,
        because: &[StepRef],
    ) -> StepRef {
        self.push_mapped(Step { from, to, how, because }, |r| r, |t| t)
    }

    /// Adds a step of other `Steps`, its references mapped by `step`, its terms by `term`.
    pub(crate) fn push_mapped(
        &mut self,
        step: Step<'_>,
        map: impl Fn(StepRef) -> StepRef,
        mut term: impl FnMut(TermId) -> TermId,
    ) -> StepRef {
        count_step();
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
            How::Fact(analysis, FactBy::Transfer(transfer, terms)) => {
                let start = self.bindings.len();
                self.bindings.extend(terms.iter().map(|&t| term(t)));
                (Kind::Transfer(analysis, transfer), start, self.bindings.len())
            }
            How::Fact(analysis, FactBy::Equality) => (Kind::FactOfEqual(analysis), 0, 0),
            How::Fact(analysis, FactBy::Merge) => (Kind::MergedFact(analysis), 0, 0),
        };
        let parts = end - start + step.because.len();
        count_bytes(size_of::<Entry>() + parts * size_of::<Option<StepRef>>());
        let because = self.links.len() as u32;
        self.links.extend(step.because.iter().map(|&r| map(r)));
        let last = self.links.len() as u32;
        let (from, to) = (term(step.from), term(step.to));
        let (start, end) = (start as u32, end as u32);
        self.entries.push(Entry { from, to, kind, start, end, because, last });
        StepRef { step: self.entries.len() as u32 - 1, reversed: false }
    }

    /// Adds the steps of a proof, all of one bank, and refers to its root. Where `instead` has another proof of
    /// a step's two ends, that takes the place of the step.
    pub fn append(
        &mut self,
        proof: &Proof,
        mut instead: impl FnMut(&mut Steps, Step<'_>) -> Option<StepRef>,
    ) -> StepRef {
        let mut places: Vec<StepRef> = Vec::with_capacity(proof.steps.len());
        let place = |places: &[StepRef], r: StepRef| {
            let place = places[r.step as usize];
            if r.reversed { place.flip() } else { place }
        };
        for step in proof.steps.iter() {
            let other = instead(self, step);
            let here =
                other.unwrap_or_else(|| self.push_mapped(step, |r| place(&places, r), |t| t));
            places.push(here);
        }
        place(&places, proof.root)
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

    /// The rules that it uses.
    pub fn rules(&self) -> BTreeSet<RuleId> {
        let rule = |step: Step<'_>| match step.how {
            How::Rule(rule, _) => Some(rule),
            _ => None,
        };
        self.steps.iter().filter_map(rule).collect()
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
        let parts: Vec<StepRef> = proofs.iter().map(|p| steps.append(p, |_, _| None)).collect();
        let root = steps.push(from, to, How::Chain(&parts));
        Proof { steps, root }
    }

    /// The proof that `whole`, which has the start of this proof at `path`, equals itself with the end there: a
    /// congruence for each operator above. `None` if something else stands there.
    pub fn within(mut self, bank: &mut TermBank, whole: TermId, path: &[u32]) -> Option<Proof> {
        let (start, end) = (self.start(), self.end());
        let mut above = Vec::with_capacity(path.len());
        let mut at = whole;
        for &child in path {
            above.push((at, child as usize));
            at = *bank.children(at).get(child as usize)?;
        }
        if at != start {
            return None;
        }
        let mut new = end;
        for (parent, child) in above.into_iter().rev() {
            let mut children = bank.children(parent).to_vec();
            let mut steps = vec![None; children.len()];
            (children[child], steps[child]) = (new, Some(self.root));
            new = bank.add(bank.head(parent), &children);
            self.root = self.steps.push(parent, new, How::Congruence(&steps));
        }
        Some(self)
    }

    /// The same proof over the terms of another bank of the same language.
    pub fn import(&self, bank: &mut TermBank, import: &mut Import<'_>) -> Proof {
        let mut image = |t: TermId| import.term(bank, t);
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
    /// The facts that the rule reads, among [`FlatProof::facts`].
    pub because: Vec<StepRef>,
}

/// A proof as a sequence of terms, each rewritten to the next by one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatProof {
    /// The terms, one more than there are steps.
    pub terms: Vec<TermId>,
    /// The steps between them.
    pub steps: Vec<FlatStep>,
    /// The facts that steps read, with all that these follow from.
    pub facts: Steps,
}
