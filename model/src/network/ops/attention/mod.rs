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
mod formula;
pub mod inputs;
#[cfg(test)]
mod tests;
pub(crate) mod transposed_keys;

use crate::network::ops::attention::cpu::{Gradients, Inputs, Scratch, Tables, backward, forward};
use crate::network::ops::attention::formula::formula;
use crate::network::ops::attention::inputs::{Geometry, Heads, Source};
use crate::network::ops::attention::transposed_keys::TransposedKeys;
use crate::network::ops::operation::{Operation, apply_op2, apply_op3};
use candle_core::{Result, Shape, Tensor};
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
    let op = Attention { heads: heads.clone(), geometry: geometry.clone(), transposed: None };
    match tables {
        Some(tables) => apply_op3(op, queries, keys_values, &tables.to_dtype(queries.dtype())?),
        None => apply_op2(op, queries, keys_values),
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
    let (heads, geometry, transposed) = (heads.clone(), geometry.clone(), Some(transposed));
    apply_op2(Attention { heads, geometry, transposed }, queries, keys_values)
}

struct Attention {
    heads: Arc<Heads>,
    geometry: Arc<Geometry>,
    transposed: Option<Arc<TransposedKeys>>,
}

impl Attention {
    fn on_cpu(&self, q: &[f32], kv: &[f32], tables: &[f32]) -> Result<Vec<f32>> {
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
        Ok(out)
    }

    /// Gradients of queries, keys and values, and tables (empty if there are none).
    fn gradients_on_cpu(
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

    fn result_shape(&self) -> Shape {
        Shape::from((self.geometry.batch, self.geometry.queries, self.heads.width))
    }
}

/// With relations.
impl Operation<3> for Attention {
    const NAME: &'static str = "disentangled-attention";

    fn shape(&self, _inputs: [&Shape; 3]) -> Result<Shape> {
        Ok(self.result_shape())
    }

    fn forward(&self, [q, kv, tables]: [&[f32]; 3]) -> Result<Vec<f32>> {
        self.on_cpu(q, kv, tables)
    }

    fn backward(&self, [q, kv, tables]: [&[f32]; 3], grad: &[f32]) -> Result<[Vec<f32>; 3]> {
        self.gradients_on_cpu(q, kv, tables, grad)
    }

    fn formula(&self, [q, kv, tables]: [&Tensor; 3]) -> Result<Tensor> {
        formula(&self.heads, &self.geometry, q, kv, Some(tables))
    }
}

/// Without relations.
impl Operation<2> for Attention {
    const NAME: &'static str = "attention";

    fn shape(&self, _inputs: [&Shape; 2]) -> Result<Shape> {
        Ok(self.result_shape())
    }

    fn forward(&self, [q, kv]: [&[f32]; 2]) -> Result<Vec<f32>> {
        self.on_cpu(q, kv, &[])
    }

    fn backward(&self, [q, kv]: [&[f32]; 2], grad: &[f32]) -> Result<[Vec<f32>; 2]> {
        let [dq, dkv, _] = self.gradients_on_cpu(q, kv, &[], grad)?;
        Ok([dq, dkv])
    }

    fn formula(&self, [q, kv]: [&Tensor; 2]) -> Result<Tensor> {
        formula(&self.heads, &self.geometry, q, kv, None)
    }
}
