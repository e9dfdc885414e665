//! `embedding.cu`: sums of embeddings, and the gradient of their table.

use crate::network::kernels::cuda::{Address, Arguments, LANES, Launch, Number, THREADS, over};

/// Nodes that a block sums up.
const SEGMENT: usize = 256;
/// Blocks at most; each then does more than one thing.
const BLOCKS: u32 = 1 << 16;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Embed {
    /// Node i has `features[starts[i]..starts[i + 1]]`, u32.
    pub(crate) features: Address,
    pub(crate) starts: Address,
    /// f32 `[features, width]`
    pub(crate) table: Address,
    /// `[nodes, width]`
    pub(crate) out: Address,
    pub(crate) nodes: u32,
    pub(crate) width: u32,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for Embed {}

impl Embed {
    pub(crate) fn launch(self, number: Number) -> Launch<Embed> {
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

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmbedBackward {
    /// `[nodes, width]`
    pub(crate) grad: Address,
    /// As [`Segments`] has them.
    pub(crate) nodes: Address,
    pub(crate) bounds: Address,
    /// f32 `[count, width]`: the sums of the segments.
    pub(crate) parts: Address,
    pub(crate) count: u32,
    pub(crate) width: u32,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for EmbedBackward {}

impl EmbedBackward {
    pub(crate) fn launch(self, number: Number) -> Launch<EmbedBackward> {
        Launch {
            kernel: number.pick("embed_backward_f32", "embed_backward_bf16"),
            blocks: [self.count.min(BLOCKS), 1, 1],
            threads: THREADS,
            shared_bytes: 0,
            arguments: self,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SumSegments {
    /// f32, as [`EmbedBackward`] leaves them.
    pub(crate) parts: Address,
    /// As [`Segments`] has them.
    pub(crate) starts: Address,
    /// f32 `[features, width]`
    pub(crate) out: Address,
    pub(crate) features: u32,
    pub(crate) width: u32,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for SumSegments {}

impl SumSegments {
    pub(crate) fn launch(self) -> Launch<SumSegments> {
        Launch {
            kernel: "sum_segments_f32",
            blocks: [self.features.min(BLOCKS), 1, 1],
            threads: THREADS,
            shared_bytes: 0,
            arguments: self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::kernels::cuda::twin::{Host, Twin, close};
    use crate::network::kernels::embedding::{FeatureSets, embed};
    use candle_core::{DType, Device, Var};
    use std::sync::Arc;

    #[test]
    fn sums_and_the_gradient_of_the_table_are_those_of_the_cpu() {
        for (number, twin) in Twin::all() {
            // Feature 0 is everywhere, in more than two segments; feature 6 nowhere.
            let (nodes, features, width) = (600usize, 7usize, 45usize);
            let lists: Vec<Vec<u32>> = (0..nodes as u32)
                .map(|i| if i % 9 == 8 { vec![] } else { vec![0, 1 + i % 3, 4 + i % 2] })
                .collect();
            let mut sets = FeatureSets::new();
            lists.iter().for_each(|list| sets.push(|all| all.extend(list)));
            let values = |count: usize, phase: f32| -> Vec<f32> {
                (0..count).map(|i| (i as f32 * 0.7 + phase).sin()).collect()
            };
            let table = values(features * width, 0.0);
            let var = Var::from_vec(table.clone(), (features, width), &Device::Cpu).unwrap();
            let grad = Host::new(number, &values(nodes * width, 1.0));
            let weights = Var::from_vec(grad.floats(), (nodes, width), &Device::Cpu).unwrap();
            let y = embed(&Arc::new(sets), &var, DType::F32).unwrap();
            let all = (&y * weights.as_tensor()).unwrap().sum_all().unwrap().backward().unwrap();
            let expected = all.get(&var).unwrap().flatten_all().unwrap().to_vec1().unwrap();

            let segments = Segments::new(lists.iter().map(|list| &list[..]), features);
            assert_eq!(segments.starts[..3], [0, 3, 4]);
            let flat: Vec<u32> = lists.concat();
            let starts: Vec<u32> = std::iter::once(0)
                .chain(lists.iter().scan(0, |sum, list| {
                    *sum += list.len() as u32;
                    Some(*sum)
                }))
                .collect();
            let table = Host::new(Number::F32, &table);
            let (mut out, mut dtable) = (grad.like(), table.like());
            let mut parts = Host::zeros(Number::F32, segments.count() * width);
            let (count, width) = (segments.count() as u32, width as u32);
            let forward = Embed {
                features: flat.as_ptr() as u64,
                starts: starts.as_ptr() as u64,
                table: table.address(),
                out: out.address_mut(),
                nodes: nodes as u32,
                width,
            };
            twin.run(forward.launch(number));
            let backward = EmbedBackward {
                grad: grad.address(),
                nodes: segments.nodes.as_ptr() as u64,
                bounds: segments.bounds.as_ptr() as u64,
                parts: parts.address_mut(),
                count,
                width,
            };
            twin.run(backward.launch(number));
            let sum = SumSegments {
                parts: parts.address(),
                starts: segments.starts.as_ptr() as u64,
                out: dtable.address_mut(),
                features: features as u32,
                width,
            };
            twin.run(sum.launch());
            close(number, &out, &y.flatten_all().unwrap().to_vec1().unwrap());
            close(Number::F32, &dtable, &expected);
        }
    }
}
