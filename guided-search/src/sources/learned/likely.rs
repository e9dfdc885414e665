//! The frontier terms of either side that the model finds likeliest.

use crate::sources::descend::draw;
use crate::sources::guide_source::{GuideRequest, GuideSet, GuideSource};
use crate::sources::learned::{Model, in_order};
use crate::sources::randomness::stream;
use anyhow::Result;
use egraph::TermBank;

/// Draws many frontier terms of both sides, and answers with the K of each to which the model gives
/// the highest probability a token; on the target's side with the roles exchanged.
pub struct LikelyGuides<'a> {
    /// The trained model.
    pub model: &'a Model<'a>,
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of the task.
    pub task: u64,
    /// How many nodes larger than the smallest term of its side a term may be.
    pub slack: u64,
    /// Of how many frontier terms a side the likeliest are taken.
    pub drawn: usize,
}

impl GuideSource for LikelyGuides<'_> {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let mut rng = stream(self.seed, self.task, request.number, 6);
        let mut reached = draw(request, bank, self.drawn, self.slack, &mut rng);
        let mut model_seconds = 0.0;
        let ends = [request.start(), request.target()];
        for (i, terms) in reached.iter_mut().enumerate() {
            let question = (ends[i], ends[1 - i]);
            if terms.len() > 1 && self.model.model().can_read(bank, question.0, question.1)? {
                let largest = terms.iter().map(|&term| bank.size(term)).max().unwrap_or(0);
                let largest = usize::try_from(largest)?;
                let found = self.model.log_likelihoods(bank, question, terms, largest)?;
                model_seconds += found.seconds;
                // In thousandths of a nat, so that there is an order; what can't be written comes last.
                let likely = found.answer.iter().map(|found| {
                    let found = found.as_ref()?;
                    Some((f64::from(found.log_p) / f64::from(found.tokens) * 1000.0) as i64)
                });
                *terms = in_order(terms, likely, |a, b| b.cmp(a));
            }
            terms.truncate(request.guides);
        }
        Ok(GuideSet { reached, model_seconds, ..GuideSet::default() })
    }
}
