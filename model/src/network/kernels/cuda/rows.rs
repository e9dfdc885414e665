//! `rows.cu`: RMS norm, sums of rows, squared ReLU.

use crate::network::kernels::cuda::{Address, Arguments, LANES, Launch, Number, THREADS, over};

/// Rows of which a block sums up the gradient of the gain.
const ROWS_EACH: u32 = 64;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RmsNorm {
    /// `[rows, width]`
    pub(crate) x: Address,
    /// f32 `[width]`
    pub(crate) gain: Address,
    /// `[rows, width]`
    pub(crate) out: Address,
    pub(crate) rows: u32,
    pub(crate) width: u32,
    pub(crate) epsilon: f32,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for RmsNorm {}

impl RmsNorm {
    pub(crate) fn launch(self, number: Number) -> Launch<RmsNorm> {
        let kernel = number.pick("rms_norm_f32", "rms_norm_bf16");
        over(kernel, u64::from(self.rows) * u64::from(LANES), self)
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RmsNormBackward {
    /// `[rows, width]`
    pub(crate) x: Address,
    /// f32 `[width]`
    pub(crate) gain: Address,
    /// `[rows, width]`
    pub(crate) grad: Address,
    /// `[rows, width]`
    pub(crate) dx: Address,
    /// f32 `[parts(rows), width]`, whose sum is the gradient of the gain.
    pub(crate) parts: Address,
    pub(crate) rows: u32,
    pub(crate) width: u32,
    pub(crate) rows_each: u32,
    pub(crate) epsilon: f32,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for RmsNormBackward {}

impl RmsNormBackward {
    /// Parts of the gradient of the gain for so many rows.
    pub(crate) fn parts(rows: u32) -> u32 {
        rows.div_ceil(ROWS_EACH)
    }

    pub(crate) fn launch(mut self, number: Number) -> Launch<RmsNormBackward> {
        self.rows_each = ROWS_EACH;
        Launch {
            kernel: number.pick("rms_norm_backward_f32", "rms_norm_backward_bf16"),
            blocks: [RmsNormBackward::parts(self.rows), 1, 1],
            threads: THREADS,
            shared_bytes: 4 * ROWS_EACH,
            arguments: self,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SumRows {
    /// f32 `[rows, width]`
    pub(crate) x: Address,
    /// f32 `[width]`
    pub(crate) out: Address,
    pub(crate) rows: u32,
    pub(crate) width: u32,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for SumRows {}

impl SumRows {
    pub(crate) fn launch(self) -> Launch<SumRows> {
        over("sum_rows_f32", self.width.into(), self)
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SquaredRelu {
    pub(crate) x: Address,
    /// The gradient of the result; 0 in the forward pass.
    pub(crate) grad: Address,
    /// The result, or the gradient of x.
    pub(crate) out: Address,
    pub(crate) count: u64,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for SquaredRelu {}

impl SquaredRelu {
    pub(crate) fn launch(self, number: Number) -> Launch<SquaredRelu> {
        over(number.pick("squared_relu_f32", "squared_relu_bf16"), self.count, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::kernels::cuda::twin::{Host, Twin, close};
    use crate::network::kernels::rms_norm::rms_norm;
    use crate::network::kernels::squared_relu::squared_relu;
    use candle_core::{Device, Tensor, Var};

    fn values(n: usize, phase: f32) -> Vec<f32> {
        (0..n).map(|i| (i as f32 * 1.3 + phase).sin()).collect()
    }

    /// The gradient of the sum of `f(x) · weights`.
    fn gradients(x: &[&Var], y: &Tensor, weights: &Tensor) -> Vec<Vec<f32>> {
        let all = (y * weights).unwrap().sum_all().unwrap().backward().unwrap();
        let flat = |var: &&Var| all.get(var).unwrap().flatten_all().unwrap().to_vec1().unwrap();
        x.iter().map(flat).collect()
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
