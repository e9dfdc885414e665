//! From one seed to its proofs: an e-graph, samples, pairs of them.

use crate::config::Config;
use crate::proofs::chain::{ChainReport, chain};
use crate::proofs::drawn::{ClassReport, Drawn, draw};
use crate::proofs::grown::Grown;
use crate::proofs::proof_rows::ProofRow;
use crate::proofs::prover::{ProofTally, Prover, Shortened};
use crate::splits::split::Split;
use egraph::{StopReason, System, TermBank};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use support::Internal;
use support::random::substream;
use terms::Seed;
use terms::digest;

/// What came of one seed. No times: the same inputs give the same report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedReport {
    /// Index of the seed, from 0.
    pub seed: u32,
    /// Its id in the seed file.
    pub id: String,
    /// Its split.
    pub split: Split,
    /// What tells it from other seeds, see [`digest`].
    pub digest: String,
    /// Its number of nodes.
    pub size: u64,
    /// Why the e-graph stopped growing; after a conflict it is not used.
    pub stop: StopReason,
    /// Iterations of saturation.
    pub iterations: u64,
    /// Canonical e-nodes at the end.
    pub e_nodes: usize,
    /// E-classes at the end.
    pub e_classes: usize,
    /// The sampled classes, that of the seed first.
    pub classes: Vec<ClassReport>,
    /// The chains that begin at the seed.
    pub chains: ChainReport,
}

impl SeedReport {
    /// What came of all proofs.
    pub fn proofs(&self) -> ProofTally {
        let mut tally = self.chains.proofs;
        self.classes.iter().for_each(|class| tally.add(&class.proofs));
        tally
    }

    /// Whether the seed itself equals a literal.
    pub fn is_constant(&self) -> bool {
        self.classes.first().is_some_and(|class| class.literal)
    }
}

/// Grows the e-graph of seed number `index` and takes proofs from it, which are numbered from 0.
///
/// # Errors
/// A proof that the checker refuses: a fault of the program.
pub fn grow(
    system: &Arc<System>,
    seeds: &TermBank,
    index: u32,
    seed: &Seed,
    split: Split,
    config: &Config,
    random_seed: u64,
) -> Result<(SeedReport, Vec<ProofRow>), Internal> {
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.import(seeds, seed.term);
    let grown = Grown::grow(system, &bank, term, config);
    let egraph = &grown.egraph;
    let mut report = SeedReport {
        seed: index,
        id: seed.id.clone(),
        split,
        digest: digest_of(seeds, seed, config),
        size: bank.size(term),
        stop: grown.stop,
        iterations: grown.iterations,
        e_nodes: egraph.node_count(),
        e_classes: egraph.class_count(),
        classes: Vec::new(),
        chains: ChainReport::default(),
    };
    let mut rows = Vec::new();
    if report.stop == StopReason::Conflict {
        return Ok((report, rows));
    }
    let mut enter = |bank: &TermBank, class: usize, links: u32, proof: &Shortened| {
        rows.push(ProofRow {
            seed: index,
            seed_id: seed.id.clone(),
            class: class as u32,
            links,
            unshortened: proof.unshortened as u32,
            ..ProofRow::of(system, bank, &proof.flat)
        });
    };
    let streams = |number: usize| substream(random_seed, u64::from(index), number as u64);
    for (number, drawn) in draw(&grown, &bank, term, config, streams).into_iter().enumerate() {
        let Drawn { mut bank, terms, report: mut class, mut rng } = drawn;
        let mut prover = Prover::new(egraph, config);
        for proof in prover.pairs(&mut bank, &terms, &mut rng)? {
            enter(&bank, number, 1, &proof);
        }
        class.proofs = prover.tally;
        report.classes.push(class);
    }
    for number in 0..config.chains.count {
        let mut own = TermBank::new(system.language.clone());
        let start = own.import(&bank, term);
        let mut rng = substream(random_seed, u64::from(index), CHAINS + u64::from(number));
        let chain = chain(&grown, &mut own, start, config, &mut report.chains, &mut rng)?;
        if let Some((links, proof)) = chain {
            enter(&own, 0, links, &proof);
        }
    }
    // Chains are of the seed's own class, the proofs of which stand together.
    rows.sort_by_key(|row| row.class);
    rows.iter_mut().zip(0..).for_each(|(row, id)| row.id = id);
    Ok((report, rows))
}

/// In a bank of its own, so that the terms of the proofs are numbered as they come.
fn digest_of(seeds: &TermBank, seed: &Seed, config: &Config) -> String {
    let mut bank = TermBank::new(seeds.language().clone());
    let term = bank.import(seeds, seed.term);
    digest(&mut bank, term, config.splits.literals)
}

/// The number of the first stream of random choices for chains; those below it are for classes.
const CHAINS: u64 = 1 << 32;
