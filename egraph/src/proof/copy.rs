//! Copying what a step rests on from one store of steps into another.

use crate::proof::dag::{StepRef, Steps};
use crate::proof::dense::DenseMap;

/// Copies from one store into another, each step once.
#[derive(Default)]
pub(crate) struct Copier {
    /// Where steps of the one stand in the other.
    copied: DenseMap,
    todo: Vec<u32>,
}

impl Copier {
    /// Forgets what was copied.
    pub fn clear(&mut self) {
        self.copied.clear();
    }

    /// A step of `from` with all that it uses, copied into `to`.
    pub fn copy(&mut self, from: &Steps, to: &mut Steps, step: StepRef) -> StepRef {
        let Copier { copied, todo } = self;
        todo.clear();
        todo.push(step.step);
        while let Some(&s) = todo.last() {
            if copied.get(s).is_none() {
                let before = todo.len();
                let found = from.get(s);
                found.each_ref(|r| {
                    if copied.get(r.step).is_none() {
                        todo.push(r.step);
                    }
                });
                if todo.len() > before {
                    continue;
                }
                let place = |r: StepRef| StepRef {
                    step: copied.get(r.step).expect("copied before what refers to it"),
                    ..r
                };
                let new = to.push_mapped(found, place, |t| t);
                copied.insert(s, new.step);
            }
            todo.pop();
        }
        StepRef { step: copied.get(step.step).expect("just copied"), ..step }
    }
}
