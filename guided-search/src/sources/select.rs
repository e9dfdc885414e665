//! Terms that can surely be reached, chosen by the model: the frontier of both sides, ranked by
//! how near a term is to what the model would write.

use crate::search::frontier;
use crate::search::stage::Side;
use crate::sources::guide_source::{Guide, GuideRequest, GuideSet, GuideSource};
use crate::sources::model_source::decode;
use crate::sources::randomness::stream;
use crate::sources::tree_distance::tree_distance;
use anyhow::Result;
use egraph::{TermBank, TermId};
use model::GuideModel;
use support::stopwatch::Stopwatch;

/// Of how many frontier terms a side the best are taken.
const DRAWN: usize = 100;

/// Draws frontier terms of either side from the e-graph that just failed, at no further work, and
/// answers with the K of each that are nearest to one of the model's guides by tree distance.
pub struct SelectGuides<'a> {
    /// The trained model.
    pub model: &'a GuideModel,
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of the task.
    pub task: u64,
}

impl GuideSource for SelectGuides<'_> {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let watch = Stopwatch::start();
        let written = decode(self.model, self.seed, self.task, request, bank)?;
        let model_seconds = watch.seconds();
        let written: Vec<TermId> = written.into_iter().map(|guide| guide.term).collect();
        let mut rng = stream(self.seed, self.task, request.number, 3);
        let mut guides = Vec::new();
        for side in [Side::Start, Side::Target] {
            let size = request.max_size;
            let mut terms = frontier::sample(request.stage, bank, side, size, DRAWN, &mut rng);
            terms.sort_by_cached_key(|&term| {
                written.iter().map(|&guide| tree_distance(bank, term, guide)).min()
            });
            guides.extend(terms.into_iter().take(request.guides).map(Guide::term));
        }
        Ok(GuideSet { guides, model_seconds, ..GuideSet::default() })
    }
}
