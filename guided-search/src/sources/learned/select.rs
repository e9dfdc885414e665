//! Terms that can surely be reached, chosen by the model: the frontier of both sides, ranked by
//! how near a term is to what the model would write.

use crate::sources::descend::draw;
use crate::sources::guide_source::{GuideRequest, GuideSet, GuideSource};
use crate::sources::learned::written::decode;
use crate::sources::randomness::stream;
use crate::sources::tree_distance::tree_distance;
use anyhow::Result;
use egraph::{TermBank, TermId};
use model::GuideModel;

/// Draws frontier terms of either side, and answers with the K of each that are nearest to one of the
/// model's guides by tree distance.
pub struct SelectGuides<'a> {
    /// The trained model.
    pub model: &'a GuideModel,
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of the task.
    pub task: u64,
    /// How many nodes larger than the smallest term of its side a term may be.
    pub slack: u64,
    /// Of how many frontier terms a side the best are taken.
    pub drawn: usize,
    /// What the model writes is drawn from its likeliest tokens of this probability together.
    pub nucleus: f64,
}

impl GuideSource for SelectGuides<'_> {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let (written, model_seconds) =
            decode(self.model, self.nucleus, [self.seed, self.task], request, bank)?;
        let written: Vec<TermId> = written.into_iter().map(|guide| guide.term).collect();
        let mut rng = stream(self.seed, self.task, request.number, 3);
        let mut reached = draw(request, bank, self.drawn, self.slack, &mut rng);
        for terms in &mut reached {
            terms.sort_by_cached_key(|&term| {
                written.iter().map(|&guide| tree_distance(bank, term, guide)).min()
            });
            terms.truncate(request.guides);
        }
        Ok(GuideSet { reached, model_seconds, ..GuideSet::default() })
    }
}
