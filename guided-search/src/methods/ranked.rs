//! The guides of [`Frontier::Shared`], in e-graphs whose matches a learned ranker orders.

use crate::methods::frontier::Frontier;
use crate::search::guide_source::{GuideRequest, GuideSet, GuideSource};
use anyhow::Result;
use egraph::{MatchOrder, TermBank};
use ranking::Ranker;
use std::sync::Arc;

/// The ranker, which says which matches are promising.
pub struct Ranked(pub Arc<Ranker>);

/// The guides of the search in a portfolio: with a ranker as `ranked`, without one as `deep`.
pub fn ranked_or_deep(ranker: Option<&Arc<Ranker>>) -> Box<dyn GuideSource> {
    match ranker {
        Some(ranker) => Box::new(Ranked(ranker.clone())),
        None => Box::new(Frontier::Shared),
    }
}

impl GuideSource for Ranked {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        Frontier::Shared.guides(request, bank)
    }

    fn order(&self) -> Option<Arc<dyn MatchOrder>> {
        Some(self.0.clone())
    }

    fn apart(&self) -> Option<Box<dyn GuideSource + Send>> {
        Frontier::Shared.apart()
    }
}
