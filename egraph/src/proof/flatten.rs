//! Flat proofs: a proof's DAG as a sequence of single rewrites, without loops.

use crate::bounds::count_step;
use crate::proof::copy::Copier;
use crate::proof::dag::{FlatProof, FlatStep, How, Justification, Proof, StepRef, Steps};
use crate::term::bank::{TermBank, TermId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Flattening stops beyond these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Steps of the flat proof, loops cut.
    pub steps: usize,
    /// Nodes of any term on the way.
    pub term_size: u64,
}

/// A flat proof would break a cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLong {
    /// More steps than the cap.
    #[error("the flat proof has too many steps")]
    Steps,
    /// A term larger than the cap.
    #[error("the flat proof passes through too large a term")]
    TermSize,
}

/// A flattened proof may have 10¹⁷ steps before its loops are cut, so that the steps gone through
/// are bounded too, by this many times the cap.
const WORK_PER_STEP: usize = 32;

/// As many nodes may be built for each of these on the way from a term's root to where the step is made, but no more than
/// `MOST_NODES` in all: terms that are deep, as long sums are, take much memory for each step.
const NODES_PER_STEP: usize = 64;
const MOST_NODES: usize = 1 << 22;

/// As many chains and congruences may be gone through for each of these; a proof may have
/// nothing but them.
const PARTS_PER_STEP: usize = 64;

/// Child indices from the root.
type Path = SmallVec<[u32; 12]>;

impl Proof {
    /// The sequence of rewrites from start to end; no term occurs twice in it.
    ///
    /// # Errors
    /// The proof, or a term in it, is larger than `caps` allow.
    pub fn flatten(&self, bank: &mut TermBank, caps: Caps) -> Result<FlatProof, TooLong> {
        let start = self.start();
        let flat = FlatProof { terms: vec![start], steps: Vec::new(), facts: Steps::default() };
        let mut walk = Walk::from(flat);
        if bank.size(start) > caps.term_size {
            return Err(TooLong::TermSize);
        }
        let mut copier = Copier::default();
        let mut gone = 0usize;
        let mut parts_gone = 0usize;
        // Steps still to be made, the next one last, each with the position of its subterm.
        let mut todo: Vec<(StepRef, Path)> = vec![(self.root, Path::new())];
        let most = caps.steps.saturating_mul(WORK_PER_STEP);
        let mut nodes_left = most.saturating_mul(NODES_PER_STEP).min(MOST_NODES);
        while let Some((step_ref, path)) = todo.pop() {
            count_step();
            parts_gone += 1;
            if parts_gone > most.saturating_mul(PARTS_PER_STEP) {
                return Err(TooLong::Steps);
            }
            let step = self.steps.get(step_ref.step);
            match step.how {
                How::Chain(parts) => {
                    let parts: &mut dyn Iterator<Item = StepRef> = if step_ref.reversed {
                        &mut parts.iter().map(|r| r.flip())
                    } else {
                        &mut parts.iter().rev().copied()
                    };
                    todo.extend(parts.map(|r| (r, path.clone())));
                }
                How::Congruence(children) => {
                    for (i, child) in children.iter().enumerate().rev() {
                        let Some(child) = child else { continue };
                        let child = if step_ref.reversed { child.flip() } else { *child };
                        let path = path.iter().copied().chain([i as u32]).collect();
                        todo.push((child, path));
                    }
                }
                // No proof that was checked goes through a fact.
                How::Fact(..) => {}
                How::Rule(..) | How::Fold => {
                    gone += 1;
                    let left = nodes_left.checked_sub(path.len());
                    nodes_left = left.filter(|_| gone <= most).ok_or(TooLong::Steps)?;
                    let to = self.steps.ends(step_ref).1;
                    let (rule, substitution) = match step.how {
                        How::Rule(rule, terms) => (Justification::Rule(rule), terms.to_vec()),
                        _ => (Justification::Fold, Vec::new()),
                    };
                    let forward = !step_ref.reversed;
                    let facts = &mut walk.flat.facts;
                    let because = step.because.iter();
                    let because = because.map(|&r| copier.copy(&self.steps, facts, r)).collect();
                    let path = path.to_vec();
                    let step = FlatStep { rule, forward, path, substitution, because };
                    let last = walk.flat.terms[walk.flat.terms.len() - 1];
                    let term = bank.replace(last, &step.path, to);
                    let term = term.expect("a position of the proof's own term");
                    if !walk.is_back_at(term) {
                        walk.push(step, term);
                    }
                    if bank.size(term) > caps.term_size {
                        return Err(TooLong::TermSize);
                    }
                }
            }
        }
        if walk.flat.steps.len() > caps.steps {
            return Err(TooLong::Steps);
        }
        Ok(walk.flat)
    }
}

/// A proof that visits no term twice.
struct Walk {
    flat: FlatProof,
    /// Where in the proof each term stands.
    visited: FxHashMap<TermId, usize>,
}

impl Walk {
    fn from(flat: FlatProof) -> Walk {
        let visited = flat.terms.iter().enumerate().map(|(place, &term)| (term, place)).collect();
        Walk { flat, visited }
    }

    /// Whether a term was seen before; then the loop since then is cut.
    fn is_back_at(&mut self, term: TermId) -> bool {
        let Some(&at) = self.visited.get(&term) else { return false };
        for cut in self.flat.terms.drain(at + 1..) {
            self.visited.remove(&cut);
        }
        self.flat.steps.truncate(at);
        true
    }

    fn push(&mut self, step: FlatStep, term: TermId) {
        self.visited.insert(term, self.flat.terms.len());
        self.flat.terms.push(term);
        self.flat.steps.push(step);
    }
}

impl FlatProof {
    /// The same proof read from its end.
    pub fn reversed(mut self) -> FlatProof {
        self.terms.reverse();
        self.steps.reverse();
        self.steps.iter_mut().for_each(|step| step.forward = !step.forward);
        self
    }

    /// One proof of several, of which each starts where the one before ends, without loops: it
    /// visits no term twice.
    ///
    /// # Panics
    /// There is no proof, or one starts elsewhere.
    pub fn concatenated(proofs: impl IntoIterator<Item = FlatProof>) -> FlatProof {
        let mut proofs = proofs.into_iter();
        let mut whole = Walk::from(proofs.next().expect("a first proof"));
        for proof in proofs {
            assert_eq!(whole.flat.terms.last(), proof.terms.first(), "proofs that do not meet");
            let mut copier = Copier::default();
            for (&term, mut step) in proof.terms[1..].iter().zip(proof.steps) {
                if !whole.is_back_at(term) {
                    let because = step.because.iter_mut();
                    because.for_each(|r| *r = copier.copy(&proof.facts, &mut whole.flat.facts, *r));
                    whole.push(step, term);
                }
            }
        }
        whole.flat
    }

    /// The same proof as a DAG: a rule step and its congruences per step, in one chain.
    ///
    /// # Panics
    /// If there are no terms, or a step is at no position of its terms; [`crate::check_flat`]
    /// refuses those.
    pub fn to_proof(&self, bank: &TermBank) -> Proof {
        let mut steps = Steps::default();
        let mut parts = Vec::with_capacity(self.steps.len());
        let mut copier = Copier::default();
        for (step, ends) in self.steps.iter().zip(self.terms.windows(2)) {
            let mut above = vec![(ends[0], ends[1])];
            for &child in &step.path {
                let (a, b) = above[above.len() - 1];
                let child = child as usize;
                above.push((bank.children(a)[child], bank.children(b)[child]));
            }
            let (a, b) = above[above.len() - 1];
            let (from, to) = if step.forward { (a, b) } else { (b, a) };
            let how = match step.rule {
                Justification::Rule(rule) => How::Rule(rule, &step.substitution),
                Justification::Fold => How::Fold,
            };
            let because: SmallVec<[StepRef; 2]> =
                step.because.iter().map(|&r| copier.copy(&self.facts, &mut steps, r)).collect();
            let mut at = steps.push_because(from, to, how, &because);
            if !step.forward {
                at = at.flip();
            }
            for (&(a, b), &child) in above.iter().zip(&step.path).rev() {
                let mut children = vec![None; bank.children(a).len()];
                children[child as usize] = Some(at);
                at = steps.push(a, b, How::Congruence(&children));
            }
            parts.push(at);
        }
        let (from, to) = (self.terms[0], self.terms[self.terms.len() - 1]);
        let root = steps.push(from, to, How::Chain(&parts));
        Proof { steps, root }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Justification, RuleId};

    /// A proof through these terms; which step leads where is told by its path.
    fn through(terms: &[u32]) -> FlatProof {
        let step = |pair: &[u32]| FlatStep {
            rule: Justification::Rule(RuleId(0)),
            forward: true,
            path: pair.to_vec(),
            substitution: Vec::new(),
            because: Vec::new(),
        };
        FlatProof {
            terms: terms.iter().map(|&t| TermId(t)).collect(),
            steps: terms.windows(2).map(step).collect(),
            facts: Steps::default(),
        }
    }

    #[test]
    fn concatenated_proofs_visit_no_term_twice() {
        let whole =
            |parts: &[&[u32]]| FlatProof::concatenated(parts.iter().map(|terms| through(terms)));
        assert_eq!(whole(&[&[1, 2, 3]]), through(&[1, 2, 3]));
        assert_eq!(whole(&[&[1, 2, 3], &[3, 4]]), through(&[1, 2, 3, 4]));
        assert_eq!(whole(&[&[1, 2, 3, 4], &[4, 5, 2, 6, 3, 7]]), through(&[1, 2, 6, 3, 7]));
        assert_eq!(whole(&[&[1, 2], &[2, 3], &[3, 1]]), through(&[1]));
        assert_eq!(whole(&[&[1], &[1, 2, 3], &[3]]), through(&[1, 2, 3]));
    }
}
