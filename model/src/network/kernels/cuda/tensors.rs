//! The operations on tensors of a GPU: memory for their results, and launches of their kernels.

use crate::network::attention::{Geometry, Heads, Source};
use crate::network::kernels::cuda::adamw::{AdamW, Clip, Squares};
use crate::network::kernels::cuda::attention::{Attention, AttentionBackward, number, numbers};
pub(crate) use crate::network::kernels::cuda::device::{Operand, tensor, with};
use crate::network::kernels::cuda::device::{Uploaded, address_of, room, run, upload};
use crate::network::kernels::cuda::dropout::{Dropout, MaskStream};
use crate::network::kernels::cuda::embedding::{Embed, EmbedBackward, Segments, SumSegments};
use crate::network::kernels::cuda::loss::{COLUMNS, CrossEntropy, SumColumns};
use crate::network::kernels::cuda::rope::Rope;
use crate::network::kernels::cuda::rows::{RmsNorm, RmsNormBackward, SquaredRelu, SumRows};
use crate::network::kernels::cuda::{Address, Number};
use crate::network::kernels::embedding::FeatureSets;
use crate::network::kernels::rope::Rotation;
use crate::network::kernels::tensors::OnGpu;
use crate::tokens::relations::Relation;
use crate::tokens::vocabulary::{PAD, Token};
use candle_core::{CudaDevice, CudaStorage, DType, Result, Tensor};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// x / rms(x) · gain; x `[rows, width]`, gain f32 `[width]`.
pub(crate) fn rms_norm(x: Operand<'_>, gain: Operand<'_>, epsilon: f32) -> Result<CudaStorage> {
    let gain = gain.expect(Number::F32)?;
    let (rows, width) = ((x.count / gain.count.max(1)) as u32, gain.count as u32);
    let out = room(x.device, x.number, x.count)?;
    let (gain, address) = (gain.address, address_of(&out)?);
    let norm = RmsNorm { x: x.address, gain, out: address, rows, width, epsilon };
    run(x.device, norm.launch(x.number))?;
    Ok(out)
}

/// The gradients of x and gain.
pub(crate) fn rms_norm_backward(
    x: &Tensor,
    gain: &Tensor,
    grad: &Tensor,
    epsilon: f32,
) -> Result<(Option<Tensor>, Option<Tensor>)> {
    let (dx, dgain) = with([x, gain, grad], |[x, gain, grad]| {
        let (gain, grad) = (gain.expect(Number::F32)?, grad.expect(x.number)?);
        let (rows, width) = ((x.count / gain.count.max(1)) as u32, gain.count as u32);
        let count = RmsNormBackward::parts(rows);
        let parts = room(x.device, Number::F32, count as usize * gain.count)?;
        let (dx, dgain) =
            (room(x.device, x.number, x.count)?, room(x.device, Number::F32, gain.count)?);
        let backward = RmsNormBackward {
            x: x.address,
            gain: gain.address,
            grad: grad.address,
            dx: address_of(&dx)?,
            parts: address_of(&parts)?,
            rows,
            width,
            rows_each: 0,
            epsilon,
        };
        run(x.device, backward.launch(x.number))?;
        let (parts, out) = (address_of(&parts)?, address_of(&dgain)?);
        run(x.device, SumRows { x: parts, out, rows: count, width }.launch())?;
        Ok((dx, dgain))
    })?;
    Ok((Some(tensor(dx, x.shape())), Some(tensor(dgain, gain.shape()))))
}

/// Squared ReLU of x; or, given the gradient of that, the gradient of x.
pub(crate) fn squared_relu(x: Operand<'_>, grad: Option<Operand<'_>>) -> Result<CudaStorage> {
    let grad = match grad {
        Some(grad) => grad.expect(x.number)?.address,
        None => 0,
    };
    let out = room(x.device, x.number, x.count)?;
    let (address, count) = (address_of(&out)?, x.count as u64);
    run(x.device, SquaredRelu { x: x.address, grad, out: address, count }.launch(x.number))?;
    Ok(out)
}

pub(crate) fn rope(x: Operand<'_>, rotation: &Rotation) -> Result<CudaStorage> {
    let out = room(x.device, x.number, x.count)?;
    let rotate = Rope {
        x: x.address,
        out: address_of(&out)?,
        rows: (x.count / rotation.w.max(1)) as u32,
        w: rotation.w as u32,
        width: rotation.width as u32,
        each: rotation.each as u32,
        first: rotation.first as u32,
        places: rotation.n as u32,
        sign: rotation.sign,
    };
    run(x.device, rotate.launch(x.number))?;
    Ok(out)
}

/// What is kept of y, and x, if there is one.
pub(crate) fn dropout(
    x: Option<Operand<'_>>,
    y: Operand<'_>,
    mask: MaskStream,
) -> Result<CudaStorage> {
    let x = match x {
        Some(x) => x.expect(y.number)?.address,
        None => 0,
    };
    let out = room(y.device, y.number, y.count)?;
    let (address, count) = (address_of(&out)?, y.count as u64);
    run(y.device, Dropout { x, y: y.address, out: address, count, mask }.launch(y.number))?;
    Ok(out)
}

/// Sums of rows of the table `[·, d]`. `[nodes, d]`
pub(crate) fn embed(
    sets: &FeatureSets,
    table: Operand<'_>,
    d: usize,
    dtype: DType,
) -> Result<CudaStorage> {
    let (table, number) = (table.expect(Number::F32)?, Number::of(dtype)?);
    let starts: Vec<u32> = sets.starts.iter().map(|start| *start as u32).collect();
    let (features, starts) =
        (upload(table.device, &sets.features)?, upload(table.device, &starts)?);
    let out = room(table.device, number, sets.len() * d)?;
    let embed = Embed {
        features: features.address(),
        starts: starts.address(),
        table: table.address,
        out: address_of(&out)?,
        nodes: sets.len() as u32,
        width: d as u32,
    };
    run(table.device, embed.launch(number))?;
    Ok(out)
}

/// The gradient of the table `[features, d]`.
pub(crate) fn embed_backward(
    sets: &FeatureSets,
    grad: Operand<'_>,
    features: usize,
    d: usize,
) -> Result<CudaStorage> {
    let segments = Segments::new(sets.nodes(), features);
    let up = |list: &[u32]| upload(grad.device, list);
    let (nodes, bounds, starts) =
        (up(&segments.nodes)?, up(&segments.bounds)?, up(&segments.starts)?);
    let parts = room(grad.device, Number::F32, segments.count() * d)?;
    let out = room(grad.device, Number::F32, features * d)?;
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
        features: features as u32,
        width: d as u32,
    };
    run(grad.device, sum.launch())?;
    Ok(out)
}

/// What a batch is to predict, and how it is counted.
pub(crate) struct Wanted<'a> {
    /// The token of every row; `PAD` for rows that do not count.
    pub(crate) tokens: &'a [Token],
    /// The number of the set of allowed tokens of every row.
    pub(crate) masks: &'a [u32],
    /// The set of a number, as bits.
    pub(crate) set: &'a dyn Fn(u32) -> &'a [u64],
    /// What a GPU has of all that.
    pub(crate) on_gpu: &'a OnGpu,
    /// By what the loss is divided.
    pub(crate) counted: usize,
    pub(crate) smoothing: f64,
}

/// The same on a GPU.
struct TargetsOnGpu {
    tokens: Uploaded<u32>,
    masks: Uploaded<u32>,
    sets: Uploaded<u64>,
    words: usize,
}

impl TargetsOnGpu {
    /// With those of the sets that the batch has.
    fn of(device: &CudaDevice, targets: &Wanted<'_>) -> Result<Arc<TargetsOnGpu>> {
        targets.on_gpu.get(|| {
            let (mut numbers, mut sets, mut words) = (FxHashMap::default(), Vec::new(), 0);
            let mut number = |mask: &u32| {
                let next = numbers.len() as u32;
                *numbers.entry(*mask).or_insert_with(|| {
                    let set = (targets.set)(*mask);
                    words = set.len();
                    sets.extend_from_slice(set);
                    next
                })
            };
            let masks: Vec<u32> = targets.masks.iter().map(&mut number).collect();
            Ok(TargetsOnGpu {
                tokens: upload(device, targets.tokens)?,
                masks: upload(device, &masks)?,
                sets: upload(device, &sets)?,
                words,
            })
        })
    }
}

/// What both passes of the loss are told, but for what they write.
fn cross_entropy(logits: &Operand<'_>, targets: &Wanted<'_>, there: &TargetsOnGpu) -> CrossEntropy {
    let rows = targets.tokens.len();
    CrossEntropy {
        logits: logits.address,
        tokens: there.tokens.address(),
        masks: there.masks.address(),
        sets: there.sets.address(),
        grad: 0,
        out: 0,
        rows: rows as u32,
        width: (logits.count / rows.max(1)) as u32,
        words: there.words as u32,
        pad: PAD,
        smoothing: targets.smoothing as f32,
        each: (1.0 / targets.counted as f64) as f32,
    }
}

/// The loss, the sum of −ln p(target), and how many targets are likeliest. f32 `[3]`
pub(crate) fn losses(logits: Operand<'_>, targets: &Wanted<'_>) -> Result<CudaStorage> {
    let logits = logits.expect(Number::F32)?;
    let there = TargetsOnGpu::of(logits.device, targets)?;
    let rows = targets.tokens.len();
    let of_rows = room(logits.device, Number::F32, rows * COLUMNS as usize)?;
    let out = room(logits.device, Number::F32, COLUMNS as usize)?;
    let mut pass = cross_entropy(&logits, targets, &there);
    pass.out = address_of(&of_rows)?;
    run(logits.device, pass.launch())?;
    let (x, sums) = (pass.out, address_of(&out)?);
    let sum = SumColumns { x, out: sums, rows: rows as u32, width: COLUMNS };
    run(logits.device, sum.launch())?;
    Ok(out)
}

/// The gradient of the logits, given that of the loss.
pub(crate) fn losses_backward(
    logits: Operand<'_>,
    targets: &Wanted<'_>,
    grad: Operand<'_>,
) -> Result<CudaStorage> {
    let (logits, grad) = (logits.expect(Number::F32)?, grad.expect(Number::F32)?);
    let there = TargetsOnGpu::of(logits.device, targets)?;
    let out = room(logits.device, Number::F32, logits.count)?;
    let mut pass = cross_entropy(&logits, targets, &there);
    (pass.grad, pass.out) = (grad.address, address_of(&out)?);
    run(logits.device, pass.launch())?;
    Ok(out)
}

/// What an update of all parameters is made with.
#[derive(Clone, Copy)]
pub(crate) struct AdamWNumbers {
    pub(crate) beta1: f64,
    pub(crate) beta2: f64,
    /// Learning rate over the bias correction of the first moment.
    pub(crate) rate: f64,
    /// One over the bias correction of the second moment.
    pub(crate) second: f64,
    pub(crate) epsilon: f64,
    /// To which the gradients together are shortened.
    pub(crate) clip_norm: f64,
}

/// Updates parameters in their place. Of each there are the parameter, its gradient, its moments, and what it
/// is multiplied with first. The norm of the gradients before they are shortened; if it is no number, nothing
/// is changed.
pub(crate) fn update(parameters: &[([&Tensor; 4], f64)], numbers: AdamWNumbers) -> Result<f64> {
    let Some(([first, ..], _)) = parameters.first() else { return Ok(0.0) };
    let device = first.device().as_cuda_device()?;
    let counts = parameters.iter().map(|([p, ..], _)| p.elem_count() as u64);
    let blocks = counts.map(Squares::blocks).collect::<Vec<_>>();
    let count: u32 = blocks.iter().sum();
    let sums = room(device, Number::F32, count as usize)?;
    let clip = room(device, Number::F32, 2)?;
    let (squares, clip_address) = (address_of(&sums)?, address_of(&clip)?);
    let mut out = squares;
    for (([_, g, ..], _), blocks) in parameters.iter().zip(blocks) {
        with([g], |[g]| {
            let g = g.expect(Number::F32)?;
            run(device, Squares { x: g.address, out, count: g.count as u64 }.launch())
        })?;
        out += 4 * Address::from(blocks);
    }
    let most = numbers.clip_norm as f32;
    run(device, Clip { squares, out: clip_address, count, most }.launch())?;
    for ([p, g, m, v], decay) in parameters {
        let step = |p: Operand<'_>, g: Operand<'_>, m: Operand<'_>, v: Operand<'_>| {
            let step = AdamW {
                p: p.address,
                m: m.address,
                v: v.address,
                g: g.address,
                clip: clip_address,
                count: p.count as u64,
                beta1: numbers.beta1 as f32,
                beta2: numbers.beta2 as f32,
                rate: numbers.rate as f32,
                second: numbers.second as f32,
                decay: *decay as f32,
                epsilon: numbers.epsilon as f32,
            };
            run(device, step.launch())
        };
        with([p, g, m, v], |[p, g, m, v]| step(p, g, m, v))?;
    }
    let read = tensor(clip, 2).to_vec1::<f32>()?;
    Ok(f64::from(read[0]))
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
    fn of(device: &CudaDevice, g: &Geometry, heads: &Heads) -> Result<Arc<GeometryOnGpu>> {
        let copy = g.on_gpu.get(|| GeometryOnGpu::new(device, g, heads))?;
        // All layers of a network have the same heads; other ones get a copy of their own.
        match copy.of_heads == heads.relations {
            true => Ok(copy),
            false => GeometryOnGpu::new(device, g, heads).map(Arc::new),
        }
    }

    fn new(device: &CudaDevice, g: &Geometry, heads: &Heads) -> Result<GeometryOnGpu> {
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

/// What attention computes from and to.
#[derive(Clone, Copy)]
pub(crate) struct AttentionInputs<'a> {
    /// `[batch, n, d]`
    pub(crate) queries: &'a Operand<'a>,
    /// `[batch, m, 2d]`, or as the geometry says.
    pub(crate) keys_values: &'a Operand<'a>,
    /// `[2, r, d]`
    pub(crate) tables: Option<&'a Operand<'a>>,
    pub(crate) heads: &'a Heads,
    pub(crate) geometry: &'a Geometry,
}

impl AttentionInputs<'_> {
    /// The arguments of the kernel, but for what it writes.
    ///
    /// # Errors
    /// Shapes that do not fit together.
    fn arguments(&self, there: &GeometryOnGpu) -> Result<Attention> {
        let AttentionInputs { queries, keys_values, tables, heads, geometry: g } = *self;
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

    /// The result `[batch, n, d]`, and what the backward pass wants of it: f32 `[batch, heads, n]`.
    ///
    /// # Errors
    /// Shapes that do not fit together, or that there is no kernel for.
    pub(crate) fn forward(&self) -> Result<[CudaStorage; 2]> {
        let (device, number) = (self.queries.device, self.queries.number);
        let there = GeometryOnGpu::of(device, self.geometry, self.heads)?;
        let mut arguments = self.arguments(&there)?;
        let rows = self.geometry.batch * self.geometry.queries;
        let out = room(device, number, self.queries.count)?;
        let log_sums = room(device, Number::F32, rows * self.heads.count)?;
        (arguments.out, arguments.log_sums) = (address_of(&out)?, address_of(&log_sums)?);
        run(device, arguments.launch(number)?)?;
        Ok([out, log_sums])
    }

    /// The gradients of queries, keys and values, and of the tables: f32, empty without them.
    /// `result` and `log_sums` are what the forward pass gave, `grad` is the gradient of the result.
    ///
    /// # Errors
    /// As [`AttentionInputs::forward`].
    pub(crate) fn backward(
        &self,
        result: &Operand<'_>,
        log_sums: &CudaStorage,
        grad: &Operand<'_>,
    ) -> Result<[CudaStorage; 3]> {
        let (device, number) = (self.queries.device, self.queries.number);
        let there = GeometryOnGpu::of(device, self.geometry, self.heads)?;
        let mut of = self.arguments(&there)?;
        (of.out, of.log_sums) = (result.address, address_of(log_sums)?);
        let dqueries = room(device, number, self.queries.count)?;
        let dkeys_values = room(device, number, self.keys_values.count)?;
        let scratch = match number {
            Number::F32 => None,
            Number::Bf16 => Some(room(device, Number::F32, self.queries.count)?),
        };
        let of_tables = self.tables.map_or(0, |tables| tables.count);
        let parts = room(device, Number::F32, self.geometry.batch * of_tables)?;
        let dtables = room(device, Number::F32, of_tables)?;
        let backward = AttentionBackward {
            of,
            grad: grad.address,
            sums: address_of(scratch.as_ref().unwrap_or(&dqueries))?,
            dqueries: address_of(&dqueries)?,
            dkeys_values: address_of(&dkeys_values)?,
            parts: if self.tables.is_some() { address_of(&parts)? } else { 0 },
        };
        run(device, backward.launch(number)?)?;
        if self.tables.is_some() {
            let (x, out) = (address_of(&parts)?, address_of(&dtables)?);
            let (rows, width) = (self.geometry.batch as u32, of_tables as u32);
            run(device, SumRows { x, out, rows, width }.launch())?;
        }
        Ok([dqueries, dkeys_values, dtables])
    }
}
