//! On an NVIDIA GPU: `loss.cu`.

use crate::network::ops::cuda::sums::SumColumns;
use crate::network::ops::cuda::{
    Address, Gpu, LANES, Launch, Memory, Number, Operand, Uploaded, address_of, arguments, over,
    room, run, upload,
};
use crate::network::ops::loss::targets::{Targets, UNCOUNTED, Weights};
use candle_core::Result;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Numbers that the forward pass writes of a row: the loss, −ln p(target), and 1 if the target is
/// likeliest.
const COLUMNS: u32 = 3;

arguments! {
    struct CrossEntropy {
        /// f32 `[rows, width]`
        logits: Address,
        /// u32 `[rows]`
        tokens: Address,
        /// Which of the sets each row has. u32 `[rows]`
        masks: Address,
        /// u64 `[·, words]`
        sets: Address,
        /// The gradient of the loss, one f32; 0 in the forward pass.
        grad: Address,
        /// f32 `[rows, 3]` in the forward pass, the gradient of the logits in the backward pass.
        out: Address,
        rows: u32,
        width: u32,
        words: u32,
        /// The token of rows that do not count.
        pad: u32,
        smoothing: f32,
        /// What a row weighs in the loss.
        each: f32,
    }
}

impl CrossEntropy {
    fn launch(self) -> Launch<CrossEntropy> {
        over("cross_entropy_f32", u64::from(self.rows) * u64::from(LANES), self)
    }
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
    fn of(device: &Gpu, targets: &Targets) -> Result<Arc<TargetsOnGpu>> {
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
    weights: Weights,
    there: &TargetsOnGpu,
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
        pad: UNCOUNTED,
        smoothing: weights.smoothing as f32,
        each: (1.0 / weights.counted as f64) as f32,
    }
}

/// The loss, the sum of −ln p(target), and how many targets are likeliest. f32 `[3]`
pub(crate) fn losses(logits: Operand<'_>, targets: &Targets, weights: Weights) -> Result<Memory> {
    let logits = logits.expect(Number::F32)?;
    let there = TargetsOnGpu::of(logits.device, targets)?;
    let rows = targets.tokens.len();
    let of_rows = room(logits.device, Number::F32, rows * COLUMNS as usize)?;
    let out = room(logits.device, Number::F32, COLUMNS as usize)?;
    let mut pass = cross_entropy(&logits, targets, weights, &there);
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
    weights: Weights,
    grad: Operand<'_>,
) -> Result<Memory> {
    let (logits, grad) = (logits.expect(Number::F32)?, grad.expect(Number::F32)?);
    let there = TargetsOnGpu::of(logits.device, targets)?;
    let out = room(logits.device, Number::F32, logits.count)?;
    let mut pass = cross_entropy(&logits, targets, weights, &there);
    (pass.grad, pass.out) = (grad.address, address_of(&out)?);
    run(logits.device, pass.launch())?;
    Ok(out)
}
