//! RMS norm. Candle's own fused form loses the gradient, and composed ones pass over the data many
//! times.

use crate::network::kernels::cpu::rows::dot;
#[cfg(feature = "cuda")]
use crate::network::kernels::cuda::device::Operand;
#[cfg(feature = "cuda")]
use crate::network::kernels::cuda::tensors as on_gpu;
use crate::network::kernels::tensors::{floats, like, with_floats};
#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::{CpuStorage, CustomOp2, Layout, Result, Shape, Tensor};
use rayon::prelude::*;

const EPSILON: f32 = 1e-6;
/// Rows that one thread takes at a time. Part of the result's definition: sums over rows are
/// made per chunk, then over the chunks in order.
const CHUNK: usize = 64;

/// `x / rms(x) · gain` along the last axis (Zhang and Sennrich, 2019). x `[…, d]`, gain `[d]`.
///
/// # Errors
/// Shapes that do not fit together.
pub fn rms_norm(x: &Tensor, gain: &Tensor) -> Result<Tensor> {
    x.contiguous()?.apply_op2(&gain.contiguous()?, RmsNorm)
}

struct RmsNorm;

fn inverse_rms(row: &[f32]) -> f32 {
    1.0 / (dot(row, row) / row.len() as f32 + EPSILON).sqrt()
}

impl CustomOp2 for RmsNorm {
    fn name(&self) -> &'static str {
        "rms-norm"
    }

    fn cpu_fwd(
        &self,
        s1: &CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (x, gain) = (floats(s1, l1)?, floats(s2, l2)?);
        let d = gain.len();
        let mut out = vec![0f32; x.len()];
        out.par_chunks_mut(CHUNK * d).zip(x.par_chunks(CHUNK * d)).for_each(|(out, x)| {
            for (out, x) in out.chunks_exact_mut(d).zip(x.chunks_exact(d)) {
                let r = inverse_rms(x);
                for ((out, x), gain) in out.iter_mut().zip(x).zip(gain) {
                    *out = x * r * gain;
                }
            }
        });
        Ok((CpuStorage::F32(out), l1.shape().clone()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        s1: &CudaStorage,
        l1: &Layout,
        s2: &CudaStorage,
        l2: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        let out = on_gpu::rms_norm(Operand::of(s1, l1)?, Operand::of(s2, l2)?, EPSILON)?;
        Ok((out, l1.shape().clone()))
    }

    fn bwd(
        &self,
        x: &Tensor,
        gain: &Tensor,
        _res: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        #[cfg(feature = "cuda")]
        if !x.device().is_cpu() {
            return on_gpu::rms_norm_backward(x, gain, grad, EPSILON);
        }
        let (dx, dgain) =
            with_floats([x, gain, grad], |[x, gain, grad]| Ok(rms_norm_backward(x, gain, grad)))?;
        Ok((Some(like(dx, x)?), Some(like(dgain, gain)?)))
    }
}

fn rms_norm_backward(x: &[f32], gain: &[f32], grad: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let d = gain.len();
    let mut dx = vec![0f32; x.len()];
    let parts: Vec<Vec<f32>> = dx
        .par_chunks_mut(CHUNK * d)
        .zip(x.par_chunks(CHUNK * d))
        .zip(grad.par_chunks(CHUNK * d))
        .map(|((dx, x), grad)| {
            let mut part = vec![0f32; d];
            let mut scaled = vec![0f32; d];
            let rows = dx.chunks_exact_mut(d).zip(x.chunks_exact(d)).zip(grad.chunks_exact(d));
            for ((dx, x), grad) in rows {
                let r = inverse_rms(x);
                for i in 0..d {
                    scaled[i] = grad[i] * gain[i];
                    part[i] += grad[i] * x[i] * r;
                }
                let along = dot(&scaled, x) * r * r * r / d as f32;
                for i in 0..d {
                    dx[i] = scaled[i] * r - x[i] * along;
                }
            }
            part
        })
        .collect();
    let mut dgain = vec![0f32; d];
    for part in &parts {
        dgain.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
    }
    (dx, dgain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{assert_gradient, same_as_formula, waves, weighted};
    use candle_core::{D, Var};

    fn formula(x: &Tensor, gain: &Tensor) -> Tensor {
        let mean = x.sqr().unwrap().mean_keepdim(D::Minus1).unwrap();
        let rms = (mean + f64::from(EPSILON)).unwrap().sqrt().unwrap();
        x.broadcast_div(&rms).unwrap().broadcast_mul(gain).unwrap()
    }

    #[test]
    fn it_agrees_with_the_formula_and_its_gradients_with_finite_differences() {
        let x = waves(&[3, 10], 0.0);
        let gain = waves(&[10], 2.0);
        assert_gradient(&x, 2e-3, |x| weighted(&rms_norm(x, &gain).unwrap()));
        assert_gradient(&gain, 2e-3, |gain| weighted(&rms_norm(&x, gain).unwrap()));
        let vars: [&Var; 2] = [&x, &gain];
        same_as_formula(&vars, &rms_norm(&x, &gain).unwrap(), &formula(&x, &gain));
    }
}
