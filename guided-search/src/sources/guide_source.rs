//! Where guides come from: a model, an expert's file, the known chain, or chance.
//! A new source is a file beside this one; a method of that name stands in `method`, and what it is given
//! in `crate::by_method`.

use crate::search::stage::Stage;
use anyhow::Result;
use egraph::{MatchOrder, Sketch, TermBank, TermId};
use std::sync::Arc;

/// A question to a guide source: how to go on from a stage that did not connect its two sides.
#[derive(Debug)]
pub struct GuideRequest<'a> {
    /// The e-graph, grown from a term of each side.
    pub stage: &'a Stage,
    /// How many guides a side are wanted at most (K).
    pub guides: usize,
    /// Guides may have at most this many nodes.
    pub max_size: u64,
    /// Nodes of the smallest term that is known to equal the start, and the target.
    pub smallest: [u64; 2],
    /// Distinguishes the requests of one search, for sources that draw at random.
    pub number: u64,
}

impl GuideRequest<'_> {
    /// The start of the stage.
    pub fn start(&self) -> TermId {
        self.stage.starts[0]
    }

    /// The target of the stage.
    pub fn target(&self) -> TermId {
        self.stage.targets[0]
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
    /// Terms of the stage's class of the start, and of the target, the most promising first.
    pub reached: [Vec<TermId>; 2],
    /// What is not known to be reached.
    pub proposals: Vec<Proposal>,
    /// Seconds in a model.
    pub model_seconds: f64,
}

/// Something that proposes guides. Whatever it says is checked.
pub trait GuideSource {
    /// Guides for a stage, the most promising first.
    ///
    /// # Errors
    /// A fault of the source, such as a model that can't be run; not finding any is no error.
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet>;

    /// Which matches are promising, where e-graphs are grown best-first; the smallest first by default.
    fn order(&self) -> Option<Arc<dyn MatchOrder>> {
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
    fn guides(&mut self, _: &GuideRequest<'_>, _: &mut TermBank) -> Result<GuideSet> {
        Ok(GuideSet::default())
    }
}
