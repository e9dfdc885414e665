//! Fitting a ranker to matches of which it is known whether a proof used them.

use crate::network::parameters::{Init, Parameters};
use crate::network::threads::one_thread_per_operation;
use crate::ranking::numbers::{Numbers, PICKS, SET, SETS, VALUES, table_rows};
use crate::ranking::ranker::Ranker;
use crate::ranking::weights::{WIDTHS, Weights};
use crate::training::adamw::AdamW;
use anyhow::{Context, Result};
use candle_core::{Device, Tensor, Var};
use egraph::System;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use support::Progress;

/// A match that was applied while an e-graph grew in which a proof was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// Which e-graph.
    pub e_graph: u32,
    /// Whether the proof uses the match.
    pub used: bool,
    /// What the match looked like.
    pub seen: Numbers,
}

const BATCH: usize = 4_096;
const LEARNING_RATE: f64 = 2e-3;
/// The rate falls to this share of it.
const LAST_RATE: f64 = 0.02;
const WEIGHT_DECAY: f64 = 1e-2;
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
    one_thread_per_operation();
    let device = Device::Cpu;
    let mut parameters = Parameters::random(seed, &device);
    let network = Network::new(&mut parameters, table_rows(system))?;
    let vars = parameters.finish()?;
    if let Some(from) = from {
        set_weights(&vars, &from.weights, &device)?;
    }
    let mut optimiser = AdamW::new(&vars, WEIGHT_DECAY)?;
    let weights = weights(examples);
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let batches = examples.len().div_ceil(BATCH) as u64;
    let steps = batches * u64::from(epochs);
    let progress = Progress::new("steps", steps, quiet);
    for epoch in 0..u64::from(epochs) {
        order.shuffle(&mut rng);
        for (batch, picked) in (0u64..).zip(order.chunks(BATCH)) {
            let done = (epoch * batches + batch) as f64 / steps as f64;
            let rate = LEARNING_RATE * (1.0 - done).max(LAST_RATE);
            let loss = network.loss(examples, &weights, picked, &device)?;
            let gradients = loss.backward()?;
            let gradient = |(name, var): (&String, &Var)| {
                Some((name.clone(), gradients.get(var.as_tensor())?.clone()))
            };
            let gradients: BTreeMap<String, Tensor> = vars.iter().filter_map(gradient).collect();
            optimiser.update(&vars, &gradients, rate, CLIP)?;
            progress.advance(1);
        }
    }
    progress.finish();
    network_weights(&vars)
}

/// What each example counts.
fn weights(examples: &[Example]) -> Vec<f32> {
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    examples.iter().for_each(|example| *counts.entry(example.e_graph).or_default() += 1);
    let mean = examples.len() as f32 / counts.len().max(1) as f32;
    let (least, most) = WEIGHT_OF_EXAMPLE;
    let weight = |example: &Example| (mean / counts[&example.e_graph] as f32).clamp(least, most);
    examples.iter().map(weight).collect()
}

/// The network of `ranker`, as tensors with gradients.
struct Network {
    tables: Vec<Tensor>,
    sets: Vec<Tensor>,
    values: Tensor,
    first_bias: Tensor,
    second: Tensor,
    second_bias: Tensor,
    last: Tensor,
    last_bias: Tensor,
}

const NAMES: [&str; 6] = ["values", "first_bias", "second", "second_bias", "last", "last_bias"];

fn table(i: usize) -> String {
    format!("table{i}")
}

fn set(i: usize) -> String {
    format!("set{i}")
}

impl Network {
    fn new(parameters: &mut Parameters, rows: [usize; PICKS]) -> Result<Network> {
        let [first, second] = WIDTHS;
        let mut tables = Vec::new();
        for (i, rows) in rows.into_iter().enumerate() {
            tables.push(parameters.get(&table(i), &[rows, first], Init::Normal(0.1))?);
        }
        let mut sets = Vec::new();
        for i in 0..SETS {
            sets.push(parameters.get(&set(i), &[SET, first], Init::Normal(0.1))?);
        }
        let normal = |inputs: usize| Init::Normal((1.0 / inputs as f64).sqrt());
        let [values, first_bias, second_name, second_bias, last, last_bias] = NAMES;
        Ok(Network {
            tables,
            sets,
            values: parameters.get(values, &[VALUES, first], normal(VALUES))?,
            first_bias: parameters.get(first_bias, &[first], Init::Zeros)?,
            second: parameters.get(second_name, &[first, second], normal(first))?,
            second_bias: parameters.get(second_bias, &[second], Init::Zeros)?,
            last: parameters.get(last, &[second, 1], normal(second))?,
            last_bias: parameters.get(last_bias, &[1], Init::Zeros)?,
        })
    }

    /// The weighted mean of −ln p(used or not), over the examples that are picked.
    fn loss(
        &self,
        examples: &[Example],
        weights: &[f32],
        picked: &[usize],
        device: &Device,
    ) -> Result<Tensor> {
        let n = picked.len();
        let of = |i: usize| &examples[picked[i]];
        let values: Vec<f32> = (0..n).flat_map(|i| of(i).seen.values).collect();
        let values = Tensor::from_vec(values, (n, VALUES), device)?; // [n, VALUES]
        let mut hidden = values.matmul(&self.values)?.broadcast_add(&self.first_bias)?;
        for (place, table) in self.tables.iter().enumerate() {
            let picks: Vec<u32> = (0..n).map(|i| u32::from(of(i).seen.picks[place])).collect();
            let rows = table.index_select(&Tensor::from_vec(picks, n, device)?, 0)?;
            hidden = (hidden + rows)?; // [n, first]
        }
        for (place, table) in self.sets.iter().enumerate() {
            let bits = |i: usize| {
                let set = of(i).seen.sets[place];
                (0..SET).map(move |bit| (set >> bit & 1) as f32)
            };
            let bits = Tensor::from_vec((0..n).flat_map(bits).collect(), (n, SET), device)?;
            hidden = (hidden + bits.matmul(table)?)?;
        }
        let hidden = hidden.relu()?.matmul(&self.second)?.broadcast_add(&self.second_bias)?;
        let logits = hidden.relu()?.matmul(&self.last)?.broadcast_add(&self.last_bias)?;
        let logits = logits.squeeze(1)?; // [n]
        let used: Vec<f32> = (0..n).map(|i| f32::from(u8::from(of(i).used))).collect();
        let used = Tensor::from_vec(used, n, device)?;
        // ln(1 + eˣ) − x·used, without large powers.
        let softplus = (logits.relu()? + (logits.abs()?.neg()?.exp()? + 1.0)?.log()?)?;
        let losses = (softplus - (logits * used)?)?;
        let weights: Vec<f32> = picked.iter().map(|&i| weights[i]).collect();
        Ok((losses * Tensor::from_vec(weights, n, device)?)?.mean_all()?)
    }
}

fn set_weights(vars: &BTreeMap<String, Var>, weights: &Weights, device: &Device) -> Result<()> {
    let [values, first_bias, second, second_bias, last, last_bias] = NAMES;
    let tables = (0..).map(table).zip(&weights.tables);
    let sets = (0..).map(set).zip(&weights.sets);
    let bias = vec![weights.last_bias];
    let others = [
        (values, &weights.values),
        (first_bias, &weights.first_bias),
        (second, &weights.second),
        (second_bias, &weights.second_bias),
        (last, &weights.last),
        (last_bias, &bias),
    ];
    let others = others.map(|(name, numbers)| (name.to_owned(), numbers));
    for (name, numbers) in tables.chain(sets).chain(others) {
        let var = vars.get(&name).with_context(|| format!("no parameter {name}"))?;
        var.set(&Tensor::from_slice(numbers, var.shape(), device)?)?;
    }
    Ok(())
}

fn network_weights(vars: &BTreeMap<String, Var>) -> Result<Weights> {
    let numbers = |name: &str| -> Result<Vec<f32>> {
        let var = vars.get(name).with_context(|| format!("no parameter {name}"))?;
        Ok(var.flatten_all()?.to_vec1()?)
    };
    let mut tables: [Vec<f32>; PICKS] = Default::default();
    for (i, weights) in tables.iter_mut().enumerate() {
        *weights = numbers(&table(i))?;
    }
    let mut sets: [Vec<f32>; SETS] = Default::default();
    for (i, weights) in sets.iter_mut().enumerate() {
        *weights = numbers(&set(i))?;
    }
    let [values, first_bias, second, second_bias, last, last_bias] = NAMES;
    Ok(Weights {
        tables,
        sets,
        values: numbers(values)?,
        first_bias: numbers(first_bias)?,
        second: numbers(second)?,
        second_bias: numbers(second_bias)?,
        last: numbers(last)?,
        last_bias: numbers(last_bias)?[0],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let other = System::parse(&format!("{RULES} (op f (I) I)")).unwrap();
        assert!(refused(&text, &other).contains("another rewrite system"));
        assert!(refused("{}", &system).starts_with("r.json holds no ranker: "));
        // What it holds otherwise is not looked at.
        let newer = text.replace("cairn ranker 4", "cairn ranker 9").replace("tables", "rows");
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
