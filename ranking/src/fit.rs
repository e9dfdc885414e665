//! Fitting a ranker to matches of which it is known whether a proof used them.

use crate::adamw::AdamW;
use crate::any::{AnyRanker, Rows};
use crate::example::Example;
use crate::gradient::gradient;
use crate::numbers::table_rows;
use crate::ranker::Ranker;
use crate::weights::Weights;
use anyhow::Result;
use egraph::System;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use support::Progress;

const BATCH: usize = 4_096;
/// Examples whose gradient one thread computes at a time. The sum of these does not depend on the number of threads.
const SHARE: usize = 1_024;
const LEARNING_RATE: f64 = 2e-3;
/// The rate falls to this share of it.
const LAST_RATE: f64 = 0.02;
const WEIGHT_DECAY: f64 = 1e-2;
/// Of a ranker for any system, whose weights must be worth something on systems that it never saw: what the systems at hand
/// don't need goes to zero (docs/results.md, "What its features can say").
const WEIGHT_DECAY_OF_ANY: f64 = 1.0;
const CLIP: f64 = 1.0;
/// E-graphs count alike, whatever their number of matches, up to these shares of the mean.
const WEIGHT_OF_EXAMPLE: (f32, f32) = (0.2, 5.0);

/// Weights with which the used matches rank high: logistic regression over the network, by AdamW, the
/// whole of `examples` so many times, beginning with those of `from` or at random. The same for the same seed.
///
/// # Errors
/// The gradient is no number any more, which no input is known to bring about.
pub fn fit(
    system: &System,
    examples: &[Example],
    epochs: u32,
    seed: u64,
    from: Option<&Arc<Ranker>>,
    quiet: bool,
) -> Result<Weights> {
    let weights = match from {
        Some(from) => from.weights.clone(),
        None => Weights::random(table_rows(system), seed),
    };
    let (counts, course) = (counts(examples), Course { epochs, seed, quiet });
    descend(weights, WEIGHT_DECAY, examples.len(), &course, |weights, picked| {
        let of = |&i: &usize| (&examples[i], counts[i] / picked.len() as f32);
        let share = |share: &[usize]| gradient(weights, &share.iter().map(of).collect::<Vec<_>>());
        picked.par_chunks(SHARE).map(share).collect()
    })
}

/// The examples of one system.
pub struct Study<'a> {
    /// The system.
    pub system: &'a System,
    /// What to learn from.
    pub examples: &'a [Example],
}

/// The same for the rankers of all systems at once: each example counts as in [`fit`] on those of its system.
///
/// # Errors
/// As [`fit`].
pub fn fit_any(studies: &[Study<'_>], course: &Course) -> Result<Weights> {
    let rows: Vec<Rows> = studies.iter().map(|study| Rows::of(study.system)).collect();
    let counts: Vec<Vec<f32>> = studies.iter().map(|study| counts(study.examples)).collect();
    // By example, the study and the place in it.
    let places = studies.iter().zip(0u32..);
    let places: Vec<(u32, u32)> = places
        .flat_map(|(study, number)| (0..study.examples.len() as u32).map(move |i| (number, i)))
        .collect();
    let (weights, decay) = (AnyRanker::random(course.seed), WEIGHT_DECAY_OF_ANY);
    descend(weights, decay, places.len(), course, |weights, picked| {
        let mut picked: Vec<(u32, u32)> = picked.iter().map(|i| places[*i]).collect();
        let all = picked.len() as f32;
        picked.sort_unstable();
        let of_study: Vec<&[(u32, u32)]> = picked.chunk_by(|a, b| a.0 == b.0).collect();
        let share = |picked: &&[(u32, u32)]| {
            let number = picked[0].0 as usize;
            let of = |&(_, i): &(u32, u32)| {
                let i = i as usize;
                (&studies[number].examples[i], counts[number][i] / all)
            };
            let weights = rows[number].weights(weights);
            rows[number].back(gradient(&weights, &picked.iter().map(of).collect::<Vec<_>>()))
        };
        of_study.par_iter().map(share).collect()
    })
}

/// How a fit goes through its examples.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// How often.
    pub epochs: u32,
    /// Of their order, and of the weights at the beginning.
    pub seed: u64,
    /// Whether nothing is shown.
    pub quiet: bool,
}

/// Weights after going down the gradients of batches of `examples`, which `shares` gives as a sum.
fn descend(
    mut weights: Weights,
    decay: f64,
    examples: usize,
    &Course { epochs, seed, quiet }: &Course,
    shares: impl Fn(&Weights, &[usize]) -> Vec<Weights>,
) -> Result<Weights> {
    let mut optimiser = AdamW::new(&weights, decay);
    let mut order: Vec<usize> = (0..examples).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let batches = examples.div_ceil(BATCH) as u64;
    let steps = batches * u64::from(epochs);
    let progress = Progress::new("steps", steps, quiet);
    for epoch in 0..u64::from(epochs) {
        order.shuffle(&mut rng);
        for (batch, picked) in (0u64..).zip(order.chunks(BATCH)) {
            let done = (epoch * batches + batch) as f64 / steps as f64;
            let rate = LEARNING_RATE * (1.0 - done).max(LAST_RATE);
            let shares = shares(&weights, picked);
            optimiser.update(&mut weights, &shares, rate, CLIP)?;
            progress.advance(1);
        }
    }
    progress.finish();
    Ok(weights)
}

/// What each example counts.
fn counts(examples: &[Example]) -> Vec<f32> {
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    examples.iter().for_each(|example| *counts.entry(example.e_graph).or_default() += 1);
    let mean = examples.len() as f32 / counts.len().max(1) as f32;
    let (least, most) = WEIGHT_OF_EXAMPLE;
    let count = |example: &Example| (mean / counts[&example.e_graph] as f32).clamp(least, most);
    examples.iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::{Numbers, VALUES};

    const RULES: &str = "(sort I) (literal i64 I) (variable I) (op + (I I) I)
        (rewrite (+ ?a ?b) (+ ?b ?a))
        (rewrite (+ ?a 0) ?a)";

    fn example(i: u32) -> Example {
        let picks = [(i % 2) as u16, 0, 0, 0, 0, 0, 0];
        let mut seen =
            Numbers { picks, values: [0.0; VALUES], sets: [u64::from(i.is_multiple_of(3)), 0] };
        seen.values[0] = (i % 7) as f32 / 3.0 - 1.0;
        // Used: rule 1 where the first value is small, and rule 0 where it is large; the other way
        // round with an operator.
        let small = (seen.values[0] < 0.0) != (seen.sets[0] == 1);
        Example { e_graph: i % 5, used: small == (i % 2 == 1), seen }
    }

    #[test]
    fn what_was_used_ranks_higher_and_the_file_says_the_same() {
        let system = System::parse(RULES).unwrap();
        let examples: Vec<Example> = (0..2_000).map(example).collect();
        let weights = fit(&system, &examples, 400, 3, None, true).unwrap();
        let ranker = Ranker::new(&system, weights, "a test".into(), Default::default());
        let net = &ranker.weights;
        let score = |e: &Example| net.score(&e.seen);
        let right = |e: &&Example| (score(e) > 0.0) == e.used;
        assert_eq!(examples.iter().filter(right).count(), examples.len());
        let read = Ranker::read("r.json", &ranker.text().unwrap(), &system).unwrap();
        assert_eq!(read, ranker);
        assert_eq!(fit(&system, &examples, 400, 3, None, true).unwrap(), ranker.weights);
        // What begins where this one ended still knows it after one step.
        let from = Some(&Arc::new(ranker));
        let on = fit(&system, &examples, 1, 4, from, true).unwrap();
        let right = |e: &&Example| (on.score(&e.seen) > 0.0) == e.used;
        assert!(examples.iter().filter(right).count() > 1_950);
    }

    #[test]
    fn other_systems_and_damage_are_refused() {
        let system = System::parse(RULES).unwrap();
        let weights = fit(&system, &[example(1), example(2)], 1, 0, None, true).unwrap();
        let ranker = Ranker::new(&system, weights, "a test".into(), Default::default());
        let text = ranker.text().unwrap();
        let refused = |text: &str, system: &System| {
            format!("{:#}", Ranker::read("r.json", text, system).unwrap_err())
        };
        let other = System::parse(&RULES.replace('+', "*")).unwrap();
        assert!(refused(&text, &other).contains("another rewrite system"));
        assert!(refused("{}", &system).starts_with("r.json holds no ranker: "));
        // What it holds otherwise is not looked at.
        let newer = text.replace("cairn ranker 5", "cairn ranker 9").replace("tables", "rows");
        assert!(refused(&newer, &system).contains("has the format \"cairn ranker 9\""));
        // An earlier format is read as it is; its hash stays.
        let old = Ranker { format: "cairn ranker 3".into(), ..ranker.clone() };
        let old = old.text().unwrap();
        assert_eq!(Ranker::read("r.json", &old, &system).unwrap().text().unwrap(), old);
        // Seeds that it has seen are not taken away.
        let mut ranker = ranker;
        ranker.seen.literals = true;
        let text = ranker.text().unwrap();
        for (from, to) in [("\"literals\":true", "\"literals\":false"), ("a test", "b test")] {
            let damaged = refused(&text.replace(from, to), &system);
            assert!(damaged.starts_with("r.json is not as it was written"), "{damaged}");
        }
        let mut short = ranker.clone();
        short.weights.last.pop();
        assert!(refused(&short.text().unwrap(), &system).contains("31 weights: expected 32"));
        let mut large = ranker;
        large.weights.last_bias = 1e7;
        assert!(refused(&large.text().unwrap(), &system).contains("no number of use"));
    }
}
