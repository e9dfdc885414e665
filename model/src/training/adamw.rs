//! AdamW (Loshchilov and Hutter, 2019) with clipping by norm and a state that can be saved.

use crate::network::attention::with_floats;
use crate::network::kernels::rows::dot;
use anyhow::{Context, Result, ensure};
use candle_core::{Tensor, Var};
use rayon::prelude::*;
use std::collections::BTreeMap;

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.98;
const EPSILON: f64 = 1e-8;
/// Elements that one thread updates at a time.
const CHUNK: usize = 1 << 14;

/// The optimiser: moments of the gradients by parameter.
pub struct AdamW {
    /// First and second moments.
    pub moments: [BTreeMap<String, Tensor>; 2],
    /// Updates made.
    pub step: u64,
    /// Decoupled decay of the matrices, per unit of learning rate.
    pub weight_decay: f64,
}

/// The numbers of one update.
#[derive(Clone, Copy)]
struct Update {
    /// What the gradient is multiplied with to clip it.
    clip: f64,
    /// Learning rate over the bias correction of the first moment.
    rate: f64,
    /// One over the bias correction of the second moment.
    second: f64,
    /// What a parameter is multiplied with first.
    decay: f64,
}

impl AdamW {
    /// Moments that are all zero.
    ///
    /// # Errors
    /// The device fails.
    pub fn new(vars: &BTreeMap<String, Var>, weight_decay: f64) -> Result<AdamW> {
        let zeros = || -> Result<BTreeMap<String, Tensor>> {
            vars.iter().map(|(name, var)| Ok((name.clone(), var.zeros_like()?))).collect()
        };
        Ok(AdamW { moments: [zeros()?, zeros()?], step: 0, weight_decay })
    }

    /// Updates the parameters. Gradients longer than `clip_norm` together are shortened to it.
    /// Returns their length before.
    ///
    /// # Errors
    /// A parameter has no gradient, a gradient is no number (then nothing is changed), or the device
    /// fails.
    pub fn update(
        &mut self,
        vars: &BTreeMap<String, Var>,
        gradients: &BTreeMap<String, Tensor>,
        learning_rate: f64,
        clip_norm: f64,
    ) -> Result<f64> {
        let mut squares = 0f64;
        for (name, var) in vars {
            let gradient = gradients.get(name).with_context(|| format!("no gradient of {name}"))?;
            squares += match gradient.device().is_cpu() {
                true => with_floats(gradient, |g| Ok(f64::from(dot(g, g))))?,
                false => f64::from(gradient.sqr()?.sum_all()?.to_scalar::<f32>()?),
            };
            debug_assert_eq!(gradient.shape(), var.shape());
        }
        let norm = squares.sqrt();
        // Before anything is changed: no clipping mends it, and it would spoil every parameter.
        ensure!(
            norm.is_finite(),
            "the gradient is not a number any more at step {}: try a smaller learning_rate",
            self.step
        );
        self.step += 1;
        let power = i32::try_from(self.step).unwrap_or(i32::MAX);
        let mut update = Update {
            clip: if norm > clip_norm { clip_norm / norm } else { 1.0 },
            rate: learning_rate / (1.0 - BETA1.powi(power)),
            second: 1.0 / (1.0 - BETA2.powi(power)),
            decay: 1.0,
        };
        for (name, var) in vars {
            let gradient = gradients.get(name).with_context(|| format!("no gradient of {name}"))?;
            let [first, second] = &mut self.moments;
            let moment = |m: &mut BTreeMap<String, Tensor>| {
                m.remove(name).with_context(|| format!("no moment of {name}"))
            };
            let (m, v) = (moment(first)?, moment(second)?);
            let matrix = var.dims().len() > 1;
            update.decay = if matrix { 1.0 - learning_rate * self.weight_decay } else { 1.0 };
            let [p, m, v] = if var.device().is_cpu() {
                update.on_cpu(var, gradient, &m, &v)?
            } else {
                update.composed(var, gradient, &m, &v)?
            };
            var.set(&p)?;
            first.insert(name.clone(), m);
            second.insert(name.clone(), v);
        }
        Ok(norm)
    }
}

impl Update {
    fn composed(self, p: &Var, g: &Tensor, m: &Tensor, v: &Tensor) -> Result<[Tensor; 3]> {
        let g = (g * self.clip)?;
        let m = ((m * BETA1)? + (&g * (1.0 - BETA1))?)?;
        let v = ((v * BETA2)? + (g.sqr()? * (1.0 - BETA2))?)?;
        let deviation = ((&v * self.second)?.sqrt()? + EPSILON)?;
        let p = ((p.as_tensor() * self.decay)? - ((&m * self.rate)? / deviation)?)?;
        Ok([p.detach(), m.detach(), v.detach()])
    }

    /// The same in one pass.
    fn on_cpu(self, p: &Var, g: &Tensor, m: &Tensor, v: &Tensor) -> Result<[Tensor; 3]> {
        let copy = |t: &Tensor| with_floats(t, |x| Ok(x.to_vec()));
        let (mut p_new, mut m_new, mut v_new) = (copy(p)?, copy(m)?, copy(v)?);
        let [clip, rate, second, decay] =
            [self.clip, self.rate, self.second, self.decay].map(|x| x as f32);
        let (beta1, beta2, epsilon) = (BETA1 as f32, BETA2 as f32, EPSILON as f32);
        with_floats(g, |g| {
            p_new
                .par_chunks_mut(CHUNK)
                .zip(m_new.par_chunks_mut(CHUNK))
                .zip(v_new.par_chunks_mut(CHUNK))
                .zip(g.par_chunks(CHUNK))
                .for_each(|(((p, m), v), g)| {
                    for (((p, m), v), g) in p.iter_mut().zip(m).zip(v).zip(g) {
                        let g = g * clip;
                        *m = beta1 * *m + (1.0 - beta1) * g;
                        *v = beta2 * *v + (1.0 - beta2) * g * g;
                        *p = *p * decay - rate * *m / ((*v * second).sqrt() + epsilon);
                    }
                });
            Ok(())
        })?;
        let like = |data: Vec<f32>| Tensor::from_vec(data, p.shape(), p.device());
        Ok([like(p_new)?, like(m_new)?, like(v_new)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::Device;

    #[test]
    fn both_forms_agree() {
        let tensor = |phase: f32| {
            let data: Vec<f32> = (0..30).map(|i| (i as f32 + phase).sin()).collect();
            Tensor::from_vec(data, (5, 6), &Device::Cpu).unwrap()
        };
        let p = Var::from_tensor(&tensor(0.0)).unwrap();
        let (g, m, v) = (tensor(1.0), tensor(2.0), tensor(3.0).abs().unwrap());
        let update = Update { clip: 0.5, rate: 0.01, second: 1.3, decay: 0.99 };
        let a = update.on_cpu(&p, &g, &m, &v).unwrap();
        let b = update.composed(&p, &g, &m, &v).unwrap();
        for (a, b) in a.iter().zip(&b) {
            let difference = (a - b).unwrap().abs().unwrap().max_all().unwrap();
            assert!(difference.to_scalar::<f32>().unwrap() < 1e-6);
        }
    }

    #[test]
    fn a_gradient_that_is_no_number_changes_nothing() {
        let x = Var::new(&[3f32, -2.0], &Device::Cpu).unwrap();
        let vars = BTreeMap::from([("x".to_owned(), x.clone())]);
        let mut adam = AdamW::new(&vars, 0.0).unwrap();
        for wrong in [f32::NAN, f32::INFINITY, f32::MAX] {
            let gradient = Tensor::new(&[wrong, 1.0], &Device::Cpu).unwrap();
            let gradients = BTreeMap::from([("x".to_owned(), gradient)]);
            let message = adam.update(&vars, &gradients, 0.03, 1.0).unwrap_err().to_string();
            assert!(message.contains("the gradient is not a number any more"), "{message}");
            assert_eq!(x.to_vec1::<f32>().unwrap(), [3.0, -2.0]);
            assert_eq!(adam.step, 0);
        }
    }

    #[test]
    fn a_quadratic_is_minimised() {
        let x = Var::new(&[3f32, -2.0], &Device::Cpu).unwrap();
        let vars = BTreeMap::from([("x".to_owned(), x.clone())]);
        let mut adam = AdamW::new(&vars, 0.0).unwrap();
        for _ in 0..400 {
            let gradients = x.sqr().unwrap().sum_all().unwrap().backward().unwrap();
            let gradients = BTreeMap::from([("x".to_owned(), gradients.get(&x).unwrap().clone())]);
            adam.update(&vars, &gradients, 0.03, 1.0).unwrap();
        }
        let x: Vec<f32> = x.to_vec1().unwrap();
        assert!(x.iter().all(|x| x.abs() < 0.01), "{x:?}");
    }
}
