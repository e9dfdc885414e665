//! The smallest terms of both sides, until nothing becomes smaller.

use crate::search::stage::{SIDES, Side, Stage};
use crate::sources::guide_source::{GuideRequest, GuideSet, GuideSource};
use anyhow::Result;
use egraph::{TermBank, TermId, extract_smallest};

/// Answers with the smallest term of either side.
#[derive(Clone, Copy, Debug)]
pub struct SmallestGuides;

impl GuideSource for SmallestGuides {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let reached = SIDES.map(|side| smallest_terms(request.stage, bank, side));
        Ok(GuideSet { reached, ..GuideSet::default() })
    }
}

/// The smallest term of each class of a side.
pub fn smallest_terms(stage: &Stage, bank: &mut TermBank, side: Side) -> Vec<TermId> {
    let classes = stage.classes(bank, side).into_iter();
    classes.map(|class| extract_smallest(&stage.egraph, bank, class)).collect()
}
