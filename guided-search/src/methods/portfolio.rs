//! The guides of what `cairn prove` does if nothing else is said: those of the best search that what is there allows. Beside
//! it grow e-graphs of the question ([`crate::search::portfolio`]).

use crate::methods::frontier::Frontier;
use crate::methods::ranked::Ranked;
use crate::search::guide_source::GuideSource;
use ranking::Ranker;
use std::sync::Arc;

/// With a ranker as `ranked`, without one as `deep`.
pub fn portfolio(ranker: Option<&Arc<Ranker>>) -> Box<dyn GuideSource> {
    match ranker {
        Some(ranker) => Box::new(Ranked(ranker.clone())),
        None => Box::new(Frontier::Shared),
    }
}
