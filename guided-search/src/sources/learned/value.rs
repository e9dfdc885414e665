//! The frontier terms of either side that the model's value head takes to be nearest to the other side.

use crate::sources::descend::draw;
use crate::sources::guide_source::{GuideRequest, GuideSet, GuideSource};
use crate::sources::learned::{Model, in_order};
use crate::sources::randomness::stream;
use anyhow::Result;
use egraph::{TermBank, TermId};

/// Draws many frontier terms of both sides, and answers with the K of each from which the model expects
/// the fewest steps to the other side's term.
pub struct ValueGuides<'a> {
    /// The trained model, with a value head.
    pub model: &'a Model<'a>,
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of the task.
    pub task: u64,
    /// How many nodes larger than the smallest term of its side a term may be.
    pub slack: u64,
    /// Of how many frontier terms a side the nearest are taken.
    pub drawn: usize,
}

impl GuideSource for ValueGuides<'_> {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let mut rng = stream(self.seed, self.task, request.number, 7);
        let mut reached = draw(request, bank, self.drawn, self.slack, &mut rng);
        let mut model_seconds = 0.0;
        for (terms, goal) in reached.iter_mut().zip([request.target(), request.start()]) {
            let pairs: Vec<(TermId, TermId)> = terms.iter().map(|&term| (term, goal)).collect();
            if pairs.len() > 1 {
                let found = self.model.values(bank, &pairs)?;
                model_seconds += found.seconds;
                // What can't be read comes last.
                let steps = found.answer.into_iter().map(|steps| steps.unwrap_or(f32::INFINITY));
                *terms = in_order(terms, steps, f32::total_cmp);
            }
            terms.truncate(request.guides);
        }
        Ok(GuideSet { reached, model_seconds, ..GuideSet::default() })
    }
}
