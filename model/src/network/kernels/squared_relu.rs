//! The activation of feed-forward layers.

#[cfg(feature = "cuda")]
use crate::network::kernels::cuda::device::Operand;
#[cfg(feature = "cuda")]
use crate::network::kernels::cuda::tensors as on_gpu;
use crate::network::kernels::tensors::{floats, like, with_floats};
#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};

/// `max(x, 0)²`, the activation of So et al., *Primer* (2021): cheap, and as good as GELU.
///
/// # Errors
/// None on f32 tensors.
pub fn squared_relu(x: &Tensor) -> Result<Tensor> {
    x.contiguous()?.apply_op1(SquaredRelu)
}

struct SquaredRelu;

impl CustomOp1 for SquaredRelu {
    fn name(&self) -> &'static str {
        "squared-relu"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let x = floats(storage, layout)?;
        // So asked, what is no number stays none.
        let out = x.iter().map(|x| if *x <= 0.0 { 0.0 } else { x * x }).collect();
        Ok((CpuStorage::F32(out), layout.shape().clone()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, storage: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        Ok((on_gpu::squared_relu(Operand::of(storage, layout)?, None)?, layout.shape().clone()))
    }

    fn bwd(&self, x: &Tensor, _res: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        #[cfg(feature = "cuda")]
        if !x.device().is_cpu() {
            let dx = on_gpu::with([x, grad], |[x, grad]| on_gpu::squared_relu(x, Some(grad)))?;
            return Ok(Some(on_gpu::tensor(dx, x.shape())));
        }
        let dx: Vec<f32> = with_floats([x, grad], |[x, grad]| {
            let both = x.iter().zip(grad);
            Ok(both.map(|(x, g)| if *x <= 0.0 { 0.0 } else { 2.0 * x * g }).collect())
        })?;
        like(dx, x).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{assert_gradient, same_as_formula, waves, weighted};
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
}
