//! The loss: −ln of the probability of a guide's tokens among those that the grammar allows in
//! their places, as in decoding.

use crate::network::attention::{floats, with_floats};
use crate::tokens::vocabulary::{PAD, Token};
use crate::training::examples::masks::{Masks, members};
use anyhow::Result;
use candle_core::{CpuStorage, CustomOp1, D, Layout, Shape, Tensor};
use std::sync::Arc;

/// What a batch is to predict, padded.
#[derive(Clone, Debug)]
pub struct Targets {
    /// The token of every row; [`PAD`] for rows that do not count.
    pub tokens: Vec<Token>,
    /// The number of the set of allowed tokens of every row.
    pub masks: Vec<u32>,
    /// The sets.
    pub sets: Arc<Masks>,
}

impl Targets {
    /// The rows that count: row, token and allowed tokens.
    fn rows(&self) -> impl Iterator<Item = (usize, usize, &[u64])> {
        let rows = self.tokens.iter().zip(&self.masks).enumerate();
        rows.filter(|(_, (token, _))| **token != PAD)
            .map(|(row, (token, mask))| (row, *token as usize, self.sets.get(*mask)))
    }
}

/// How well logits predict targets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Sum of −ln p(target) in nats.
    pub nats: f64,
    /// Targets that are likeliest among the allowed tokens.
    pub right: u64,
    /// Targets.
    pub tokens: u64,
}

impl Score {
    /// Of both together.
    pub fn plus(self, other: Score) -> Score {
        Score {
            nats: self.nats + other.nats,
            right: self.right + other.right,
            tokens: self.tokens + other.tokens,
        }
    }
}

/// The logarithm of the sum of the exponentials of the allowed logits.
fn log_sum(logits: &[f32], set: &[u64]) -> f32 {
    let max = members(set).map(|i| logits[i]).fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = members(set).map(|i| (logits[i] - max).exp()).sum();
    max + sum.ln()
}

/// Log-probabilities of the allowed tokens, ascending.
pub fn log_probabilities(logits: &[f32], set: &[u64]) -> Vec<(Token, f32)> {
    let log_sum = log_sum(logits, set);
    members(set).map(|i| (i as Token, logits[i] - log_sum)).collect()
}

/// Scores `logits` `[n, v]`, rows one after another.
fn score_rows(logits: &[f32], targets: &Targets) -> Score {
    let v = logits.len() / targets.tokens.len().max(1);
    let mut score = Score::default();
    for (row, token, set) in targets.rows() {
        let logits = &logits[row * v..][..v];
        score.nats += f64::from(log_sum(logits, set) - logits[token]);
        score.right += u64::from(members(set).all(|i| logits[i] <= logits[token]));
        score.tokens += 1;
    }
    score
}

/// Scores `logits` `[n, v]`.
///
/// # Errors
/// The device fails.
pub fn score(logits: &Tensor, targets: &Targets) -> Result<Score> {
    let logits = logits.detach();
    if logits.device().is_cpu() {
        return Ok(with_floats(&logits, |logits| Ok(score_rows(logits, targets)))?);
    }
    Ok(score_rows(&logits.flatten_all()?.to_vec1::<f32>()?, targets))
}

/// What gradients are taken of: the sum over the targets of the cross-entropy with `1 − smoothing`
/// at the target and the rest spread evenly over the allowed tokens, over `counted`; a scalar.
/// `logits` `[n, v]`.
///
/// # Errors
/// The device fails.
pub fn loss(
    logits: &Tensor,
    targets: &Arc<Targets>,
    counted: usize,
    smoothing: f64,
) -> Result<Tensor> {
    if logits.device().is_cpu() {
        let op = CrossEntropy { targets: targets.clone(), counted, smoothing };
        return Ok(logits.contiguous()?.apply_op1(op)?);
    }
    composed_loss(logits, targets, counted, smoothing)
}

fn composed_loss(
    logits: &Tensor,
    targets: &Targets,
    counted: usize,
    smoothing: f64,
) -> Result<Tensor> {
    let (n, v) = logits.dims2()?;
    let (mut unseen, mut wanted) = (vec![-1e9f32; n * v], vec![0f32; n * v]);
    for (row, token, set) in targets.rows() {
        let each = smoothing / members(set).count() as f64;
        for i in members(set) {
            unseen[row * v + i] = 0.0;
            wanted[row * v + i] = (each / counted as f64) as f32;
        }
        wanted[row * v + token] += ((1.0 - smoothing) / counted as f64) as f32;
    }
    let tensor = |data| Tensor::from_vec(data, (n, v), logits.device());
    let log_p = candle_nn::ops::log_softmax(&(logits + tensor(unseen)?)?, D::Minus1)?;
    Ok((log_p * tensor(wanted)?)?.sum_all()?.neg()?)
}

struct CrossEntropy {
    targets: Arc<Targets>,
    counted: usize,
    smoothing: f64,
}

impl CustomOp1 for CrossEntropy {
    fn name(&self) -> &'static str {
        "cross-entropy"
    }

    fn cpu_fwd(
        &self,
        storage: &CpuStorage,
        layout: &Layout,
    ) -> candle_core::Result<(CpuStorage, Shape)> {
        let logits = floats(storage, layout)?;
        let v = logits.len() / self.targets.tokens.len().max(1);
        let mut sum = 0f64;
        for (row, token, set) in self.targets.rows() {
            let logits = &logits[row * v..][..v];
            let mut wanted = (1.0 - self.smoothing) * f64::from(logits[token]);
            if self.smoothing > 0.0 {
                let all: f64 = members(set).map(|i| f64::from(logits[i])).sum();
                wanted += self.smoothing * all / members(set).count() as f64;
            }
            sum += f64::from(log_sum(logits, set)) - wanted;
        }
        Ok((CpuStorage::F32(vec![(sum / self.counted as f64) as f32]), Shape::from(())))
    }

    fn bwd(
        &self,
        logits: &Tensor,
        _res: &Tensor,
        grad: &Tensor,
    ) -> candle_core::Result<Option<Tensor>> {
        let scale = grad.to_scalar::<f32>()? / self.counted as f32;
        let d = with_floats(logits, |logits| {
            let v = logits.len() / self.targets.tokens.len().max(1);
            let mut d = vec![0f32; logits.len()];
            for (row, token, set) in self.targets.rows() {
                let (d, logits) = (&mut d[row * v..][..v], &logits[row * v..][..v]);
                let log_sum = log_sum(logits, set);
                let each = self.smoothing as f32 / members(set).count() as f32;
                for i in members(set) {
                    d[i] = ((logits[i] - log_sum).exp() - each) * scale;
                }
                d[token] -= (1.0 - self.smoothing) as f32 * scale;
            }
            Ok(d)
        })?;
        Tensor::from_vec(d, logits.shape(), logits.device()).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::assert_gradient;
    use candle_core::{Device, Var};

    fn logits() -> Var {
        let data: Vec<f32> = (0..30).map(|i| (i as f32 * 1.3).sin()).collect();
        Var::from_vec(data, (3, 10), &Device::Cpu).unwrap()
    }

    fn targets() -> Arc<Targets> {
        let mut sets = Masks::new(10);
        let masks = vec![sets.insert(&[0b11_0001_0100]), 0, sets.insert(&[0b10_1010_1010])];
        Arc::new(Targets { tokens: vec![4, PAD, 9], masks, sets: Arc::new(sets) })
    }

    #[test]
    fn the_allowed_tokens_have_all_of_the_probability() {
        let (logits, targets) = (logits().to_vec2::<f32>().unwrap(), targets());
        for (row, _, set) in targets.rows() {
            let all = log_probabilities(&logits[row], set);
            let sum: f32 = all.iter().map(|(_, log_p)| log_p.exp()).sum();
            assert!((sum - 1.0).abs() < 1e-6 && all.len() == members(set).count());
        }
    }

    #[test]
    fn the_loss_is_the_mean_and_its_gradient_agrees_with_differences() {
        let (x, targets) = (logits(), targets());
        let value = |x: &Tensor, smoothing| loss(x, &targets, 2, smoothing).unwrap();
        let scored = score(&x, &targets).unwrap();
        assert_eq!(scored.tokens, 2);
        let mean = value(&x, 0.0).to_scalar::<f32>().unwrap();
        assert!((f64::from(mean) - scored.nats / 2.0).abs() < 1e-6);
        for smoothing in [0.0, 0.2] {
            assert_gradient(&x, 2e-3, |x| value(x, smoothing));
        }
    }

    #[test]
    fn composed_forms_agree() {
        let (x, targets) = (logits(), targets());
        for smoothing in [0.0, 0.1] {
            let fused = loss(&x, &targets, 2, smoothing).unwrap();
            let composed = composed_loss(&x, &targets, 2, smoothing).unwrap();
            let close = |a: &Tensor, b: &Tensor| {
                let difference = (a - b).unwrap().abs().unwrap().flatten_all().unwrap();
                assert!(difference.max(0).unwrap().to_scalar::<f32>().unwrap() < 1e-5);
            };
            close(&fused, &composed);
            let gradient = |t: Tensor| t.backward().unwrap().get(&x).unwrap().clone();
            close(&gradient(fused), &gradient(composed));
        }
    }

    #[test]
    fn among_equal_logits_the_loss_is_the_logarithm_of_their_number() {
        let x = Tensor::zeros((3, 10), candle_core::DType::F32, &Device::Cpu).unwrap();
        let nats = score(&x, &targets()).unwrap().nats;
        assert!((nats - 4f64.ln() - 5f64.ln()).abs() < 1e-6);
    }
}
