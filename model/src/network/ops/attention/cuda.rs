//! On an NVIDIA GPU: `attention.cu`.

use crate::geometry::positions::Place;
use crate::geometry::relations::Relation;
use crate::network::ops::attention::inputs::{Geometry, Heads, Source};
use crate::network::ops::cuda::sums::SumRows;
use crate::network::ops::cuda::{
    Address, Gpu, LANES, Launch, Memory, Number, Operand, Uploaded, address_of, arguments, room,
    run, upload,
};
use crate::network::ops::operation::Kernels;
use candle_core::Result;
use std::sync::Arc;

/// Rows of a tile of queries or keys.
const TILE: u32 = 32;
/// Rows of a tile that a warp has.
const EACH: u32 = 8;
/// Shared memory that a block can have on every GPU since 2020.
const SHARED_BYTES: u32 = 99 << 10;

/// The number of a relation in `attention.cu`.
fn number(relation: Relation) -> u32 {
    relation as u32
}

/// Places as the kernels read them: five numbers each.
fn numbers(places: &[Place]) -> Vec<i32> {
    places.iter().flat_map(|p| [p.index, p.depth, p.end, p.parent, p.rank]).collect()
}

arguments! {
    #[derive(Default)]
    struct Attention {
        /// `[batch, n, d]`
        queries: Address,
        /// Keys, then values: `[batch, m, 2d]`, or as `rows` and `nodes` say.
        keys_values: Address,
        /// K_R, then Q_R: `[2, 2k + 2, d]`; 0 without relations.
        tables: Address,
        /// `[batch, n, d]`
        out: Address,
        /// f32 `[batch, heads, n]`: the logarithms of the sums of softmax, for the backward pass; 0 if
        /// there is none.
        log_sums: Address,
        /// i32 `[batch, row, 5]`, as [`numbers`] gives them; only with relations.
        places: Address,
        /// u32 `[heads]`, as [`number`] gives them; only with relations.
        relations: Address,
        /// u32 `[batch]`
        query_lengths: Address,
        /// u32 `[batch]`
        key_lengths: Address,
        /// u32 `[batch]`: in which row of `keys_values` those of a row are; 0 if in its own.
        rows: Address,
        /// u32 `[batch, m]`: where in `keys_values` `[nodes, 2d]` each is; 0 if in rows.
        nodes: Address,
        batch: u32,
        /// Queries of a row, padding included.
        n: u32,
        /// Keys of a row, padding included.
        m: u32,
        heads: u32,
        /// Width of a head.
        each: u32,
        /// Places of a row, of which the first are those of the keys.
        row: u32,
        /// Where in it those of the queries begin.
        first_query: u32,
        /// Differences are clipped to ±k.
        k: u32,
        /// 1 if query i sees only the keys up to i, and 0 if not.
        causal: u32,
        /// Of the scores.
        scale: f32,
    }
}

impl Attention {
    /// Numbers from a row of a tile to the next: no two lanes that read a row each, by fours, meet in
    /// a bank.
    fn across(&self) -> u32 {
        4 * (self.each.div_ceil(4) | 1)
    }

    /// Buckets, padded; 0 without relations.
    fn buckets(&self) -> u32 {
        if self.tables == 0 { 0 } else { (2 * self.k + 2).next_multiple_of(EACH) }
    }

    /// Shared memory: so many tiles of queries or keys, tables of bucket by row and of row by row,
    /// and further numbers.
    fn shared_bytes(&self, tiles: u32, of_buckets: u32, of_rows: u32, more: u32) -> Result<u32> {
        let (across, buckets) = (self.across(), self.buckets());
        let numbers = (tiles * TILE + buckets) * across
            + of_buckets * buckets * TILE
            + of_rows * TILE * TILE
            + more;
        if self.each > 4 * LANES || 4 * numbers > SHARED_BYTES {
            candle_core::bail!(
                "no kernel for attention with heads of width {} and differences up to ±{}; narrower \
                 heads or a smaller `clip` fit",
                self.each,
                self.k
            );
        }
        Ok(4 * numbers)
    }

    /// Shared memory of a block. Only `each`, `k` and whether there are tables matter.
    ///
    /// # Errors
    /// Heads that are too wide, or too many buckets.
    fn fits(&self) -> Result<u32> {
        // Places.
        self.shared_bytes(3, 2, 1, 5 * TILE)
    }

    /// The same for the backward pass, which needs more.
    ///
    /// # Errors
    /// Heads that are too wide, or too many buckets.
    fn fits_backward(&self) -> Result<u32> {
        // Sums of four warps, places, a bit and a byte for every pair.
        self.shared_bytes(4, 3, 2, 4 * TILE + 5 * TILE + TILE + TILE * TILE / 4)
    }

    /// The kernel for heads of this width, of those for all widths up to one, two and four times the
    /// lanes.
    fn pick(
        &self,
        number: Number,
        f32: [&'static str; 3],
        bf16: [&'static str; 3],
    ) -> &'static str {
        let at = match self.each.div_ceil(LANES) {
            0 | 1 => 0,
            2 => 1,
            _ => 2,
        };
        number.pick(f32[at], bf16[at])
    }

    /// # Errors
    /// Heads that are too wide, or too many buckets.
    fn launch(self, number: Number) -> Result<Launch<Attention>> {
        Ok(Launch {
            kernel: self.pick(
                number,
                ["attention_f32_1", "attention_f32_2", "attention_f32_4"],
                ["attention_bf16_1", "attention_bf16_2", "attention_bf16_4"],
            ),
            blocks: [self.batch, self.heads, self.n.div_ceil(TILE)],
            threads: TILE / EACH * LANES,
            shared_bytes: self.fits()?,
            arguments: self,
        })
    }
}

arguments! {
    /// Only for keys and values in their own rows.
    struct AttentionBackward {
        /// What the forward pass was given, with what it wrote.
        of: Attention,
        /// The gradient of its result, `[batch, n, d]`.
        grad: Address,
        /// f32 `[batch, n, d]`, to work in; if activations are f32, `dqueries` itself.
        sums: Address,
        /// `[batch, n, d]`
        dqueries: Address,
        /// `[batch, m, 2d]`
        dkeys_values: Address,
        /// f32 `[batch, 2, 2k + 2, d]`, whose sum over the batch is the gradient of the tables; 0
        /// without them.
        parts: Address,
    }
}

impl AttentionBackward {
    /// # Errors
    /// Heads that are too wide, or too many buckets; shared or scattered keys.
    fn launch(self, number: Number) -> Result<Launch<AttentionBackward>> {
        let of = self.of;
        if of.rows != 0 || of.nodes != 0 {
            candle_core::bail!("attention over shared rows of keys has no gradient");
        }
        Ok(Launch {
            kernel: of.pick(
                number,
                [
                    "attention_backward_f32_1",
                    "attention_backward_f32_2",
                    "attention_backward_f32_4",
                ],
                [
                    "attention_backward_bf16_1",
                    "attention_backward_bf16_2",
                    "attention_backward_bf16_4",
                ],
            ),
            blocks: [of.batch, of.heads, 1],
            threads: TILE / EACH * LANES,
            shared_bytes: of.fits_backward()?,
            arguments: self,
        })
    }
}

/// A geometry on a GPU.
struct GeometryOnGpu {
    query_lengths: Uploaded<u32>,
    key_lengths: Uploaded<u32>,
    rows: Option<Uploaded<u32>>,
    nodes: Option<Uploaded<u32>>,
    places: Option<Uploaded<i32>>,
    relations: Uploaded<u32>,
    /// Those that were uploaded.
    of_heads: Vec<Relation>,
}

impl GeometryOnGpu {
    fn of(device: &Gpu, g: &Geometry, heads: &Heads) -> Result<Arc<GeometryOnGpu>> {
        let copy = g.on_gpu.get(|| GeometryOnGpu::new(device, g, heads))?;
        // All layers of a network have the same heads; other ones get a copy of their own.
        match copy.of_heads == heads.relations {
            true => Ok(copy),
            false => GeometryOnGpu::new(device, g, heads).map(Arc::new),
        }
    }

    fn new(device: &Gpu, g: &Geometry, heads: &Heads) -> Result<GeometryOnGpu> {
        let lengths = |lengths: &[usize]| -> Result<Uploaded<u32>> {
            let lengths: Vec<u32> = lengths.iter().map(|length| *length as u32).collect();
            upload(device, &lengths)
        };
        let (rows, nodes) = match &g.source {
            Source::Own => (None, None),
            Source::Rows(rows) => (Some(upload(device, rows)?), None),
            Source::Scattered(nodes) => (None, Some(upload(device, nodes)?)),
        };
        let relations: Vec<u32> = heads.relations.iter().map(|r| number(*r)).collect();
        let places = g.places.as_ref().map(|p| upload(device, &numbers(&p.places))).transpose()?;
        Ok(GeometryOnGpu {
            query_lengths: lengths(&g.query_lengths)?,
            key_lengths: lengths(&g.key_lengths)?,
            rows,
            nodes,
            places,
            relations: upload(device, &relations)?,
            of_heads: heads.relations.clone(),
        })
    }
}

impl super::Attention {
    /// The arguments of the kernel, but for what it writes.
    ///
    /// # Errors
    /// Shapes that do not fit together.
    fn arguments(
        &self,
        [queries, keys_values]: [&Operand<'_>; 2],
        tables: Option<&Operand<'_>>,
        there: &GeometryOnGpu,
    ) -> Result<Attention> {
        let (heads, g) = (&*self.heads, &*self.geometry);
        let (d, r) = (heads.width, heads.buckets.len());
        let own = match &g.source {
            Source::Own => g.batch * g.keys,
            Source::Rows(rows) => rows.iter().max().map_or(0, |row| *row as usize + 1) * g.keys,
            Source::Scattered(nodes) => nodes.iter().max().map_or(0, |node| *node as usize + 1),
        };
        let fits = queries.count == g.batch * g.queries * d
            && keys_values.count >= own * 2 * d
            && keys_values.number == queries.number
            && tables.is_none_or(|t| t.count == 2 * r * d && t.number == queries.number)
            && (tables.is_none() || g.places.is_some());
        if !fits {
            let (queries, keys) = (queries.count, keys_values.count);
            candle_core::bail!("attention: {queries} queries, {keys} keys and values");
        }
        let address = |data: &Option<Uploaded<u32>>| data.as_ref().map_or(0, Uploaded::address);
        Ok(Attention {
            queries: queries.address,
            keys_values: keys_values.address,
            tables: tables.map_or(0, |tables| tables.address),
            out: 0,
            log_sums: 0,
            places: there.places.as_ref().map_or(0, Uploaded::address),
            relations: there.relations.address(),
            query_lengths: there.query_lengths.address(),
            key_lengths: there.key_lengths.address(),
            rows: address(&there.rows),
            nodes: address(&there.nodes),
            batch: g.batch as u32,
            n: g.queries as u32,
            m: g.keys as u32,
            heads: heads.count as u32,
            each: heads.each() as u32,
            row: g.places.as_ref().map_or(0, |p| p.row as u32),
            first_query: g.places.as_ref().map_or(0, |p| p.first_query as u32),
            k: heads.buckets.k.into(),
            causal: g.causal.into(),
            scale: heads.scale(tables.is_some()),
        })
    }

    /// The result `[batch, n, d]`.
    ///
    /// # Errors
    /// Shapes that do not fit together, or that there is no kernel for.
    fn on_gpu(
        &self,
        [queries, keys_values]: [&Operand<'_>; 2],
        tables: Option<&Operand<'_>>,
    ) -> Result<Memory> {
        let (device, number) = (queries.device, queries.number);
        let there = GeometryOnGpu::of(device, &self.geometry, &self.heads)?;
        let mut arguments = self.arguments([queries, keys_values], tables, &there)?;
        let rows = self.geometry.batch * self.geometry.queries;
        let out = room(device, number, queries.count)?;
        let log_sums = room(device, Number::F32, rows * self.heads.count)?;
        (arguments.out, arguments.log_sums) = (address_of(&out)?, address_of(&log_sums)?);
        run(device, arguments.launch(number)?)?;
        self.log_sums.get(|| Ok(log_sums))?;
        Ok(out)
    }

    /// The gradients of queries, keys and values, and of the tables: f32, empty without them.
    ///
    /// # Errors
    /// As the result.
    fn gradients_on_gpu(
        &self,
        [queries, keys_values]: [&Operand<'_>; 2],
        tables: Option<&Operand<'_>>,
        [result, grad]: [&Operand<'_>; 2],
    ) -> Result<[Memory; 3]> {
        let log_sums = self.log_sums.get::<Memory>(|| {
            candle_core::bail!("the backward pass of attention without its forward pass")
        })?;
        let (device, number, batch) = (queries.device, queries.number, self.geometry.batch);
        let there = GeometryOnGpu::of(device, &self.geometry, &self.heads)?;
        let mut of = self.arguments([queries, keys_values], tables, &there)?;
        (of.out, of.log_sums) = (result.address, address_of(&log_sums)?);
        let dqueries = room(device, number, queries.count)?;
        let dkeys_values = room(device, number, keys_values.count)?;
        let scratch = match number {
            Number::F32 => None,
            Number::Bf16 => Some(room(device, Number::F32, queries.count)?),
        };
        let of_tables = tables.map_or(0, |tables| tables.count);
        let parts = room(device, Number::F32, batch * of_tables)?;
        let dtables = room(device, Number::F32, of_tables)?;
        let backward = AttentionBackward {
            of,
            grad: grad.address,
            sums: address_of(scratch.as_ref().unwrap_or(&dqueries))?,
            dqueries: address_of(&dqueries)?,
            dkeys_values: address_of(&dkeys_values)?,
            parts: if tables.is_some() { address_of(&parts)? } else { 0 },
        };
        run(device, backward.launch(number)?)?;
        if tables.is_some() {
            let (x, out) = (address_of(&parts)?, address_of(&dtables)?);
            run(device, SumRows { x, out, rows: batch as u32, width: of_tables as u32 }.launch())?;
        }
        Ok([dqueries, dkeys_values, dtables])
    }
}

impl Kernels<3> for super::Attention {
    fn forward_on_gpu(&self, [q, kv, tables]: [Operand<'_>; 3]) -> Result<Memory> {
        self.on_gpu([&q, &kv], Some(&tables))
    }

    fn backward_on_gpu(
        &self,
        [q, kv, tables]: [Operand<'_>; 3],
        result: Operand<'_>,
        grad: Operand<'_>,
    ) -> Result<[Memory; 3]> {
        self.gradients_on_gpu([&q, &kv], Some(&tables), [&result, &grad])
    }
}

impl Kernels<2> for super::Attention {
    fn forward_on_gpu(&self, [q, kv]: [Operand<'_>; 2]) -> Result<Memory> {
        self.on_gpu([&q, &kv], None)
    }

    fn backward_on_gpu(
        &self,
        [q, kv]: [Operand<'_>; 2],
        result: Operand<'_>,
        grad: Operand<'_>,
    ) -> Result<[Memory; 2]> {
        let [dq, dkv, _] = self.gradients_on_gpu([&q, &kv], None, [&result, &grad])?;
        Ok([dq, dkv])
    }
}

#[cfg(all(test, not(feature = "cuda")))] // the twin is the device
mod tests;
