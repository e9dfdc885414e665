//! The layers of a ranker, for many matches at a time: the rows that a match picks are added one by one, and
//! what is left are products of matrices.

use crate::numbers::{Numbers, PICKS, SETS, VALUES};
use crate::weights::{FIRST, First, SECOND, Weights, add};
use matrices::{Matrix, Product};
use pulp::{Arch, Simd, WithSimd};

/// Matches at a time: what is known of them stays in the nearest caches. A rank does not depend on it.
pub(crate) const TOGETHER: usize = 64;
/// Sums of the last layer that are added up side by side, on every processor.
const LANES: usize = 16;

/// Matches on their way through the layers. Room that is used again.
#[derive(Default)]
pub(crate) struct Layers {
    /// By match: which of the sums in `of_sets`, and the rows of the tables.
    rows: Vec<(usize, [u16; PICKS])>,
    /// By match. `[n, VALUES]`
    pub(crate) values: Vec<f32>,
    /// `[n, FIRST]`
    pub(crate) first: Vec<f32>,
    /// `[n, SECOND]`
    pub(crate) second: Vec<f32>,
    /// What the first layer has of sets of operators: most matches of an e-graph have the same ones, or these
    /// the other way round.
    of_sets: Vec<([u64; SETS], First)>,
}

impl Layers {
    /// One more match.
    #[inline]
    pub(crate) fn push(&mut self, weights: &Weights, seen: &Numbers) {
        let place = self.of_sets.iter().position(|(sets, _)| *sets == seen.sets);
        let place = place.unwrap_or_else(|| {
            self.of_sets.push((seen.sets, weights.of_sets(seen.sets)));
            self.of_sets.len() - 1
        });
        self.rows.push((place, seen.picks));
        self.values.extend_from_slice(&seen.values);
    }

    /// Computes the two hidden layers of the matches, and no ranks.
    pub(crate) fn hide(&mut self, weights: &Weights) {
        Arch::new().dispatch(Forward { layers: self, weights, ranks: None });
    }

    /// Appends the ranks of the matches, which are forgotten then; what sets come to is not.
    pub(crate) fn rank(&mut self, weights: &Weights, ranks: &mut Vec<f32>) {
        Arch::new().dispatch(Forward { layers: self, weights, ranks: Some(ranks) });
        self.rows.clear();
        self.values.clear();
    }
}

/// The layers, one after the other; the last one where ranks are wanted.
struct Forward<'a> {
    layers: &'a mut Layers,
    weights: &'a Weights,
    ranks: Option<&'a mut Vec<f32>>,
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Forward { layers: Layers { rows, values, first, second, of_sets }, weights, ranks } =
            self;
        first.clear();
        second.clear();
        for (place, picks) in &*rows {
            let mut sums = of_sets[*place].1;
            for (table, &pick) in weights.tables.iter().zip(picks) {
                add(&mut sums, &table[usize::from(pick) * FIRST..]);
            }
            first.extend_from_slice(&sums);
            second.extend_from_slice(&weights.second_bias);
        }
        layer(simd, (values, &weights.values, first), (VALUES, FIRST));
        layer(simd, (first, &weights.second, second), (FIRST, SECOND));
        let Some(ranks) = ranks else { return };
        // A loop: an iterator's closure would be compiled without the vectors.
        for row in second.chunks_exact(SECOND) {
            ranks.push(weights.last_bias + dot(row, &weights.last));
        }
    }
}

/// `c = relu(c + a · b)`: b is k × m.
#[inline(always)] // with the vectors of where it is called
fn layer<S: Simd>(simd: S, (a, b, c): (&[f32], &[f32], &mut [f32]), (k, m): (usize, usize)) {
    let n = c.len() / m;
    let [a, b] = [Matrix::rows(a, k), Matrix::rows(b, m)];
    Product { sizes: (n, k, m), a, b, c: (c, m), add: true }.with_simd(simd);
    c.iter_mut().for_each(|x| *x = x.max(0.0));
}

/// The sum of products, in an order that does not depend on the processor.
#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        (0..LANES).for_each(|i| sums[i] += a[i] * b[i]);
    }
    let mut lanes = LANES;
    while lanes > 1 {
        lanes /= 2;
        (0..lanes).for_each(|i| sums[i] += sums[i + lanes]);
    }
    sums[0]
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
