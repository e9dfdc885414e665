//! Attention with disentangled tree relations.
//!
//! With q, k, v of a head of width e, a relation δ and learned tables K_R and Q_R for it,
//!
//! ```text
//! Aᵢⱼ = ( qᵢ·kⱼ + qᵢ·K_R[δ(i,j)] + kⱼ·Q_R[δ(j,i)] ) / √(3e)
//! ```
//!
//! after He et al., *DeBERTa* (ICLR 2021), with tree relations in place of distances. Every head
//! uses one relation. Without relations (cross-attention) A = q·k / √e.

pub(crate) mod cpu;
#[cfg(any(test, feature = "cuda"))]
#[allow(unsafe_code)] // the arguments of kernels in another language
mod cuda;
pub mod inputs;
pub(crate) mod transposed_keys;

use crate::network::ops::attention::cpu::{Gradients, Inputs, Scratch, Tables, backward, forward};
#[cfg(feature = "cuda")]
use crate::network::ops::attention::cuda::AttentionInputs;
use crate::network::ops::attention::inputs::{Geometry, Heads, Source};
use crate::network::ops::attention::transposed_keys::TransposedKeys;
#[cfg(feature = "cuda")]
use crate::network::ops::cuda::device::{self, Operand};
use crate::network::ops::tensors::{OnGpu, floats, like, with_floats};
#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::{CpuStorage, CustomOp2, CustomOp3, Layout, Result, Shape, Tensor};
use std::sync::Arc;

/// Attention of `queries` `[batch, n, d]` over `keys_values` `[batch, m, 2d]` (keys, then values).
///
/// `tables` `[2, r, d]` hold K_R and Q_R, and are given exactly if relations are to be seen; the
/// geometry then has places. The result is `[batch, n, d]`.
///
/// # Errors
/// Shapes that do not fit together.
pub fn attention(
    heads: &Arc<Heads>,
    geometry: &Arc<Geometry>,
    queries: &Tensor,
    keys_values: &Tensor,
    tables: Option<&Tensor>,
) -> Result<Tensor> {
    let op = FusedAttention {
        heads: heads.clone(),
        geometry: geometry.clone(),
        transposed: None,
        log_sums: OnGpu::default(),
    };
    let (queries, keys_values) = (queries.contiguous()?, keys_values.contiguous()?);
    match tables {
        Some(tables) => {
            let tables = tables.to_dtype(queries.dtype())?.contiguous()?;
            queries.apply_op3(&keys_values, &tables, op)
        }
        None => queries.apply_op2(&keys_values, op),
    }
}

/// [`attention`] without relations, of one row of queries after the other, over keys that somebody has
/// transposed. Has no gradient; on the CPU only.
///
/// # Errors
/// Shapes that do not fit together.
pub(crate) fn attention_to_transposed(
    heads: &Arc<Heads>,
    geometry: &Arc<Geometry>,
    queries: &Tensor,
    keys_values: &Tensor,
    transposed: Arc<TransposedKeys>,
) -> Result<Tensor> {
    let transposed = Some(transposed);
    let (heads, geometry, log_sums) = (heads.clone(), geometry.clone(), OnGpu::default());
    let op = FusedAttention { heads, geometry, transposed, log_sums };
    queries.contiguous()?.apply_op2(&keys_values.contiguous()?, op)
}

struct FusedAttention {
    heads: Arc<Heads>,
    geometry: Arc<Geometry>,
    transposed: Option<Arc<TransposedKeys>>,
    /// On a GPU, what the backward pass wants of the forward pass.
    #[cfg_attr(not(feature = "cuda"), expect(dead_code))]
    log_sums: OnGpu,
}

impl FusedAttention {
    fn forward(&self, q: &[f32], kv: &[f32], tables: &[f32]) -> Result<(CpuStorage, Shape)> {
        let (g, d) = (&*self.geometry, self.heads.width);
        let (query_row, key_row) = (g.queries * d, g.keys * 2 * d);
        let needed = match &g.source {
            Source::Own => g.batch * key_row,
            Source::Rows(rows) => rows.iter().max().map_or(0, |row| *row as usize + 1) * key_row,
            Source::Scattered(at) => at.iter().max().map_or(0, |at| *at as usize + 1) * 2 * d,
        };
        if q.len() != g.batch * query_row || kv.len() < needed {
            candle_core::bail!("attention: {} queries, {} keys and values", q.len(), kv.len());
        }
        let one_query = matches!(g.source, Source::Scattered(_));
        if one_query && g.queries != 1 {
            candle_core::bail!("attention: {} queries of a row over scattered keys", g.queries);
        }
        let tables = &Tables::new(&self.heads, tables, one_query);
        let (mut out, mut scratch) = (vec![0f32; q.len()], Scratch::default());
        let mut b = 0;
        while b < g.batch {
            // Single queries of rows that share their keys are as many queries of one row.
            let together = match &g.source {
                Source::Rows(rows) if g.queries == 1 => {
                    rows[b..].iter().take_while(|row| **row == rows[b]).count()
                }
                _ => 1,
            };
            let (keys_values, nodes) = match &g.source {
                Source::Own => (&kv[b * key_row..][..key_row], None),
                Source::Rows(rows) => (&kv[rows[b] as usize * key_row..][..key_row], None),
                Source::Scattered(at) => (kv, Some(&at[b * g.keys..][..g.keys])),
            };
            let part = b * query_row..(b + together) * query_row;
            let transposed = match (&g.source, &self.transposed) {
                (Source::Rows(rows), Some(transposed)) => Some(transposed.of(rows[b] as usize)),
                _ => None,
            };
            let queries = &q[part.clone()];
            let inputs = Inputs { queries, keys_values, nodes, transposed, tables };
            let mut sight = g.sight(b);
            if together > 1 {
                sight.queries = together;
            }
            forward(&self.heads, sight, inputs, &mut out[part], &mut scratch);
            b += together;
        }
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
        if !matches!(g.source, Source::Own) {
            candle_core::bail!("attention over shared rows of keys has no gradient");
        }
        let (query_row, key_row) = (g.queries * d, g.keys * 2 * d);
        let mut dq = vec![0f32; q.len()];
        let mut dkv = vec![0f32; kv.len()];
        let mut dtables = vec![0f32; tables.len()];
        let (tables, mut scratch) = (&Tables::new(&self.heads, tables, false), Scratch::default());
        for b in 0..g.batch {
            let (queries, keys) =
                (b * query_row..(b + 1) * query_row, b * key_row..(b + 1) * key_row);
            let inputs = Inputs {
                queries: &q[queries.clone()],
                keys_values: &kv[keys.clone()],
                nodes: None,
                transposed: None,
                tables,
            };
            let grad = &grad[queries.clone()];
            let gradients = Gradients {
                queries: &mut dq[queries],
                keys_values: &mut dkv[keys],
                tables: &mut dtables,
            };
            backward(&self.heads, g.sight(b), inputs, grad, gradients, &mut scratch);
        }
        Ok([dq, dkv, dtables])
    }
}

#[cfg(feature = "cuda")]
impl FusedAttention {
    fn on_gpu(
        &self,
        queries: &Operand<'_>,
        keys_values: &Operand<'_>,
        tables: Option<&Operand<'_>>,
    ) -> Result<(CudaStorage, Shape)> {
        let (heads, geometry) = (&*self.heads, &*self.geometry);
        let inputs = AttentionInputs { queries, keys_values, tables, heads, geometry };
        let [out, log_sums] = inputs.forward()?;
        self.log_sums.get(|| Ok(log_sums))?;
        Ok((out, Shape::from((geometry.batch, geometry.queries, heads.width))))
    }

    fn backward_on_gpu(
        &self,
        [q, kv, res, grad]: [&Tensor; 4],
        tables: Option<&Tensor>,
    ) -> Result<[Tensor; 3]> {
        let log_sums = self.log_sums.get::<CudaStorage>(|| {
            candle_core::bail!("the backward pass of attention without its forward pass")
        })?;
        let (heads, geometry) = (&*self.heads, &*self.geometry);
        let run = |[q, kv, res, grad]: &[Operand<'_>; 4], tables: Option<&Operand<'_>>| {
            let inputs = AttentionInputs { queries: q, keys_values: kv, tables, heads, geometry };
            inputs.backward(res, &log_sums, grad)
        };
        let [dq, dkv, dtables] = match tables {
            Some(tables) => {
                device::with([q, kv, res, grad, tables], |[q, kv, res, grad, tables]| {
                    run(&[q, kv, res, grad], Some(&tables))
                })?
            }
            None => device::with([q, kv, res, grad], |all| run(&all, None))?,
        };
        let dtables = match tables {
            Some(tables) => device::tensor(dtables, tables.shape()).to_dtype(tables.dtype())?,
            None => device::tensor(dtables, 0),
        };
        Ok([device::tensor(dq, q.shape()), device::tensor(dkv, kv.shape()), dtables])
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

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        s1: &CudaStorage,
        l1: &Layout,
        s2: &CudaStorage,
        l2: &Layout,
        s3: &CudaStorage,
        l3: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        let (q, kv) = (Operand::of(s1, l1)?, Operand::of(s2, l2)?);
        self.on_gpu(&q, &kv, Some(&Operand::of(s3, l3)?))
    }

    #[cfg_attr(not(feature = "cuda"), expect(unused_variables))] // the CPU computes the result anew
    fn bwd(
        &self,
        q: &Tensor,
        kv: &Tensor,
        tables: &Tensor,
        res: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        #[cfg(feature = "cuda")]
        if !q.device().is_cpu() {
            let [dq, dkv, dtables] = self.backward_on_gpu([q, kv, res, grad], Some(tables))?;
            return Ok((Some(dq), Some(dkv), Some(dtables)));
        }
        let [dq, dkv, dtables] = with_floats([q, kv, tables, grad], |[q, kv, tables, grad]| {
            self.backward(q, kv, tables, grad)
        })?;
        Ok((Some(like(dq, q)?), Some(like(dkv, kv)?), Some(like(dtables, tables)?)))
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

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        s1: &CudaStorage,
        l1: &Layout,
        s2: &CudaStorage,
        l2: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        self.on_gpu(&Operand::of(s1, l1)?, &Operand::of(s2, l2)?, None)
    }

    #[cfg_attr(not(feature = "cuda"), expect(unused_variables))] // the CPU computes the result anew
    fn bwd(
        &self,
        q: &Tensor,
        kv: &Tensor,
        res: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        #[cfg(feature = "cuda")]
        if !q.device().is_cpu() {
            let [dq, dkv, _] = self.backward_on_gpu([q, kv, res, grad], None)?;
            return Ok((Some(dq), Some(dkv)));
        }
        let [dq, dkv, _] =
            with_floats([q, kv, grad], |[q, kv, grad]| self.backward(q, kv, &[], grad))?;
        Ok((Some(like(dq, q)?), Some(like(dkv, kv)?)))
    }
}
