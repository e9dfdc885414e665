//! Terms that the model writes inside the class of either side, all of which are reached by construction.

use crate::search::stage::{SIDES, Stage};
use crate::sources::descend::{draw, limits};
use crate::sources::guide_source::{GuideRequest, GuideSet, GuideSource};
use crate::sources::learned::Model;
use crate::sources::learned::class_choices::ClassChoices;
use crate::sources::learned::written::options;
use crate::sources::randomness::stream;
use anyhow::Result;
use egraph::TermBank;

/// Writes K terms a side, none much larger than the smallest term found so far; the target's side
/// with the roles exchanged. What the model lacks is left to chance.
pub struct InsideGuides<'a> {
    /// The trained model.
    pub model: &'a Model<'a>,
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of the task.
    pub task: u64,
    /// How many nodes larger than the smallest term of its side a term may be.
    pub slack: u64,
    /// Terms are drawn from the likeliest tokens of this probability together.
    pub nucleus: f64,
}

impl GuideSource for InsideGuides<'_> {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let mut rng = stream(self.seed, self.task, request.number, 5);
        let mut reached = draw(request, bank, request.guides, self.slack, &mut rng);
        let mut model_seconds = 0.0;
        let ends = [request.start(), request.target()];
        let limits = limits(request, self.slack);
        let stage: &Stage = request.stage;
        for (i, side) in SIDES.into_iter().enumerate() {
            let question = (ends[i], ends[1 - i]);
            // A literal is left alone, and what is too long for the model to chance.
            let class = stage.classes(bank, side)[0];
            if stage.egraph.literal(class).is_some()
                || !self.model.model().can_read(bank, question.0, question.1)?
            {
                continue;
            }
            let choices = ClassChoices::new(&stage.egraph, class, limits[i]);
            let options = options(request, self.nucleus, [self.seed, self.task]);
            let written = self.model.guides(bank, question, Some(choices), &options)?;
            model_seconds += written.seconds;
            let written = written.answer.into_iter().map(|guide| guide.term);
            let mut terms: Vec<_> = written.filter(|&term| term != ends[i]).collect();
            for &term in &reached[i] {
                if terms.len() < request.guides && !terms.contains(&term) {
                    terms.push(term);
                }
            }
            reached[i] = terms;
        }
        Ok(GuideSet { reached, model_seconds, ..GuideSet::default() })
    }
}
