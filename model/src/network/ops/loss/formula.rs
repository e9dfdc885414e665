//! Loss and score by candle's operations.

use crate::network::ops::loss::targets::{Targets, UNCOUNTED, Weights, members};
use candle_core::{D, DType, Result, Tensor};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What logits that are not allowed count as: so little that their exponential is zero, and no infinity.
const NOT_ALLOWED: f64 = -1e9;

/// Targets on the device of the logits. n rows, v tokens.
pub(super) struct Rows {
    tokens: Tensor,  // u32 [n, 1]
    counted: Tensor, // f32 [n, 1], 1 or 0
    /// 1 for allowed tokens, and 0. u8 `[n, v]`
    allowed: Tensor,
}

impl Rows {
    /// Sent once for score and loss, with each set of allowed tokens that the batch has once.
    pub(super) fn of(targets: &Targets, logits: &Tensor) -> Result<Arc<Rows>> {
        let ((n, v), device) = (logits.dims2()?, logits.device());
        targets.on_gpu.get(|| {
            let (mut numbers, mut sets) = (FxHashMap::default(), Vec::new());
            let mut number = |mask: &u32| {
                let next = numbers.len() as u32;
                *numbers.entry(*mask).or_insert_with(|| {
                    sets.resize(sets.len() + v, 0u8);
                    let begin = sets.len() - v;
                    members(targets.sets.get(*mask)).for_each(|token| sets[begin + token] = 1);
                    next
                })
            };
            let masks: Vec<u32> = targets.masks.iter().map(&mut number).collect();
            let sets = Tensor::from_vec(sets, (numbers.len(), v), device)?;
            let counted = |token: &u32| if *token == UNCOUNTED { 0f32 } else { 1.0 };
            let counted = targets.tokens.iter().map(counted).collect();
            Ok(Rows {
                tokens: Tensor::from_slice(&targets.tokens, (n, 1), device)?,
                counted: Tensor::from_vec(counted, (n, 1), device)?,
                allowed: sets.index_select(&Tensor::from_vec(masks, n, device)?, 0)?,
            })
        })
    }

    /// The logarithm of the sum of the exponentials of the allowed logits, and the largest of them. `[n, 1]` each
    fn log_sum(&self, logits: &Tensor) -> Result<[Tensor; 2]> {
        let not_allowed = (logits.zeros_like()? + NOT_ALLOWED)?;
        let logits = self.allowed.where_cond(logits, &not_allowed)?;
        let max = logits.max_keepdim(D::Minus1)?.detach();
        let sum = logits.broadcast_sub(&max)?.exp()?.sum_keepdim(D::Minus1)?;
        Ok([(sum.log()? + &max)?, max])
    }

    /// The loss, a scalar.
    pub(super) fn loss(&self, logits: &Tensor, weights: Weights) -> Result<Tensor> {
        let Weights { counted, smoothing } = weights;
        let [log_sum, _] = self.log_sum(logits)?;
        let mut wanted = (logits.gather(&self.tokens, 1)? * (1.0 - smoothing))?; // [n, 1]
        if smoothing > 0.0 {
            let all = self.allowed.where_cond(logits, &logits.zeros_like()?)?;
            let number = self.allowed.to_dtype(DType::F32)?.sum_keepdim(1)?.maximum(1f64)?;
            wanted = (wanted + (all.sum_keepdim(1)? / number)? * smoothing)?;
        }
        let losses = ((log_sum - wanted)? * &self.counted)?;
        losses.sum_all()? * (1.0 / counted as f64)
    }

    /// Nats, and how many are right. `[2]`
    pub(super) fn score(&self, logits: &Tensor) -> Result<Tensor> {
        let [log_sum, max] = self.log_sum(logits)?;
        let wanted = logits.gather(&self.tokens, 1)?; // [n, 1]
        let right = wanted.ge(&max)?.to_dtype(DType::F32)?;
        let nats = (log_sum - wanted)?;
        let sums = [nats, right].map(|of_rows| (of_rows * &self.counted)?.sum_all());
        let [nats, right] = sums;
        Tensor::stack(&[nats?, right?], 0)
    }
}
