//! The network: one row of each table and the weighted values are added, and two small layers say how
//! promising the match is.
//!
//! rank = w₃ · relu(W₂ relu(Σ table[pick] + Σ set[operator] + W₁ᵀ values + b₁) + b₂) + b₃
//!
//! A file of JSON holds it, small enough to be shipped with a rewrite system, and sealed: nothing else would
//! tell of seeds that it has seen no more.

use crate::ranking::numbers::{Numbers, PICKS, SET, SETS, VALUES, numbers, table_rows};
use anyhow::{Context, Result, anyhow, ensure};
use dataset_gen::SeenSeeds;
use egraph::{MatchOrder, MatchView, System};
use serde::{Deserialize, Serialize};
use support::{seal_json, unseal_json};

/// Widths of the two layers.
pub const WIDTHS: [usize; 2] = [64, 32];
const FIRST: usize = WIDTHS[0];
const SECOND: usize = WIDTHS[1];
/// The sums of the first layer.
type First = [f32; FIRST];
const FORMAT: &str = "cairn ranker 3";

/// A ranker for one rewrite system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ranker {
    format: String,
    /// Hash of the rewrite system.
    pub system_hash: String,
    /// How it came about, for people.
    pub origin: String,
    /// The seeds of the tasks that it was trained and chosen on.
    pub seen: SeenSeeds,
    pub(crate) weights: Weights,
}

#[derive(Deserialize)]
struct Format {
    format: String,
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

impl Ranker {
    /// A ranker with given weights.
    pub fn new(system: &System, weights: Weights, origin: String, seen: SeenSeeds) -> Ranker {
        let format = FORMAT.to_owned();
        Ranker { format, system_hash: system.hash.clone(), origin, seen, weights }
    }

    /// Reads a ranker for a system; `name` is that of the file, for messages.
    ///
    /// # Errors
    /// It is no ranker, of another version, not as it was written, for another system, or its weights don't
    /// fit.
    pub fn read(name: &str, text: &str, system: &System) -> Result<Ranker> {
        let none = |e: serde_json::Error| anyhow!("{name} holds no ranker: {e}");
        // First alone: other formats have other weights.
        let Format { format } = serde_json::from_str(text).map_err(none)?;
        ensure!(format == FORMAT, "{name} has the format {format:?}: expected {FORMAT:?}");
        let ranker: Ranker = serde_json::from_str(&unseal_json(name, text)?).map_err(none)?;
        ensure!(
            ranker.system_hash == system.hash,
            "{name} was learned for another rewrite system: its hash is {}, but that of the system \
             in use is {}",
            ranker.system_hash,
            system.hash
        );
        ranker.weights.check(system).with_context(|| name.to_owned())?;
        Ok(ranker)
    }

    /// The text of its file.
    ///
    /// # Errors
    /// None that are known of.
    pub fn text(&self) -> Result<String> {
        Ok(seal_json(&serde_json::to_string(self)?))
    }
}

impl MatchOrder for Ranker {
    fn rank(&self, matches: &[MatchView], ranks: &mut Vec<f32>) {
        // Most matches of an e-graph have the same sets, or these the other way round.
        let mut known: Vec<([u64; SETS], First)> = Vec::new();
        for seen in matches {
            let seen = numbers(seen);
            let place = known.iter().position(|(sets, _)| *sets == seen.sets);
            let place = place.unwrap_or_else(|| {
                known.push((seen.sets, self.weights.of_sets(seen.sets)));
                known.len() - 1
            });
            ranks.push(self.weights.score(&seen, &known[place].1));
        }
    }
}

impl Weights {
    fn check(&self, system: &System) -> Result<()> {
        let [first, second] = WIDTHS;
        let rows = table_rows(system);
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

    /// How promising a match is, whose sets come to `of_sets`.
    pub(crate) fn score(&self, seen: &Numbers, of_sets: &First) -> f32 {
        let mut first = *of_sets;
        for (table, &pick) in self.tables.iter().zip(&seen.picks) {
            add(&mut first, &table[usize::from(pick) * FIRST..]);
        }
        for (&value, row) in seen.values.iter().zip(self.values.chunks_exact(FIRST)) {
            first.iter_mut().zip(row).for_each(|(sum, w)| *sum += value * w);
        }
        let mut second = [0.0; SECOND];
        second.copy_from_slice(&self.second_bias);
        for (&value, row) in first.iter().zip(self.second.chunks_exact(SECOND)) {
            if value > 0.0 {
                second.iter_mut().zip(row).for_each(|(sum, w)| *sum += value * w);
            }
        }
        let weighted = second.iter().zip(&self.last).map(|(value, w)| value.max(0.0) * w);
        self.last_bias + weighted.sum::<f32>()
    }
}

/// Adds the first row of a table.
#[inline]
fn add(sums: &mut First, rows: &[f32]) {
    sums.iter_mut().zip(&rows[..FIRST]).for_each(|(sum, w)| *sum += w);
}
