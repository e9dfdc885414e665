//! The one door between a search and those who say how it should go on: what a search asks, and what it
//! is answered. Whoever answers sees the request alone.

use crate::options::prove::SearchSettings;
use crate::search::frontier_terms;
use crate::search::randomness::stream;
use crate::search::stage::{SIDES, Side, Stage};
use anyhow::Result;
use egraph::{MatchOrder, Sketch, TermBank, TermId, extract_smallest};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// A question to a guide source: how to go on from an e-graph that did not connect its two sides.
#[derive(Debug)]
pub struct GuideRequest<'a> {
    /// The e-graph, grown from a term of each side.
    pub(super) stage: &'a Stage,
    /// How the search goes: how many guides are wanted, and how large.
    pub settings: &'a SearchSettings,
    /// The number of the question that is to be answered.
    pub question: u64,
    /// Distinguishes the requests of one search.
    pub number: u64,
    /// Guides may have at most this many nodes.
    pub max_size: u64,
    /// Nodes of the smallest term that is known to equal the start, and the target.
    pub smallest: [u64; 2],
}

impl GuideRequest<'_> {
    /// The start of the e-graph.
    pub fn start(&self) -> TermId {
        self.stage.starts[0]
    }

    /// The target of the e-graph.
    pub fn target(&self) -> TermId {
        self.stage.targets[0]
    }

    /// How many e-nodes the e-graph has.
    pub fn e_nodes(&self) -> usize {
        self.stage.egraph.node_count()
    }

    /// Whether a term equals the start in this e-graph (0), or the target (1).
    pub fn side_of(&self, bank: &TermBank, term: TermId) -> Option<usize> {
        SIDES.into_iter().position(|side| self.stage.equal_to(bank, side, term).is_some())
    }

    /// Random numbers for this request, others for each `number`.
    pub fn random(&self, number: u64) -> ChaCha8Rng {
        stream(self.settings.seed, self.question, self.number, number)
    }

    /// At most `wanted` random frontier terms of either side, none larger than the smallest term known of
    /// it and `slack` nodes, or as many more as it takes to find some; the smallest term where there are
    /// none at all.
    pub fn frontier(
        &self,
        bank: &mut TermBank,
        wanted: usize,
        slack: u64,
        rng: &mut ChaCha8Rng,
    ) -> [Vec<TermId>; 2] {
        SIDES.map(|side| {
            let limit = self.smallest[side as usize].saturating_add(slack).min(self.max_size);
            let larger = limit.saturating_add(slack.saturating_mul(4)).min(self.max_size);
            let limits = [limit, larger, self.max_size];
            let terms = frontier_terms::sample_first(self.stage, bank, side, limits, wanted, rng);
            if terms.is_empty() { self.smallest_of(bank, side) } else { terms }
        })
    }

    /// The smallest term of either side.
    pub fn smallest_terms(&self, bank: &mut TermBank) -> [Vec<TermId>; 2] {
        SIDES.map(|side| self.smallest_of(bank, side))
    }

    fn smallest_of(&self, bank: &mut TermBank, side: Side) -> Vec<TermId> {
        let classes = self.stage.classes(bank, side).into_iter();
        classes.map(|class| extract_smallest(&self.stage.egraph, bank, class)).collect()
    }
}

/// What is looked up in every e-graph from now on.
#[derive(Clone, Debug)]
pub enum Waypoint {
    /// This term.
    Term(TermId),
    /// The smallest term found that satisfies the sketch.
    Sketch(Sketch),
}

/// A waypoint that may be on the way; it is not trusted.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Where the way may go through.
    pub waypoint: Waypoint,
    /// Whether e-graphs should be grown from the start to the waypoint, and from there to the target;
    /// of a term only.
    pub expand: bool,
}

/// The answer of a guide source, and what it cost.
#[derive(Debug, Default)]
pub struct GuideSet {
    /// Terms of the e-graph's class of the start, and of the target, the most promising first.
    pub reached: [Vec<TermId>; 2],
    /// What is not known to be reached.
    pub proposals: Vec<Proposal>,
    /// Seconds in a model.
    pub model_seconds: f64,
}

impl GuideSet {
    /// Terms that are reached, and nothing else.
    pub fn reached(reached: [Vec<TermId>; 2]) -> GuideSet {
        GuideSet { reached, ..GuideSet::default() }
    }

    /// Adds terms to those that were reached on each side, until there are as many as are wanted.
    pub fn fill(&mut self, terms: [Vec<TermId>; 2], wanted: usize) {
        for (reached, terms) in self.reached.iter_mut().zip(terms) {
            for term in terms {
                if reached.len() < wanted && !reached.contains(&term) {
                    reached.push(term);
                }
            }
        }
    }
}

/// Something that proposes guides. Whatever it says is checked.
pub trait GuideSource {
    /// Guides for an e-graph, the most promising first.
    ///
    /// # Errors
    /// A fault of the source, such as a model that can't be run; not finding any is no error.
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet>;

    /// Which matches are promising, where e-graphs are grown best-first; the smallest first by default.
    fn order(&self) -> Option<Arc<dyn MatchOrder>> {
        None
    }

    /// The same source for another thread, if what it answers depends on the request alone.
    fn apart(&self) -> Option<Box<dyn GuideSource + Send>> {
        None
    }

    /// Sketches to reach one after the other, before anything else is tried; none by default.
    fn plan(&self) -> &[Sketch] {
        &[]
    }
}

/// No guides at all: a search with this source is one e-graph at the cap.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGuides;

impl GuideSource for NoGuides {
    fn apart(&self) -> Option<Box<dyn GuideSource + Send>> {
        Some(Box::new(*self))
    }

    fn guides(&mut self, _: &GuideRequest<'_>, _: &mut TermBank) -> Result<GuideSet> {
        Ok(GuideSet::default())
    }
}
