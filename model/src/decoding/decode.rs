//! Writing guides node by node: greedy, nucleus sampling and beam search, batched over tasks
//! and hypotheses, with cached keys and values.

use crate::decoding::grammar::Grammar;
use crate::decoding::tree_builder::TreeBuilder;
use crate::network::batch::{Features, decoder_step};
use crate::network::transformer::{Cache, Memory, Transformer};
use crate::tokens::positions::Buckets;
use crate::tokens::vocabulary::{Token, Vocabulary};
use anyhow::{Context, Result, ensure};
use egraph::SortId;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::collections::BTreeSet;
use support::errors::Internal;

/// A token and its log-probability.
type Choice = (Token, f32);

/// How guides are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strategy {
    /// The likeliest token at every step: one guide.
    Greedy,
    /// Samples from the smallest set of tokens that have probability `p` together, after
    /// sharpening by `temperature` (Holtzman et al., 2020).
    Nucleus {
        /// In (0, 1].
        p: f64,
        /// Above 0; 1 leaves the distribution as it is.
        temperature: f64,
    },
    /// The likeliest terms that a search with this many hypotheses finds.
    Beam {
        /// At least 1; the number of guides if that is larger.
        width: usize,
    },
}

/// What to decode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecodeOptions {
    /// How guides are chosen.
    pub strategy: Strategy,
    /// Guides per task, all of them different; fewer if no more are found.
    pub guides: usize,
    /// The largest number of nodes of a guide.
    pub max_size: usize,
    /// Seed of the samples.
    pub seed: u64,
}

impl DecodeOptions {
    /// # Errors
    /// A value out of its range.
    pub fn check(&self) -> Result<()> {
        ensure!(self.guides > 0, "guides: expected at least 1");
        ensure!(self.max_size > 0, "max_size: expected at least 1");
        match self.strategy {
            Strategy::Greedy => {}
            Strategy::Nucleus { p, temperature } => {
                ensure!(p > 0.0 && p <= 1.0, "nucleus probability {p}: expected 0 to 1");
                ensure!(temperature > 0.0, "temperature {temperature}: expected more than 0");
            }
            Strategy::Beam { width } => ensure!(width > 0, "beam width: expected at least 1"),
        }
        Ok(())
    }
}

/// A task as the decoder sees it.
pub(crate) struct Task<'a> {
    /// It remembers its answers.
    pub(crate) grammar: RefCell<Grammar<'a>>,
    pub(crate) sort: SortId,
    /// Tells the samples of this task from those of others.
    pub(crate) stream: u64,
}

/// A tree in the making, and the probability of each of its tokens among those allowed.
#[derive(Clone, Debug)]
pub(crate) struct Hypothesis {
    pub(crate) tree: TreeBuilder,
    pub(crate) log_probabilities: Vec<f32>,
    pub(crate) total: f32,
}

impl Hypothesis {
    fn new(sort: SortId) -> Hypothesis {
        Hypothesis { tree: TreeBuilder::new(sort), log_probabilities: Vec::new(), total: 0.0 }
    }

    fn push(&mut self, vocabulary: &Vocabulary, token: Token, log_p: f32) -> Result<()> {
        self.tree
            .push(vocabulary, token)
            .map_err(|e| Internal::new(format!("an allowed token does not fit: {e}")))?;
        self.log_probabilities.push(log_p);
        self.total += log_p;
        Ok(())
    }

    fn complete(&self) -> bool {
        self.tree.next_slot().is_none()
    }
}

/// The network and what it reads.
pub(crate) struct Decoder<'a> {
    pub(crate) network: &'a Transformer,
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) features: Features,
    pub(crate) buckets: Buckets,
    pub(crate) memory: &'a Memory,
    pub(crate) tasks: &'a [Task<'a>],
}

/// Rounds of sampling until there are enough different guides.
const ROUNDS: u64 = 4;

impl Decoder<'_> {
    /// Complete hypotheses for every task, the likeliest first, all with different tokens.
    pub(crate) fn run(&self, options: &DecodeOptions) -> Result<Vec<Vec<Hypothesis>>> {
        match options.strategy {
            Strategy::Greedy => {
                let first = |choices: &[Choice], _: &mut ChaCha8Rng| best(choices);
                self.sample(1, 1, options.seed, &first)
            }
            Strategy::Nucleus { p, temperature } => {
                let choose = |choices: &[Choice], rng: &mut ChaCha8Rng| {
                    nucleus(choices, p, temperature, rng.random())
                };
                self.sample(options.guides, ROUNDS, options.seed, &choose)
            }
            Strategy::Beam { width } => self.beam(width.max(options.guides)),
        }
    }

    /// The allowed next tokens of every hypothesis with their log-probabilities, tokens
    /// ascending. All hypotheses have the same length; `rows` are their tasks.
    fn choices(
        &self,
        hypotheses: &[Hypothesis],
        rows: &[u32],
        cache: &mut Cache,
    ) -> Result<Vec<Vec<Choice>>> {
        let trees: Vec<&TreeBuilder> = hypotheses.iter().map(|h| &h.tree).collect();
        let step = decoder_step(self.features, self.buckets, &trees);
        let logits = self.network.decode_step(&step, self.memory, rows, cache)?;
        let logits: Vec<Vec<f32>> = logits.to_vec2()?;
        let mut all = Vec::with_capacity(hypotheses.len());
        for ((hypothesis, row), logits) in hypotheses.iter().zip(rows).zip(&logits) {
            let allowed = self.tasks[*row as usize].grammar.borrow_mut().allowed(&hypothesis.tree);
            let max = allowed.iter().fold(f32::MIN, |max, t| max.max(logits[*t as usize]));
            let sum: f64 = allowed.iter().map(|t| f64::from(logits[*t as usize] - max).exp()).sum();
            let log_sum = max + sum.ln() as f32;
            all.push(allowed.iter().map(|t| (*t, logits[*t as usize] - log_sum)).collect());
        }
        Ok(all)
    }

    /// Up to `count` different hypotheses per task, each step decided by `choose`.
    fn sample(
        &self,
        count: usize,
        rounds: u64,
        seed: u64,
        choose: &dyn Fn(&[Choice], &mut ChaCha8Rng) -> Option<Choice>,
    ) -> Result<Vec<Vec<Hypothesis>>> {
        let mut found: Vec<Vec<Hypothesis>> = vec![Vec::new(); self.tasks.len()];
        let mut seen: BTreeSet<(usize, Vec<Token>)> = BTreeSet::new();
        for round in 0..rounds {
            let mut rows = Vec::new();
            let mut generators = Vec::new();
            let mut live = Vec::new();
            for (i, task) in self.tasks.iter().enumerate() {
                for sample in found[i].len()..count {
                    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ task.stream);
                    rng.set_stream(round * count as u64 + sample as u64);
                    rows.push(i as u32);
                    generators.push(rng);
                    live.push(Hypothesis::new(task.sort));
                }
            }
            let mut cache = Cache::default();
            while !live.is_empty() {
                let choices = self.choices(&live, &rows, &mut cache)?;
                let mut kept: Vec<u32> = Vec::new();
                for (i, choices) in choices.iter().enumerate() {
                    let (token, log_p) = choose(choices, &mut generators[i])
                        .context(Internal::new("a hole that no token fits"))?;
                    live[i].push(self.vocabulary, token, log_p)?;
                    if !live[i].complete() {
                        kept.push(i as u32);
                    } else if seen.insert((rows[i] as usize, live[i].tree.tokens().to_vec())) {
                        found[rows[i] as usize].push(live[i].clone());
                    }
                }
                if kept.len() < live.len() {
                    cache.select(&kept)?;
                    live = pick(&live, &kept);
                    rows = pick(&rows, &kept);
                    generators = pick(&generators, &kept);
                }
            }
        }
        for found in &mut found {
            found.sort_by(by_probability);
        }
        Ok(found)
    }

    /// The `width` best complete hypotheses per task among those that the beam meets.
    fn beam(&self, width: usize) -> Result<Vec<Vec<Hypothesis>>> {
        let mut found: Vec<Vec<Hypothesis>> = vec![Vec::new(); self.tasks.len()];
        let mut live: Vec<Hypothesis> =
            self.tasks.iter().map(|t| Hypothesis::new(t.sort)).collect();
        let mut rows: Vec<u32> = (0..self.tasks.len() as u32).collect();
        let mut cache = Cache::default();
        while !live.is_empty() {
            let choices = self.choices(&live, &rows, &mut cache)?;
            let mut next = Vec::new();
            let mut kept: Vec<u32> = Vec::new();
            let mut from = 0;
            // The hypotheses of a task lie side by side.
            while from < live.len() {
                let task = rows[from];
                let to = from + rows[from..].iter().take_while(|row| **row == task).count();
                let mut extensions: Vec<(f32, usize, Token, f32)> = Vec::new();
                for i in from..to {
                    let total = live[i].total;
                    extensions.extend(choices[i].iter().map(|(t, p)| (total + p, i, *t, *p)));
                }
                extensions
                    .sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
                let found = &mut found[task as usize];
                for (_, i, token, log_p) in extensions.into_iter().take(width) {
                    let mut hypothesis = live[i].clone();
                    hypothesis.push(self.vocabulary, token, log_p)?;
                    if hypothesis.complete() {
                        found.push(hypothesis);
                    } else if !beaten(found, width, hypothesis.total) {
                        next.push(hypothesis);
                        kept.push(i as u32);
                    }
                }
                found.sort_by(by_probability);
                found.truncate(width);
                from = to;
            }
            rows = pick(&rows, &kept);
            cache.select(&kept)?;
            live = next;
        }
        Ok(found)
    }
}

/// Whether `width` complete hypotheses are better than one that can only get worse.
fn beaten(found: &[Hypothesis], width: usize, total: f32) -> bool {
    found.iter().filter(|h| h.total >= total).count() >= width
}

fn by_probability(a: &Hypothesis, b: &Hypothesis) -> std::cmp::Ordering {
    b.total.total_cmp(&a.total).then_with(|| a.tree.tokens().cmp(b.tree.tokens()))
}

fn pick<T: Clone>(all: &[T], indices: &[u32]) -> Vec<T> {
    indices.iter().map(|i| all[*i as usize].clone()).collect()
}

fn best(choices: &[Choice]) -> Option<Choice> {
    choices.iter().copied().reduce(|best, other| if other.1 > best.1 { other } else { best })
}

/// Draws from the nucleus with the random number `u` in [0, 1).
fn nucleus(choices: &[Choice], p: f64, temperature: f64, u: f64) -> Option<Choice> {
    let mut sorted = choices.to_vec();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let top = f64::from(sorted.first()?.1);
    let weights: Vec<f64> =
        sorted.iter().map(|(_, log_p)| ((f64::from(*log_p) - top) / temperature).exp()).collect();
    let whole: f64 = weights.iter().sum();
    let mut size = 0;
    let mut mass = 0.0;
    while size < weights.len() && (size == 0 || mass < p * whole) {
        mass += weights[size];
        size += 1;
    }
    let mut left = u * mass;
    for (choice, weight) in sorted.iter().zip(&weights).take(size) {
        if left < *weight {
            return Some(*choice);
        }
        left -= weight;
    }
    sorted.get(size - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nucleus_is_the_smallest_set_with_the_mass() {
        let choices: Vec<Choice> =
            [0.5f32, 0.3, 0.15, 0.05].iter().enumerate().map(|(i, p)| (i as u32, p.ln())).collect();
        let drawn = |p, temperature| -> BTreeSet<Token> {
            (0..100)
                .filter_map(|i| nucleus(&choices, p, temperature, f64::from(i) / 100.0))
                .map(|(token, _)| token)
                .collect()
        };
        assert_eq!(drawn(0.01, 1.0), BTreeSet::from([0]));
        assert_eq!(drawn(0.6, 1.0), BTreeSet::from([0, 1]));
        assert_eq!(drawn(1.0, 1.0), BTreeSet::from([0, 1, 2, 3]));
        assert_eq!(drawn(0.6, 0.1), BTreeSet::from([0]));
        let often =
            (0..100).filter(|i| nucleus(&choices, 0.8, 1.0, f64::from(*i) / 100.0).unwrap().0 == 0);
        assert_eq!(often.count(), 63); // 0.5 / 0.8 = 0.625
    }
}
