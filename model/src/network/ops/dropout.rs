//! Dropout from a generator of our own, so that a run can be repeated and resumed.

#[cfg(feature = "cuda")]
use crate::network::ops::cuda::{Operand, device};
use crate::network::ops::operation::{Fused, Operation};
use crate::network::ops::tensors::{floats, like, with_floats};
#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::{CpuStorage, CustomOp2, Device, Layout, Result, Shape, Tensor};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;

/// Drops activations in training; does nothing otherwise.
pub struct Dropout(Option<(f64, RefCell<ChaCha8Rng>)>);

impl Dropout {
    /// No dropout.
    pub fn none() -> Dropout {
        Dropout(None)
    }

    /// Dropout with this probability; the masks depend on the seed and the stream alone.
    pub fn new(probability: f64, seed: u64, stream: u64) -> Dropout {
        if probability == 0.0 {
            return Dropout(None);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Dropout(Some((probability, RefCell::new(rng))))
    }

    /// `x` with some activations dropped and the others made larger in turn.
    ///
    /// # Errors
    /// The device fails.
    pub fn apply(&self, x: Tensor) -> Result<Tensor> {
        match self.mask(x.elem_count(), x.device()) {
            Some(mask) => x.contiguous()?.apply_op1(Fused(mask)),
            None => Ok(x),
        }
    }

    /// The sum of `x` and of what [`Dropout::apply`] makes of `y`.
    ///
    /// # Errors
    /// Different shapes, or the device fails.
    pub fn add(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        if x.shape() != y.shape() {
            candle_core::bail!("a sum of shapes {:?} and {:?}", x.shape(), y.shape());
        }
        let mask = self.mask(y.elem_count(), y.device());
        if mask.is_none() && !y.device().is_cpu() {
            return x + y;
        }
        x.contiguous()?.apply_op2(&y.contiguous()?, Residual(mask))
    }

    /// Where a GPU finds the mask that [`Dropout::mask`] would make, which is passed over.
    #[cfg(any(test, feature = "cuda"))]
    pub(crate) fn mask_stream(&self, count: usize) -> Option<cuda::MaskStream> {
        let (probability, rng) = self.0.as_ref()?;
        let mut rng = rng.borrow_mut();
        let first_word = rng.get_word_pos();
        rng.set_word_pos(first_word + count.div_ceil(2) as u128);
        let seed = rng.get_seed();
        let mut key = [0; 8];
        for (word, bytes) in key.iter_mut().zip(seed.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        let (threshold, factor) = threshold_and_factor(*probability);
        // The generator has 2^68 words, of which no training uses as many as 2^64.
        let (first_word, stream) = (first_word as u64, rng.get_stream());
        Some(cuda::MaskStream { first_word, stream, key, threshold: threshold.into(), factor })
    }

    /// What happens to so many activations, if anything.
    #[cfg_attr(not(feature = "cuda"), expect(unused_variables))] // no tensor is on a GPU then
    fn mask(&self, count: usize, device: &Device) -> Option<Mask> {
        let (probability, rng) = self.0.as_ref()?;
        #[cfg(feature = "cuda")]
        if !device.is_cpu() {
            return self.mask_stream(count).map(Mask::Stream);
        }
        let mut bytes = vec![0u8; 2 * count];
        rng.borrow_mut().fill_bytes(&mut bytes);
        let (threshold, factor) = threshold_and_factor(*probability);
        let kept = bytes.as_chunks::<2>().0.iter();
        let kept = kept.map(|b| u16::from_le_bytes(*b) >= threshold).collect();
        Some(Mask::Kept(kept, factor))
    }
}

/// Below which 16 bits an activation is dropped, and what the others are multiplied with.
fn threshold_and_factor(probability: f64) -> (u16, f32) {
    let threshold = (probability * 65536.0) as u16;
    (threshold, (1.0 / (1.0 - f64::from(threshold) / 65536.0)) as f32)
}

/// Which activations are kept, and what they are multiplied with.
enum Mask {
    Kept(Vec<bool>, f32),
    /// On a GPU, which makes the mask where it needs it.
    #[cfg(any(test, feature = "cuda"))]
    Stream(cuda::MaskStream),
}

impl Mask {
    /// The elements of `x` that are kept, times the factor.
    fn of(&self, x: &[f32]) -> Result<impl Iterator<Item = f32>> {
        match self {
            // Times zero, not zero: so what is no number stays none.
            Mask::Kept(kept, factor) => {
                let factors = kept.iter().map(|kept| if *kept { *factor } else { 0.0 });
                Ok(x.iter().zip(factors).map(|(x, factor)| x * factor))
            }
            #[cfg(any(test, feature = "cuda"))]
            Mask::Stream(_) => candle_core::bail!("the mask of a GPU, and a tensor on the CPU"),
        }
    }

    #[cfg(any(test, feature = "cuda"))]
    fn stream(&self) -> Result<cuda::MaskStream> {
        match self {
            Mask::Stream(stream) => Ok(*stream),
            Mask::Kept(..) => candle_core::bail!("the mask of the CPU, and a tensor on a GPU"),
        }
    }

    /// Of a gradient.
    fn of_tensor(&self, grad: &Tensor) -> Result<Tensor> {
        #[cfg(feature = "cuda")]
        if !grad.device().is_cpu() {
            let masked = device::with([grad], |[grad]| cuda::dropout(None, grad, self.stream()?))?;
            return Ok(device::tensor(masked, grad.shape()));
        }
        let masked: Vec<f32> = with_floats([grad], |[grad]| Ok(self.of(grad)?.collect()))?;
        like(masked, grad)
    }
}

impl Operation<1> for Mask {
    const NAME: &'static str = "dropout";

    fn forward(&self, [x]: [&[f32]; 1]) -> Result<Vec<f32>> {
        Ok(self.of(x)?.collect())
    }

    fn backward(&self, _x: [&[f32]; 1], grad: &[f32]) -> Result<[Vec<f32>; 1]> {
        Ok([self.of(grad)?.collect()])
    }
}

/// The sum of x and what is kept of y, in one pass. The mask gets no gradient, as a factor would.
struct Residual(Option<Mask>);

impl CustomOp2 for Residual {
    fn name(&self) -> &'static str {
        "residual"
    }

    fn cpu_fwd(
        &self,
        s1: &CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (x, y) = (floats(s1, l1)?, floats(s2, l2)?);
        let sum = match &self.0 {
            Some(mask) => x.iter().zip(mask.of(y)?).map(|(x, y)| x + y).collect(),
            None => x.iter().zip(y).map(|(x, y)| x + y).collect(),
        };
        Ok((CpuStorage::F32(sum), l1.shape().clone()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        s1: &CudaStorage,
        l1: &Layout,
        s2: &CudaStorage,
        l2: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        let Some(mask) = &self.0 else { candle_core::bail!("a sum without dropout on a GPU") };
        let (x, y) = (Operand::of(s1, l1)?, Operand::of(s2, l2)?);
        Ok((cuda::dropout(Some(x), y, mask.stream()?)?, l1.shape().clone()))
    }

    fn bwd(
        &self,
        _x: &Tensor,
        _y: &Tensor,
        _res: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let of_y = match &self.0 {
            Some(mask) => mask.of_tensor(grad)?,
            None => grad.clone(),
        };
        Ok((Some(grad.clone()), Some(of_y)))
    }
}

/// On an NVIDIA GPU: `dropout.cu`.
#[cfg(any(test, feature = "cuda"))]
pub(super) mod cuda {
    use super::Mask;
    use crate::network::ops::cuda::{
        Address, Launch, Memory, Number, Operand, address_of, arguments, room, run,
    };
    use crate::network::ops::operation::Kernels;
    use candle_core::Result;

    /// Threads of a block.
    const BLOCK: u32 = 128;
    /// 32-bit words that a thread makes at a time, and their room in shared memory.
    const WORDS: u32 = 16;

    arguments! {
        struct Dropout {
            /// What is added; 0 if nothing is.
            x: Address,
            y: Address,
            /// x and what is kept of y.
            out: Address,
            count: u64,
            mask: MaskStream,
        }
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

    impl Dropout {
        fn launch(self, number: Number) -> Launch<Dropout> {
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

    /// What is kept of y, and x, if there is one.
    pub(crate) fn dropout(
        x: Option<Operand<'_>>,
        y: Operand<'_>,
        mask: MaskStream,
    ) -> Result<Memory> {
        let x = match x {
            Some(x) => x.expect(y.number)?.address,
            None => 0,
        };
        let out = room(y.device, y.number, y.count)?;
        let (address, count) = (address_of(&out)?, y.count as u64);
        run(y.device, Dropout { x, y: y.address, out: address, count, mask }.launch(y.number))?;
        Ok(out)
    }

    impl Kernels<1> for Mask {
        fn forward_on_gpu(&self, [x]: [Operand<'_>; 1]) -> Result<Memory> {
            dropout(None, x, self.stream()?)
        }

        fn backward_on_gpu(
            &self,
            _x: [Operand<'_>; 1],
            _result: Operand<'_>,
            grad: Operand<'_>,
        ) -> Result<[Memory; 1]> {
            Ok([dropout(None, grad, self.stream()?)?])
        }
    }
}

#[cfg(all(test, not(feature = "cuda")))] // the twin is the device
mod tests {
    use super::*;
    use crate::fixtures::agree;
    use crate::network::ops::cuda::twin::{Host, Twin, close};
    use candle_core::{Device, Var};

    #[test]
    fn the_mean_stays_and_the_mask_depends_on_seed_and_stream() {
        let ones = Tensor::ones(10_000, candle_core::DType::F32, &Device::Cpu).unwrap();
        let drop = |p, stream| -> Vec<f32> {
            Dropout::new(p, 1, stream).apply(ones.clone()).unwrap().to_vec1().unwrap()
        };
        let a = drop(0.3, 0);
        assert!((a.iter().sum::<f32>() / 1e4 - 1.0).abs() < 0.03);
        assert!((a.iter().filter(|x| **x == 0.0).count() as f32 / 1e4 - 0.3).abs() < 0.03);
        assert_eq!(a, drop(0.3, 0));
        assert_ne!(a, drop(0.3, 1));
        assert_eq!(drop(0.0, 0), vec![1.0; 10_000]);
    }

    #[test]
    fn a_sum_and_its_gradients_are_those_of_the_composed_form() {
        let var = |phase: f32| {
            let data: Vec<f32> = (0..600).map(|i| (i as f32 * 0.7 + phase).sin()).collect();
            Var::from_vec(data, (3, 200), &Device::Cpu).unwrap()
        };
        let (x, y) = (var(0.0), var(1.0));
        for probability in [0.0, 0.3] {
            let dropout = || Dropout::new(probability, 1, 2);
            let fused = dropout().add(&x, &y).unwrap();
            let factors = dropout().apply(y.ones_like().unwrap()).unwrap();
            let composed = (x.as_tensor() + y.mul(&factors).unwrap()).unwrap();
            let applied = dropout().apply(y.as_tensor().clone()).unwrap();
            let values = |t: &Tensor| t.to_vec2::<f32>().unwrap();
            assert_eq!(values(&fused), values(&composed));
            let gradients = |t: &Tensor| {
                let all = t.sqr().unwrap().sum_all().unwrap().backward().unwrap();
                [&x, &y].map(|var| all.get(var).map(values))
            };
            assert_eq!(gradients(&fused), gradients(&composed));
            assert_eq!(gradients(&applied)[1], gradients(&y.mul(&factors).unwrap())[1]);
        }
    }

    #[test]
    fn the_masks_are_those_of_the_cpu_one_after_another() {
        for (number, twin) in Twin::all() {
            let (cpu, gpu) = (Dropout::new(0.3, 7, 5), Dropout::new(0.3, 7, 5));
            // Odd numbers, whose last word is half used; more than a block of threads makes.
            for count in [7, 5001, 1, 64, 4099] {
                let [x, y] = [0.0, 1.0].map(|phase| Host::wave(number, count, phase));
                let mask = cpu.mask(count, &Device::Cpu).unwrap();
                let stream = gpu.mask_stream(count).unwrap();
                agree((number, &twin), [&mask, &Mask::Stream(stream)], [&y], &x);
                let sum = cuda::dropout(Some(x.operand(&twin)), y.operand(&twin), stream).unwrap();
                let kept = y.floats();
                let expected = x.floats().into_iter().zip(mask.of(&kept).unwrap());
                close(number, &sum, &expected.map(|(x, y)| x + y).collect::<Vec<_>>());
            }
        }
    }
}
