//! Guides as another source gives them, in e-graphs whose matches a learned ranker orders.

use crate::sources::guide_source::{GuideRequest, GuideSet, GuideSource};
use anyhow::Result;
use egraph::{MatchOrder, TermBank};
use model::ranking::ranker::Ranker;
use std::sync::Arc;

/// A source of guides beside a ranker.
pub struct RankedGuides<S> {
    /// Where guides come from.
    pub guides: S,
    /// Which matches are promising.
    pub ranker: Arc<Ranker>,
}

impl<S: GuideSource> GuideSource for RankedGuides<S> {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        self.guides.guides(request, bank)
    }

    fn order(&self) -> Option<Arc<dyn MatchOrder>> {
        Some(self.ranker.clone())
    }
}
