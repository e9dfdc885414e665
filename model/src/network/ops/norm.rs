//! RMS norm. Candle's own fused form loses the gradient, and composed ones, as on a GPU, pass over the data
//! many times.

use crate::network::ops::operation::{Operation, apply_op2};
use crate::network::ops::rows::dot;
use candle_core::{D, DType, Result, Tensor};
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
    apply_op2(RmsNorm, x, gain)
}

struct RmsNorm;

fn inverse_rms(row: &[f32]) -> f32 {
    1.0 / (dot(row, row) / row.len() as f32 + EPSILON).sqrt()
}

impl Operation<2> for RmsNorm {
    const NAME: &'static str = "rms-norm";

    fn forward(&self, [x, gain]: [&[f32]; 2]) -> Result<Vec<f32>> {
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
        Ok(out)
    }

    fn backward(&self, [x, gain]: [&[f32]; 2], grad: &[f32]) -> Result<[Vec<f32>; 2]> {
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
        Ok([dx, dgain])
    }

    /// With sums in f32.
    fn formula(&self, [x, gain]: [&Tensor; 2]) -> Result<Tensor> {
        let wide = x.to_dtype(DType::F32)?;
        let mean = wide.sqr()?.mean_keepdim(D::Minus1)?; // […, 1]
        let rms = (mean + f64::from(EPSILON))?.sqrt()?;
        wide.broadcast_div(&rms)?.broadcast_mul(gain)?.to_dtype(x.dtype())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{assert_gradient, formula_agrees, waves, weighted};

    #[test]
    fn it_agrees_with_the_formula_and_its_gradients_with_finite_differences() {
        let x = waves(&[3, 10], 0.0);
        let gain = waves(&[10], 2.0);
        assert_gradient(&x, 2e-3, |x| weighted(&rms_norm(x, &gain).unwrap()));
        assert_gradient(&gain, 2e-3, |gain| weighted(&rms_norm(&x, gain).unwrap()));
        formula_agrees(&[&x], &[&gain], |all| rms_norm(all[0], all[1]));
    }
}
