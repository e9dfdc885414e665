//! From one seed to its proofs: an e-graph, samples, pairs of them.

use crate::chain::{ChainReport, chain};
use crate::config::{Config, Sampling};
use crate::counting::Counts;
use crate::errors::Internal;
use crate::frontier::Frontier;
use crate::proof_table::ProofRow;
use crate::prover::{ProofTally, Prover, Shortened};
use crate::random::substream;
use crate::sampling::{Sample, Sampler};
use crate::seeds::Seed;
use crate::stage::Stage;
use crate::triples::Split;
use egraph::{EGraph, Id, StopReason, System, TermBank, TermId};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What came of one seed. No times: the same inputs give the same report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedReport {
    /// Index of the seed, from 0.
    pub seed: u32,
    /// Its id in the seed file.
    pub id: String,
    /// Its split.
    pub split: Split,
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

/// What came of one e-class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassReport {
    /// Number of nodes of the seed, or of its subterm, that is in the class.
    pub size: u64,
    /// Whether the class has a literal.
    pub literal: bool,
    /// The terms are uniform among those with at most this many nodes.
    pub limit: u32,
    /// Number of terms up to the limit that were counted, in decimal.
    pub counted: String,
    /// Draws.
    pub drawn: u64,
    /// Draws of padded terms, which were left out.
    pub padded: u64,
    /// Draws of terms that were there already.
    pub repeated: u64,
    /// Distinct terms, the seed or subterm included.
    pub terms: u64,
    /// How many of them are frontier terms, drawn in addition.
    pub frontier: u64,
    /// Number of frontier terms up to the limit, in decimal; empty if they were not asked for.
    pub frontier_counted: String,
    /// What came of pairs of them.
    pub proofs: ProofTally,
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
    let stage = Stage::grow(system, &bank, term, config);
    let Stage { egraph, earlier, .. } = &stage;
    let mut report = SeedReport {
        seed: index,
        id: seed.id.clone(),
        split,
        size: bank.size(term),
        stop: stage.stop,
        iterations: stage.iterations,
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
            id: rows.len() as u64,
            seed: index,
            seed_id: seed.id.clone(),
            class: class as u32,
            links,
            unshortened: proof.unshortened as u32,
            ..ProofRow::of(system, bank, &proof.flat)
        });
    };
    for (number, (class, term)) in
        classes(egraph, &bank, term, &config.sampling).into_iter().enumerate()
    {
        // A bank for each class: the terms of proofs that come to nothing are in it, too.
        let mut own = TermBank::new(system.language.clone());
        let term = own.import(&bank, term);
        let bank = &mut own;
        let mut rng = substream(random_seed, u64::from(index), number as u64);
        let mut class_report = ClassReport {
            size: bank.size(term),
            literal: egraph.literal(class).is_some(),
            ..ClassReport::default()
        };
        let mut terms = vec![term];
        let mut drawn = draw(egraph, bank, class, &config.sampling, &mut class_report, &mut rng);
        if let Some(earlier) = earlier {
            let roots = (class, term);
            drawn.extend(draw_frontier(
                (egraph, earlier),
                bank,
                roots,
                &config.sampling,
                &mut class_report,
                &mut rng,
            ));
        }
        for new in drawn {
            if !terms.contains(&new) {
                terms.push(new);
            }
        }
        class_report.terms = terms.len() as u64;
        let mut prover = Prover::new(egraph, config);
        for proof in prover.pairs(bank, &terms, &mut rng)? {
            enter(bank, number, 1, &proof);
        }
        class_report.proofs = prover.tally;
        report.classes.push(class_report);
    }
    for number in 0..config.chains.count {
        let mut own = TermBank::new(system.language.clone());
        let start = own.import(&bank, term);
        let mut rng = substream(random_seed, u64::from(index), CHAINS + u64::from(number));
        let chain = chain(&stage, &mut own, start, config, &mut report.chains, &mut rng)?;
        if let Some((links, proof)) = chain {
            enter(&own, 0, links, &proof);
        }
    }
    Ok((report, rows))
}

/// The number of the first stream of random choices for chains; those below it are for classes.
const CHAINS: u64 = 1 << 32;

/// The class of the seed, then those of its largest subterms that are not literals, each with
/// the seed or subterm itself.
fn classes(egraph: &EGraph, bank: &TermBank, seed: TermId, config: &Sampling) -> Vec<(Id, TermId)> {
    let mut terms = bank.subterms(seed);
    // By size, then by place in the bank: the seed comes first.
    terms.sort_by_key(|&t| std::cmp::Reverse((bank.size(t), t)));
    let mut found: Vec<(Id, TermId)> = Vec::new();
    for term in terms {
        let Some(class) = egraph.lookup(bank, term).map(|id| egraph.find(id)) else { continue };
        let wanted = term == seed
            || bank.size(term) >= config.least_subterm && egraph.literal(class).is_none();
        if wanted && found.iter().all(|&(c, _)| c != class) {
            found.push((class, term));
        }
        if found.len() == config.classes {
            break;
        }
    }
    found
}

/// Draws distinct terms of a class, uniformly up to a size limit. Where almost all terms are
/// padded the limit is lowered, and all terms are drawn anew, until there are enough; if there
/// never are, the limit that gave most counts.
fn draw(
    egraph: &EGraph,
    bank: &mut TermBank,
    class: Id,
    config: &Sampling,
    report: &mut ClassReport,
    rng: &mut ChaCha8Rng,
) -> Vec<TermId> {
    let mut limit = config.size_limit(report.size);
    let counts = Counts::new(egraph, &[(class, limit)], config.counted());
    let Some(least) = counts.least_size(class) else { return Vec::new() };
    let mut sampler = Sampler::new(egraph, &counts);
    let mut best: Option<(u32, Sample)> = None;
    loop {
        let sample = sampler.sample(bank, class, limit, config.terms, config.attempts, rng);
        report.drawn += sample.drawn;
        report.padded += sample.padded;
        report.repeated += sample.repeated;
        let enough = sample.terms.len() >= config.terms;
        if best.as_ref().is_none_or(|(_, b)| b.terms.len() < sample.terms.len()) {
            best = Some((limit, sample));
        }
        if enough || limit <= least {
            break;
        }
        limit = limit.min(limit - (limit - least).div_ceil(4));
    }
    let (limit, sample) = best.unwrap_or_default();
    report.limit = limit;
    report.counted = counts.up_to(class, limit).to_string();
    sample.terms
}

/// Draws distinct frontier terms of the class of `term`, uniformly up to the size limit of the
/// other draws.
fn draw_frontier(
    (later, earlier): (&EGraph, &EGraph),
    bank: &mut TermBank,
    (class, term): (Id, TermId),
    config: &Sampling,
    report: &mut ClassReport,
    rng: &mut ChaCha8Rng,
) -> Vec<TermId> {
    // An id of the earlier e-graph, if it represents the seed or subterm.
    let root = earlier.lookup(bank, term).unwrap_or(class);
    let roots = [(root, report.limit)];
    let mut frontier = Frontier::new(later, earlier, &roots, config.counted());
    report.frontier_counted = frontier.up_to(class, report.limit).to_string();
    let sample = frontier.sample(bank, class, report.limit, config.frontier, config.attempts, rng);
    report.drawn += sample.drawn;
    report.padded += sample.padded;
    report.repeated += sample.repeated;
    report.frontier = sample.terms.len() as u64;
    sample.terms
}
