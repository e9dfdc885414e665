//! Flat proofs: a proof's DAG as a sequence of single rewrites, without loops.

use crate::proof::{FlatProof, FlatStep, How, Justification, Proof, StepRef};
use crate::term::{TermBank, TermId};
use rustc_hash::FxHashMap;

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

impl Proof {
    /// The sequence of rewrites from start to end; no term occurs twice in it.
    ///
    /// # Errors
    /// The proof, or a term in it, is larger than `caps` allow.
    pub fn flatten(&self, bank: &mut TermBank, caps: Caps) -> Result<FlatProof, TooLong> {
        let start = self.start();
        let mut walk = Walk {
            flat: FlatProof { terms: vec![start], steps: Vec::new() },
            visited: FxHashMap::from_iter([(start, 0)]),
        };
        let mut gone = 0usize;
        // Steps still to be made, the next one last, each with the position of its subterm.
        let mut todo: Vec<(StepRef, Vec<u32>)> = vec![(self.root, Vec::new())];
        while let Some((step_ref, path)) = todo.pop() {
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
                How::Rule(..) | How::Fold => {
                    gone += 1;
                    if gone > caps.steps.saturating_mul(WORK_PER_STEP) {
                        return Err(TooLong::Steps);
                    }
                    let to = self.steps.ends(step_ref).1;
                    let (rule, substitution) = match step.how {
                        How::Rule(rule, terms) => (Justification::Rule(rule), terms.to_vec()),
                        _ => (Justification::Fold, Vec::new()),
                    };
                    let forward = !step_ref.reversed;
                    let step = FlatStep { rule, forward, path, substitution };
                    let term = walk.rewrite(bank, step, to);
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

struct Walk {
    flat: FlatProof,
    /// Where in the proof each term stands.
    visited: FxHashMap<TermId, usize>,
}

impl Walk {
    /// Rewrites the last term at `step.path` to `to`. Back at a term seen before, the loop since
    /// then is cut.
    fn rewrite(&mut self, bank: &mut TermBank, step: FlatStep, to: TermId) -> TermId {
        let last = self.flat.terms[self.flat.terms.len() - 1];
        let term = bank.replace(last, &step.path, to).expect("a position of the proof's own term");
        if let Some(&at) = self.visited.get(&term) {
            for cut in self.flat.terms.drain(at + 1..) {
                self.visited.remove(&cut);
            }
            self.flat.steps.truncate(at);
        } else {
            self.visited.insert(term, self.flat.terms.len());
            self.flat.terms.push(term);
            self.flat.steps.push(step);
        }
        term
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
}
