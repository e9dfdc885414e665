//! Where guides come from: a model, an expert's file, the known chain, or chance.

use crate::search::budget::Budget;
use crate::search::stage::Stage;
use anyhow::Result;
use egraph::{Proof, Sketch, System, TermBank, TermId};
use std::sync::Arc;

/// A question to a guide source: how to get from the stage's start to its target.
#[derive(Debug)]
pub struct GuideRequest<'a> {
    /// The rewrite system.
    pub system: &'a Arc<System>,
    /// The e-graph that was grown from both sides and did not connect them.
    pub stage: &'a Stage,
    /// How many guides are wanted at most (K).
    pub guides: usize,
    /// Guides should be no larger than this many nodes.
    pub max_size: u64,
    /// The limits of the search, for a source that grows e-graphs of its own.
    pub budget: &'a Budget,
    /// E-nodes that the source may build.
    pub work_left: u64,
    /// Distinguishes the requests of one search, for sources that draw at random.
    pub number: u64,
    /// How many recursion levels this request lies below the whole question.
    pub level: u32,
}

impl GuideRequest<'_> {
    /// The start of the question: the first term of that side.
    pub fn start(&self) -> TermId {
        self.stage.starts[0]
    }

    /// The target of the question: the first term of that side.
    pub fn target(&self) -> TermId {
        self.stage.targets[0]
    }
}

/// A stop on the way: a term, or any term of a shape.
#[derive(Clone, Debug)]
pub enum Waypoint {
    /// This term.
    Term(TermId),
    /// The smallest term found that satisfies the sketch.
    Sketch(Sketch),
}

/// A way from the start to the target: its stops in order, none of them trusted.
#[derive(Clone, Debug)]
pub struct Guide {
    /// The stops, at least one.
    pub waypoints: Vec<Waypoint>,
    /// A proof that a term of the start's side equals the first waypoint, if the source has one.
    pub reached: Option<Proof>,
}

impl Guide {
    /// A guide of one term.
    pub fn term(term: TermId) -> Guide {
        Guide { waypoints: vec![Waypoint::Term(term)], reached: None }
    }
}

/// The answer of a guide source, and what it cost.
#[derive(Debug, Default)]
pub struct GuideSet {
    /// The guides, the most promising first.
    pub guides: Vec<Guide>,
    /// E-nodes built to find them, one entry per e-graph.
    pub built: Vec<u64>,
    /// Seconds in a model.
    pub model_seconds: f64,
}

/// Something that proposes guides. Whatever it says is checked.
pub trait GuideSource {
    /// Guides for a question, the most promising first.
    ///
    /// # Errors
    /// A fault of the source, such as a model that can't be run; not finding any is no error.
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet>;

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
