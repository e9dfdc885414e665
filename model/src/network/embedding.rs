//! The vector of a node: the sum of the embeddings of its features.

use crate::network::attention::{floats, with_floats};
use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};
use std::sync::Arc;

/// The features of many nodes, one after another.
#[derive(Clone, Debug)]
pub struct FeatureSets {
    features: Vec<u32>,
    /// Node i has `features[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
}

impl Default for FeatureSets {
    fn default() -> FeatureSets {
        FeatureSets::new()
    }
}

impl FeatureSets {
    /// Of no node.
    pub fn new() -> FeatureSets {
        FeatureSets { features: Vec::new(), starts: vec![0] }
    }

    /// Adds a node, whose features `list` appends to those of the nodes before it.
    pub fn push(&mut self, list: impl FnOnce(&mut Vec<u32>)) {
        list(&mut self.features);
        self.starts.push(self.features.len());
    }

    /// The features of each node.
    pub fn nodes(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|w| &self.features[w[0]..w[1]])
    }

    fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}

/// Sums rows of `table` `[features, d]` for every node. `[nodes, d]`
///
/// # Errors
/// A feature is not in the table.
pub fn embed(sets: &Arc<FeatureSets>, table: &Tensor) -> Result<Tensor> {
    let (features, _) = table.dims2()?;
    if sets.features.iter().any(|f| *f as usize >= features) {
        candle_core::bail!("a feature beyond the {features} of the embedding");
    }
    match table.device().is_cpu() {
        true => table.contiguous()?.apply_op1(Embed(sets.clone())),
        false => composed_embed(sets, table),
    }
}

/// A product with a matrix of zeros and ones, whose gradient is a product as well.
fn composed_embed(sets: &FeatureSets, table: &Tensor) -> Result<Tensor> {
    let (features, _) = table.dims2()?;
    let mut present = vec![0f32; sets.len() * features];
    for (row, node) in present.chunks_exact_mut(features).zip(sets.nodes()) {
        node.iter().for_each(|f| row[*f as usize] = 1.0);
    }
    Tensor::from_vec(present, (sets.len(), features), table.device())?.matmul(table)
}

struct Embed(Arc<FeatureSets>);

impl CustomOp1 for Embed {
    fn name(&self) -> &'static str {
        "embed"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let table = floats(storage, layout)?;
        let (_, d) = layout.shape().dims2()?;
        let mut out = vec![0f32; self.0.len() * d];
        for (out, node) in out.chunks_exact_mut(d).zip(self.0.nodes()) {
            for f in node {
                let row = &table[*f as usize * d..][..d];
                out.iter_mut().zip(row).for_each(|(out, x)| *out += x);
            }
        }
        Ok((CpuStorage::F32(out), Shape::from((self.0.len(), d))))
    }

    fn bwd(&self, table: &Tensor, _res: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let (features, d) = table.dims2()?;
        let mut dtable = vec![0f32; features * d];
        with_floats(grad, |grad| {
            for (grad, node) in grad.chunks_exact(d).zip(self.0.nodes()) {
                for f in node {
                    let row = &mut dtable[*f as usize * d..][..d];
                    row.iter_mut().zip(grad).for_each(|(sum, x)| *sum += x);
                }
            }
            Ok(())
        })?;
        Tensor::from_vec(dtable, (features, d), table.device()).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::{Device, Var};

    #[test]
    fn both_forms_sum_the_rows() {
        let of = |nodes: &[&[u32]]| {
            let mut sets = FeatureSets::new();
            nodes.iter().for_each(|node| sets.push(|features| features.extend(*node)));
            Arc::new(sets)
        };
        let sets = of(&[&[0, 3], &[], &[2, 3, 4]]);
        let table: Vec<f32> = (0..10).map(|i| (i as f32).sin()).collect();
        let table = Var::from_vec(table, (5, 2), &Device::Cpu).unwrap();
        let (a, b) = (embed(&sets, &table).unwrap(), composed_embed(&sets, &table).unwrap());
        let values = |t: &Tensor| t.to_vec2::<f32>().unwrap();
        assert_eq!(values(&a), values(&b));
        assert_eq!(values(&a)[1], [0.0, 0.0]);
        let gradient = |t: Tensor| {
            let gradients = t.sqr().unwrap().sum_all().unwrap().backward().unwrap();
            values(gradients.get(&table).unwrap())
        };
        for (a, b) in gradient(a).iter().flatten().zip(gradient(b).iter().flatten()) {
            assert!((a - b).abs() < 1e-6);
        }
        assert!(embed(&of(&[&[5]]), &table).is_err());
    }
}
