//! The operations on tensors of a GPU: memory for their results, and launches of their kernels.

use crate::network::kernels::cuda::adamw::{AdamW, Clip, Squares};
pub(crate) use crate::network::kernels::cuda::device::{Operand, tensor, with};
use crate::network::kernels::cuda::device::{address_of, room, run, upload};
use crate::network::kernels::cuda::dropout::{Dropout, MaskStream};
use crate::network::kernels::cuda::embedding::{Embed, EmbedBackward, Segments, SumSegments};
use crate::network::kernels::cuda::loss::{COLUMNS, CrossEntropy, SumColumns};
use crate::network::kernels::cuda::rope::Rope;
use crate::network::kernels::cuda::rows::{RmsNorm, RmsNormBackward, SquaredRelu, SumRows};
use crate::network::kernels::cuda::{Address, Number};
use crate::network::kernels::embedding::FeatureSets;
use crate::network::kernels::rope::Rotation;
use crate::tokens::vocabulary::PAD;
use crate::training::adamw::{BETA1, BETA2, EPSILON, Parameter, Update};
use crate::training::loss::Targets;
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
    let (dx, dgain) = with(x, |x| {
        with(gain, |gain| {
            with(grad, |grad| {
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
            })
        })
    })?;
    Ok((Some(tensor(dx, x.shape())), Some(tensor(dgain, gain.shape()))))
}

pub(crate) fn squared_relu(x: Operand<'_>) -> Result<CudaStorage> {
    let out = room(x.device, x.number, x.count)?;
    let (address, count) = (address_of(&out)?, x.count as u64);
    let relu = SquaredRelu { x: x.address, grad: 0, out: address, count };
    run(x.device, relu.launch(x.number))?;
    Ok(out)
}

pub(crate) fn squared_relu_backward(x: &Tensor, grad: &Tensor) -> Result<Tensor> {
    let dx = with(x, |x| {
        with(grad, |grad| {
            let grad = grad.expect(x.number)?;
            let dx = room(x.device, x.number, x.count)?;
            let (out, count) = (address_of(&dx)?, x.count as u64);
            let relu = SquaredRelu { x: x.address, grad: grad.address, out, count };
            run(x.device, relu.launch(x.number))?;
            Ok(dx)
        })
    })?;
    Ok(tensor(dx, x.shape()))
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

/// What a batch is to predict, on a GPU.
struct TargetsOnGpu {
    tokens: Uploaded<u32>,
    masks: Uploaded<u32>,
    sets: Uploaded<u64>,
    words: usize,
}

impl TargetsOnGpu {
    /// With those of the sets that the batch has.
    fn of(device: &CudaDevice, targets: &Targets) -> Result<Arc<TargetsOnGpu>> {
        targets.on_gpu.get(|| {
            let (mut numbers, mut sets, mut words) = (FxHashMap::default(), Vec::new(), 0);
            let mut number = |mask: &u32| {
                let next = numbers.len() as u32;
                *numbers.entry(*mask).or_insert_with(|| {
                    let set = targets.sets.get(*mask);
                    words = set.len();
                    sets.extend_from_slice(set);
                    next
                })
            };
            let masks: Vec<u32> = targets.masks.iter().map(&mut number).collect();
            Ok(TargetsOnGpu {
                tokens: upload(device, &targets.tokens)?,
                masks: upload(device, &masks)?,
                sets: upload(device, &sets)?,
                words,
            })
        })
    }
}

/// What both passes of the loss are told, but for what they write.
fn cross_entropy(
    logits: &Operand<'_>,
    targets: &Targets,
    there: &TargetsOnGpu,
    counted: usize,
    smoothing: f64,
) -> CrossEntropy {
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
        smoothing: smoothing as f32,
        each: (1.0 / counted as f64) as f32,
    }
}

/// The loss, the sum of −ln p(target), and how many targets are likeliest. f32 `[3]`
pub(crate) fn losses(
    logits: Operand<'_>,
    targets: &Targets,
    counted: usize,
    smoothing: f64,
) -> Result<CudaStorage> {
    let logits = logits.expect(Number::F32)?;
    let there = TargetsOnGpu::of(logits.device, targets)?;
    let rows = targets.tokens.len();
    let of_rows = room(logits.device, Number::F32, rows * COLUMNS as usize)?;
    let out = room(logits.device, Number::F32, COLUMNS as usize)?;
    let mut pass = cross_entropy(&logits, targets, &there, counted, smoothing);
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
    targets: &Targets,
    counted: usize,
    smoothing: f64,
    grad: Operand<'_>,
) -> Result<CudaStorage> {
    let (logits, grad) = (logits.expect(Number::F32)?, grad.expect(Number::F32)?);
    let there = TargetsOnGpu::of(logits.device, targets)?;
    let out = room(logits.device, Number::F32, logits.count)?;
    let mut pass = cross_entropy(&logits, targets, &there, counted, smoothing);
    (pass.grad, pass.out) = (grad.address, address_of(&out)?);
    run(logits.device, pass.launch())?;
    Ok(out)
}

/// Updates parameters in their place, all gradients shortened to `clip_norm` together. Their norm before;
/// if it is no number, nothing is changed.
pub(crate) fn update(
    parameters: &[Parameter<'_>],
    update: Update,
    clip_norm: f64,
) -> anyhow::Result<f64> {
    let Some(first) = parameters.first() else { return Ok(0.0) };
    let device = first.p.device().as_cuda_device()?;
    let counts = parameters.iter().map(|parameter| parameter.p.elem_count() as u64);
    let blocks = counts.map(Squares::blocks).collect::<Vec<_>>();
    let count: u32 = blocks.iter().sum();
    let sums = room(device, Number::F32, count as usize)?;
    let clip = room(device, Number::F32, 2)?;
    let (squares, clip_address) = (address_of(&sums)?, address_of(&clip)?);
    let mut out = squares;
    for (Parameter { g, .. }, blocks) in parameters.iter().zip(blocks) {
        with(g, |g| {
            let g = g.expect(Number::F32)?;
            run(device, Squares { x: g.address, out, count: g.count as u64 }.launch())
        })?;
        out += 4 * Address::from(blocks);
    }
    run(device, Clip { squares, out: clip_address, count, most: clip_norm as f32 }.launch())?;
    for parameter in parameters {
        let Parameter { p, g, m, v } = parameter;
        let decay = update.decay_of(p);
        with(p, |p| {
            with(g, |g| {
                with(m, |m| {
                    with(v, |v| {
                        let step = AdamW {
                            p: p.address,
                            m: m.address,
                            v: v.address,
                            g: g.address,
                            clip: clip_address,
                            count: p.count as u64,
                            beta1: BETA1 as f32,
                            beta2: BETA2 as f32,
                            rate: update.rate as f32,
                            second: update.second as f32,
                            decay: decay as f32,
                            epsilon: EPSILON as f32,
                        };
                        run(device, step.launch())
                    })
                })
            })
        })?;
    }
    let read = tensor(clip, 2).to_vec1::<f32>()?;
    Ok(f64::from(read[0]))
}
