//! Attention with disentangled tree relations.
//!
//! With q, k, v of a head of width e, a relation δ and learned tables K_R and Q_R for it,
//!
//! ```text
//! Aᵢⱼ = ( qᵢ·kⱼ + qᵢ·K_R[δ(i,j)] + kⱼ·Q_R[δ(j,i)] ) / √(3e)
//! ```
//!
//! after He et al., *DeBERTa* (ICLR 2021), with tree relations in place of distances. The first
//! heads use the relation `ancestor`, the others `sibling`. Without relations (cross-attention)
//! A = q·k / √e. On the CPU this is one fused operation with its own backward pass; elsewhere
//! it is composed of differentiable tensor operations.

use crate::network::kernels::attention::{Gradients, Inputs, backward, forward};
use crate::tokens::positions::Buckets;
use candle_core::{
    CpuStorage, CustomOp2, CustomOp3, D, Device, Layout, Result, Shape, Storage, Tensor,
};
use rayon::prelude::*;
use std::sync::Arc;

/// How a layer's width is divided into heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// Width of all heads together.
    pub width: usize,
    /// Number of heads; divides the width.
    pub count: usize,
    /// How many of them, the first, use the relation `ancestor`; the others use `sibling`.
    pub ancestor: usize,
}

/// Which relation a head sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// One node lies on the other's path to the root.
    Ancestor,
    /// Both have the same parent.
    Sibling,
}

impl Heads {
    /// The relation of head `h`.
    pub fn relation(self, h: usize) -> Relation {
        if h < self.ancestor { Relation::Ancestor } else { Relation::Sibling }
    }

    /// 1 / √(terms · e), with three terms in the scores if there are relations and one if not.
    pub fn scale(self, relations: bool) -> f32 {
        let terms = if relations { 3.0 } else { 1.0 };
        1.0 / (terms * (self.width / self.count) as f32).sqrt()
    }
}

/// Buckets of δ(i, j) for every batch row, query i and key j.
#[derive(Clone, Debug)]
pub struct Relations {
    /// How differences are numbered.
    pub buckets: Buckets,
    /// `[batch, queries, keys]`
    pub ancestor: Vec<u8>,
    /// `[batch, queries, keys]`
    pub sibling: Vec<u8>,
}

impl Relations {
    /// The row of query `i` of batch row `b`, given the numbers of queries and keys.
    pub(crate) fn of(&self, relation: Relation, b: usize, i: usize, n: usize, m: usize) -> &[u8] {
        let table = match relation {
            Relation::Ancestor => &self.ancestor,
            Relation::Sibling => &self.sibling,
        };
        &table[(b * n + i) * m..][..m]
    }
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
    /// Keys of each row that are not padding. `[batch]`, each at least 1.
    pub key_lengths: Vec<usize>,
    /// Whether query i sees only the keys up to i.
    pub causal: bool,
    /// Tree relations; `None` in cross-attention.
    pub relations: Option<Relations>,
    /// The row of keys and values that each batch row reads, where several share one; has no
    /// gradient.
    pub key_rows: Option<Vec<u32>>,
}

impl Geometry {
    /// How many keys query `i` of row `b` sees: the first ones.
    pub fn seen(&self, b: usize, i: usize) -> usize {
        let length = self.key_lengths[b];
        if self.causal { length.min(i + 1) } else { length }
    }

    fn key_row(&self, b: usize) -> usize {
        self.key_rows.as_ref().map_or(b, |rows| rows[b] as usize)
    }
}

/// Attention of `queries` `[batch, n, d]` over `keys_values` `[batch, m, 2d]` (keys, then values).
///
/// `tables` `[2, r, d]` hold K_R and Q_R, and are given exactly if the geometry has relations.
/// The result is `[batch, n, d]`.
///
/// # Errors
/// Shapes that do not fit together.
pub fn attention(
    heads: Heads,
    geometry: &Arc<Geometry>,
    queries: &Tensor,
    keys_values: &Tensor,
    tables: Option<&Tensor>,
) -> Result<Tensor> {
    if !queries.device().is_cpu() {
        return composed_attention(heads, geometry, queries, keys_values, tables);
    }
    let op = FusedAttention { heads, geometry: geometry.clone() };
    let (queries, keys_values) = (queries.contiguous()?, keys_values.contiguous()?);
    match tables {
        Some(tables) => queries.apply_op3(&keys_values, &tables.contiguous()?, op),
        None => queries.apply_op2(&keys_values, op),
    }
}

/// The same from differentiable tensor operations, on any device.
///
/// # Errors
/// Shapes that do not fit together.
pub fn composed_attention(
    heads: Heads,
    g: &Geometry,
    queries: &Tensor,
    keys_values: &Tensor,
    tables: Option<&Tensor>,
) -> Result<Tensor> {
    let (batch, n, d) = queries.dims3()?;
    let (m, h) = (g.keys, heads.count);
    let e = d / h;
    let device = queries.device();
    let keys_values = match &g.key_rows {
        Some(rows) => keys_values.index_select(&Tensor::new(&rows[..], device)?, 0)?,
        None => keys_values.clone(),
    };
    let split = |t: Tensor, n: usize| t.reshape((batch, n, h, e))?.transpose(1, 2)?.contiguous();
    let q = split(queries.clone(), n)?; // [b, h, n, e]
    let k = split(keys_values.narrow(2, 0, d)?.contiguous()?, m)?; // [b, h, m, e]
    let v = split(keys_values.narrow(2, d, d)?.contiguous()?, m)?;
    let mut scores = q.matmul(&k.transpose(2, 3)?.contiguous()?)?; // [b, h, n, m]
    if let (Some(relations), Some(tables)) = (&g.relations, tables) {
        let r = relations.buckets.len();
        let table = |i: usize| {
            let heads = tables.get(i)?.reshape((r, h, e))?.permute((1, 2, 0))?.contiguous()?;
            heads.unsqueeze(0)?.broadcast_as((batch, h, e, r))?.contiguous() // [b, h, e, r]
        };
        let (index, mirrored) = index_tensors(heads, g, relations, device)?;
        let by_query = q.matmul(&table(0)?)?.gather(&index, 3)?; // [b, h, n, m]
        let by_key = k.matmul(&table(1)?)?.gather(&mirrored, 3)?; // [b, h, m, n]
        scores = ((scores + by_query)? + by_key.transpose(2, 3)?)?;
    }
    let mut unseen = vec![0f32; batch * n * m];
    for (row, cells) in unseen.chunks_exact_mut(m).enumerate() {
        cells[g.seen(row / n, row % n)..].fill(-1e9);
    }
    let unseen = Tensor::from_vec(unseen, (batch, 1, n, m), device)?;
    let scale = f64::from(heads.scale(g.relations.is_some()));
    let scores = (scores * scale)?.broadcast_add(&unseen)?;
    let p = candle_nn::ops::softmax(&scores, D::Minus1)?;
    p.matmul(&v)?.transpose(1, 2)?.reshape((batch, n, d))
}

/// δ(i, j) as `[batch, heads, n, m]`, and δ(j, i) as `[batch, heads, m, n]`.
fn index_tensors(
    heads: Heads,
    g: &Geometry,
    relations: &Relations,
    device: &Device,
) -> Result<(Tensor, Tensor)> {
    let (n, m, h) = (g.queries, g.keys, heads.count);
    let mut index = Vec::with_capacity(g.batch * h * n * m);
    let mut mirrored = vec![0u32; g.batch * h * n * m];
    for b in 0..g.batch {
        for head in 0..h {
            let base = (b * h + head) * n * m;
            for i in 0..n {
                let row = relations.of(heads.relation(head), b, i, n, m);
                index.extend(row.iter().map(|bucket| u32::from(*bucket)));
                for (j, bucket) in row.iter().enumerate() {
                    mirrored[base + j * n + i] = u32::from(relations.buckets.mirror(*bucket));
                }
            }
        }
    }
    let index = Tensor::from_vec(index, (g.batch, h, n, m), device)?;
    Ok((index, Tensor::from_vec(mirrored, (g.batch, h, m, n), device)?))
}

struct FusedAttention {
    heads: Heads,
    geometry: Arc<Geometry>,
}

/// The elements of a contiguous f32 tensor on the CPU.
pub(crate) fn floats<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match layout.contiguous_offsets() {
        Some((from, to)) => Ok(&storage.as_slice::<f32>()?[from..to]),
        None => candle_core::bail!("expected a contiguous tensor of shape {:?}", layout.shape()),
    }
}

/// Runs `f` on the elements of a tensor on the CPU, made contiguous if it is not.
pub(crate) fn with_floats<T>(tensor: &Tensor, f: impl FnOnce(&[f32]) -> Result<T>) -> Result<T> {
    let tensor = tensor.contiguous()?;
    let (storage, layout) = tensor.storage_and_layout();
    match &*storage {
        Storage::Cpu(storage) => f(floats(storage, layout)?),
        _ => candle_core::bail!("expected a tensor on the CPU"),
    }
}

impl FusedAttention {
    fn forward(&self, q: &[f32], kv: &[f32], tables: &[f32]) -> Result<(CpuStorage, Shape)> {
        let (g, d) = (&*self.geometry, self.heads.width);
        let key_row = g.keys * 2 * d;
        let rows = match &g.key_rows {
            Some(rows) => rows.iter().max().map_or(0, |row| *row as usize + 1),
            None => g.batch,
        };
        if q.len() != g.batch * g.queries * d || kv.len() < rows * key_row {
            candle_core::bail!("attention: {} queries, {} keys and values", q.len(), kv.len());
        }
        let mut out = vec![0f32; q.len()];
        out.par_chunks_mut(g.queries * d).enumerate().for_each(|(b, out)| {
            let inputs = Inputs {
                queries: &q[b * g.queries * d..][..g.queries * d],
                keys_values: &kv[g.key_row(b) * key_row..][..key_row],
                tables,
            };
            forward(self.heads, g, b, inputs, out);
        });
        Ok((CpuStorage::F32(out), Shape::from((g.batch, g.queries, d))))
    }

    /// Gradients of queries, keys and values, and tables (empty if there are none).
    fn backward(
        &self,
        q: &[f32],
        kv: &[f32],
        tables: &[f32],
        grad: &[f32],
    ) -> Result<[Vec<f32>; 3]> {
        let (g, d) = (&*self.geometry, self.heads.width);
        if g.key_rows.is_some() {
            candle_core::bail!("attention over shared rows of keys has no gradient");
        }
        let (query_row, key_row) = (g.queries * d, g.keys * 2 * d);
        let mut dq = vec![0f32; q.len()];
        let mut dkv = vec![0f32; kv.len()];
        // One part per batch row, summed in order: the sum must not depend on the threads.
        let mut parts: Vec<Vec<f32>> = vec![vec![0f32; tables.len()]; g.batch];
        dq.par_chunks_mut(query_row)
            .zip(dkv.par_chunks_mut(key_row))
            .zip(parts.par_iter_mut())
            .enumerate()
            .for_each(|(b, ((dq, dkv), part))| {
                let inputs = Inputs {
                    queries: &q[b * query_row..][..query_row],
                    keys_values: &kv[b * key_row..][..key_row],
                    tables,
                };
                let mut gradients = Gradients { queries: dq, keys_values: dkv, tables: part };
                let grad = &grad[b * query_row..][..query_row];
                backward(self.heads, g, b, inputs, grad, &mut gradients);
            });
        let mut dtables = vec![0f32; tables.len()];
        for part in &parts {
            dtables.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
        }
        Ok([dq, dkv, dtables])
    }
}

impl CustomOp3 for FusedAttention {
    fn name(&self) -> &'static str {
        "disentangled-attention"
    }

    fn cpu_fwd(
        &self,
        s1: &CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
        s3: &CpuStorage,
        l3: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        self.forward(floats(s1, l1)?, floats(s2, l2)?, floats(s3, l3)?)
    }

    fn bwd(
        &self,
        q: &Tensor,
        kv: &Tensor,
        tables: &Tensor,
        _res: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let [dq, dkv, dtables] = with_floats(q, |q_data| {
            with_floats(kv, |kv| {
                with_floats(tables, |tables| {
                    with_floats(grad, |grad| self.backward(q_data, kv, tables, grad))
                })
            })
        })?;
        let like =
            |data: Vec<f32>, t: &Tensor| Tensor::from_vec(data, t.shape(), t.device()).map(Some);
        Ok((like(dq, q)?, like(dkv, kv)?, like(dtables, tables)?))
    }
}

impl CustomOp2 for FusedAttention {
    fn name(&self) -> &'static str {
        "attention"
    }

    fn cpu_fwd(
        &self,
        s1: &CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        self.forward(floats(s1, l1)?, floats(s2, l2)?, &[])
    }

    fn bwd(
        &self,
        q: &Tensor,
        kv: &Tensor,
        _res: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let [dq, dkv, _] = with_floats(q, |q_data| {
            with_floats(kv, |kv| with_floats(grad, |grad| self.backward(q_data, kv, &[], grad)))
        })?;
        let like =
            |data: Vec<f32>, t: &Tensor| Tensor::from_vec(data, t.shape(), t.device()).map(Some);
        Ok((like(dq, q)?, like(dkv, kv)?))
    }
}
