//! The activation of feed-forward layers.

#[cfg(feature = "cuda")]
use crate::network::ops::cuda::device::Operand;
use crate::network::ops::operation::{Fused, Operation};
#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
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

    #[cfg(feature = "cuda")]
    fn forward_on_gpu(&self, [x]: [Operand<'_>; 1]) -> Result<CudaStorage> {
        cuda::squared_relu(x, None)
    }

    #[cfg(feature = "cuda")]
    fn backward_on_gpu(
        &self,
        [x]: [Operand<'_>; 1],
        _result: Operand<'_>,
        grad: Operand<'_>,
    ) -> Result<[CudaStorage; 1]> {
        cuda::squared_relu(x, Some(grad)).map(|dx| [dx])
    }
}

/// On an NVIDIA GPU: `squared_relu.cu`.
#[cfg(any(test, feature = "cuda"))]
pub(super) mod cuda {
    #[cfg(feature = "cuda")]
    use crate::network::ops::cuda::device::{Operand, address_of, room, run};
    use crate::network::ops::cuda::{Address, Launch, Number, arguments, over};
    #[cfg(feature = "cuda")]
    use candle_core::{CudaStorage, Result};

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
        pub(crate) fn launch(self, number: Number) -> Launch<SquaredRelu> {
            over(number.pick("squared_relu_f32", "squared_relu_bf16"), self.count, self)
        }
    }

    /// Squared ReLU of x; or, given the gradient of that, the gradient of x.
    #[cfg(feature = "cuda")]
    pub(crate) fn squared_relu(x: Operand<'_>, grad: Option<Operand<'_>>) -> Result<CudaStorage> {
        let grad = match grad {
            Some(grad) => grad.expect(x.number)?.address,
            None => 0,
        };
        let out = room(x.device, x.number, x.count)?;
        let (address, count) = (address_of(&out)?, x.count as u64);
        run(x.device, SquaredRelu { x: x.address, grad, out: address, count }.launch(x.number))?;
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::cuda::SquaredRelu;
    use super::*;
    use crate::fixtures::{assert_gradient, same_as_formula, waves, weighted};
    use crate::network::ops::cuda::twin::{Host, Twin, close, gradients, values};
    use candle_core::Device;
    use candle_core::Var;

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
            let (x, grad) =
                (Host::new(number, &values(1000, 0.0)), Host::new(number, &values(1000, 1.0)));
            let tensor = |h: &Host| Var::from_vec(h.floats(), 1000, &Device::Cpu).unwrap();
            let var = tensor(&x);
            let y = squared_relu(&var).unwrap();
            let expected = gradients(&[&var], &y, tensor(&grad).as_tensor());
            let (mut out, mut dx) = (x.like(), x.like());
            let mut relu =
                SquaredRelu { x: x.address(), grad: 0, out: out.address_mut(), count: 1000 };
            twin.run(relu.launch(number));
            (relu.grad, relu.out) = (grad.address(), dx.address_mut());
            twin.run(relu.launch(number));
            close(number, &out, &y.to_vec1().unwrap());
            close(number, &dx, &expected[0]);
        }
    }
}
