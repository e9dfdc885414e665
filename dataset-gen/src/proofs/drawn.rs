//! The terms that proofs of a seed are between: uniform draws from its e-class and from those of
//! its largest subterms, and from what is new in them.

use crate::config::{Config, Sampling};
use crate::proofs::grown::Grown;
use crate::proofs::prover::ProofTally;
use egraph::{EGraph, Id, TermBank, TermId};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use terms::Frontier;
use terms::{Counts, Room, fitting};
use terms::{Sample, Sampler};

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

/// The terms of one class.
pub struct Drawn {
    /// Of its own: the terms of proofs that come to nothing will be in it, too.
    pub bank: TermBank,
    /// Distinct, the seed or subterm first.
    pub terms: Vec<TermId>,
    /// Without proofs.
    pub report: ClassReport,
    /// For choices to come.
    pub rng: ChaCha8Rng,
}

/// Draws terms of the classes of `seed`, from whose e-graph `grown` was grown. `streams` gives
/// each class, by its number, random choices of its own.
pub fn draw(
    grown: &Grown,
    bank: &TermBank,
    seed: TermId,
    config: &Config,
    streams: impl Fn(usize) -> ChaCha8Rng,
) -> Vec<Drawn> {
    let Grown { egraph, earlier, .. } = grown;
    let sampling = &config.sampling;
    let classes = classes(egraph, bank, seed, sampling);
    let mut drawn: Vec<Drawn> = Vec::with_capacity(classes.len());
    for (number, &(class, term)) in classes.iter().enumerate() {
        let mut own = TermBank::new(egraph.system().language.clone());
        let term = own.import(bank, term);
        let size = own.size(term);
        let literal = egraph.literal(class).is_some();
        let limit = sampling.size_limit(size);
        let report = ClassReport { size, literal, limit, ..ClassReport::default() };
        drawn.push(Drawn { bank: own, terms: vec![term], report, rng: streams(number) });
    }
    // One count for all classes; but where the terms of a class with a literal are counted, they
    // are counted as parts of other terms, too, where they are not wanted.
    let literals = drawn.iter().take_while(|drawn| drawn.report.literal).count();
    let (first, rest) = drawn.split_at_mut(literals);
    for (from, group) in [(0, first), (literals, rest)] {
        if group.is_empty() {
            continue;
        }
        let classes: Vec<Id> = classes[from..].iter().map(|&(class, _)| class).collect();
        let limits = group.iter().map(|drawn| drawn.report.limit);
        let terms = sampling.counted();
        let room = Room::of_bytes(config.counts_memory());
        let Some(earlier) = earlier else {
            let mut roots: Vec<(Id, u32)> = classes.iter().copied().zip(limits).collect();
            let counts = fitting(&mut roots, |roots| Counts::within(egraph, roots, terms, room));
            draw_plain(egraph, &counts, &classes, &roots, group, sampling);
            continue;
        };
        let known = |drawn: &Drawn| earlier.lookup(egraph, &drawn.bank, drawn.terms[0]);
        let ids = group.iter().zip(&classes).map(|(d, &class)| known(d).unwrap_or(class));
        let mut roots: Vec<(Id, u32)> = ids.zip(limits).collect();
        let mut frontier =
            fitting(&mut roots, |roots| Frontier::within(egraph, earlier, roots, terms, room));
        draw_plain(egraph, frontier.counts(), &classes, &roots, group, sampling);
        for (drawn, class) in group.iter_mut().zip(classes) {
            drawn.draw_frontier(&mut frontier, class, sampling);
        }
    }
    drawn
}

fn draw_plain(
    egraph: &EGraph,
    counts: &Counts,
    classes: &[Id],
    roots: &[(Id, u32)],
    group: &mut [Drawn],
    config: &Sampling,
) {
    let mut sampler = Sampler::new(egraph, counts);
    for ((drawn, &class), &(_, limit)) in group.iter_mut().zip(classes).zip(roots) {
        drawn.report.limit = limit;
        drawn.draw_plain(&mut sampler, counts, class, config);
    }
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

impl Drawn {
    /// Draws distinct terms of a class, uniformly up to a size limit. Where almost all terms are
    /// padded the limit is lowered, and all terms are drawn anew, until there are enough; if there
    /// never are, the limit that gave most counts.
    fn draw_plain(
        &mut self,
        sampler: &mut Sampler<'_>,
        counts: &Counts,
        class: Id,
        config: &Sampling,
    ) {
        let mut limit = std::mem::take(&mut self.report.limit);
        let Some(least) = counts.least_size(class) else { return };
        let (wanted, attempts) = (config.terms, config.attempts);
        let mut best: Option<(u32, Sample)> = None;
        loop {
            let (bank, rng) = (&mut self.bank, &mut self.rng);
            let sample = sampler.sample(bank, class, limit, wanted, attempts, rng);
            self.report.count(&sample);
            let enough = sample.terms.len() >= wanted;
            if best.as_ref().is_none_or(|(_, b)| b.terms.len() < sample.terms.len()) {
                best = Some((limit, sample));
            }
            if enough || limit <= least {
                break;
            }
            limit = limit.min(limit - (limit - least).div_ceil(4));
        }
        let (limit, sample) = best.unwrap_or_default();
        self.report.limit = limit;
        self.report.counted = counts.up_to(class, limit).to_string();
        self.enter(&sample);
    }

    /// Draws distinct frontier terms of the class, uniformly up to the size limit of the other
    /// draws.
    fn draw_frontier(&mut self, frontier: &mut Frontier<'_>, class: Id, config: &Sampling) {
        let limit = self.report.limit;
        let (wanted, attempts) = (config.frontier, config.attempts);
        let (bank, rng) = (&mut self.bank, &mut self.rng);
        let sample = frontier.sample(bank, class, limit, wanted, attempts, rng);
        self.report.count(&sample);
        self.report.frontier = sample.terms.len() as u64;
        self.report.frontier_counted = frontier.up_to(class, limit).to_string();
        self.enter(&sample);
    }

    fn enter(&mut self, sample: &Sample) {
        for &term in &sample.terms {
            if !self.terms.contains(&term) {
                self.terms.push(term);
            }
        }
        self.report.terms = self.terms.len() as u64;
    }
}

impl ClassReport {
    fn count(&mut self, sample: &Sample) {
        self.drawn += sample.drawn;
        self.padded += sample.padded;
        self.repeated += sample.repeated;
    }
}
