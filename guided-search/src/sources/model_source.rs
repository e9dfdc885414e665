//! Guides that the trained model writes.

use crate::search::stage::Side;
use crate::sources::guide_source::{Guide, GuideRequest, GuideSet, GuideSource, Waypoint};
use anyhow::Result;
use egraph::{Node, Sketch, TermBank, TermId};
use model::{DecodeOptions, GuideModel, Strategy};
use support::stopwatch::Stopwatch;

/// A subtree whose root the model gives less than this probability becomes `?`.
const CERTAIN: f32 = 0.5;

/// Decodes K guides for a question by nucleus sampling, the most probable first. A guide that the
/// e-graph at hand does not hold becomes a sketch of what the model is certain of.
pub struct ModelGuides<'a> {
    /// The trained model.
    pub model: &'a GuideModel,
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of the task.
    pub task: u64,
}

impl GuideSource for ModelGuides<'_> {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let watch = Stopwatch::start();
        let written = decode(self.model, self.seed, self.task, request, bank)?;
        let model_seconds = watch.seconds();
        let guides = written.into_iter().map(|guide| {
            let reached = [Side::Start, Side::Target]
                .into_iter()
                .any(|side| request.stage.equal_to(bank, side, guide.term).is_some());
            let sketch = sketch(bank, guide.term, &mut guide.node_probabilities.iter());
            match sketch {
                // A lone `?` says nothing.
                Sketch::Any => Guide::term(guide.term),
                _ if reached => Guide::term(guide.term),
                sketch => Guide { waypoints: vec![Waypoint::Sketch(sketch)], reached: None },
            }
        });
        Ok(GuideSet { guides: guides.collect(), model_seconds, ..GuideSet::default() })
    }
}

/// The model's guides for a request, the most probable first.
///
/// # Errors
/// The model can't be run.
pub fn decode(
    model: &GuideModel,
    seed: u64,
    task: u64,
    request: &GuideRequest<'_>,
    bank: &mut TermBank,
) -> Result<Vec<model::Guide>> {
    let options = DecodeOptions {
        strategy: Strategy::Nucleus { p: 0.95, temperature: 1.0 },
        guides: request.guides,
        max_size: usize::try_from(request.max_size).unwrap_or(usize::MAX),
        // Another stream of random numbers for every request.
        seed: seed ^ task.rotate_left(20) ^ request.number.rotate_left(44),
    };
    let question = [(request.start(), request.target())];
    Ok(model.guides(bank, &question, &options)?.pop().unwrap_or_default())
}

/// The term with subtrees that are not certain left open. `probabilities` are those of its nodes
/// in pre-order; terms that a model writes are small, so recursion is safe.
fn sketch(bank: &TermBank, term: TermId, probabilities: &mut std::slice::Iter<'_, f32>) -> Sketch {
    let certain = probabilities.next().is_none_or(|&p| p >= CERTAIN);
    let args: Vec<Sketch> =
        bank.children(term).iter().map(|&child| sketch(bank, child, probabilities)).collect();
    match bank.node(term) {
        _ if !certain => Sketch::Any,
        Node::Leaf(leaf) => Sketch::Leaf(leaf.clone()),
        Node::Op(op) => Sketch::Op(op, args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    #[test]
    fn what_is_not_certain_becomes_open() {
        let system = "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op neg (I) I)";
        let system = System::parse(system).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let term = bank.parse("(+ (neg (+ a b)) (+ c 1))", None).unwrap();
        let text =
            |p: [f32; 8]| sketch(&bank, term, &mut p.iter()).display(bank.language()).to_string();
        let [yes, no] = [0.9, 0.1];
        assert_eq!(text([yes; 8]), "(+ (neg (+ a b)) (+ c 1))");
        assert_eq!(text([yes, yes, no, yes, yes, yes, yes, no]), "(+ (neg ?) (+ c ?))");
        assert_eq!(text([no, yes, yes, yes, yes, yes, yes, yes]), "?");
    }
}
