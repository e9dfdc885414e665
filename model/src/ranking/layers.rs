//! The layers of a ranker, for many matches at a time: the rows that a match picks are added one by one, and
//! what is left are products of matrices.

use crate::network::ops::product::{Matrix, Product};
use crate::ranking::numbers::{Numbers, SETS, VALUES};
use crate::ranking::weights::{FIRST, First, SECOND, Weights, add};
use pulp::{Arch, Simd, WithSimd};

/// Matches at a time: what is known of them stays in the nearest caches. A rank does not depend on it.
pub(crate) const TOGETHER: usize = 128;

/// Matches on their way through the layers. Room that is used again.
#[derive(Default)]
pub(crate) struct Layers {
    /// By match. `[n, VALUES]`
    values: Vec<f32>,
    /// First what tables and sets say of each. `[n, FIRST]`
    first: Vec<f32>,
    /// `[n, SECOND]`
    second: Vec<f32>,
    /// What the first layer has of sets of operators: most matches of an e-graph have the same ones, or these
    /// the other way round.
    of_sets: Vec<([u64; SETS], First)>,
}

impl Layers {
    /// Forgets the matches, not what sets come to.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.first.clear();
    }

    /// One more match.
    pub(crate) fn push(&mut self, weights: &Weights, seen: &Numbers) {
        let place = self.of_sets.iter().position(|(sets, _)| *sets == seen.sets);
        let place = place.unwrap_or_else(|| {
            self.of_sets.push((seen.sets, weights.of_sets(seen.sets)));
            self.of_sets.len() - 1
        });
        let mut first = self.of_sets[place].1;
        for (table, &pick) in weights.tables.iter().zip(&seen.picks) {
            add(&mut first, &table[usize::from(pick) * FIRST..]);
        }
        self.first.extend_from_slice(&first);
        self.values.extend_from_slice(&seen.values);
    }

    /// Appends the ranks of the matches. What has gone through the first layer is no use after it.
    pub(crate) fn rank(&mut self, weights: &Weights, ranks: &mut Vec<f32>) {
        let n = self.values.len() / VALUES;
        self.second.clear();
        (0..n).for_each(|_| self.second.extend_from_slice(&weights.second_bias));
        let at = ranks.len();
        ranks.resize(at + n, weights.last_bias);
        Arch::new().dispatch(Forward { layers: self, weights, n, ranks: &mut ranks[at..] });
    }
}

/// The three layers, one after the other.
struct Forward<'a> {
    layers: &'a mut Layers,
    weights: &'a Weights,
    n: usize,
    /// Each the last bias.
    ranks: &'a mut [f32],
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Forward { layers: Layers { values, first, second, .. }, weights, n, ranks } = self;
        layer(simd, n, (values, &weights.values, first), (VALUES, FIRST));
        first.iter_mut().for_each(|x| *x = x.max(0.0));
        layer(simd, n, (first, &weights.second, second), (FIRST, SECOND));
        second.iter_mut().for_each(|x| *x = x.max(0.0));
        layer(simd, n, (second, &weights.last, ranks), (SECOND, 1));
    }
}

/// `c += a · b`, of n rows.
#[inline(always)] // with the vectors of where it is called
fn layer<S: Simd>(
    simd: S,
    n: usize,
    (a, b, c): (&[f32], &[f32], &mut [f32]),
    (k, m): (usize, usize),
) {
    let [a, b] = [Matrix::rows(a, k), Matrix::rows(b, m)];
    Product { sizes: (n, k, m), a, b, c: (c, m), add: true }.with_simd(simd);
}

#[cfg(test)]
impl Weights {
    /// How promising a match is.
    pub(crate) fn score(&self, seen: &Numbers) -> f32 {
        let (mut layers, mut ranks) = (Layers::default(), Vec::new());
        layers.push(self, seen);
        layers.rank(self, &mut ranks);
        ranks[0]
    }
}
