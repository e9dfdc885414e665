//! The true waypoints of a known chain: what a perfect model would say, and so the ceiling.

use crate::search::guide_source::{GuideRequest, GuideSet, GuideSource, Proposal, Waypoint};
use anyhow::Result;
use egraph::{TermBank, TermId};

/// Answers with the waypoint half-way between two terms of the chain.
pub struct Oracle<'a> {
    /// The chain, start and target included.
    pub chain: &'a [TermId],
}

impl GuideSource for Oracle<'_> {
    fn guides(&mut self, request: &GuideRequest<'_>, _: &mut TermBank) -> Result<GuideSet> {
        let place = |term| self.chain.iter().position(|&t| t == term);
        let middle = match (place(request.start()), place(request.target())) {
            (Some(from), Some(to)) if to.abs_diff(from) > 1 => {
                Some(self.chain[usize::midpoint(from, to)])
            }
            _ => None,
        };
        let proposal = |term| Proposal { waypoint: Waypoint::Term(term), expand: true };
        Ok(GuideSet {
            proposals: middle.map(proposal).into_iter().collect(),
            ..GuideSet::default()
        })
    }
}
