//! `loss.cu`: the loss over allowed tokens, its gradient, and how well targets are predicted.

use crate::network::kernels::cuda::{Address, Arguments, LANES, Launch, THREADS, over};

/// Numbers that the forward pass writes of a row: the loss, −ln p(target), and 1 if the target is
/// likeliest.
pub(crate) const COLUMNS: u32 = 3;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct CrossEntropy {
    /// f32 `[rows, width]`
    pub(crate) logits: Address,
    /// u32 `[rows]`
    pub(crate) tokens: Address,
    /// Which of the sets each row has. u32 `[rows]`
    pub(crate) masks: Address,
    /// u64 `[·, words]`
    pub(crate) sets: Address,
    /// The gradient of the loss, one f32; 0 in the forward pass.
    pub(crate) grad: Address,
    /// f32 `[rows, 3]` in the forward pass, the gradient of the logits in the backward pass.
    pub(crate) out: Address,
    pub(crate) rows: u32,
    pub(crate) width: u32,
    pub(crate) words: u32,
    /// The token of rows that do not count.
    pub(crate) pad: u32,
    pub(crate) smoothing: f32,
    /// What a row weighs in the loss.
    pub(crate) each: f32,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for CrossEntropy {}

impl CrossEntropy {
    pub(crate) fn launch(self) -> Launch<CrossEntropy> {
        over("cross_entropy_f32", u64::from(self.rows) * u64::from(LANES), self)
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SumColumns {
    /// f32 `[rows, width]`
    pub(crate) x: Address,
    /// f32 `[width]`
    pub(crate) out: Address,
    pub(crate) rows: u32,
    pub(crate) width: u32,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for SumColumns {}

impl SumColumns {
    pub(crate) fn launch(self) -> Launch<SumColumns> {
        Launch {
            kernel: "sum_columns_f32",
            blocks: [self.width, 1, 1],
            threads: THREADS,
            shared_bytes: 4 * THREADS,
            arguments: self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::kernels::cuda::Number;
    use crate::network::kernels::cuda::twin::{Host, Twin, close};
    use crate::network::kernels::tensors::OnGpu;
    use crate::tokens::vocabulary::PAD;
    use crate::training::examples::masks::Masks;
    use crate::training::loss::{Targets, loss, score};
    use candle_core::{Device, Var};
    use std::sync::Arc;

    #[test]
    fn the_loss_its_gradient_and_the_score_are_those_of_the_cpu() {
        // A vocabulary of more than a word of bits, and more rows than a block has warps.
        let (rows, width) = (70usize, 75usize);
        let mut sets = Masks::new(width);
        let all = [sets.insert(&[0b11_0001_0100, 1 << 5]), sets.insert(&[u64::MAX, 0x7ff])];
        let tokens: Vec<u32> = (0..rows as u32)
            .map(|i| if i % 5 == 4 { PAD } else { [4, 9, 69][i as usize % 3] })
            .collect();
        let masks: Vec<u32> = (0..rows).map(|i| all[i % 2]).collect();
        let bits: Vec<u64> = (0..=all[1]).flat_map(|i| sets.get(i).to_vec()).collect();
        let words = sets.get(0).len() as u32;
        let (sets, on_gpu) = (Arc::new(sets), OnGpu::default());
        let targets = Arc::new(Targets { tokens: tokens.clone(), masks, sets, on_gpu });
        let values: Vec<f32> = (0..rows * width).map(|i| 3.0 * (i as f32 * 1.3).sin()).collect();
        let var = Var::from_vec(values.clone(), (rows, width), &Device::Cpu).unwrap();
        for (_, twin) in Twin::all() {
            for smoothing in [0.0, 0.2] {
                let expected = loss(&var, &targets, 50, smoothing).unwrap();
                let gradients = (&expected * 0.7).unwrap().backward().unwrap();
                let gradients = gradients.get(&var).unwrap().flatten_all().unwrap();
                let scored = score(&var, &targets).unwrap().read().unwrap();

                let logits = Host::new(Number::F32, &values);
                let (mut of_rows, mut sums) =
                    (Host::zeros(Number::F32, rows * 3), Host::zeros(Number::F32, 3));
                let (grad, mut dlogits) = (Host::new(Number::F32, &[0.7]), logits.like());
                let mut pass = CrossEntropy {
                    logits: logits.address(),
                    tokens: tokens.as_ptr() as u64,
                    masks: targets.masks.as_ptr() as u64,
                    sets: bits.as_ptr() as u64,
                    grad: 0,
                    out: of_rows.address_mut(),
                    rows: rows as u32,
                    width: width as u32,
                    words,
                    pad: PAD,
                    smoothing: smoothing as f32,
                    each: 1.0 / 50.0,
                };
                twin.run(pass.launch());
                let (rows, width) = (rows as u32, COLUMNS);
                let sum = SumColumns { x: of_rows.address(), out: sums.address_mut(), rows, width };
                twin.run(sum.launch());
                let expected =
                    [expected.to_scalar().unwrap(), scored.nats as f32, scored.right as f32];
                close(Number::F32, &sums, &expected);
                (pass.grad, pass.out) = (grad.address(), dlogits.address_mut());
                twin.run(pass.launch());
                close(Number::F32, &dlogits, &gradients.to_vec1().unwrap());
            }
        }
    }
}
