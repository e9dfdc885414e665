//! What `cairn prove` does if nothing else is said: the best search that what is there allows.
//!
//! Going on with `ranked` after its first e-graph solved 192 of 200 far chains of Halide (500 e-nodes a link,
//! cap 4,000, work 80,000), with `deep` 193, with `descend` 186; of 200 of the ring 200, and 199 with
//! `descend`. So there is one search, and no change of method on the way.

use crate::methods::frontier::Frontier;
use crate::methods::ranked::Ranked;
use crate::search::guide_source::GuideSource;
use model::ranking::ranker::Ranker;
use std::sync::Arc;

/// With a ranker as `ranked`, without one as `deep`.
pub fn portfolio(ranker: Option<&Arc<Ranker>>) -> Box<dyn GuideSource> {
    match ranker {
        Some(ranker) => Box::new(Ranked(ranker.clone())),
        None => Box::new(Frontier::Shared),
    }
}
