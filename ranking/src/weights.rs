//! The weights of a ranker: a table for each pick and each set, and the layers.

use crate::numbers::{PICKS, SET, SETS, VALUES};
use anyhow::{Result, ensure};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use support::random::normal;

/// Widths of the two layers.
pub const WIDTHS: [usize; 2] = [64, 32];
pub(crate) const FIRST: usize = WIDTHS[0];
pub(crate) const SECOND: usize = WIDTHS[1];

/// The sums of the first layer.
pub(crate) type First = [f32; FIRST];

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Rows by what is picked, or by operator of a set.
    Table,
    /// What a layer multiplies its inputs by.
    Layer,
    /// What a layer adds.
    Bias,
}

/// The numbers of a ranker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// By pick: [rows, WIDTHS[0]].
    pub tables: [Vec<f32>; PICKS],
    /// By set: [SET, WIDTHS[0]].
    pub sets: [Vec<f32>; SETS],
    /// [VALUES, WIDTHS[0]].
    pub values: Vec<f32>,
    /// [WIDTHS[0]].
    pub first_bias: Vec<f32>,
    /// [WIDTHS[0], WIDTHS[1]].
    pub second: Vec<f32>,
    /// [WIDTHS[1]].
    pub second_bias: Vec<f32>,
    /// [WIDTHS[1]].
    pub last: Vec<f32>,
    /// A number.
    pub last_bias: f32,
}

impl Weights {
    /// Zeros, with tables of so many rows.
    pub(crate) fn zeros(rows: [usize; PICKS]) -> Weights {
        Weights {
            tables: rows.map(|rows| vec![0.0; rows * FIRST]),
            sets: [SET; SETS].map(|operators| vec![0.0; operators * FIRST]),
            values: vec![0.0; VALUES * FIRST],
            first_bias: vec![0.0; FIRST],
            second: vec![0.0; FIRST * SECOND],
            second_bias: vec![0.0; SECOND],
            last: vec![0.0; SECOND],
            last_bias: 0.0,
        }
    }

    /// Weights to begin with: small at random, and biases of zero.
    pub(crate) fn random(rows: [usize; PICKS], seed: u64) -> Weights {
        let mut weights = Weights::zeros(rows);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let deviation = |inputs: usize| (1.0 / inputs as f64).sqrt();
        let Weights { tables, sets, values, second, last, .. } = &mut weights;
        let picked = tables.iter_mut().chain(sets).map(|table| (table, 0.1));
        let others =
            [(values, deviation(VALUES)), (second, deviation(FIRST)), (last, deviation(SECOND))];
        for (table, deviation) in picked.chain(others) {
            table.fill_with(|| normal(&mut rng, deviation));
        }
        weights
    }

    /// How many rows its tables have.
    pub(crate) fn rows(&self) -> [usize; PICKS] {
        self.tables.each_ref().map(|table| table.len() / FIRST)
    }

    /// All of its numbers, by parameter, and what each is.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = (&[f32], Part)> {
        let Weights { values, second, last, first_bias, second_bias, last_bias, .. } = self;
        let tables = self.tables.iter().chain(&self.sets);
        let biases = [&first_bias[..], &second_bias[..], std::slice::from_ref(last_bias)];
        let tables = tables.map(|table| (&table[..], Part::Table));
        let layers = [values, second, last].map(|layer| (&layer[..], Part::Layer));
        tables.chain(layers).chain(biases.map(|bias| (bias, Part::Bias)))
    }

    /// The same, to be changed.
    pub(crate) fn parameters_mut(&mut self) -> impl Iterator<Item = (&mut [f32], Part)> {
        let Weights { values, second, last, first_bias, second_bias, last_bias, .. } = self;
        let tables = self.tables.iter_mut().chain(&mut self.sets);
        let biases = [&mut first_bias[..], &mut second_bias[..], std::slice::from_mut(last_bias)];
        let tables = tables.map(|table| (&mut table[..], Part::Table));
        let layers = [values, second, last].map(|layer| (&mut layer[..], Part::Layer));
        tables.chain(layers).chain(biases.map(|bias| (bias, Part::Bias)))
    }

    /// # Errors
    /// A table has another number of rows than these, or a number that is of no use.
    pub(crate) fn check(&self, rows: [usize; PICKS]) -> Result<()> {
        let [first, second] = WIDTHS;
        let shapes = self.tables.iter().zip(rows).map(|(table, rows)| (table, rows * first));
        let [own, other] = &self.sets;
        let others = [
            (own, SET * first),
            (other, SET * first),
            (&self.values, VALUES * first),
            (&self.first_bias, first),
            (&self.second, first * second),
            (&self.second_bias, second),
            (&self.last, second),
        ];
        for (weights, expected) in shapes.chain(others) {
            ensure!(
                weights.len() == expected,
                "a table of {} weights: expected {expected}",
                weights.len()
            );
            // With these no sum overflows.
            ensure!(weights.iter().all(|w| w.abs() < 1e6), "a weight is no number of use");
        }
        ensure!(self.last_bias.abs() < 1e6, "a weight is no number of use");
        Ok(())
    }

    /// What the first layer has of sets of operators, and its bias.
    pub(crate) fn of_sets(&self, sets: [u64; SETS]) -> First {
        let mut first = [0.0; FIRST];
        first.copy_from_slice(&self.first_bias);
        for (table, set) in self.sets.iter().zip(sets) {
            for operator in (0..SET).filter(|operator| set >> operator & 1 == 1) {
                add(&mut first, &table[operator * FIRST..]);
            }
        }
        first
    }
}

/// Adds the first row of a table.
#[inline(always)] // with the vectors of where it is called
pub(crate) fn add(sums: &mut First, rows: &[f32]) {
    sums.iter_mut().zip(&rows[..FIRST]).for_each(|(sum, w)| *sum += w);
}
