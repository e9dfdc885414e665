//! Operations with a backward pass of their own on the CPU: RMS norm and squared ReLU. Candle's own
//! fused forms lose the gradient, and composed ones pass over the data many times. Elsewhere they are composed of differentiable tensor operations.

use crate::network::attention::{floats, with_floats};
use crate::network::kernels::rows::dot;
use candle_core::{CpuStorage, CustomOp1, CustomOp2, D, Layout, Result, Shape, Tensor};
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
    match x.device().is_cpu() {
        true => x.contiguous()?.apply_op2(&gain.contiguous()?, RmsNorm),
        false => composed_rms_norm(x, gain),
    }
}

fn composed_rms_norm(x: &Tensor, gain: &Tensor) -> Result<Tensor> {
    let mean = x.sqr()?.mean_keepdim(D::Minus1)?;
    x.broadcast_div(&(mean + f64::from(EPSILON))?.sqrt()?)?.broadcast_mul(gain)
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

    fn bwd(
        &self,
        x: &Tensor,
        gain: &Tensor,
        _res: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let (dx, dgain) = with_floats(x, |x| {
            with_floats(gain, |gain| with_floats(grad, |grad| Ok(rms_norm_backward(x, gain, grad))))
        })?;
        Ok((
            Some(Tensor::from_vec(dx, x.shape(), x.device())?),
            Some(Tensor::from_vec(dgain, gain.shape(), gain.device())?),
        ))
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

/// `max(x, 0)²`, the activation of So et al., *Primer* (2021): cheap, and as good as GELU.
///
/// # Errors
/// None on f32 tensors.
pub fn squared_relu(x: &Tensor) -> Result<Tensor> {
    match x.device().is_cpu() {
        true => x.contiguous()?.apply_op1(SquaredRelu),
        false => composed_squared_relu(x),
    }
}

fn composed_squared_relu(x: &Tensor) -> Result<Tensor> {
    x.relu()?.sqr()
}

struct SquaredRelu;

impl CustomOp1 for SquaredRelu {
    fn name(&self) -> &'static str {
        "squared-relu"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let x = floats(storage, layout)?;
        let out = x.iter().map(|x| if *x > 0.0 { x * x } else { 0.0 }).collect();
        Ok((CpuStorage::F32(out), layout.shape().clone()))
    }

    fn bwd(&self, x: &Tensor, _res: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let dx: Vec<f32> = with_floats(x, |x| {
            with_floats(grad, |grad| {
                let both = x.iter().zip(grad);
                Ok(both.map(|(x, g)| if *x > 0.0 { 2.0 * x * g } else { 0.0 }).collect())
            })
        })?;
        Tensor::from_vec(dx, x.shape(), x.device()).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::assert_gradient;
    use candle_core::{Device, Var};

    fn var(shape: (usize, usize), phase: f32) -> Var {
        let n = shape.0 * shape.1;
        let data: Vec<f32> = (0..n).map(|i| (i as f32 * 1.3 + phase).sin()).collect();
        Var::from_vec(data, shape, &Device::Cpu).unwrap()
    }

    fn weighted(x: &Tensor) -> Tensor {
        (x * var(x.dims2().unwrap(), 0.4).as_tensor()).unwrap().sum_all().unwrap()
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        let x = var((3, 10), 0.0);
        let gain = var((1, 10), 2.0).as_tensor().squeeze(0).unwrap();
        assert_gradient(&x, 2e-3, |x| weighted(&rms_norm(x, &gain).unwrap()));
        let gain = Var::from_tensor(&gain).unwrap();
        assert_gradient(&gain, 2e-3, |gain| weighted(&rms_norm(&x, gain).unwrap()));
        assert_gradient(&x, 2e-3, |x| weighted(&squared_relu(x).unwrap()));
    }

    fn same(var: &Var, a: Tensor, b: Tensor) {
        let close = |a: &Tensor, b: &Tensor| {
            let difference = (a - b).unwrap().abs().unwrap().flatten_all().unwrap();
            assert!(difference.max(0).unwrap().to_scalar::<f32>().unwrap() < 1e-5);
        };
        close(&a, &b);
        let gradient = |t: Tensor| t.backward().unwrap().get(var).unwrap().clone();
        close(&gradient(a), &gradient(b));
    }

    #[test]
    fn composed_forms_agree() {
        let x = var((3, 10), 0.0);
        let gain = var((1, 10), 2.0).as_tensor().squeeze(0).unwrap();
        let composed = composed_rms_norm(&x, &gain).unwrap();
        same(&x, weighted(&rms_norm(&x, &gain).unwrap()), weighted(&composed));
        let composed = composed_squared_relu(&x).unwrap();
        same(&x, weighted(&squared_relu(&x).unwrap()), weighted(&composed));
    }
}
