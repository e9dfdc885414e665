//! From one seed to its proofs: an e-graph, samples, pairs of them.

use crate::config::{Config, Sampling};
use crate::counting::Counts;
use crate::errors::Internal;
use crate::proof_table::ProofRow;
use crate::random::{shuffle, stream};
use crate::sampling::{Sample, Sampler};
use crate::seeds::Seed;
use crate::triples::Split;
use egraph::{
    EGraph, Explainer, FlatProof, Id, Shortener, StopReason, System, TermBank, TermId, TooLong,
    check_flat, saturate,
};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
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
    /// Pairs that were explained.
    pub proofs: u64,
    /// Proofs over the cap on steps.
    pub too_long: u64,
    /// Proofs over the cap on the size of terms.
    pub too_large: u64,
    /// Proofs with fewer steps than the cutoff.
    pub too_short: u64,
    /// Proofs that were kept, each accepted by the checker.
    pub kept: u64,
    /// Their rewrite steps.
    pub steps: u64,
    /// Their rewrite steps before they were shortened.
    pub unshortened: u64,
    /// Their segments: triples, before duplicates are dropped.
    pub triples: u64,
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
    let mut egraph = EGraph::new(system.clone());
    egraph.add_term(&bank, term);
    let course =
        saturate(&mut egraph, &config.saturation.config(), &mut |_, _| ControlFlow::Continue(()));
    let mut report = SeedReport {
        seed: index,
        id: seed.id.clone(),
        split,
        size: bank.size(term),
        stop: if egraph.conflict().is_some() { StopReason::Conflict } else { course.stop },
        iterations: course.iterations.last().map_or(0, |last| last.iteration),
        e_nodes: egraph.node_count(),
        e_classes: egraph.class_count(),
        classes: Vec::new(),
    };
    let mut rows = Vec::new();
    if report.stop == StopReason::Conflict {
        return Ok((report, rows));
    }
    let mut rng = stream(random_seed, u64::from(index));
    for (class, term) in classes(&egraph, &bank, term, &config.sampling) {
        let mut class_report = ClassReport {
            size: bank.size(term),
            literal: egraph.literal(class).is_some(),
            ..ClassReport::default()
        };
        let mut terms = vec![term];
        let drawn = draw(&egraph, &mut bank, class, &config.sampling, &mut class_report, &mut rng);
        terms.extend(drawn.into_iter().filter(|&t| t != term));
        class_report.terms = terms.len() as u64;
        let mut prover = Prover { egraph: &egraph, config, report: &mut class_report };
        for (unshortened, proof) in prover.proofs(&mut bank, &terms, &mut rng)? {
            rows.push(ProofRow {
                id: rows.len() as u64,
                seed: index,
                seed_id: seed.id.clone(),
                class: report.classes.len() as u32,
                unshortened: unshortened as u32,
                ..ProofRow::of(system, &bank, &proof)
            });
        }
        report.classes.push(class_report);
    }
    Ok((report, rows))
}

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

struct Prover<'a> {
    egraph: &'a EGraph,
    config: &'a Config,
    report: &'a mut ClassReport,
}

impl Prover<'_> {
    /// The proofs between some pairs of `terms`, each with its number of steps before it was
    /// shortened.
    fn proofs(
        &mut self,
        bank: &mut TermBank,
        terms: &[TermId],
        rng: &mut ChaCha8Rng,
    ) -> Result<Vec<(usize, FlatProof)>, Internal> {
        let pair = |i: usize| move |j: usize| (i, j);
        let mut pairs: Vec<(usize, usize)> = (0..terms.len())
            .flat_map(|i| (0..terms.len()).filter(move |&j| j != i).map(pair(i)))
            .collect();
        shuffle(&mut pairs, rng);
        pairs.truncate(self.config.proofs.pairs);
        let mut explainer = Explainer::new(self.egraph);
        let mut shortener = Shortener::new(self.egraph.system());
        let mut kept = Vec::new();
        for (i, j) in pairs {
            if kept.len() == self.config.proofs.kept {
                break;
            }
            let (start, end) = (terms[i], terms[j]);
            if let Some(proof) = self.proof(bank, &mut explainer, &mut shortener, start, end)? {
                kept.push(proof);
            }
        }
        Ok(kept)
    }

    fn proof(
        &mut self,
        bank: &mut TermBank,
        explainer: &mut Explainer<'_>,
        shortener: &mut Shortener<'_>,
        start: TermId,
        end: TermId,
    ) -> Result<Option<(usize, FlatProof)>, Internal> {
        let config = &self.config.proofs;
        let fault = |what: String, bank: &TermBank| {
            let (start, end) = (bank.text(start), bank.text(end));
            Internal::new(format!("{what}: from {start} to {end}"))
        };
        let proof = explainer
            .explain(bank, start, end)
            .ok_or_else(|| fault("two terms of one e-class have no proof".into(), bank))?;
        self.report.proofs += 1;
        let mut flat = match proof.flatten(bank, config.caps()) {
            Ok(flat) => flat,
            Err(TooLong::Steps) => {
                self.report.too_long += 1;
                return Ok(None);
            }
            Err(TooLong::TermSize) => {
                self.report.too_large += 1;
                return Ok(None);
            }
        };
        let unshortened = flat.steps.len();
        if config.shorten {
            flat = shortener.shorten(bank, &flat, config.max_term_size);
        }
        if flat.steps.len() > config.max_steps {
            self.report.too_long += 1;
            return Ok(None);
        }
        let segments = self.config.splitting.segments(flat.steps.len());
        if segments.is_empty() {
            self.report.too_short += 1;
            return Ok(None);
        }
        check_flat(self.egraph.system(), bank, &flat)
            .map_err(|e| fault(format!("the checker refuses a proof ({e})"), bank))?;
        if flat.terms.first() != Some(&start) || flat.terms.last() != Some(&end) {
            return Err(fault("a proof has other ends than asked for".into(), bank));
        }
        self.report.kept += 1;
        self.report.steps += flat.steps.len() as u64;
        self.report.unshortened += unshortened as u64;
        self.report.triples += segments.len() as u64;
        Ok(Some((unshortened, flat)))
    }
}
