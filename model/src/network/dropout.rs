//! Dropout from a generator of our own, so that a run can be repeated and resumed.

use candle_core::{Result, Tensor};
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
        let Some((probability, rng)) = &self.0 else { return Ok(x) };
        let mut bytes = vec![0u8; 2 * x.elem_count()];
        rng.borrow_mut().fill_bytes(&mut bytes);
        let threshold = (probability * 65536.0) as u16;
        let kept = (1.0 / (1.0 - f64::from(threshold) / 65536.0)) as f32;
        let mask: Vec<f32> = bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|b| if u16::from_le_bytes(*b) < threshold { 0.0 } else { kept })
            .collect();
        x.mul(&Tensor::from_vec(mask, x.shape(), x.device())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::Device;

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
}
