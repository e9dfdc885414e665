//! The value head: from the encoders alone, how near a start and a target are.

use crate::network::attention::Geometry;
use crate::network::kernels::linear::linear;
use crate::network::kernels::rms_norm::rms_norm;
use crate::network::kernels::squared_relu::squared_relu;
use crate::network::parameters::{Init, Parameters};
use candle_core::{D, DType, Result, Tensor};

/// What the names of its parameters begin with.
pub const VALUE_HEAD: &str = "value.";

/// A hidden layer over the means of both encoded terms and their products, and two outputs.
pub(crate) struct ValueHead {
    norm: Tensor,   // [3d]
    hidden: Tensor, // [3d, d]
    output: Tensor, // [d, 2]
    bias: Tensor,   // [2]
}

impl ValueHead {
    pub(crate) fn new(p: &mut Parameters, width: usize) -> anyhow::Result<Self> {
        let deviation = |from: usize| Init::Normal((1.0 / from as f64).sqrt());
        Ok(ValueHead {
            norm: p.get("value.norm", &[3 * width], Init::Ones)?,
            hidden: p.get("value.hidden", &[3 * width, width], deviation(3 * width))?,
            output: p.get("value.output", &[width, 2], deviation(width))?,
            bias: p.get("value.bias", &[2], Init::Zeros)?,
        })
    }

    /// Of the means of encoded starts and targets, `[b, d]` each: the logit of the probability
    /// that the next e-graph joins them, and ln of the work that is left. `[b, 2]`
    pub(crate) fn forward(&self, [start, target]: &[Tensor; 2]) -> Result<Tensor> {
        let both = Tensor::cat(&[start, target, &(start * target)?], D::Minus1)?; // [b, 3d]
        let hidden = squared_relu(&linear(&rms_norm(&both, &self.norm)?, &self.hidden)?)?;
        linear(&hidden, &self.output)?.broadcast_add(&self.bias)
    }
}

/// The mean of the nodes of each encoded tree that are not padding. `x` `[b, n, d]`; `[b, d]`
pub(crate) fn mean(x: &Tensor, g: &Geometry) -> Result<Tensor> {
    let mut weights = vec![0f32; g.batch * g.keys];
    for (row, length) in weights.chunks_exact_mut(g.keys.max(1)).zip(&g.key_lengths) {
        row[..*length].fill(1.0 / *length as f32);
    }
    let weights = Tensor::from_vec(weights, (g.batch, g.keys, 1), x.device())?;
    x.to_dtype(DType::F32)?.broadcast_mul(&weights)?.sum(1)
}

/// What became of a pair of terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Whether the e-graph grown from the pair joined the terms.
    pub joined: bool,
    /// ln of the work (e-nodes) that was still done until a proof was found; `None` if none was.
    pub log_work: Option<f32>,
}

/// The loss of the value head's outputs `[b, 2]`: the cross-entropy of the joins in nats and half
/// the squared error of the logarithms of work, each in the mean over the pairs; a scalar.
///
/// # Errors
/// Shapes that do not fit together.
pub fn value_loss(outputs: &Tensor, outcomes: &[Outcome]) -> Result<Tensor> {
    let (device, b) = (outputs.device(), outcomes.len());
    let column = |f: &dyn Fn(&Outcome) -> f32| {
        Tensor::from_vec(outcomes.iter().map(f).collect::<Vec<f32>>(), b, device)
    };
    let joined = column(&|o| f32::from(u8::from(o.joined)))?;
    let work = column(&|o| o.log_work.unwrap_or(0.0))?;
    let known = column(&|o| f32::from(u8::from(o.log_work.is_some())))?;
    let logit = outputs.narrow(1, 0, 1)?.squeeze(1)?; // [b]
    // −ln p = ln(1 + exp(z)) − y·z, written so that nothing overflows.
    let tail = ((logit.abs()?.neg()?.exp()? + 1.0)?).log()?;
    let cross_entropy = ((logit.relu()? + tail)? - (&logit * joined)?)?;
    let error = ((outputs.narrow(1, 1, 1)?.squeeze(1)? - work)? * known)?;
    ((cross_entropy + (error.sqr()? * 0.5)?)?.sum_all()? / b.max(1) as f64)?.contiguous()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::assert_gradient;
    use crate::network::attention::{OnGpu, Source};
    use candle_core::{Device, Var};

    const OUTCOMES: [Outcome; 3] = [
        Outcome { joined: true, log_work: Some(2.0) },
        Outcome { joined: false, log_work: None },
        Outcome { joined: false, log_work: Some(7.5) },
    ];

    #[test]
    fn the_loss_is_that_of_the_formula_and_so_is_its_gradient() {
        let outputs = [0.7f32, 1.5, -1.2, 3.0, 2.0, 6.0];
        let var = Var::from_slice(&outputs, (3, 2), &Device::Cpu).unwrap();
        let loss = value_loss(&var, &OUTCOMES).unwrap().to_scalar::<f32>().unwrap();
        let p = |z: f32| 1.0 / (1.0 + (-z).exp());
        let expected = -(p(0.7).ln() + (1.0 - p(-1.2)).ln() + (1.0 - p(2.0)).ln())
            + 0.5 * (0.5f32.powi(2) + 1.5f32.powi(2));
        assert!((loss - expected / 3.0).abs() < 1e-5, "{loss} {}", expected / 3.0);
        assert_gradient(&var, 3e-3, |x| value_loss(x, &OUTCOMES).unwrap());
        // Far out nothing overflows.
        let far = Tensor::new(&[[100f32, 0.0], [-100.0, 0.0], [100.0, 0.0]], &Device::Cpu).unwrap();
        assert!(value_loss(&far, &OUTCOMES).unwrap().to_scalar::<f32>().unwrap().is_finite());
    }

    #[test]
    fn gradients_of_the_head_agree_with_finite_differences() {
        let g = Geometry {
            batch: 3,
            queries: 4,
            keys: 4,
            query_lengths: vec![4, 1, 2],
            key_lengths: vec![4, 1, 2],
            causal: false,
            places: None,
            source: Source::Own,
            on_gpu: OnGpu::default(),
        };
        let mut p = Parameters::random(3, &Device::Cpu);
        let head = ValueHead::new(&mut p, 6).unwrap();
        let numbers = |phase: f32| {
            let data: Vec<f32> = (0..3 * 4 * 6).map(|i| (i as f32 * 0.37 + phase).sin()).collect();
            Var::from_vec(data, (3, 4, 6), &Device::Cpu).unwrap()
        };
        let (start, target) = (numbers(0.0), numbers(1.0));
        let loss = |start: &Tensor, target: &Tensor| {
            let means = [mean(start, &g).unwrap(), mean(target, &g).unwrap()];
            value_loss(&head.forward(&means).unwrap(), &OUTCOMES).unwrap()
        };
        assert_gradient(&start, 3e-3, |start| loss(start, &target));
        assert_gradient(&target, 3e-3, |target| loss(&start, target));
        let gradients = loss(&start, &target).backward().unwrap();
        for (name, var) in p.finish().unwrap() {
            assert!(gradients.get(&var).is_some(), "{name}");
        }
    }
}
