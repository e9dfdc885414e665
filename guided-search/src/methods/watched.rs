//! A source whose guides somebody looks at on their way to the search.

use crate::search::guide_source::{GuideRequest, GuideSet, GuideSource};
use anyhow::Result;
use egraph::{MatchOrder, Sketch, TermBank};
use std::sync::Arc;

/// Is shown every request and what the source answered.
pub type Watcher<'a> = dyn Fn(&GuideRequest<'_>, &GuideSet, &TermBank) + Sync + 'a;

/// A source, and who looks on.
pub(super) struct Watched<'a> {
    /// Where the guides come from.
    pub source: &'a mut dyn GuideSource,
    /// Who looks on.
    pub watcher: &'a Watcher<'a>,
}

impl GuideSource for Watched<'_> {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let guides = self.source.guides(request, bank)?;
        (self.watcher)(request, &guides, bank);
        Ok(guides)
    }

    fn order(&self) -> Option<Arc<dyn MatchOrder>> {
        self.source.order()
    }

    fn plan(&self) -> &[Sketch] {
        self.source.plan()
    }
}
