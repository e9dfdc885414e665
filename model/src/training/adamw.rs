//! AdamW (Loshchilov and Hutter, 2019) with clipping by norm and a state that can be saved.

use crate::network::kernels::cpu::rows::dot;
#[cfg(feature = "cuda")]
use crate::network::kernels::cuda::tensors::{self as on_gpu, AdamWNumbers};
use crate::network::kernels::tensors::{floats, with_floats};
use anyhow::{Context, Result, ensure};
use candle_core::{CpuStorage, DType, InplaceOp2, InplaceOp3, Layout, Tensor, Var};
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
    moments: [BTreeMap<String, Var>; 2],
    /// Updates made.
    pub step: u64,
    /// Decoupled decay of the matrices, per unit of learning rate.
    pub weight_decay: f64,
}

/// A parameter with its gradient and its moments.
struct Parameter<'a> {
    p: &'a Var,
    g: &'a Tensor,
    m: &'a Var,
    v: &'a Var,
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
    /// What a matrix is multiplied with first.
    decay: f64,
}

impl AdamW {
    /// Moments that are all zero.
    ///
    /// # Errors
    /// The device fails.
    pub fn new(vars: &BTreeMap<String, Var>, weight_decay: f64) -> Result<AdamW> {
        let zeros = || -> Result<BTreeMap<String, Var>> {
            let zeros = |var: &Var| Var::zeros(var.shape(), DType::F32, var.device());
            vars.iter().map(|(name, var)| Ok((name.clone(), zeros(var)?))).collect()
        };
        Ok(AdamW { moments: [zeros()?, zeros()?], step: 0, weight_decay })
    }

    /// Goes on after `step` updates with the moments that there were.
    ///
    /// # Errors
    /// The device fails.
    pub fn resume(&mut self, step: u64, moments: [BTreeMap<String, Tensor>; 2]) -> Result<()> {
        let var = |(name, tensor): (String, Tensor)| Ok((name, Var::from_tensor(&tensor)?));
        for (mine, given) in self.moments.iter_mut().zip(moments) {
            *mine = given.into_iter().map(var).collect::<Result<_>>()?;
        }
        self.step = step;
        Ok(())
    }

    /// First and second moments of the gradients by parameter, as they are now.
    pub fn moments(&self) -> [BTreeMap<String, Tensor>; 2] {
        let tensor = |(name, var): (&String, &Var)| (name.clone(), var.as_detached_tensor());
        [0, 1].map(|which: usize| self.moments[which].iter().map(tensor).collect())
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
        let matching = vars.iter().map(|(name, var)| {
            let gradient = gradients.get(name).with_context(|| format!("no gradient of {name}"))?;
            debug_assert_eq!(gradient.shape(), var.shape());
            let moment = |which: usize| {
                self.moments[which].get(name).with_context(|| format!("no moment of {name}"))
            };
            Ok(Parameter { p: var, g: gradient, m: moment(0)?, v: moment(1)? })
        });
        let parameters = matching.collect::<Result<Vec<_>>>()?;
        let power = i32::try_from(self.step + 1).unwrap_or(i32::MAX);
        let update = Update {
            clip: 1.0,
            rate: learning_rate / (1.0 - BETA1.powi(power)),
            second: 1.0 / (1.0 - BETA2.powi(power)),
            decay: 1.0 - learning_rate * self.weight_decay,
        };
        #[cfg(feature = "cuda")]
        if parameters.iter().any(|parameter| !parameter.p.device().is_cpu()) {
            let numbers = AdamWNumbers {
                beta1: BETA1,
                beta2: BETA2,
                rate: update.rate,
                second: update.second,
                epsilon: EPSILON,
                clip_norm,
            };
            let tensors: Vec<([&Tensor; 4], f64)> = parameters
                .iter()
                .map(|of| {
                    let decay = update.decay_of(of.p);
                    ([of.p.as_tensor(), of.g, of.m.as_tensor(), of.v.as_tensor()], decay)
                })
                .collect();
            let norm = on_gpu::update(&tensors, numbers)?;
            self.check(norm)?;
            self.step += 1;
            return Ok(norm);
        }
        let mut squares = 0f64;
        for Parameter { g, .. } in &parameters {
            squares += with_floats([g], |[g]| Ok(f64::from(dot(g, g))))?;
        }
        let norm = squares.sqrt();
        self.check(norm)?;
        let clip = if norm > clip_norm { clip_norm / norm } else { 1.0 };
        for parameter in &parameters {
            Update { clip, decay: update.decay_of(parameter.p), ..update }.apply(parameter)?;
        }
        self.step += 1;
        Ok(norm)
    }

    /// Nothing is changed by a gradient that is no number: no clipping mends it, and it would spoil every
    /// parameter.
    fn check(&self, norm: f64) -> Result<()> {
        ensure!(
            norm.is_finite(),
            "the gradient is not a number any more at step {}: try a smaller learning_rate",
            self.step
        );
        Ok(())
    }
}

impl Update {
    /// What a parameter is multiplied with first: vectors do not decay.
    fn decay_of(self, p: &Var) -> f64 {
        if p.dims().len() > 1 { self.decay } else { 1.0 }
    }

    /// Changes a parameter and its moments in their place, on the CPU.
    fn apply(self, parameter: &Parameter<'_>) -> Result<()> {
        let Parameter { p, g, m, v } = parameter;
        let clip = self.clip as f32;
        let (beta1, beta2) = (BETA1 as f32, BETA2 as f32);
        in_place(m, g, |m, g| *m = beta1 * *m + (1.0 - beta1) * (g * clip))?;
        in_place(v, g, |v, g| *v = beta2 * *v + (1.0 - beta2) * (g * clip) * (g * clip))?;
        p.inplace_op3(m, v, &Step(self))?;
        Ok(())
    }
}

/// The change of a parameter, given its moments.
struct Step(Update);

impl InplaceOp3 for Step {
    fn name(&self) -> &'static str {
        "adamw"
    }

    fn cpu_fwd(
        &self,
        s1: &mut CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
        s3: &CpuStorage,
        l3: &Layout,
    ) -> candle_core::Result<()> {
        let (p, m, v) = (floats_mut(s1, l1)?, floats(s2, l2)?, floats(s3, l3)?);
        let [rate, second, decay] = [self.0.rate, self.0.second, self.0.decay].map(|x| x as f32);
        let epsilon = EPSILON as f32;
        let chunks = p.par_chunks_mut(CHUNK).zip(m.par_chunks(CHUNK)).zip(v.par_chunks(CHUNK));
        chunks.for_each(|((p, m), v)| {
            for ((p, m), v) in p.iter_mut().zip(m).zip(v) {
                *p = *p * decay - rate * m / ((v * second).sqrt() + epsilon);
            }
        });
        Ok(())
    }
}

/// Adds a gradient to another.
///
/// # Errors
/// Shapes that differ, or the device fails.
pub fn add_to(sum: &mut Tensor, gradient: &Tensor) -> Result<()> {
    match sum.device().is_cpu() {
        true => in_place(sum, gradient, |sum, x| *sum += x),
        false => {
            *sum = (&*sum + gradient)?;
            Ok(())
        }
    }
}

/// Changes each element of `x` by the one of `y` in its place; both on the CPU.
fn in_place(x: &Tensor, y: &Tensor, f: impl Fn(&mut f32, f32) + Sync) -> Result<()> {
    Ok(x.inplace_op2(&y.contiguous()?, &Each(f))?)
}

struct Each<F>(F);

impl<F: Fn(&mut f32, f32) + Sync> InplaceOp2 for Each<F> {
    fn name(&self) -> &'static str {
        "in-place"
    }

    fn cpu_fwd(
        &self,
        s1: &mut CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
    ) -> candle_core::Result<()> {
        let (x, y) = (floats_mut(s1, l1)?, floats(s2, l2)?);
        if x.len() != y.len() {
            candle_core::bail!("{} and {} elements", x.len(), y.len());
        }
        x.par_chunks_mut(CHUNK).zip(y.par_chunks(CHUNK)).for_each(|(x, y)| {
            x.iter_mut().zip(y).for_each(|(x, y)| (self.0)(x, *y));
        });
        Ok(())
    }
}

/// The elements of a contiguous f32 tensor on the CPU.
fn floats_mut<'a>(
    storage: &'a mut CpuStorage,
    layout: &Layout,
) -> candle_core::Result<&'a mut [f32]> {
    match (storage, layout.contiguous_offsets()) {
        (CpuStorage::F32(data), Some((from, to))) => Ok(&mut data[from..to]),
        _ => candle_core::bail!("expected a contiguous f32 tensor of shape {:?}", layout.shape()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::Device;

    fn formula(update: Update, p: &Var, g: &Tensor, m: &Var, v: &Var) -> [Tensor; 3] {
        let of = || -> candle_core::Result<[Tensor; 3]> {
            let g = (g * update.clip)?;
            let m = ((m.as_tensor() * BETA1)? + (&g * (1.0 - BETA1))?)?;
            let v = ((v.as_tensor() * BETA2)? + (g.sqr()? * (1.0 - BETA2))?)?;
            let deviation = ((&v * update.second)?.sqrt()? + EPSILON)?;
            let p = ((p.as_tensor() * update.decay)? - ((&m * update.rate)? / deviation)?)?;
            Ok([p, m, v])
        };
        of().unwrap()
    }

    #[test]
    fn an_update_in_place_agrees_with_the_formula() {
        let tensor = |phase: f32| {
            let data: Vec<f32> = (0..30).map(|i| (i as f32 + phase).sin()).collect();
            Tensor::from_vec(data, (5, 6), &Device::Cpu).unwrap()
        };
        let var = |t: Tensor| Var::from_tensor(&t).unwrap();
        let (p, g) = (var(tensor(0.0)), tensor(1.0));
        let (m, v) = (var(tensor(2.0)), var(tensor(3.0).abs().unwrap()));
        let update = Update { clip: 0.5, rate: 0.01, second: 1.3, decay: 0.99 };
        let expected = formula(update, &p, &g, &m, &v);
        let seen_elsewhere = p.as_tensor().clone();
        update.apply(&Parameter { p: &p, g: &g, m: &m, v: &v }).unwrap();
        for (a, b) in [&seen_elsewhere, &m, &v].into_iter().zip(&expected) {
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
