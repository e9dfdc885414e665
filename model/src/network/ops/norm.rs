//! RMS norm. Candle's own fused form loses the gradient, and composed ones pass over the data many
//! times.

use crate::network::ops::operation::{Fused, Operation};
use crate::network::ops::rows::dot;
use candle_core::{Result, Tensor};
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
    x.contiguous()?.apply_op2(&gain.contiguous()?, Fused(RmsNorm))
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
}

/// On an NVIDIA GPU: `norm.cu`.
#[cfg(any(test, feature = "cuda"))]
pub(super) mod cuda {
    use super::EPSILON;
    use crate::network::ops::cuda::sums::SumRows;
    use crate::network::ops::cuda::{
        Address, LANES, Launch, Memory, Number, Operand, address_of, arguments, blocks_of_threads,
        over, room, run,
    };
    use crate::network::ops::operation::Kernels;
    use candle_core::Result;

    /// Rows of which a block sums up the gradient of the gain.
    const ROWS_EACH: u32 = 64;

    arguments! {
        struct RmsNorm {
            /// `[rows, width]`
            x: Address,
            /// f32 `[width]`
            gain: Address,
            /// `[rows, width]`
            out: Address,
            rows: u32,
            width: u32,
            epsilon: f32,
        }
    }

    impl RmsNorm {
        fn launch(self, number: Number) -> Launch<RmsNorm> {
            let kernel = number.pick("rms_norm_f32", "rms_norm_bf16");
            over(kernel, u64::from(self.rows) * u64::from(LANES), self)
        }
    }

    arguments! {
        struct RmsNormBackward {
            /// `[rows, width]`
            x: Address,
            /// f32 `[width]`
            gain: Address,
            /// `[rows, width]`
            grad: Address,
            /// `[rows, width]`
            dx: Address,
            /// f32 `[rows / rows_each rounded up, width]`, whose sum is the gradient of the gain.
            parts: Address,
            rows: u32,
            width: u32,
            rows_each: u32,
            epsilon: f32,
        }
    }

    impl RmsNormBackward {
        fn launch(self, number: Number) -> Launch<RmsNormBackward> {
            blocks_of_threads(
                number.pick("rms_norm_backward_f32", "rms_norm_backward_bf16"),
                self.rows.div_ceil(ROWS_EACH),
                4 * ROWS_EACH,
                self,
            )
        }
    }

    impl Kernels<2> for super::RmsNorm {
        fn forward_on_gpu(&self, [x, gain]: [Operand<'_>; 2]) -> Result<Memory> {
            let gain = gain.expect(Number::F32)?;
            let (rows, width) = ((x.count / gain.count.max(1)) as u32, gain.count as u32);
            let out = room(x.device, x.number, x.count)?;
            let (gain, address) = (gain.address, address_of(&out)?);
            let norm = RmsNorm { x: x.address, gain, out: address, rows, width, epsilon: EPSILON };
            run(x.device, norm.launch(x.number))?;
            Ok(out)
        }

        fn backward_on_gpu(
            &self,
            [x, gain]: [Operand<'_>; 2],
            _result: Operand<'_>,
            grad: Operand<'_>,
        ) -> Result<[Memory; 2]> {
            let (gain, grad) = (gain.expect(Number::F32)?, grad.expect(x.number)?);
            let (rows, width) = ((x.count / gain.count.max(1)) as u32, gain.count as u32);
            let count = rows.div_ceil(ROWS_EACH);
            let parts = room(x.device, Number::F32, count as usize * gain.count)?;
            let (dx, dgain) =
                (room(x.device, x.number, x.count)?, room(x.device, Number::F32, gain.count)?);
            let backward = RmsNormBackward {
                x: x.address,
                gain: gain.address,
                grad: grad.address,
                dx: address_of(&dx)?,
                parts: address_of(&parts)?,
                rows,
                width,
                rows_each: ROWS_EACH,
                epsilon: EPSILON,
            };
            run(x.device, backward.launch(x.number))?;
            let (parts, out) = (address_of(&parts)?, address_of(&dgain)?);
            run(x.device, SumRows { x: parts, out, rows: count, width }.launch())?;
            Ok([dx, dgain])
        }
    }
}

#[cfg(all(test, not(feature = "cuda")))] // the twin is the device
mod tests {
    use super::*;
    use crate::fixtures::{agree, assert_gradient, same_as_formula, waves, weighted};
    use crate::network::ops::cuda::Number;
    use crate::network::ops::cuda::twin::{Host, Twin};
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

    #[test]
    fn the_norm_and_its_gradients_are_those_of_the_cpu() {
        // More rows than a block has, and a width that is no multiple of the lanes.
        let (rows, width) = (150, 45);
        for (number, twin) in Twin::all() {
            let [x, grad] = [0.0, 1.0].map(|phase| Host::wave(number, rows * width, phase));
            let gain = Host::wave(Number::F32, width, 2.0);
            agree((number, &twin), [&RmsNorm, &RmsNorm], [&x, &gain], &grad);
        }
    }
}
