//! Terms that can surely be reached, chosen by the model: the frontier of both sides, ranked by
//! how near a term is to what the model would write.

use crate::methods::frontier::least;
use crate::methods::model::write;
use crate::methods::tree_distance::tree_distance;
use crate::search::guide_source::{GuideRequest, GuideSet, GuideSource};
use anyhow::Result;
use egraph::{TermBank, TermId};
use model::GuideModel;

/// Draws frontier terms of either side, and answers with the K of each that are nearest to one of the
/// model's guides by tree distance.
pub struct Select<'a>(pub &'a GuideModel);

impl GuideSource for Select<'_> {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let (written, model_seconds) = write(self.0, request, bank)?;
        let settings = request.settings;
        let mut rng = request.random(3);
        let mut reached = request.frontier(bank, settings.drawn, settings.slack, &mut rng);
        for terms in &mut reached {
            let nearest = |&term: &TermId| {
                let distances = written.iter().map(|guide| tree_distance(bank, term, guide.term));
                distances.min().unwrap_or(0)
            };
            *terms = least(terms, terms.iter().map(nearest).collect(), settings.guides);
        }
        Ok(GuideSet { model_seconds, ..GuideSet::reached(reached) })
    }
}
