//! Chains: proofs longer than any one e-graph could give.
//!
//! From a frontier term of one e-graph a fresh e-graph is grown, from a frontier term of that the
//! next; the proofs from term to term are one proof from the first to the last.

use crate::config::Config;
use crate::proofs::grown::Grown;
use crate::proofs::prover::{ProofTally, Prover, Shortened};
use egraph::{EGraph, StopReason, TermBank, TermId, saturate_until};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use support::Internal;
use terms::Frontier;
use terms::{Room, fitting};

/// What came of the chains of a seed. Each that was begun is counted once more, one that became
/// too short when its loops were cut in `proofs`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainReport {
    /// Chains that were begun.
    pub begun: u64,
    /// Those that became a proof.
    pub made: u64,
    /// Those with a link whose e-graph has no frontier term: it was saturated, or the term equals
    /// a literal.
    pub no_frontier: u64,
    /// Those with a link whose e-graph found two distinct literals equal.
    pub conflict: u64,
    /// Those with a link that has no proof under the caps.
    pub no_proof: u64,
    /// Those without an end that one e-graph can't prove equal to the seed.
    pub near: u64,
    /// What came of the links, and of the chains.
    pub proofs: ProofTally,
}

/// Frontier terms of a link that are tried.
const TRIES: usize = 4;

/// A chain of as many links as the configuration says from `seed`, whose e-graph is `first`; its
/// number of links and its proof.
///
/// # Errors
/// A proof that the checker refuses: a fault of the program.
pub fn chain(
    first: &Grown,
    bank: &mut TermBank,
    seed: TermId,
    config: &Config,
    report: &mut ChainReport,
    rng: &mut ChaCha8Rng,
) -> Result<Option<(u32, Shortened)>, Internal> {
    report.begun += 1;
    let system = first.egraph.system().clone();
    let limit = config.sampling.size_limit(bank.size(seed));
    let mut terms = vec![seed];
    let mut links = Vec::new();
    let mut own: Option<Grown> = None;
    while links.len() < config.chains.links as usize {
        let start = terms[terms.len() - 1];
        let grown = own.as_ref().unwrap_or(first);
        if grown.stop == StopReason::Conflict {
            report.conflict += 1;
            return Ok(None);
        }
        let candidates = candidates(grown, bank, limit, config, rng);
        let new: Vec<TermId> = candidates.into_iter().filter(|t| !terms.contains(t)).collect();
        if new.is_empty() {
            report.no_frontier += 1;
            return Ok(None);
        }
        // Of the end alone: what the first link proves, one e-graph can prove.
        let asked = config.chains.far && links.len() + 1 == config.chains.links as usize;
        let far = |term: &&TermId| !asked || is_far(first, bank, seed, **term, config);
        let Some(&next) = new.iter().find(far) else {
            report.near += 1;
            return Ok(None);
        };
        let mut prover = Prover::new(&grown.egraph, config);
        let link = prover.proof(bank, start, next)?;
        report.proofs.add(&prover.tally);
        let Some(link) = link else {
            report.no_proof += 1;
            return Ok(None);
        };
        links.push(link);
        terms.push(next);
        if links.len() < config.chains.links as usize {
            own = Some(Grown::grow(&system, bank, next, config));
        }
    }
    let mut prover = Prover::new(&first.egraph, config);
    let proof = prover.chain(bank, links)?;
    let kept = prover.keep(proof);
    report.proofs.add(&prover.tally);
    report.made += u64::from(kept.is_some());
    Ok(kept.map(|proof| (config.chains.links, proof)))
}

/// Some frontier terms of the class of the term from which `grown` was grown.
fn candidates(
    grown: &Grown,
    bank: &mut TermBank,
    limit: u32,
    config: &Config,
    rng: &mut ChaCha8Rng,
) -> Vec<TermId> {
    let Grown { egraph, earlier: Some(earlier), .. } = grown else { return Vec::new() };
    let sampling = &config.sampling;
    let mut roots = [(grown.root, limit)];
    let mut frontier = fitting(&mut roots, |roots| {
        Frontier::within(
            egraph,
            earlier,
            roots,
            sampling.counted(),
            Room::of_bytes(config.counts_memory()),
        )
    });
    let limit = roots[0].1;
    frontier.sample(bank, grown.root, limit, TRIES, sampling.attempts, rng).terms
}

/// Whether one e-graph of both terms, as large as those of the links, can't prove them equal.
fn is_far(first: &Grown, bank: &TermBank, a: TermId, b: TermId, config: &Config) -> bool {
    let mut egraph = EGraph::new(first.egraph.system().clone());
    let ends = [a, b].map(|term| egraph.add_term(bank, term));
    let met = |egraph: &EGraph| egraph.find(ends[0]) == egraph.find(ends[1]);
    saturate_until(&mut egraph, &config.saturation.config(), met);
    !met(&egraph)
}
