//! Advice: what a source of guides says of an e-graph, with the proofs of what it reaches.

use crate::options::prove::SearchSettings;
use crate::search::guide_source::{GuideRequest, GuideSet, GuideSource, Waypoint};
use crate::search::stage::Stage;
use anyhow::Result;
use egraph::{Import, Proof, TermBank, TermId, extract_smallest};
use std::time::Instant;

/// What a request says of the search, whatever the e-graph.
#[derive(Clone, Copy, Debug)]
pub struct Asking {
    /// How the search goes.
    pub settings: SearchSettings,
    /// The number of the question.
    pub question: u64,
    /// The number of the request.
    pub number: u64,
    /// Guides may have at most this many nodes.
    pub max_size: u64,
    /// Nodes of the smallest term that is known to equal the start, and the target.
    pub smallest: [u64; 2],
}

impl Asking {
    /// The same after the e-graph of a pair, whose term of each of these sides is known to equal that end of the question.
    pub fn after(mut self, stage: &Stage, bank: &mut TermBank, of_question: [bool; 2]) -> Asking {
        let ends = [stage.starts[0], stage.targets[0]];
        for (i, end) in ends.into_iter().enumerate().filter(|&(i, _)| of_question[i]) {
            if let Some(class) = stage.egraph.lookup(bank, end) {
                let small = extract_smallest(&stage.egraph, bank, class);
                self.smallest[i] = self.smallest[i].min(bank.size(small));
            }
        }
        self
    }

    /// What a source says of the e-graph of a pair.
    ///
    /// # Errors
    /// A fault of the source, or a proof takes too much memory.
    pub fn advice(
        &self,
        source: &mut dyn GuideSource,
        stage: &Stage,
        bank: &mut TermBank,
    ) -> Result<Advice> {
        let &Asking { ref settings, question, number, max_size, smallest } = self;
        let request = GuideRequest { stage, settings, question, number, max_size, smallest };
        let pair = [request.start(), request.target()];
        let began = Instant::now();
        let guides = source.guides(&request, bank)?;
        tracing::debug!(
            start = guides.reached[0].len(),
            target = guides.reached[1].len(),
            proposals = guides.proposals.len(),
            seconds = began.elapsed().as_secs_f64(),
            "request"
        );
        let mut proof_of = |from: TermId, term: TermId| stage.explain(bank, from, term);
        let mut proofs = [vec![], vec![]];
        for (i, terms) in guides.reached.iter().enumerate() {
            let new = terms.iter().filter(|&&term| term != pair[i]);
            proofs[i] = new.map(|&term| proof_of(pair[i], term)).collect::<Result<_>>()?;
        }
        Ok(Advice { guides, proofs })
    }
}

/// What a source said, and why it holds.
#[derive(Debug)]
pub struct Advice {
    /// The guides.
    pub guides: GuideSet,
    /// By side: from the term of the pair to each other one that is reached.
    pub proofs: [Vec<Proof>; 2],
}

impl Advice {
    /// The same over the terms of another bank.
    pub fn import(mut self, bank: &mut TermBank, from: &TermBank) -> Advice {
        let mut import = Import::new(from);
        for term in self.guides.reached.iter_mut().flatten() {
            *term = import.term(bank, *term);
        }
        for proposal in &mut self.guides.proposals {
            if let Waypoint::Term(term) = &mut proposal.waypoint {
                *term = import.term(bank, *term);
            }
        }
        for proof in self.proofs.iter_mut().flatten() {
            *proof = proof.import(bank, &mut import);
        }
        self
    }
}
