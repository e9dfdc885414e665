//! The guides of the search in a portfolio: of the best one that what is there allows. Beside
//! it grow e-graphs of the question ([`crate::search::portfolio`]).

use crate::methods::frontier::Frontier;
use crate::methods::ranked::Ranked;
use crate::search::guide_source::GuideSource;
use ranking::Ranker;
use std::sync::Arc;

/// With a ranker as `ranked`, without one as `deep`.
pub fn ranked_or_deep(ranker: Option<&Arc<Ranker>>) -> Box<dyn GuideSource> {
    match ranker {
        Some(ranker) => Box::new(Ranked(ranker.clone())),
        None => Box::new(Frontier::Shared),
    }
}
