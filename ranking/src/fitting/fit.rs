//! Fitting a ranker to matches of which it is known whether a proof used them.

use crate::any::{AnyRanker, Rows};
use crate::example::Example;
use crate::fitting::adamw::{AdamW, Decay};
use crate::fitting::gradient::gradient;
use crate::fitting::lists::{LIST, Lists};
use crate::numbers::table_rows;
use crate::ranker::Ranker;
use crate::weights::Weights;
use anyhow::{Result, ensure};
use egraph::System;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::sync::Arc;
use support::Progress;

/// Lists of a step.
const BATCH: usize = 256;
/// Examples whose gradient one thread computes at a time, in whole lists. The sum of these does not depend on the number of threads.
const SHARE: usize = 64 * LIST;
const LEARNING_RATE: f64 = 2e-3;
/// The rate falls to this share of it.
const LAST_RATE: f64 = 0.02;
const DECAY: Decay = Decay { tables: 1e-2, layers: 1e-2 };
/// Of a ranker for any system. What the systems at hand don't need of the rows for their rules and operators goes to zero: on other
/// systems it would be noise. The layers behind see no system, and need their width (docs/results.md, "Rows are held down, layers are not").
const DECAY_OF_ANY: Decay = Decay { tables: 1.0, layers: 0.1 };
const CLIP: f64 = 1.0;

/// How a fit goes through its examples.
#[derive(Clone, Copy, Debug)]
pub struct Passes {
    /// How often.
    pub epochs: u32,
    /// Of their order, and of the weights at the beginning.
    pub seed: u64,
    /// Whether nothing is shown.
    pub quiet: bool,
}

/// Weights with which the used matches rank above others of their e-graphs, by AdamW, all used ones of `examples` so many times,
/// beginning with those of `from` or at random. The same for the same seed.
///
/// # Errors
/// No e-graph has both a used match and an unused one; or the gradient is no number any more, which no input is known to
/// bring about.
pub fn fit(
    system: &System,
    examples: &[Example],
    from: Option<&Arc<Ranker>>,
    passes: &Passes,
) -> Result<Weights> {
    let weights = match from {
        Some(from) => from.weights.clone(),
        None => Weights::random(table_rows(system), passes.seed),
    };
    let lists = Lists::of(examples);
    descend(weights, DECAY, lists.len(), passes, |weights, picked, rng| {
        let drawn = lists.draw(picked.iter().copied(), 1.0 / picked.len() as f32, rng);
        drawn.par_chunks(SHARE).map(|share| gradient(weights, share)).collect()
    })
}

/// The examples of one system.
pub struct Study<'a> {
    /// The system.
    pub system: &'a System,
    /// What to learn from.
    pub examples: &'a [Example],
}

/// The same for the rankers of all systems at once: each list counts as in [`fit`] on those of its system.
///
/// # Errors
/// As [`fit`].
pub fn fit_any(studies: &[Study<'_>], passes: &Passes) -> Result<Weights> {
    let rows: Vec<Rows> = studies.iter().map(|study| Rows::of(study.system)).collect();
    let lists: Vec<Lists<'_>> = studies.iter().map(|study| Lists::of(study.examples)).collect();
    // By list, the study and the place in it.
    let places = lists.iter().enumerate();
    let places: Vec<(usize, usize)> =
        places.flat_map(|(study, lists)| (0..lists.len()).map(move |list| (study, list))).collect();
    let weights = AnyRanker::random(passes.seed);
    descend(weights, DECAY_OF_ANY, places.len(), passes, |weights, picked, rng| {
        let mut picked: Vec<(usize, usize)> = picked.iter().map(|i| places[*i]).collect();
        let share = 1.0 / picked.len() as f32;
        picked.sort_unstable();
        let of_study: Vec<_> = picked
            .chunk_by(|a, b| a.0 == b.0)
            .map(|of| (of[0].0, lists[of[0].0].draw(of.iter().map(|(_, list)| *list), share, rng)))
            .collect();
        let back = |(study, drawn): &(usize, Vec<_>)| {
            rows[*study].back(gradient(&rows[*study].weights(weights), drawn))
        };
        of_study.par_iter().map(back).collect()
    })
}

/// Weights after going down the gradients of batches of so many `lists`, which `shares` gives as a sum.
fn descend(
    mut weights: Weights,
    decay: Decay,
    lists: usize,
    &Passes { epochs, seed, quiet }: &Passes,
    shares: impl Fn(&Weights, &[usize], &mut ChaCha8Rng) -> Vec<Weights>,
) -> Result<Weights> {
    // Without a list the weights would stay as they began: at random, perhaps.
    ensure!(
        lists > 0,
        "nothing is to be learned: in no e-graph of the examples is there both a match that was used and one that was not"
    );
    let mut optimiser = AdamW::new(&weights, decay);
    let mut order: Vec<usize> = (0..lists).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let batches = lists.div_ceil(BATCH) as u64;
    let steps = batches * u64::from(epochs);
    let progress = Progress::new("steps", steps, quiet);
    for epoch in 0..u64::from(epochs) {
        order.shuffle(&mut rng);
        for (batch, picked) in (0u64..).zip(order.chunks(BATCH)) {
            let done = (epoch * batches + batch) as f64 / steps as f64;
            let rate = LEARNING_RATE * (1.0 - done).max(LAST_RATE);
            let shares = shares(&weights, picked, &mut rng);
            optimiser.update(&mut weights, &shares, rate, CLIP)?;
            progress.advance(1);
        }
    }
    progress.finish();
    Ok(weights)
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

    fn passes(epochs: u32, seed: u64) -> Passes {
        Passes { epochs, seed, quiet: true }
    }

    /// Two matches of one e-graph, of which one was used.
    fn pair() -> [Example; 2] {
        [true, false].map(|used| Example { used, ..example(1) })
    }

    #[test]
    fn what_can_not_be_compared_teaches_nothing() {
        let system = System::parse(RULES).unwrap();
        let used = || Example { used: true, ..example(1) };
        // Alone in its e-graph, with another used one, with unused ones of another e-graph.
        let other = Example { e_graph: 2, used: false, ..example(1) };
        for examples in [vec![], vec![used()], vec![used(), used()], vec![used(), other]] {
            let error = fit(&system, &examples, None, &passes(1, 0)).unwrap_err().to_string();
            assert!(error.starts_with("nothing is to be learned: "), "{error}");
        }
        fit(&system, &pair(), None, &passes(1, 0)).unwrap();
    }

    #[test]
    fn what_was_used_ranks_higher_and_the_file_says_the_same() {
        let system = System::parse(RULES).unwrap();
        let examples: Vec<Example> = (0..2_000).map(example).collect();
        let weights = fit(&system, &examples, None, &passes(400, 3)).unwrap();
        let ranker = Ranker::new(&system, weights, "a test".into(), Default::default());
        // Of each e-graph, every used match above all others.
        let apart = |net: &Weights| {
            let ranks = |e_graph: u32, used: bool| {
                let of = examples.iter().filter(move |e| e.e_graph == e_graph && e.used == used);
                of.map(|example| net.score(&example.seen))
            };
            (0..5).all(|e_graph| {
                ranks(e_graph, true).reduce(f32::min) > ranks(e_graph, false).reduce(f32::max)
            })
        };
        assert!(apart(&ranker.weights) && !apart(&Weights::random(table_rows(&system), 3)));
        let read = Ranker::read("r.json", &ranker.text().unwrap(), &system).unwrap();
        assert_eq!(read, ranker);
        assert_eq!(fit(&system, &examples, None, &passes(400, 3)).unwrap(), ranker.weights);
        // What begins where this one ended still knows it after one step.
        let from = Some(&Arc::new(ranker));
        assert!(apart(&fit(&system, &examples, from, &passes(1, 4)).unwrap()));
    }

    #[test]
    fn other_systems_and_damage_are_refused() {
        let system = System::parse(RULES).unwrap();
        let weights = fit(&system, &pair(), None, &passes(1, 0)).unwrap();
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
