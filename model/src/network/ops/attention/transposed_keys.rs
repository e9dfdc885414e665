//! Keys that lie as products need them, for many products.

use crate::network::ops::attention::inputs::Heads;
use crate::network::ops::rows::padded;
use matrices::transpose;

/// The keys of the rows of a batch, transposed once for all steps that look at them: for the few
/// queries of a step that costs more than the products. By row and head `[e, M]`.
pub(crate) struct TransposedKeys {
    data: Vec<f32>,
    /// M: the keys of the longest row, padded.
    wide: usize,
    /// Numbers of a row.
    row: usize,
}

impl TransposedKeys {
    /// Of keys and values `[batch, keys, 2d]`, of which the rows have so many.
    pub(crate) fn new(heads: &Heads, keys_values: &[f32], keys: usize, lengths: &[usize]) -> Self {
        let (d, e, wide) = (heads.width, heads.each(), padded(keys));
        let (mut data, mut transposed) = (Vec::with_capacity(lengths.len() * d * wide), Vec::new());
        for (row, length) in keys_values.chunks_exact((keys * 2 * d).max(1)).zip(lengths) {
            for h in 0..heads.count {
                transpose(&row[h * e..], 2 * d, (*length, e), wide, &mut transposed);
                data.extend_from_slice(&transposed[..e * wide]);
            }
        }
        TransposedKeys { data, wide, row: d * wide }
    }

    /// Those of a row, and M.
    pub(crate) fn of(&self, row: usize) -> (&[f32], usize) {
        (&self.data[row * self.row..][..self.row], self.wide)
    }
}
