//! RMS norm. Candle's own fused form loses the gradient, and composed ones pass over the data many
//! times.

#[cfg(feature = "cuda")]
use crate::network::ops::cuda::device::Operand;
use crate::network::ops::operation::{Fused, Operation};
use crate::network::ops::rows::dot;
#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
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

    #[cfg(feature = "cuda")]
    fn forward_on_gpu(&self, [x, gain]: [Operand<'_>; 2]) -> Result<CudaStorage> {
        cuda::rms_norm(x, gain, EPSILON)
    }

    #[cfg(feature = "cuda")]
    fn backward_on_gpu(
        &self,
        [x, gain]: [Operand<'_>; 2],
        _result: Operand<'_>,
        grad: Operand<'_>,
    ) -> Result<[CudaStorage; 2]> {
        cuda::rms_norm_backward(x, gain, grad, EPSILON)
    }
}

/// On an NVIDIA GPU: `norm.cu`.
#[cfg(any(test, feature = "cuda"))]
pub(super) mod cuda {
    #[cfg(feature = "cuda")]
    use crate::network::ops::cuda::device::{Operand, address_of, room, run};
    #[cfg(feature = "cuda")]
    use crate::network::ops::cuda::sums::SumRows;
    use crate::network::ops::cuda::{
        Address, LANES, Launch, Number, arguments, blocks_of_threads, over,
    };
    #[cfg(feature = "cuda")]
    use candle_core::{CudaStorage, Result};

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
        pub(crate) fn launch(self, number: Number) -> Launch<RmsNorm> {
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
            /// f32 `[parts(rows), width]`, whose sum is the gradient of the gain.
            parts: Address,
            rows: u32,
            width: u32,
            rows_each: u32,
            epsilon: f32,
        }
    }

    impl RmsNormBackward {
        /// Parts of the gradient of the gain for so many rows.
        pub(crate) fn parts(rows: u32) -> u32 {
            rows.div_ceil(ROWS_EACH)
        }

        pub(crate) fn launch(mut self, number: Number) -> Launch<RmsNormBackward> {
            self.rows_each = ROWS_EACH;
            blocks_of_threads(
                number.pick("rms_norm_backward_f32", "rms_norm_backward_bf16"),
                RmsNormBackward::parts(self.rows),
                4 * ROWS_EACH,
                self,
            )
        }
    }

    /// x / rms(x) · gain; x `[rows, width]`, gain f32 `[width]`.
    #[cfg(feature = "cuda")]
    pub(crate) fn rms_norm(x: Operand<'_>, gain: Operand<'_>, epsilon: f32) -> Result<CudaStorage> {
        let gain = gain.expect(Number::F32)?;
        let (rows, width) = ((x.count / gain.count.max(1)) as u32, gain.count as u32);
        let out = room(x.device, x.number, x.count)?;
        let (gain, address) = (gain.address, address_of(&out)?);
        let norm = RmsNorm { x: x.address, gain, out: address, rows, width, epsilon };
        run(x.device, norm.launch(x.number))?;
        Ok(out)
    }

    /// The gradients of x and gain.
    #[cfg(feature = "cuda")]
    pub(crate) fn rms_norm_backward(
        x: Operand<'_>,
        gain: Operand<'_>,
        grad: Operand<'_>,
        epsilon: f32,
    ) -> Result<[CudaStorage; 2]> {
        let (gain, grad) = (gain.expect(Number::F32)?, grad.expect(x.number)?);
        let (rows, width) = ((x.count / gain.count.max(1)) as u32, gain.count as u32);
        let count = RmsNormBackward::parts(rows);
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
            rows_each: 0,
            epsilon,
        };
        run(x.device, backward.launch(x.number))?;
        let (parts, out) = (address_of(&parts)?, address_of(&dgain)?);
        run(x.device, SumRows { x: parts, out, rows: count, width }.launch())?;
        Ok([dx, dgain])
    }
}

#[cfg(test)]
mod tests {
    use super::cuda::{RmsNorm, RmsNormBackward};
    use super::*;
    use crate::fixtures::{assert_gradient, same_as_formula, waves, weighted};
    use crate::network::ops::cuda::Number;
    use crate::network::ops::cuda::sums::SumRows;
    use crate::network::ops::cuda::twin::{Host, Twin, close, gradients, values};
    use candle_core::{D, Device, Var};

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
        let shape = (rows, width);
        for (number, twin) in Twin::all() {
            let var = |shape: &[usize], phase| {
                let data = Host::new(number, &values(shape.iter().product(), phase)).floats();
                Var::from_vec(data, shape, &Device::Cpu).unwrap()
            };
            let (x, grad) = (var(&[rows, width], 0.0), var(&[rows, width], 1.0));
            let gain = Var::from_vec(values(width, 2.0), width, &Device::Cpu).unwrap();
            let y = rms_norm(&x, &gain).unwrap();
            let expected = gradients(&[&x, &gain], &y, grad.as_tensor());

            let host = |t: &Tensor| Host::new(number, &t.flatten_all().unwrap().to_vec1().unwrap());
            let (x, grad) = (host(&x), host(&grad));
            let gain = Host::new(Number::F32, &values(width, 2.0));
            let (mut out, mut dx) = (x.like(), x.like());
            let parts = RmsNormBackward::parts(rows as u32);
            let mut dgains = Host::zeros(Number::F32, parts as usize * width);
            let mut dgain = gain.like();
            let (rows, width, epsilon) = (rows as u32, width as u32, 1e-6);
            let forward = RmsNorm {
                x: x.address(),
                gain: gain.address(),
                out: out.address_mut(),
                rows,
                width,
                epsilon,
            };
            twin.run(forward.launch(number));
            let backward = RmsNormBackward {
                x: x.address(),
                gain: gain.address(),
                grad: grad.address(),
                dx: dx.address_mut(),
                parts: dgains.address_mut(),
                rows,
                width,
                rows_each: 0,
                epsilon,
            };
            twin.run(backward.launch(number));
            let sum = SumRows { x: dgains.address(), out: dgain.address_mut(), rows: parts, width };
            twin.run(sum.launch());
            assert_eq!(y.dims2().unwrap(), shape);
            close(number, &out, &y.flatten_all().unwrap().to_vec1().unwrap());
            close(number, &dx, &expected[0]);
            close(number, &dgain, &expected[1]);
        }
    }
}
