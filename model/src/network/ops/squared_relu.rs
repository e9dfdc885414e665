//! The activation of feed-forward layers.

use crate::network::ops::operation::{Fused, Operation};
use candle_core::{Result, Tensor};

/// `max(x, 0)²`, the activation of So et al., *Primer* (2021): cheap, and as good as GELU.
///
/// # Errors
/// None on f32 tensors.
pub fn squared_relu(x: &Tensor) -> Result<Tensor> {
    x.contiguous()?.apply_op1(Fused(SquaredRelu))
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

/// On an NVIDIA GPU: `squared_relu.cu`.
#[cfg(any(test, feature = "cuda"))]
pub(super) mod cuda {
    use crate::network::ops::cuda::{
        Address, Launch, Memory, Number, Operand, address_of, arguments, over, room, run,
    };
    use crate::network::ops::operation::Kernels;
    use candle_core::Result;

    arguments! {
        struct SquaredRelu {
            x: Address,
            /// The gradient of the result; 0 in the forward pass.
            grad: Address,
            /// The result, or the gradient of x.
            out: Address,
            count: u64,
        }
    }

    impl SquaredRelu {
        fn launch(self, number: Number) -> Launch<SquaredRelu> {
            over(number.pick("squared_relu_f32", "squared_relu_bf16"), self.count, self)
        }
    }

    fn pass(x: &Operand<'_>, grad: Address) -> Result<Memory> {
        let out = room(x.device, x.number, x.count)?;
        let (address, count) = (address_of(&out)?, x.count as u64);
        run(x.device, SquaredRelu { x: x.address, grad, out: address, count }.launch(x.number))?;
        Ok(out)
    }

    impl Kernels<1> for super::SquaredRelu {
        fn forward_on_gpu(&self, [x]: [Operand<'_>; 1]) -> Result<Memory> {
            pass(&x, 0)
        }

        fn backward_on_gpu(
            &self,
            [x]: [Operand<'_>; 1],
            _result: Operand<'_>,
            grad: Operand<'_>,
        ) -> Result<[Memory; 1]> {
            Ok([pass(&x, grad.expect(x.number)?.address)?])
        }
    }
}

#[cfg(all(test, not(feature = "cuda")))] // the twin is the device
mod tests {
    use super::*;
    use crate::fixtures::{agree, assert_gradient, same_as_formula, waves, weighted};
    use crate::network::ops::cuda::twin::{Host, Twin};
    use candle_core::Device;

    #[test]
    fn it_agrees_with_the_formula_and_its_gradient_with_finite_differences() {
        let x = waves(&[3, 10], 0.0);
        assert_gradient(&x, 2e-3, |x| weighted(&squared_relu(x).unwrap()));
        let formula = x.relu().unwrap().sqr().unwrap();
        same_as_formula(&[&x], &squared_relu(&x).unwrap(), &formula);
    }

    #[test]
    fn what_is_no_number_stays_none() {
        let x = Tensor::new(&[f32::NAN, -1.0, f32::INFINITY], &Device::Cpu).unwrap();
        let y: Vec<f32> = squared_relu(&x).unwrap().to_vec1().unwrap();
        assert!(y[0].is_nan() && y[1] == 0.0 && y[2] == f32::INFINITY);
    }

    #[test]
    fn squared_relu_and_its_gradient_are_those_of_the_cpu() {
        for (number, twin) in Twin::all() {
            let [x, grad] = [0.0, 1.0].map(|phase| Host::wave(number, 1000, phase));
            agree((number, &twin), [&SquaredRelu, &SquaredRelu], [&x], &grad);
        }
    }
}
