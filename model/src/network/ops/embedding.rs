//! The vector of a node: the sum of the embeddings of its features.

use crate::network::ops::operation::{Fused, Operation};
use candle_core::{DType, Result, Shape, Tensor};
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
    let (features, d) = table.dims2()?;
    if sets.features.iter().any(|f| *f as usize >= features) {
        candle_core::bail!("a feature beyond the {features} of the embedding");
    }
    table.contiguous()?.apply_op1(Fused(Embed { sets: sets.clone(), features, d, dtype }))
}

struct Embed {
    sets: Arc<FeatureSets>,
    /// Rows of the table, and their width.
    features: usize,
    d: usize,
    dtype: DType,
}

impl Operation<1> for Embed {
    const NAME: &'static str = "embed";

    fn shape(&self, _table: [&Shape; 1]) -> Result<Shape> {
        Ok(Shape::from((self.sets.len(), self.d)))
    }

    fn forward(&self, [table]: [&[f32]; 1]) -> Result<Vec<f32>> {
        if self.dtype != DType::F32 {
            candle_core::bail!("the CPU computes with f32, not {}", self.dtype.as_str());
        }
        let d = self.d;
        let mut out = vec![0f32; self.sets.len() * d];
        for (out, node) in out.chunks_exact_mut(d).zip(self.sets.nodes()) {
            for f in node {
                let row = &table[*f as usize * d..][..d];
                out.iter_mut().zip(row).for_each(|(out, x)| *out += x);
            }
        }
        Ok(out)
    }

    fn backward(&self, _table: [&[f32]; 1], grad: &[f32]) -> Result<[Vec<f32>; 1]> {
        let d = self.d;
        let mut dtable = vec![0f32; self.features * d];
        for (grad, node) in grad.chunks_exact(d).zip(self.sets.nodes()) {
            for f in node {
                let row = &mut dtable[*f as usize * d..][..d];
                row.iter_mut().zip(grad).for_each(|(sum, x)| *sum += x);
            }
        }
        Ok([dtable])
    }
}

/// On an NVIDIA GPU: `embedding.cu`.
#[cfg(any(test, feature = "cuda"))]
pub(super) mod cuda {
    use crate::network::ops::cuda::{
        Address, LANES, Launch, Memory, Number, Operand, address_of, arguments, blocks_of_threads,
        over, room, run, upload,
    };
    use crate::network::ops::operation::Kernels;
    use candle_core::Result;

    /// Nodes that a block sums up.
    const SEGMENT: usize = 256;
    /// Blocks at most; each then does more than one thing.
    const BLOCKS: u32 = 1 << 16;

    arguments! {
        struct Embed {
            /// Node i has `features[starts[i]..starts[i + 1]]`, u32.
            features: Address,
            starts: Address,
            /// f32 `[features, width]`
            table: Address,
            /// `[nodes, width]`
            out: Address,
            nodes: u32,
            width: u32,
        }
    }

    impl Embed {
        fn launch(self, number: Number) -> Launch<Embed> {
            let kernel = number.pick("embed_f32", "embed_bf16");
            over(kernel, u64::from(self.nodes) * u64::from(LANES), self)
        }
    }

    /// Which nodes have each feature, in segments that a block sums up.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub(crate) struct Segments {
        /// The nodes that have feature 0, then those that have feature 1, …
        pub(crate) nodes: Vec<u32>,
        /// Segment s is `nodes[bounds[s]..bounds[s + 1]]`.
        pub(crate) bounds: Vec<u32>,
        /// Feature f has the segments `starts[f]..starts[f + 1]`.
        pub(crate) starts: Vec<u32>,
    }

    impl Segments {
        /// Of the features of nodes, which are less than `features`.
        pub(crate) fn new<'a>(
            nodes: impl Iterator<Item = &'a [u32]> + Clone,
            features: usize,
        ) -> Segments {
            let mut ends = vec![0u32; features + 1];
            for feature in nodes.clone().flatten() {
                ends[*feature as usize + 1] += 1;
            }
            for f in 0..features {
                ends[f + 1] += ends[f];
            }
            let mut next = ends.clone();
            let mut sorted = vec![0u32; ends[features] as usize];
            for (node, list) in nodes.enumerate() {
                for feature in list {
                    let at = &mut next[*feature as usize];
                    sorted[*at as usize] = node as u32;
                    *at += 1;
                }
            }
            let (mut bounds, mut starts) = (Vec::new(), Vec::with_capacity(features + 1));
            for f in 0..features {
                starts.push(bounds.len() as u32);
                bounds.extend((ends[f]..ends[f + 1]).step_by(SEGMENT));
            }
            starts.push(bounds.len() as u32);
            bounds.push(ends[features]);
            Segments { nodes: sorted, bounds, starts }
        }

        /// Their number.
        pub(crate) fn count(&self) -> usize {
            self.bounds.len() - 1
        }
    }

    arguments! {
        struct EmbedBackward {
            /// `[nodes, width]`
            grad: Address,
            /// As [`Segments`] has them.
            nodes: Address,
            bounds: Address,
            /// f32 `[count, width]`: the sums of the segments.
            parts: Address,
            count: u32,
            width: u32,
        }
    }

    impl EmbedBackward {
        fn launch(self, number: Number) -> Launch<EmbedBackward> {
            blocks_of_threads(
                number.pick("embed_backward_f32", "embed_backward_bf16"),
                self.count.min(BLOCKS),
                0,
                self,
            )
        }
    }

    arguments! {
        struct SumSegments {
            /// f32, as [`EmbedBackward`] leaves them.
            parts: Address,
            /// As [`Segments`] has them.
            starts: Address,
            /// f32 `[features, width]`
            out: Address,
            features: u32,
            width: u32,
        }
    }

    impl SumSegments {
        fn launch(self) -> Launch<SumSegments> {
            blocks_of_threads("sum_segments_f32", self.features.min(BLOCKS), 0, self)
        }
    }

    impl Kernels<1> for super::Embed {
        fn forward_on_gpu(&self, [table]: [Operand<'_>; 1]) -> Result<Memory> {
            let (table, number) = (table.expect(Number::F32)?, Number::of(self.dtype)?);
            let starts: Vec<u32> = self.sets.starts.iter().map(|start| *start as u32).collect();
            let (features, starts) =
                (upload(table.device, &self.sets.features)?, upload(table.device, &starts)?);
            let out = room(table.device, number, self.sets.len() * self.d)?;
            let embed = Embed {
                features: features.address(),
                starts: starts.address(),
                table: table.address,
                out: address_of(&out)?,
                nodes: self.sets.len() as u32,
                width: self.d as u32,
            };
            run(table.device, embed.launch(number))?;
            Ok(out)
        }

        fn backward_on_gpu(
            &self,
            _table: [Operand<'_>; 1],
            _result: Operand<'_>,
            grad: Operand<'_>,
        ) -> Result<[Memory; 1]> {
            let d = self.d;
            let segments = Segments::new(self.sets.nodes(), self.features);
            let up = |list: &[u32]| upload(grad.device, list);
            let (nodes, bounds, starts) =
                (up(&segments.nodes)?, up(&segments.bounds)?, up(&segments.starts)?);
            let parts = room(grad.device, Number::F32, segments.count() * d)?;
            let out = room(grad.device, Number::F32, self.features * d)?;
            let backward = EmbedBackward {
                grad: grad.address,
                nodes: nodes.address(),
                bounds: bounds.address(),
                parts: address_of(&parts)?,
                count: segments.count() as u32,
                width: d as u32,
            };
            run(grad.device, backward.launch(grad.number))?;
            let sum = SumSegments {
                parts: address_of(&parts)?,
                starts: starts.address(),
                out: address_of(&out)?,
                features: self.features as u32,
                width: d as u32,
            };
            run(grad.device, sum.launch())?;
            Ok([out])
        }
    }
}

#[cfg(all(test, not(feature = "cuda")))] // the twin is the device
mod tests {
    use super::cuda::Segments;
    use super::*;
    use crate::fixtures::{agree, same_as_formula, waves};
    use crate::network::ops::cuda::Number;
    use crate::network::ops::cuda::twin::{Host, Twin};
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

    #[test]
    fn sums_and_the_gradient_of_the_table_are_those_of_the_cpu() {
        // Feature 0 is everywhere, in more than two segments; feature 6 nowhere.
        let (nodes, features, d) = (600usize, 7usize, 45usize);
        let lists: Vec<Vec<u32>> = (0..nodes as u32)
            .map(|i| if i % 9 == 8 { vec![] } else { vec![0, 1 + i % 3, 4 + i % 2] })
            .collect();
        let lists: Vec<&[u32]> = lists.iter().map(|list| &list[..]).collect();
        assert_eq!(Segments::new(lists.iter().copied(), features).starts[..3], [0, 3, 4]);
        let embed = |dtype| Embed { sets: sets(&lists), features, d, dtype };
        for (number, twin) in Twin::all() {
            let table = Host::wave(Number::F32, features * d, 0.0);
            let grad = Host::wave(number, nodes * d, 1.0);
            let on_gpu = embed(if number == Number::F32 { DType::F32 } else { DType::BF16 });
            agree((number, &twin), [&embed(DType::F32), &on_gpu], [&table], &grad);
        }
    }
}
