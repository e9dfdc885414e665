//! Proofs between terms of one frozen e-graph, shortened, under caps, each checked.

use crate::config::Config;
use egraph::{EGraph, Explainer, FlatProof, Shortener, TermBank, TermId, TooLong, check_flat};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use support::Internal;
use support::random::shuffle;

/// What came of the pairs of terms that were to be proved equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofTally {
    /// Pairs that were explained.
    pub proofs: u64,
    /// Proofs over the cap on steps.
    pub too_long: u64,
    /// Proofs over the cap on the size of terms.
    pub too_large: u64,
    /// Proofs with too few steps to be split.
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

impl ProofTally {
    /// Adds another.
    pub fn add(&mut self, other: &ProofTally) {
        self.proofs += other.proofs;
        self.too_long += other.too_long;
        self.too_large += other.too_large;
        self.too_short += other.too_short;
        self.kept += other.kept;
        self.steps += other.steps;
        self.unshortened += other.unshortened;
        self.triples += other.triples;
    }
}

/// A flat proof, and its number of steps before it was shortened.
pub struct Shortened {
    /// The proof.
    pub flat: FlatProof,
    /// Steps.
    pub unshortened: usize,
}

/// Proves terms of an e-graph equal.
pub struct Prover<'a> {
    config: &'a Config,
    egraph: &'a EGraph,
    explainer: Explainer<'a>,
    shortener: Shortener<'a>,
    /// What came of it so far.
    pub tally: ProofTally,
}

impl<'a> Prover<'a> {
    /// For an e-graph that does not change.
    pub fn new(egraph: &'a EGraph, config: &'a Config) -> Prover<'a> {
        Prover {
            config,
            egraph,
            explainer: Explainer::new(egraph),
            shortener: Shortener::new(egraph.system()),
            tally: ProofTally::default(),
        }
    }

    /// Proofs between some pairs of `terms`, which are of one class; until enough are kept.
    ///
    /// # Errors
    /// A proof that the checker refuses: a fault of the program.
    pub fn pairs(
        &mut self,
        bank: &mut TermBank,
        terms: &[TermId],
        rng: &mut ChaCha8Rng,
    ) -> Result<Vec<Shortened>, Internal> {
        let count = terms.len() as u32;
        let of = |i: u32| (0..count).filter(move |&j| j != i).map(move |j| (i, j));
        let mut pairs: Vec<(u32, u32)> = (0..count).flat_map(of).collect();
        shuffle(&mut pairs, rng);
        pairs.truncate(self.config.proofs.pairs);
        let mut kept = Vec::new();
        for (i, j) in pairs {
            if kept.len() == self.config.proofs.kept {
                break;
            }
            if let Some(proof) = self.proof(bank, terms[i as usize], terms[j as usize])?
                && let Some(proof) = self.keep(proof)
            {
                kept.push(proof);
            }
        }
        Ok(kept)
    }

    /// A checked proof, if there is one under the caps.
    ///
    /// # Errors
    /// As [`Prover::pairs`].
    pub fn proof(
        &mut self,
        bank: &mut TermBank,
        start: TermId,
        end: TermId,
    ) -> Result<Option<Shortened>, Internal> {
        let config = &self.config.proofs;
        let proof = self
            .explainer
            .explain(bank, start, end)
            .ok_or_else(|| fault("two terms of one e-class have no proof", bank, start, end))?;
        self.tally.proofs += 1;
        let mut flat = match proof.flatten(bank, config.caps()) {
            Ok(flat) => flat,
            Err(TooLong::Steps) => {
                self.tally.too_long += 1;
                return Ok(None);
            }
            Err(TooLong::TermSize) => {
                self.tally.too_large += 1;
                return Ok(None);
            }
        };
        let unshortened = flat.steps.len();
        if config.shorten {
            flat = self.shortener.shorten(bank, &flat, config.max_term_size);
        }
        if flat.steps.len() > config.max_steps {
            self.tally.too_long += 1;
            return Ok(None);
        }
        self.check(bank, &flat, start, end)?;
        Ok(Some(Shortened { flat, unshortened }))
    }

    /// One proof of proofs that meet; shortened again, across them. The cap on steps is for each of
    /// them, not for all together.
    ///
    /// # Errors
    /// As [`Prover::pairs`].
    pub fn chain(
        &mut self,
        bank: &mut TermBank,
        links: Vec<Shortened>,
    ) -> Result<Shortened, Internal> {
        let unshortened = links.iter().map(|link| link.unshortened).sum();
        let mut flat = FlatProof::concatenated(links.into_iter().map(|link| link.flat));
        let (start, end) = (flat.terms[0], flat.terms[flat.terms.len() - 1]);
        if self.config.proofs.shorten {
            flat = self.shortener.shorten(bank, &flat, self.config.proofs.max_term_size);
        }
        self.check(bank, &flat, start, end)?;
        Ok(Shortened { flat, unshortened })
    }

    fn check(
        &self,
        bank: &TermBank,
        flat: &FlatProof,
        start: TermId,
        end: TermId,
    ) -> Result<(), Internal> {
        check_flat(self.egraph.system(), bank, flat)
            .map_err(|e| fault(&format!("the checker refuses a proof ({e})"), bank, start, end))?;
        if flat.terms.first() != Some(&start) || flat.terms.last() != Some(&end) {
            return Err(fault("a proof has other ends than asked for", bank, start, end));
        }
        Ok(())
    }

    /// Counts a proof as kept, if it can be split.
    pub fn keep(&mut self, proof: Shortened) -> Option<Shortened> {
        let segments = self.config.splitting.segments(proof.flat.steps.len());
        if segments.is_empty() {
            self.tally.too_short += 1;
            return None;
        }
        self.tally.kept += 1;
        self.tally.steps += proof.flat.steps.len() as u64;
        self.tally.unshortened += proof.unshortened as u64;
        self.tally.triples += segments.len() as u64;
        Some(proof)
    }
}

fn fault(what: &str, bank: &TermBank, start: TermId, end: TermId) -> Internal {
    Internal::new(format!("{what}: from {} to {}", bank.text(start), bank.text(end)))
}
