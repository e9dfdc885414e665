//! `dropout.cu`: dropout, and its sum with a residual.

use crate::network::kernels::cuda::{Address, Arguments, Launch, Number};

/// Threads of a block.
const BLOCK: u32 = 128;
/// 32-bit words that a thread makes at a time, and their room in shared memory.
const WORDS: u32 = 16;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dropout {
    /// What is added; 0 if nothing is.
    pub(crate) x: Address,
    pub(crate) y: Address,
    /// x and what is kept of y.
    pub(crate) out: Address,
    pub(crate) count: u64,
    pub(crate) mask: MaskStream,
}

/// Where the mask of [`Dropout`] comes from: ChaCha8's words from `first_word` on.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MaskStream {
    pub(crate) first_word: u64,
    pub(crate) stream: u64,
    pub(crate) key: [u32; 8],
    pub(crate) threshold: u32,
    pub(crate) factor: f32,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for Dropout {}

impl Dropout {
    pub(crate) fn launch(self, number: Number) -> Launch<Dropout> {
        let words = self.mask.first_word % u64::from(WORDS) + self.count.div_ceil(2);
        let blocks = words.div_ceil(u64::from(BLOCK * WORDS)).clamp(1, 4096);
        Launch {
            kernel: number.pick("dropout_f32", "dropout_bf16"),
            blocks: [blocks as u32, 1, 1],
            threads: BLOCK,
            shared_bytes: 4 * BLOCK * (WORDS + 1),
            arguments: self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::kernels::cuda::twin::{Host, Twin, close};
    use crate::network::kernels::dropout;
    use candle_core::{Device, Tensor};

    #[test]
    fn the_masks_are_those_of_the_cpu_one_after_another() {
        for (number, twin) in Twin::all() {
            let (cpu, gpu) = (dropout::Dropout::new(0.3, 7, 5), dropout::Dropout::new(0.3, 7, 5));
            // Odd numbers, whose last word is half used; more than a block of threads makes.
            for count in [7, 5001, 1, 64, 4099] {
                let values = |phase: f32| -> Vec<f32> {
                    (0..count).map(|i| (i as f32 * 0.7 + phase).sin()).collect()
                };
                let (x, y) = (Host::new(number, &values(0.0)), Host::new(number, &values(1.0)));
                let tensor = |h: &Host| Tensor::from_vec(h.floats(), count, &Device::Cpu).unwrap();
                let expected = cpu.add(&tensor(&x), &tensor(&y)).unwrap();
                let mut out = x.like();
                let mut dropout = Dropout {
                    x: x.address(),
                    y: y.address(),
                    out: out.address_mut(),
                    count: count as u64,
                    mask: gpu.mask_stream(count).unwrap(),
                };
                twin.run(dropout.launch(number));
                close(number, &out, &expected.to_vec1().unwrap());
                dropout.x = 0;
                twin.run(dropout.launch(number));
                let kept = (expected - tensor(&x)).unwrap();
                close(number, &out, &kept.to_vec1().unwrap());
            }
        }
    }
}
