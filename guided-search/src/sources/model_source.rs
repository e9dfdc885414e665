//! Guides that the trained model writes.

use crate::guide_source::{Guide, GuideRequest, GuideSet, GuideSource};
use anyhow::Result;
use egraph::TermBank;
use model::{DecodeOptions, GuideModel, Strategy};
use std::time::Instant;

/// Decodes K guides for a question by nucleus sampling, the most probable first.
pub struct ModelGuides<'a> {
    /// The trained model.
    pub model: &'a GuideModel,
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of the task.
    pub task: u64,
}

impl GuideSource for ModelGuides<'_> {
    fn name(&self) -> &str {
        "model"
    }

    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let began = Instant::now();
        let options = DecodeOptions {
            strategy: Strategy::Nucleus { p: 0.95, temperature: 1.0 },
            guides: request.guides,
            max_size: usize::try_from(request.max_size).unwrap_or(usize::MAX),
            // Another stream of random numbers for every request.
            seed: self.seed ^ self.task.rotate_left(20) ^ request.number.rotate_left(44),
        };
        let question = [(request.start(), request.target())];
        let guides = self.model.guides(bank, &question, &options)?.pop().unwrap_or_default();
        Ok(GuideSet {
            guides: guides.into_iter().map(|guide| Guide::term(guide.term)).collect(),
            model_seconds: began.elapsed().as_secs_f64(),
            ..GuideSet::default()
        })
    }
}
