//! The value head: from the encoders alone, how far a start and a target are from one another.

use crate::network::attention::Geometry;
use crate::network::kernels::linear::linear;
use crate::network::kernels::rms_norm::rms_norm;
use crate::network::kernels::squared_relu::squared_relu;
use crate::network::parameters::{Init, Parameters};
use candle_core::{D, DType, Result, Tensor};

/// A hidden layer over the means of both encoded terms and their products, and one output.
pub(crate) struct ValueHead {
    norm: Tensor,   // [3d]
    hidden: Tensor, // [3d, d]
    output: Tensor, // [d, 1]
    bias: Tensor,   // [1]
}

impl ValueHead {
    pub(crate) fn new(p: &mut Parameters, width: usize) -> anyhow::Result<Self> {
        let deviation = |from: usize| Init::Normal((1.0 / from as f64).sqrt());
        Ok(ValueHead {
            norm: p.get("value.norm", &[3 * width], Init::Ones)?,
            hidden: p.get("value.hidden", &[3 * width, width], deviation(3 * width))?,
            output: p.get("value.output", &[width, 1], deviation(width))?,
            bias: p.get("value.bias", &[1], Init::Zeros)?,
        })
    }

    /// Of the means of encoded starts and targets, `[b, d]` each: ln of the steps between them. `[b]`
    pub(crate) fn forward(&self, [start, target]: &[Tensor; 2]) -> Result<Tensor> {
        let both = Tensor::cat(&[start, target, &(start * target)?], D::Minus1)?; // [b, 3d]
        let hidden = squared_relu(&linear(&rms_norm(&both, &self.norm)?, &self.hidden)?)?;
        linear(&hidden, &self.output)?.broadcast_add(&self.bias)?.squeeze(1)
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

/// The loss of values `[b]`: half the sum of the squared errors of ln of the steps, over `counted`; a
/// scalar.
///
/// # Errors
/// Not as many steps as values.
pub fn value_loss(values: &Tensor, log_steps: &[f32], counted: usize) -> Result<Tensor> {
    let known = Tensor::from_slice(log_steps, values.dims1()?, values.device())?;
    (values - known)?.sqr()?.sum_all()? * (0.5 / counted.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::assert_gradient;
    use crate::network::attention::{OnGpu, Source};
    use candle_core::{Device, Var};

    const LOG_STEPS: [f32; 3] = [0.7, 1.5, 3.0];

    #[test]
    fn the_loss_is_that_of_the_formula_and_so_is_its_gradient() {
        let var = Var::from_slice(&[0.7f32, 2.0, 1.0], 3, &Device::Cpu).unwrap();
        let loss = value_loss(&var, &LOG_STEPS, 5).unwrap().to_scalar::<f32>().unwrap();
        assert!((loss - 0.5 * (0.5f32.powi(2) + 2f32.powi(2)) / 5.0).abs() < 1e-6, "{loss}");
        assert_gradient(&var, 3e-3, |x| value_loss(x, &LOG_STEPS, 5).unwrap());
        assert!(value_loss(&var, &LOG_STEPS[..2], 5).is_err());
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
            value_loss(&head.forward(&means).unwrap(), &LOG_STEPS, 3).unwrap()
        };
        assert_gradient(&start, 3e-3, |start| loss(start, &target));
        assert_gradient(&target, 3e-3, |target| loss(&start, target));
        let gradients = loss(&start, &target).backward().unwrap();
        for (name, var) in p.finish().unwrap() {
            assert!(gradients.get(&var).is_some(), "{name}");
        }
    }
}
