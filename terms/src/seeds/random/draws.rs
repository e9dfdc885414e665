//! Random seeds: distinct terms of given sizes, drawn, filtered, and counted.
//!
//! Draw number i of a size has a random stream of its own, and the seeds are the first draws that
//! are accepted: which threads did the work, and when, can't show. So more seeds are the same
//! seeds and then some.

use crate::seeds::random::filter::{SeedFilter, Verdict};
use crate::seeds::random::terms::RandomTerms;
use egraph::{System, TermBank, TermId};
use num_bigint::BigUint;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::Arc;
use support::Progress;
use support::random::stream;

/// Draws at most for each seed that is asked for. Enough to draw every term there is, if all are
/// asked for: n terms take n · (ln n + 0.6) draws or so.
const DRAWS_PER_SEED: u64 = 1_000;

/// Draws that are judged together, for each thread.
const STEP: usize = 8;

/// A term that was drawn and accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomSeed {
    /// Its number of nodes.
    pub size: usize,
    /// Which draw of this size it was, from 0.
    pub draw: u64,
    /// The term.
    pub text: String,
}

/// What came of the draws of one size, up to the last one that was accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of nodes.
    pub size: usize,
    /// Terms of this size that there are, up to the names of variables.
    pub terms: BigUint,
    /// Draws.
    pub drawn: u64,
    /// Draws of terms that had been drawn before.
    pub repeated: u64,
    /// What the filter said of the others; without a filter all are kept.
    pub verdicts: BTreeMap<Verdict, u64>,
    /// The first one for which the rules are not sound.
    pub unsound: Option<String>,
}

impl Tally {
    /// Seeds.
    pub fn kept(&self) -> u64 {
        self.verdicts.get(&Verdict::Kept).copied().unwrap_or(0)
    }

    /// Why there are fewer seeds than `wanted`, if there are.
    pub fn lack(&self, wanted: u64) -> Option<String> {
        let Tally { size, terms, drawn, .. } = self;
        if *terms < BigUint::from(wanted) {
            return Some(format!(
                "there are only {terms} terms of {size} nodes, up to the names of their variables: \
                 expected at most so many of this size, or more --variables or --literals, or \
                 another size"
            ));
        }
        (self.kept() < wanted).then(|| {
            format!(
                "only {} terms of {size} nodes pass, not {wanted}: {drawn} drawn{}; ask for fewer, or \
                 for fewer --least-nodes",
                self.kept(),
                self.dropped()
            )
        })
    }

    /// How many draws were dropped, and why: ", 12 repeated, 3 saturated too early".
    pub fn dropped(&self) -> String {
        let reasons = self.verdicts.iter().filter_map(|(v, &count)| Some((v.reason()?, count)));
        [("repeated", self.repeated)]
            .into_iter()
            .chain(reasons)
            .filter(|&(_, count)| count > 0)
            .map(|(reason, count)| format!(", {count} {reason}"))
            .chain(self.unsound.as_ref().map(|term| format!(" (the first is {term})")))
            .collect()
    }
}

/// Where seeds come from.
#[derive(Clone, Debug)]
pub struct Source {
    /// The rewrite system.
    pub system: Arc<System>,
    /// The terms to draw from.
    pub terms: RandomTerms,
    /// What is asked of a seed besides its size.
    pub filter: Option<SeedFilter>,
    /// Seed of all random choices.
    pub seed: u64,
}

/// A term in a bank of its own.
struct Drawn {
    draw: u64,
    bank: TermBank,
    term: TermId,
    text: String,
}

impl Source {
    /// Draws `wanted` distinct terms of one size, in the pool of the caller; fewer if there are not so
    /// many, or not so many pass the filter, which [`Tally::lack`] tells.
    pub fn seeds(&self, size: usize, wanted: u64, progress: &Progress) -> (Vec<RandomSeed>, Tally) {
        let mut tally = Tally { size, terms: self.terms.count(size), ..Tally::default() };
        let threads = if self.filter.is_some() { rayon::current_num_threads() } else { 32 };
        let last = wanted.saturating_mul(DRAWS_PER_SEED);
        let mut seen = FxHashSet::default();
        let mut seeds = Vec::new();
        // When all terms there are have been looked at, further draws give none.
        while tally.kept() < wanted && tally.drawn < last && BigUint::from(seen.len()) < tally.terms
        {
            let end = last.min(tally.drawn + (STEP * threads) as u64);
            let drawn: Vec<Drawn> = (tally.drawn..end)
                .into_par_iter()
                .filter_map(|draw| self.draw(size, draw))
                .collect();
            let fresh: Vec<bool> =
                drawn.iter().map(|drawn| seen.insert(drawn.text.clone())).collect();
            let verdicts: Vec<Option<Verdict>> = drawn
                .par_iter()
                .zip(fresh)
                .map(|(drawn, fresh)| fresh.then(|| self.judge(drawn)))
                .collect();
            let before = tally.kept();
            for (Drawn { draw, text, .. }, verdict) in drawn.into_iter().zip(verdicts) {
                if tally.kept() == wanted {
                    break;
                }
                tally.drawn = draw + 1;
                if verdict == Some(Verdict::Conflict) {
                    tally.unsound.get_or_insert_with(|| text.clone());
                }
                match verdict {
                    None => tally.repeated += 1,
                    Some(verdict) => *tally.verdicts.entry(verdict).or_default() += 1,
                }
                if verdict == Some(Verdict::Kept) {
                    seeds.push(RandomSeed { size, draw, text });
                }
            }
            progress.message(format!("{} drawn of {size} nodes", tally.drawn));
            progress.advance(tally.kept() - before);
        }
        (seeds, tally)
    }

    fn draw(&self, size: usize, draw: u64) -> Option<Drawn> {
        // A size has the streams from its own number on, so that it doesn't matter which other
        // sizes are asked for.
        let mut rng = stream(self.seed, ((size as u64) << 44) | draw);
        let mut bank = TermBank::new(self.system.language.clone());
        let term = self.terms.draw(&mut bank, size, &mut rng)?;
        Some(Drawn { draw, text: bank.text(term), bank, term })
    }

    fn judge(&self, drawn: &Drawn) -> Verdict {
        match &self.filter {
            Some(filter) => filter.judge(&self.system, &drawn.bank, drawn.term),
            None => Verdict::Kept,
        }
    }
}
