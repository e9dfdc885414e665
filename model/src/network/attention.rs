//! Attention with disentangled tree relations.
//!
//! With q, k, v of a head of width e, a relation δ and learned tables K_R and Q_R for it,
//!
//! ```text
//! Aᵢⱼ = ( qᵢ·kⱼ + qᵢ·K_R[δ(i,j)] + kⱼ·Q_R[δ(j,i)] ) / √(3e)
//! ```
//!
//! after He et al., *DeBERTa* (ICLR 2021), with tree relations in place of distances. Every head
//! uses one relation. Without relations (cross-attention) A = q·k / √e. Here is what attention is told;
//! what computes it is in [`kernels`](super::kernels).

pub use crate::network::kernels::attention::attention;

use crate::network::kernels::cpu::attention::Sight;
pub use crate::network::kernels::tensors::OnGpu;
use crate::tokens::positions::Place;
use crate::tokens::relations::{Buckets, Relation};
use candle_core::{D, Device, Result, Tensor};

/// How a layer's width is divided into heads, and what they see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heads {
    /// Width of all heads together.
    pub width: usize,
    /// Number of heads; divides the width.
    pub count: usize,
    /// The relation of every head in self-attention; empty if there are none.
    pub relations: Vec<Relation>,
    /// How differences are numbered.
    pub buckets: Buckets,
    /// Whether queries and keys of self-attention are rotated by their places in pre-order.
    pub rope: bool,
}

impl Heads {
    /// Width of a head.
    pub fn each(&self) -> usize {
        self.width / self.count
    }

    /// 1 / √(terms · e), with three terms in the scores if there are relations and one if not.
    pub fn scale(&self, relations: bool) -> f32 {
        let terms = if relations { 3.0 } else { 1.0 };
        1.0 / (terms * self.each() as f32).sqrt()
    }
}

/// The places of the nodes of a batch of trees, from which relations are computed.
#[derive(Clone, Debug)]
pub struct Places {
    /// Keys come first in a row, then what only queries are. `[batch, row]`
    pub places: Vec<Place>,
    /// Length of a row.
    pub row: usize,
    /// Query i is the node at `first_query + i` of its row.
    pub first_query: usize,
}

/// Where the keys and values of a batch row are.
#[derive(Clone, Debug)]
pub enum Source {
    /// In its own row.
    Own,
    /// In the given row: several may share one. Has no gradient. `[batch]`
    Rows(Vec<u32>),
    /// Scattered over a tensor `[nodes, 2d]`, at the given nodes. Has no gradient, and there is one
    /// query per row. `[batch, keys]`
    Scattered(Vec<u32>),
}

/// Which keys a query sees, and how they are related to it.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// Rows of the batch.
    pub batch: usize,
    /// Queries per row, padding included.
    pub queries: usize,
    /// Keys per row, padding included.
    pub keys: usize,
    /// Queries of each row that are not padding; what is computed of others is zero. `[batch]`
    pub query_lengths: Vec<usize>,
    /// Keys of each row that are not padding. `[batch]`, each at least 1.
    pub key_lengths: Vec<usize>,
    /// Whether query i sees only the keys up to i.
    pub causal: bool,
    /// Where the nodes stand; `None` in cross-attention.
    pub places: Option<Places>,
    /// Where keys and values are.
    pub source: Source,
    /// The same on a GPU.
    pub on_gpu: OnGpu,
}

impl Geometry {
    /// How many keys query `i` of row `b` sees: the first ones.
    pub fn seen(&self, b: usize, i: usize) -> usize {
        self.sight(b).seen(i)
    }

    /// What the kernel needs to know of the queries of row `b`.
    pub(crate) fn sight(&self, b: usize) -> Sight<'_> {
        Sight {
            queries: self.query_lengths[b],
            keys: self.key_lengths[b],
            causal: self.causal,
            places: self.places.as_ref().map(|p| {
                let row = &p.places[b * p.row..][..p.row];
                (&row[p.first_query..], &row[..self.keys])
            }),
        }
    }
}

/// [`attention`] by its formula, from tensor operations, for tests: it stores all scores, and fills in the
/// queries that are padding too.
///
/// # Errors
/// Shapes that do not fit together.
pub fn attention_by_the_formula(
    heads: &Heads,
    g: &Geometry,
    queries: &Tensor,
    keys_values: &Tensor,
    tables: Option<&Tensor>,
) -> Result<Tensor> {
    let (batch, n, d) = queries.dims3()?;
    let (m, h, e) = (g.keys, heads.count, heads.each());
    let device = queries.device();
    let keys_values = match &g.source {
        Source::Own => keys_values.clone(),
        Source::Rows(rows) => keys_values.index_select(&Tensor::new(&rows[..], device)?, 0)?,
        Source::Scattered(nodes) => {
            let nodes = Tensor::new(&nodes[..], device)?;
            keys_values.index_select(&nodes, 0)?.reshape((batch, m, 2 * d))?
        }
    };
    let split = |t: Tensor, n: usize| t.reshape((batch, n, h, e))?.transpose(1, 2)?.contiguous();
    let q = split(queries.clone(), n)?; // [b, h, n, e]
    let k = split(keys_values.narrow(2, 0, d)?.contiguous()?, m)?; // [b, h, m, e]
    let v = split(keys_values.narrow(2, d, d)?.contiguous()?, m)?; // [b, h, m, e]
    let mut scores = q.matmul(&k.transpose(2, 3)?.contiguous()?)?; // [b, h, n, m]
    if let Some(tables) = tables {
        let r = heads.buckets.len();
        let table = |i: usize| {
            let heads = tables.get(i)?.reshape((r, h, e))?.permute((1, 2, 0))?.contiguous()?;
            heads.unsqueeze(0)?.broadcast_as((batch, h, e, r))?.contiguous() // [b, h, e, r]
        };
        let (index, mirrored) = index_tensors(heads, g, device)?;
        let by_query = q.matmul(&table(0)?)?.gather(&index, 3)?; // [b, h, n, m]
        let by_key = k.matmul(&table(1)?)?.gather(&mirrored, 3)?; // [b, h, m, n]
        scores = ((scores + by_query)? + by_key.transpose(2, 3)?)?;
    }
    let mut unseen = vec![0f32; batch * n * m];
    for (row, cells) in unseen.chunks_exact_mut(m).enumerate() {
        cells[g.seen(row / n, row % n)..].fill(-1e9);
    }
    let unseen = Tensor::from_vec(unseen, (batch, 1, n, m), device)?;
    let scale = f64::from(heads.scale(tables.is_some()));
    let scores = (scores * scale)?.broadcast_add(&unseen)?;
    let p = candle_nn::ops::softmax(&scores, D::Minus1)?;
    p.matmul(&v)?.transpose(1, 2)?.reshape((batch, n, d))
}

/// δ(i, j) as `[batch, heads, n, m]`, and δ(j, i) as `[batch, heads, m, n]`.
fn index_tensors(heads: &Heads, g: &Geometry, device: &Device) -> Result<(Tensor, Tensor)> {
    let (n, m, h) = (g.queries, g.keys, heads.count);
    let mut index = vec![u32::from(heads.buckets.none()); g.batch * h * n * m];
    let mut mirrored = index.clone();
    for b in 0..g.batch {
        let Some((queries, keys)) = g.sight(b).places else { continue };
        for (head, relation) in heads.relations.iter().enumerate() {
            let base = (b * h + head) * n * m;
            for (i, query) in queries.iter().enumerate().take(n) {
                for (j, key) in keys.iter().enumerate() {
                    if let Some(difference) = relation.difference(*query, *key) {
                        let bucket = heads.buckets.of(difference);
                        index[base + i * m + j] = u32::from(bucket);
                        mirrored[base + j * n + i] = u32::from(heads.buckets.mirror(bucket));
                    }
                }
            }
        }
    }
    let index = Tensor::from_vec(index, (g.batch, h, n, m), device)?;
    Ok((index, Tensor::from_vec(mirrored, (g.batch, h, m, n), device)?))
}
