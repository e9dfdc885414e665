//! Keys and values of encoded trees, at which a decoder looks in one step after the other.

use crate::network::ops::attention::inputs::{Geometry, Heads, Source};
use crate::network::ops::attention::transposed_keys::TransposedKeys;
use crate::network::ops::attention::{attention, attention_to_transposed};
use crate::network::ops::tensors::with_floats;
use candle_core::{Result, Tensor};
use std::sync::{Arc, OnceLock};

/// Keys and values of a layer. `[batch, m, 2d]`
pub struct Encoded {
    keys_values: Tensor,
    /// The keys again, transposed in the first step.
    transposed: OnceLock<Arc<TransposedKeys>>,
}

impl Encoded {
    pub(crate) fn new(keys_values: Tensor) -> Encoded {
        Encoded { keys_values, transposed: OnceLock::new() }
    }

    /// What `queries` find, each row in its own tree or in that which the geometry says. `lengths` are
    /// those of all trees, given in the steps of generation, which need no gradient.
    ///
    /// # Errors
    /// Shapes that do not fit together.
    pub(crate) fn attention(
        &self,
        heads: &Arc<Heads>,
        geometry: &Arc<Geometry>,
        queries: &Tensor,
        lengths: Option<&[usize]>,
    ) -> Result<Tensor> {
        let of_rows = matches!(geometry.source, Source::Rows(_));
        let Some(lengths) = lengths.filter(|_| of_rows && queries.device().is_cpu()) else {
            return attention(heads, geometry, queries, &self.keys_values, None);
        };
        let transposed = match self.transposed.get() {
            Some(transposed) => transposed.clone(),
            None => {
                let transposed = with_floats([&self.keys_values], |[keys_values]| {
                    Ok(Arc::new(TransposedKeys::new(heads, keys_values, geometry.keys, lengths)))
                })?;
                self.transposed.get_or_init(|| transposed).clone()
            }
        };
        attention_to_transposed(heads, geometry, queries, &self.keys_values, transposed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::relations::Buckets;
    use crate::network::ops::tensors::OnGpu;
    use candle_core::Device;

    #[test]
    fn transposed_keys_change_no_bit() {
        let heads = Arc::new(Heads {
            width: 24,
            count: 3,
            relations: Vec::new(),
            buckets: Buckets { k: 2 },
            rope: false,
        });
        let tensor = |shape: (usize, usize, usize), phase: f32| {
            let n = shape.0 * shape.1 * shape.2;
            let data: Vec<f32> = (0..n).map(|i| (i as f32 * 0.37 + phase).sin()).collect();
            Tensor::from_vec(data, shape, &Device::Cpu).unwrap()
        };
        let (lengths, keys) = (vec![5, 19, 1], 19);
        let encoded = Encoded::new(tensor((3, keys, 48), 0.5));
        // Some look at the same tree, in every step at others.
        for rows in [vec![0, 0, 1, 2], vec![1, 1, 1, 0]] {
            let queries = tensor((4, 1, 24), rows[0] as f32);
            let geometry = Arc::new(Geometry {
                batch: 4,
                queries: 1,
                keys,
                query_lengths: vec![1; 4],
                key_lengths: rows.iter().map(|row| lengths[*row as usize]).collect(),
                causal: false,
                places: None,
                source: Source::Rows(rows),
                on_gpu: OnGpu::default(),
            });
            let find = |lengths: Option<&[usize]>| -> Vec<f32> {
                let found = encoded.attention(&heads, &geometry, &queries, lengths).unwrap();
                found.flatten_all().unwrap().to_vec1().unwrap()
            };
            assert_eq!(find(Some(&lengths)), find(None));
        }
        assert!(encoded.transposed.get().is_some());
    }
}
