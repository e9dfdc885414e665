//! What a trained model writes: guides for a question, and what may come next on the way to a goal.

use crate::methods::guide_writer::{Drawn, GuideWriter, WrittenTerm};
use crate::optimise::guided::planner::Planner;
use crate::options::prove::NUCLEUS;
use crate::search::guide_source::{GuideRequest, GuideSet, GuideSource, Proposal, Waypoint};
use anyhow::Result;
use egraph::{Node, Sketch, TermBank, TermId};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// Decodes K guides for a question by nucleus sampling, the most probable first. A guide that the
/// e-graph at hand does not hold becomes a sketch of what the model is certain of.
pub struct Written<'a>(pub &'a dyn GuideWriter);

impl GuideSource for Written<'_> {
    fn guides(&mut self, request: &GuideRequest<'_>, bank: &mut TermBank) -> Result<GuideSet> {
        let (written, model_seconds) = write(self.0, request, bank)?;
        let settings = request.settings;
        let mut rng = request.random(4);
        let drawn = request.frontier(bank, settings.guides, settings.slack, &mut rng);
        let mut set = GuideSet { model_seconds, ..GuideSet::default() };
        for guide in written {
            match request.side_of(bank, guide.term) {
                Some(side) => set.reached[side].push(guide.term),
                None => set.proposals.push(Proposal {
                    waypoint: open(bank, guide.term, &guide.node_probabilities, settings.certain),
                    expand: false,
                }),
            }
        }
        // What the model lacks is left to chance.
        set.fill(drawn, settings.guides);
        Ok(set)
    }
}

/// A guide as a sketch of what the model is certain of; a lone `?` would say nothing.
fn open(bank: &TermBank, term: TermId, probabilities: &[f32], certain: f64) -> Waypoint {
    match sketch(bank, term, &mut probabilities.iter(), certain) {
        Sketch::Any => Waypoint::Term(term),
        sketch => Waypoint::Sketch(sketch),
    }
}

/// The model's guides for a request, the most probable first, and the seconds that it took.
///
/// # Errors
/// The model can't be run.
fn write(
    model: &dyn GuideWriter,
    request: &GuideRequest<'_>,
    bank: &mut TermBank,
) -> Result<(Vec<WrittenTerm>, f64)> {
    let settings = request.settings;
    let drawn = Drawn {
        nucleus: settings.nucleus,
        terms: settings.guides,
        max_size: request.max_size,
        // Other random numbers for every request.
        seed: settings.seed ^ request.question.rotate_left(20) ^ request.number.rotate_left(44),
    };
    let began = Instant::now();
    let written = model.write(bank, [request.start(), request.target()], &drawn)?;
    Ok((written, began.elapsed().as_secs_f64()))
}

/// The term with subtrees that are not certain left open. `probabilities` are those of its nodes
/// in pre-order; terms that a model writes are small, so recursion is safe.
fn sketch(
    bank: &TermBank,
    term: TermId,
    probabilities: &mut std::slice::Iter<'_, f32>,
    least: f64,
) -> Sketch {
    let certain = probabilities.next().is_none_or(|&p| f64::from(p) >= least);
    let args: Vec<Sketch> = bank
        .children(term)
        .iter()
        .map(|&child| sketch(bank, child, probabilities, least))
        .collect();
    match bank.node(term) {
        _ if !certain => Sketch::Any,
        Node::Leaf(leaf) => Sketch::Leaf(leaf.clone()),
        Node::Op(op) => Sketch::Op(op, args),
    }
}

/// A model that was trained on what leads to goals, or on what normal forms may become, as a planner.
pub struct WrittenPlan {
    /// The model.
    pub model: Arc<dyn GuideWriter>,
    /// Terms that it is asked for at a time.
    pub terms: usize,
    /// Seed of the draws.
    pub seed: u64,
}

impl fmt::Debug for WrittenPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WrittenPlan").field("terms", &self.terms).finish_non_exhaustive()
    }
}

impl Planner for WrittenPlan {
    fn next(
        &self,
        bank: &mut TermBank,
        from: TermId,
        to: TermId,
        most: u64,
        number: u64,
    ) -> Result<Vec<TermId>> {
        let seed = self.seed ^ number.rotate_left(20);
        let drawn = Drawn { nucleus: NUCLEUS, terms: self.terms, max_size: most, seed };
        let written = self.model.write(bank, [from, to], &drawn)?;
        Ok(written.into_iter().map(|written| written.term).collect())
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
        let text = |p: [f32; 8]| {
            sketch(&bank, term, &mut p.iter(), 0.5).display(bank.language()).to_string()
        };
        let [yes, no] = [0.9, 0.1];
        assert_eq!(text([yes; 8]), "(+ (neg (+ a b)) (+ c 1))");
        assert_eq!(text([yes, yes, no, yes, yes, yes, yes, no]), "(+ (neg ?) (+ c ?))");
        assert_eq!(text([no, yes, yes, yes, yes, yes, yes, yes]), "?");
    }
}
