//! The vector of a node: the sum of the embeddings of its features.

use crate::network::ops::operation::{Operation, apply_op1};
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
    apply_op1(Embed { sets: sets.clone(), features, d, dtype }, table)
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

    fn formula(&self, [table]: [&Tensor; 1]) -> Result<Tensor> {
        let lists: Vec<&[u32]> = self.sets.nodes().collect();
        sums_of_rows(table, &lists)?.to_dtype(self.dtype)
    }

    /// The same with the nodes of each feature. Candle's own gradient of a selection would have one thread
    /// for each column go through all nodes, one after the other.
    fn formula_backward(&self, _table: [&Tensor; 1], grad: &Tensor) -> Result<[Tensor; 1]> {
        let mut nodes = vec![Vec::new(); self.features];
        for (node, features) in self.sets.nodes().enumerate() {
            features.iter().for_each(|f| nodes[*f as usize].push(node as u32));
        }
        let lists: Vec<&[u32]> = nodes.iter().map(|list| &list[..]).collect();
        Ok([sums_of_rows(&grad.to_dtype(DType::F32)?, &lists)?])
    }
}

/// Rows that are summed up one after the other; longer lists are divided.
const TOGETHER: usize = 64;

/// For every list, the sum of the rows of `x` `[n, d]` that it names, in an order that depends on the lists
/// alone. `[lists, d]`
fn sums_of_rows(x: &Tensor, lists: &[&[u32]]) -> Result<Tensor> {
    let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
    if longest > TOGETHER {
        let parts: Vec<&[u32]> = lists.iter().flat_map(|list| list.chunks(TOGETHER)).collect();
        let numbers: Vec<u32> = (0..parts.len() as u32).collect();
        let mut rest = &numbers[..];
        let mut of_parts = Vec::with_capacity(lists.len());
        for list in lists {
            let (own, others) = rest.split_at(list.len().div_ceil(TOGETHER));
            of_parts.push(own);
            rest = others;
        }
        return sums_of_rows(&sums_of_rows(x, &parts)?, &of_parts);
    }
    // Shorter lists name a row of zeros for the rest.
    let (n, d) = x.dims2()?;
    let x = Tensor::cat(&[x, &Tensor::zeros((1, d), x.dtype(), x.device())?], 0)?;
    let at = |i: usize| lists.iter().map(move |list| list.get(i).copied().unwrap_or(n as u32));
    let rows: Vec<u32> = (0..longest).flat_map(at).collect();
    let rows = Tensor::from_vec(rows, (longest, lists.len()), x.device())?;
    let mut sum = Tensor::zeros((lists.len(), d), x.dtype(), x.device())?;
    for i in 0..longest {
        sum = (sum + x.index_select(&rows.get(i)?, 0)?)?;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{formula_agrees, same_as_formula, waves};
    use crate::network::ops::operation::test::with_formulas;
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
    fn formulas_agree_with_the_loops() {
        // Feature 0 is everywhere, in more nodes than are summed up at a time; feature 6 nowhere.
        let lists: Vec<Vec<u32>> = (0..3 * TOGETHER as u32)
            .map(|i| if i % 9 == 8 { vec![] } else { vec![0, 1 + i % 3, 4 + i % 2] })
            .collect();
        let lists: Vec<&[u32]> = lists.iter().map(|list| &list[..]).collect();
        let sets = sets(&lists);
        formula_agrees(&[], &[&waves(&[7, 5], 0.0)], |all| embed(&sets, all[0], DType::F32));
        let table = waves(&[7, 5], 0.0);
        let in_bf16 = with_formulas(|| embed(&sets, &table, DType::BF16)).unwrap();
        assert_eq!(in_bf16.dtype(), DType::BF16);
        assert!(in_bf16.sum_all().unwrap().backward().unwrap().get(&table).is_some());
    }
}
