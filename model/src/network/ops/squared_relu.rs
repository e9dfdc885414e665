//! The activation of feed-forward layers.

use crate::network::ops::operation::{Operation, apply_op1};
use candle_core::{Result, Tensor};

/// `max(x, 0)²`, the activation of So et al., *Primer* (2021): cheap, and as good as GELU.
///
/// # Errors
/// None on f32 tensors.
pub fn squared_relu(x: &Tensor) -> Result<Tensor> {
    apply_op1(SquaredRelu, x)
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

    fn formula(&self, [x]: [&Tensor; 1]) -> Result<Tensor> {
        x.relu()?.sqr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{assert_gradient, formula_agrees, waves, weighted};
    use candle_core::Device;

    #[test]
    fn it_agrees_with_the_formula_and_its_gradient_with_finite_differences() {
        let x = waves(&[3, 10], 0.0);
        assert_gradient(&x, 2e-3, |x| weighted(&squared_relu(x).unwrap()));
        formula_agrees(&[&x], &[], |all| squared_relu(all[0]));
    }

    #[test]
    fn what_is_no_number_stays_none() {
        let x = Tensor::new(&[f32::NAN, -1.0, f32::INFINITY], &Device::Cpu).unwrap();
        let y: Vec<f32> = squared_relu(&x).unwrap().to_vec1().unwrap();
        assert!(y[0].is_nan() && y[1] == 0.0 && y[2] == f32::INFINITY);
    }
}
