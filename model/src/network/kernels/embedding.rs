//! The vector of a node: the sum of the embeddings of its features.

#[cfg(feature = "cuda")]
use crate::network::kernels::cuda::device::Operand;
#[cfg(feature = "cuda")]
use crate::network::kernels::cuda::tensors as on_gpu;
use crate::network::kernels::tensors::{floats, with_floats};
#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::{CpuStorage, CustomOp1, DType, Layout, Result, Shape, Tensor};
use std::sync::Arc;

/// The features of many nodes, one after another.
#[derive(Clone, Debug)]
pub struct FeatureSets {
    pub(crate) features: Vec<u32>,
    /// Node i has `features[starts[i]..starts[i + 1]]`.
    pub(crate) starts: Vec<usize>,
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
    pub fn nodes(&self) -> impl Iterator<Item = &[u32]> + Clone {
        self.starts.windows(2).map(|w| &self.features[w[0]..w[1]])
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}

/// Sums rows of `table` `[features, d]`, f32, for every node, to numbers of `dtype`, which on the CPU is
/// f32. `[nodes, d]`
///
/// # Errors
/// A feature is not in the table.
pub fn embed(sets: &Arc<FeatureSets>, table: &Tensor, dtype: DType) -> Result<Tensor> {
    let (features, _) = table.dims2()?;
    if sets.features.iter().any(|f| *f as usize >= features) {
        candle_core::bail!("a feature beyond the {features} of the embedding");
    }
    table.contiguous()?.apply_op1(Embed { sets: sets.clone(), dtype })
}

struct Embed {
    sets: Arc<FeatureSets>,
    dtype: DType,
}

impl CustomOp1 for Embed {
    fn name(&self) -> &'static str {
        "embed"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        if self.dtype != DType::F32 {
            candle_core::bail!("the CPU computes with f32, not {}", self.dtype.as_str());
        }
        let table = floats(storage, layout)?;
        let (_, d) = layout.shape().dims2()?;
        let mut out = vec![0f32; self.sets.len() * d];
        for (out, node) in out.chunks_exact_mut(d).zip(self.sets.nodes()) {
            for f in node {
                let row = &table[*f as usize * d..][..d];
                out.iter_mut().zip(row).for_each(|(out, x)| *out += x);
            }
        }
        Ok((CpuStorage::F32(out), Shape::from((self.sets.len(), d))))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, storage: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        let (_, d) = layout.shape().dims2()?;
        let out = on_gpu::embed(&self.sets, Operand::of(storage, layout)?, d, self.dtype)?;
        Ok((out, Shape::from((self.sets.len(), d))))
    }

    fn bwd(&self, table: &Tensor, _res: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let (features, d) = table.dims2()?;
        #[cfg(feature = "cuda")]
        if !grad.device().is_cpu() {
            let dtable = on_gpu::with([grad], |[grad]| {
                on_gpu::embed_backward(&self.sets, grad, features, d)
            })?;
            return Ok(Some(on_gpu::tensor(dtable, table.shape())));
        }
        let mut dtable = vec![0f32; features * d];
        with_floats([grad], |[grad]| {
            for (grad, node) in grad.chunks_exact(d).zip(self.sets.nodes()) {
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
    use crate::fixtures::{same_as_formula, waves};
    use candle_core::Device;

    fn sets(nodes: &[&[u32]]) -> Arc<FeatureSets> {
        let mut sets = FeatureSets::new();
        nodes.iter().for_each(|node| sets.push(|features| features.extend(*node)));
        Arc::new(sets)
    }

    /// A product with a matrix of zeros and ones.
    fn formula(sets: &FeatureSets, table: &Tensor) -> Tensor {
        let features = table.dim(0).unwrap();
        let mut present = vec![0f32; sets.len() * features];
        for (row, node) in present.chunks_exact_mut(features).zip(sets.nodes()) {
            node.iter().for_each(|f| row[*f as usize] = 1.0);
        }
        let present = Tensor::from_vec(present, (sets.len(), features), &Device::Cpu).unwrap();
        present.matmul(table).unwrap()
    }

    #[test]
    fn sums_of_rows_and_their_gradient_agree_with_the_formula() {
        let (sets, of_none) = (sets(&[&[0, 3], &[], &[2, 3, 4]]), sets(&[&[5]]));
        let table = waves(&[5, 2], 0.0);
        let sums = embed(&sets, &table, DType::F32).unwrap();
        same_as_formula(&[&table], &sums, &formula(&sets, &table));
        assert_eq!(sums.to_vec2::<f32>().unwrap()[1], [0.0, 0.0]);
        assert!(embed(&of_none, &table, DType::F32).is_err());
        assert!(embed(&sets, &table, DType::BF16).is_err());
    }
}
