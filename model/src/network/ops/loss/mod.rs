//! The loss: −ln of the probability of a guide's tokens among those that the grammar allows in
//! their places, as in decoding.

mod formula;
pub mod targets;

use crate::network::ops::loss::formula::Rows;
use crate::network::ops::loss::targets::{Targets, Weights, members};
use crate::network::ops::operation::{Operation, apply_op1, by_formulas};
use crate::network::ops::tensors::with_floats;
use anyhow::Result;
use candle_core::{Shape, Tensor};
use std::sync::Arc;

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

/// A score that a GPU may still be computing.
pub struct Tally {
    known: Score,
    /// On a GPU: nats, and how many are right. `[2]`
    pending: Option<Tensor>,
}

impl Tally {
    /// Of both together.
    ///
    /// # Errors
    /// The device fails.
    pub fn plus(self, other: Tally) -> Result<Tally> {
        let pending = match (self.pending, other.pending) {
            (Some(a), Some(b)) => Some((a + b)?),
            (a, b) => a.or(b),
        };
        Ok(Tally { known: self.known.plus(other.known), pending })
    }

    /// The score, for which a GPU is waited for.
    ///
    /// # Errors
    /// The device fails.
    pub fn read(&self) -> Result<Score> {
        let Some(pending) = &self.pending else { return Ok(self.known) };
        let sums = pending.to_vec1::<f32>()?;
        let there = Score { nats: sums[0].into(), right: sums[1] as u64, ..Score::default() };
        Ok(self.known.plus(there))
    }
}

/// The logarithm of the sum of the exponentials of the allowed logits.
fn log_sum(logits: &[f32], set: &[u64]) -> f32 {
    let max = members(set).map(|i| logits[i]).fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = members(set).map(|i| (logits[i] - max).exp()).sum();
    max + sum.ln()
}

/// Log-probabilities of the allowed tokens, ascending.
pub fn log_probabilities(logits: &[f32], set: &[u64]) -> Vec<(u32, f32)> {
    let log_sum = log_sum(logits, set);
    members(set).map(|i| (i as u32, logits[i] - log_sum)).collect()
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
pub fn score(logits: &Tensor, targets: &Targets) -> Result<Tally> {
    let logits = logits.detach();
    if by_formulas(&logits) {
        let logits = logits.contiguous()?;
        let tokens = targets.rows().count() as u64;
        let pending = Some(Rows::of(targets, &logits)?.score(&logits)?);
        return Ok(Tally { known: Score { tokens, ..Score::default() }, pending });
    }
    let known = with_floats([&logits], |[logits]| Ok(score_rows(logits, targets)))?;
    Ok(Tally { known, pending: None })
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
    let op = CrossEntropy { targets: targets.clone(), weights: Weights { counted, smoothing } };
    Ok(apply_op1(op, logits)?)
}

struct CrossEntropy {
    targets: Arc<Targets>,
    weights: Weights,
}

impl Operation<1> for CrossEntropy {
    const NAME: &'static str = "cross-entropy";

    fn shape(&self, _logits: [&Shape; 1]) -> candle_core::Result<Shape> {
        Ok(Shape::from(()))
    }

    fn forward(&self, [logits]: [&[f32]; 1]) -> candle_core::Result<Vec<f32>> {
        let v = logits.len() / self.targets.tokens.len().max(1);
        let mut sum = 0f64;
        for (row, token, set) in self.targets.rows() {
            let logits = &logits[row * v..][..v];
            let mut wanted = (1.0 - self.weights.smoothing) * f64::from(logits[token]);
            if self.weights.smoothing > 0.0 {
                let all: f64 = members(set).map(|i| f64::from(logits[i])).sum();
                wanted += self.weights.smoothing * all / members(set).count() as f64;
            }
            sum += f64::from(log_sum(logits, set)) - wanted;
        }
        Ok(vec![(sum / self.weights.counted as f64) as f32])
    }

    fn backward(&self, [logits]: [&[f32]; 1], grad: &[f32]) -> candle_core::Result<[Vec<f32>; 1]> {
        let scale = grad[0] / self.weights.counted as f32;
        let v = logits.len() / self.targets.tokens.len().max(1);
        let mut d = vec![0f32; logits.len()];
        for (row, token, set) in self.targets.rows() {
            let (d, logits) = (&mut d[row * v..][..v], &logits[row * v..][..v]);
            let log_sum = log_sum(logits, set);
            let each = self.weights.smoothing as f32 / members(set).count() as f32;
            for i in members(set) {
                d[i] = ((logits[i] - log_sum).exp() - each) * scale;
            }
            d[token] -= (1.0 - self.weights.smoothing) as f32 * scale;
        }
        Ok([d])
    }

    fn formula(&self, [logits]: [&Tensor; 1]) -> candle_core::Result<Tensor> {
        Rows::of(&self.targets, logits)?.loss(logits, self.weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{assert_gradient, formula_agrees, same_as_formula, waves};
    use crate::network::ops::loss::targets::{Masks, UNCOUNTED};
    use crate::network::ops::operation::test::with_formulas;
    use crate::network::ops::tensors::OnGpu;
    use candle_core::{Device, Var};

    fn logits() -> Var {
        let data: Vec<f32> = (0..30).map(|i| (i as f32 * 1.3).sin()).collect();
        Var::from_vec(data, (3, 10), &Device::Cpu).unwrap()
    }

    fn targets() -> Arc<Targets> {
        let mut sets = Masks::new(10);
        let masks = vec![sets.insert(&[0b11_0001_0100]), 0, sets.insert(&[0b10_1010_1010])];
        let (tokens, sets) = (vec![4, UNCOUNTED, 9], Arc::new(sets));
        Arc::new(Targets { tokens, masks, sets, on_gpu: OnGpu::default() })
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
        let scored = score(&x, &targets).unwrap().read().unwrap();
        assert_eq!(scored.tokens, 2);
        let mean = value(&x, 0.0).to_scalar::<f32>().unwrap();
        assert!((f64::from(mean) - scored.nats / 2.0).abs() < 1e-6);
        for smoothing in [0.0, 0.2] {
            assert_gradient(&x, 2e-3, |x| value(x, smoothing));
        }
    }

    /// By a softmax over all tokens in which those not allowed have no part.
    fn formula(logits: &Tensor, targets: &Targets, counted: usize, smoothing: f64) -> Tensor {
        let (n, v) = logits.dims2().unwrap();
        let (mut unseen, mut wanted) = (vec![-1e9f32; n * v], vec![0f32; n * v]);
        for (row, token, set) in targets.rows() {
            let each = smoothing / members(set).count() as f64;
            for i in members(set) {
                unseen[row * v + i] = 0.0;
                wanted[row * v + i] = (each / counted as f64) as f32;
            }
            wanted[row * v + token] += ((1.0 - smoothing) / counted as f64) as f32;
        }
        let tensor = |data| Tensor::from_vec(data, (n, v), &Device::Cpu).unwrap();
        let log_p = candle_nn::ops::log_softmax(&(logits + tensor(unseen)).unwrap(), 1).unwrap();
        (log_p * tensor(wanted)).unwrap().sum_all().unwrap().neg().unwrap()
    }

    #[test]
    fn it_agrees_with_the_formula() {
        let (x, targets) = (logits(), targets());
        for smoothing in [0.0, 0.1] {
            let found = loss(&x, &targets, 2, smoothing).unwrap().reshape(1).unwrap();
            let expected = formula(&x, &targets, 2, smoothing).reshape(1).unwrap();
            same_as_formula(&[&x], &found, &expected);
        }
    }

    #[test]
    fn among_equal_logits_the_loss_is_the_logarithm_of_their_number() {
        let x = Tensor::zeros((3, 10), candle_core::DType::F32, &Device::Cpu).unwrap();
        let nats = score(&x, &targets()).unwrap().read().unwrap().nats;
        assert!((nats - 4f64.ln() - 5f64.ln()).abs() < 1e-6);
    }

    #[test]
    fn formulas_agree_with_the_loops() {
        // A vocabulary of more than a word of bits.
        let (rows, width) = (70usize, 75usize);
        let mut sets = Masks::new(width);
        let all = [sets.insert(&[0b11_0001_0100, 1 << 5]), sets.insert(&[u64::MAX, 0x7ff])];
        let tokens: Vec<u32> = (0..rows as u32)
            .map(|i| if i % 5 == 4 { UNCOUNTED } else { [4, 9, 69][i as usize % 3] })
            .collect();
        let masks: Vec<u32> = (0..rows).map(|i| all[i % 2]).collect();
        let (sets, on_gpu) = (Arc::new(sets), OnGpu::default());
        let targets = Arc::new(Targets { tokens, masks, sets, on_gpu });
        let logits = waves(&[rows, width], 0.0);
        for smoothing in [0.0, 0.2] {
            formula_agrees(&[], &[&logits], |all| {
                loss(all[0], &targets, 50, smoothing).map_err(candle_core::Error::msg)?.reshape(1)
            });
        }
        let found = with_formulas(|| score(&logits, &targets)).unwrap();
        let twice = with_formulas(|| score(&logits, &targets)).unwrap().plus(found).unwrap();
        let (found, expected) = (twice.read().unwrap(), score(&logits, &targets).unwrap().known);
        assert_eq!((found.right, found.tokens), (2 * expected.right, 2 * expected.tokens));
        assert!((found.nats / 2.0 / expected.nats - 1.0).abs() < 1e-5);
    }
}
