//! Dropout that can be repeated and resumed: from a generator of our own on the processor, and on a GPU from its own,
//! begun anew for each part of a step from the same numbers.

use crate::network::ops::operation::{Operation, apply_op1, by_formulas};
use crate::network::ops::tensors::{floats, like, with_floats};
use candle_core::{CpuStorage, CustomOp2, DType, Layout, Result, Shape, Tensor};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::{Cell, RefCell};

/// Drops activations in training; does nothing otherwise.
pub struct Dropout(Option<Masks>);

/// Where masks come from.
struct Masks {
    probability: f64,
    rng: RefCell<ChaCha8Rng>,
    /// Whether a GPU's generator has begun.
    begun: Cell<bool>,
}

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
        Dropout(Some(Masks { probability, rng: RefCell::new(rng), begun: Cell::new(false) }))
    }

    /// `x` with some activations dropped and the others made larger in turn.
    ///
    /// # Errors
    /// The device fails.
    pub fn apply(&self, x: Tensor) -> Result<Tensor> {
        match &self.0 {
            None => Ok(x),
            Some(masks) if x.device().is_cpu() => apply_op1(masks.mask(x.elem_count()), &x),
            Some(masks) => apply_op1(masks.factors(&x)?, &x),
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
        if by_formulas(y) {
            return x + self.apply(y.clone())?;
        }
        let mask = self.0.as_ref().map(|masks| masks.mask(y.elem_count()));
        x.contiguous()?.apply_op2(&y.contiguous()?, Residual(mask))
    }
}

impl Masks {
    /// What happens to so many activations.
    fn mask(&self, count: usize) -> Mask {
        let mut bytes = vec![0u8; 2 * count];
        self.rng.borrow_mut().fill_bytes(&mut bytes);
        // Below which 16 bits an activation is dropped, and what the others are multiplied with.
        let threshold = (self.probability * 65536.0) as u16;
        let factor = (1.0 / (1.0 - f64::from(threshold) / 65536.0)) as f32;
        let kept = bytes.as_chunks::<2>().0.iter();
        let kept = kept.map(|b| u16::from_le_bytes(*b) >= threshold).collect();
        Mask { kept, factor }
    }

    /// What the activations of `x` are multiplied with, made where they are: to make masks on the processor and to
    /// send them took a GPU half of its steps.
    fn factors(&self, x: &Tensor) -> Result<Factors> {
        if !self.begun.replace(true) {
            x.device().set_seed(self.rng.borrow_mut().next_u64())?;
        }
        let uniform = Tensor::rand(0f32, 1f32, x.shape(), x.device())?;
        let kept = uniform.ge(self.probability)?.to_dtype(DType::F32)?;
        Ok(Factors((kept * (1.0 / (1.0 - self.probability)))?.to_dtype(x.dtype())?))
    }
}

/// What activations on a GPU are multiplied with: 0, or what makes up for those.
struct Factors(Tensor);

impl Operation<1> for Factors {
    const NAME: &'static str = "dropout";

    fn forward(&self, _x: [&[f32]; 1]) -> Result<Vec<f32>> {
        candle_core::bail!("factors are for a GPU")
    }

    fn backward(&self, _x: [&[f32]; 1], _grad: &[f32]) -> Result<[Vec<f32>; 1]> {
        candle_core::bail!("factors are for a GPU")
    }

    fn formula(&self, [x]: [&Tensor; 1]) -> Result<Tensor> {
        x * &self.0
    }

    fn formula_backward(&self, _x: [&Tensor; 1], grad: &Tensor) -> Result<[Tensor; 1]> {
        Ok([(grad * self.0.to_dtype(grad.dtype())?)?])
    }
}

/// Which activations are kept, and what they are multiplied with.
struct Mask {
    kept: Vec<bool>,
    factor: f32,
}

impl Mask {
    /// The elements of `x` that are kept, times the factor.
    fn of(&self, x: &[f32]) -> impl Iterator<Item = f32> {
        // Times zero, not zero: so what is no number stays none.
        let factors = self.kept.iter().map(|kept| if *kept { self.factor } else { 0.0 });
        x.iter().zip(factors).map(|(x, factor)| x * factor)
    }
}

impl Operation<1> for Mask {
    const NAME: &'static str = "dropout";

    fn forward(&self, [x]: [&[f32]; 1]) -> Result<Vec<f32>> {
        Ok(self.of(x).collect())
    }

    fn backward(&self, _x: [&[f32]; 1], grad: &[f32]) -> Result<[Vec<f32>; 1]> {
        Ok([self.of(grad).collect()])
    }

    fn formula(&self, [x]: [&Tensor; 1]) -> Result<Tensor> {
        let kept: Vec<u8> = self.kept.iter().map(|kept| u8::from(*kept)).collect();
        let kept = Tensor::from_vec(kept, x.shape(), x.device())?.to_dtype(DType::F32)?;
        let factors = (kept * f64::from(self.factor))?;
        (x.to_dtype(DType::F32)? * factors)?.to_dtype(x.dtype())
    }

    fn formula_backward(&self, _x: [&Tensor; 1], grad: &Tensor) -> Result<[Tensor; 1]> {
        Ok([self.formula([grad])?])
    }
}

/// The sum of x and what is kept of y, in one pass of the processor. The mask gets no gradient, as a factor would.
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
            Some(mask) => x.iter().zip(mask.of(y)).map(|(x, y)| x + y).collect(),
            None => x.iter().zip(y).map(|(x, y)| x + y).collect(),
        };
        Ok((CpuStorage::F32(sum), l1.shape().clone()))
    }

    fn bwd(
        &self,
        _x: &Tensor,
        _y: &Tensor,
        _res: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let of_y = match &self.0 {
            Some(mask) => like(with_floats([grad], |[grad]| Ok(mask.of(grad).collect()))?, grad)?,
            None => grad.clone(),
        };
        Ok((Some(grad.clone()), Some(of_y)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{formula_agrees, waves};
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
    fn formulas_have_the_masks_of_the_loops_one_after_another() {
        let (x, y) = (waves(&[3, 67], 0.0), waves(&[3, 67], 1.0));
        for probability in [0.0, 0.3] {
            formula_agrees(&[&x, &y], &[], |all| {
                // Of odd numbers, whose last word is half used.
                let dropout = Dropout::new(probability, 7, 5);
                let first = dropout.apply(all[0].clone())?;
                dropout.add(&first, all[1])
            });
        }
    }
}
