//! Attention by candle's operations, which store all scores of a batch.

use crate::geometry::relations::{Buckets, Relation};
use crate::network::ops::attention::inputs::{Geometry, Heads, Places, Source};
use candle_core::{D, DType, Device, Result, Tensor};
use std::sync::Arc;

/// What is added to the scores of keys that are not seen: so little that their exponential is zero, and no infinity.
const UNSEEN: f32 = -1e9;

/// The attention of a batch; b rows, n queries, m keys, h heads of width e, r buckets.
///
/// # Errors
/// Shapes that do not fit together.
pub(super) fn formula(
    heads: &Heads,
    g: &Geometry,
    queries: &Tensor,
    keys_values: &Tensor,
    tables: Option<&Tensor>,
) -> Result<Tensor> {
    let ((b, n, d), numbers) = (queries.dims3()?, queries.dtype());
    let (m, h, e) = (g.keys, heads.count, heads.each());
    let there = There::of(heads, g, queries.device())?;
    let keys_values = match &there.rows {
        Some(rows) => keys_values.index_select(rows, 0)?.reshape((b, m, 2 * d))?,
        None => keys_values.clone(),
    };
    // [b, n, d] to [b, h, n, e]
    let split = |x: &Tensor, n: usize| x.reshape((b, n, h, e))?.transpose(1, 2)?.contiguous();
    let q = split(queries, n)?; // [b, h, n, e]
    let k = split(&keys_values.narrow(2, 0, d)?.contiguous()?, m)?; // [b, h, m, e]
    let v = split(&keys_values.narrow(2, d, d)?.contiguous()?, m)?; // [b, h, m, e]
    let mut scores = q.matmul(&k.t()?)?.to_dtype(DType::F32)?; // [b, h, n, m]
    if let (Some(tables), Some([buckets, mirrored])) = (tables, &there.buckets) {
        let r = heads.buckets.len();
        let table = |which: usize| {
            let table = tables.get(which)?.reshape((r, h, e))?.permute((1, 2, 0))?; // [h, e, r]
            table.unsqueeze(0)?.broadcast_as((b, h, e, r))?.contiguous()
        };
        let by_query = q.matmul(&table(0)?)?.to_dtype(DType::F32)?; // [b, h, n, r]
        let by_key = k.matmul(&table(1)?)?.to_dtype(DType::F32)?; // [b, h, m, r]
        scores = (scores + by_query.gather(buckets, 3)?)?;
        scores = (scores + by_key.gather(mirrored, 3)?.t()?)?;
    }
    let scale = f64::from(heads.scale(tables.is_some()));
    let scores = (scores * scale)?.broadcast_add(&there.unseen)?;
    let weights = scores.broadcast_sub(&scores.max_keepdim(D::Minus1)?.detach())?.exp()?;
    let p = weights.broadcast_div(&weights.sum_keepdim(D::Minus1)?)?;
    let p = p.broadcast_mul(&there.queries)?.to_dtype(numbers)?;
    p.matmul(&v)?.transpose(1, 2)?.reshape((b, n, d))
}

/// A geometry on a device.
struct There {
    /// 0 for keys that are seen, and [`UNSEEN`]. f32 `[b, 1, n, m]`
    unseen: Tensor,
    /// 1 for queries that are there, and 0 for padding. f32 `[b, 1, n, 1]`
    queries: Tensor,
    /// Which rows or nodes the keys are in, where not in their own. u32
    rows: Option<Tensor>,
    /// The buckets of δ(i, j), u8 `[b, h, n, m]`, and of δ(j, i), u8 `[b, h, m, n]`.
    buckets: Option<[Tensor; 2]>,
    /// Those of the buckets.
    relations: Vec<Relation>,
    k: Buckets,
}

impl There {
    fn of(heads: &Heads, g: &Geometry, device: &Device) -> Result<Arc<There>> {
        let there = g.on_gpu.get(|| There::new(heads, g, device))?;
        // All layers of a network have the same heads; other ones get a copy of their own.
        match there.relations == heads.relations && there.k == heads.buckets {
            true => Ok(there),
            false => There::new(heads, g, device).map(Arc::new),
        }
    }

    fn new(heads: &Heads, g: &Geometry, device: &Device) -> Result<There> {
        let (b, n, m) = (g.batch, g.queries, g.keys);
        let (mut unseen, mut queries) = (vec![0f32; b * n * m], vec![0f32; b * n]);
        for (row, cells) in unseen.chunks_exact_mut(m).enumerate() {
            cells[g.seen(row / n, row % n)..].fill(UNSEEN);
        }
        for (queries, length) in queries.chunks_exact_mut(n).zip(&g.query_lengths) {
            queries[..*length].fill(1.0);
        }
        let rows = match &g.source {
            Source::Own => None,
            Source::Rows(rows) | Source::Scattered(rows) => Some(Tensor::new(&rows[..], device)?),
        };
        let buckets = g.places.as_ref().map(|places| buckets(heads, g, places, device));
        Ok(There {
            unseen: Tensor::from_vec(unseen, (b, 1, n, m), device)?,
            queries: Tensor::from_vec(queries, (b, 1, n, 1), device)?,
            rows,
            buckets: buckets.transpose()?,
            relations: heads.relations.clone(),
            k: heads.buckets,
        })
    }
}

/// As [`There`] has them: each relation is computed and sent once, whatever the number of its heads.
fn buckets(heads: &Heads, g: &Geometry, places: &Places, device: &Device) -> Result<[Tensor; 2]> {
    let (b, n, m) = (g.batch, g.queries, g.keys);
    let Places { places, row, first_query } = places;
    let mut relations = heads.relations.clone();
    relations.sort_unstable();
    relations.dedup();
    let each = relations.len();
    let mut buckets = vec![heads.buckets.none(); b * each * n * m];
    let mut mirrored = buckets.clone();
    for (row, places) in places.chunks_exact(*row).enumerate() {
        let (queries, keys) = (&places[*first_query..][..n], &places[..m]);
        for (at, relation) in relations.iter().enumerate() {
            let first = (row * each + at) * n * m;
            for (i, query) in queries.iter().enumerate() {
                for (j, key) in keys.iter().enumerate() {
                    if let Some(difference) = relation.difference(*query, *key) {
                        let bucket = heads.buckets.of(difference);
                        buckets[first + i * m + j] = bucket;
                        mirrored[first + j * n + i] = heads.buckets.mirror(bucket);
                    }
                }
            }
        }
    }
    let number = |relation| relations.binary_search(relation).unwrap_or(0) as u32;
    let numbers: Vec<u32> = heads.relations.iter().map(number).collect();
    let numbers = Tensor::new(&numbers[..], device)?;
    let of_heads = |data, shape| Tensor::from_vec(data, shape, device)?.index_select(&numbers, 1);
    Ok([of_heads(buckets, (b, each, n, m))?, of_heads(mirrored, (b, each, m, n))?])
}
