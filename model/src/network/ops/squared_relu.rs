//! The activation of feed-forward layers.

use crate::network::ops::operation::{Fused, Operation};
use crate::network::ops::recomputed::recomputed;
use candle_core::{Result, Tensor};

/// `max(x, 0)²`, the activation of So et al., *Primer* (2021): cheap, and as good as GELU.
///
/// # Errors
/// None on f32 tensors.
pub fn squared_relu(x: &Tensor) -> Result<Tensor> {
    match x.device().is_cpu() {
        true => x.contiguous()?.apply_op1(Fused(SquaredRelu)),
        false => recomputed(x, x, formula),
    }
}

/// The same by candle's operations.
fn formula(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    x.relu()?.sqr()
}

struct SquaredRelu;

impl Operation<1> for SquaredRelu {
    const NAME: &'static str = "squared-relu";

    fn forward(&self, [x]: [&[f32]; 1]) -> Result<Vec<f32>> {
        // So asked, what is no number stays none.
        Ok(x.iter().map(|x| if *x <= 0.0 { 0.0 } else { x * x }).collect())
    }

    fn backward(&self, [x]: [&[f32]; 1], grad: &[f32]) -> Result<[Vec<f32>; 1]> {
        let both = x.iter().zip(grad);
        Ok([both.map(|(x, g)| if *x <= 0.0 { 0.0 } else { 2.0 * x * g }).collect()])
    }
}

/// A GPU has [`formula`].
#[cfg(any(test, feature = "cuda"))]
impl crate::network::ops::operation::Kernels<1> for SquaredRelu {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{assert_gradient, same_as_formula, waves, weighted};
    use candle_core::Device;

    #[test]
    fn it_agrees_with_the_formula_and_its_gradient_with_finite_differences() {
        let x = waves(&[3, 10], 0.0);
        assert_gradient(&x, 2e-3, |x| weighted(&squared_relu(x).unwrap()));
        for of_gpu in [formula(&x, &x), recomputed(&x, &x, formula)] {
            same_as_formula(&[&x], &squared_relu(&x).unwrap(), &of_gpu.unwrap());
        }
    }

    #[test]
    fn what_is_no_number_stays_none() {
        let x = Tensor::new(&[f32::NAN, -1.0, f32::INFINITY], &Device::Cpu).unwrap();
        let y: Vec<f32> = squared_relu(&x).unwrap().to_vec1().unwrap();
        assert!(y[0].is_nan() && y[1] == 0.0 && y[2] == f32::INFINITY);
    }
}
