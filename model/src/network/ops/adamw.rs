//! AdamW (Loshchilov and Hutter, 2019): an update of all parameters in their place, with clipping by norm.
//!
//! With g a gradient times min(1, c / norm of all gradients), c the norm at most, in step t:
//!
//! ```text
//! m ← β₁·m + (1 − β₁)·g,  v ← β₂·v + (1 − β₂)·g²
//! p ← (1 − rate·decay)·p − rate/(1 − β₁ᵗ) · m / (√(v/(1 − β₂ᵗ)) + ε)
//! ```

use crate::network::ops::operation::by_formulas;
use crate::network::ops::rows::dot;
use crate::network::ops::tensors::{floats, with_floats};
use candle_core::{CpuStorage, InplaceOp2, InplaceOp3, Layout, Result, Tensor, Var};
use rayon::prelude::*;

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.98;
const EPSILON: f64 = 1e-8;
/// Elements that one thread updates at a time.
const CHUNK: usize = 1 << 14;

/// A parameter with its gradient, its moments, and what it loses by decay, per unit of learning rate.
pub struct Parameter<'a> {
    /// The parameter.
    pub p: &'a Var,
    /// Its gradient.
    pub g: &'a Tensor,
    /// First moment.
    pub m: &'a Var,
    /// Second moment.
    pub v: &'a Var,
    /// Decoupled decay.
    pub decay: f64,
}

/// Makes update number `step`, from 0, and returns the norm of all gradients; if that is no number, nothing is
/// changed.
///
/// # Errors
/// Shapes that differ, or the device fails.
pub fn update(
    parameters: &[Parameter<'_>],
    step: u64,
    learning_rate: f64,
    clip_norm: f64,
) -> Result<f64> {
    let power = i32::try_from(step + 1).unwrap_or(i32::MAX);
    let update = Update {
        clip: 1.0,
        rate: learning_rate / (1.0 - BETA1.powi(power)),
        second: 1.0 / (1.0 - BETA2.powi(power)),
        decay: 1.0,
    };
    let with_decay =
        |of: &Parameter<'_>| Update { decay: 1.0 - learning_rate * of.decay, ..update };
    let clipped = |norm: f64| if norm > clip_norm { clip_norm / norm } else { 1.0 };
    if parameters.first().is_some_and(|of| by_formulas(of.p)) {
        let groups = parameters.chunk_by(|a, b| a.decay == b.decay);
        let gradients = groups.clone().map(|group| flat(group, |of| of.g));
        let gradients = gradients.collect::<Result<Vec<_>>>()?;
        let squares = gradients.iter().map(|g| g.sqr()?.sum_all());
        let squares = Tensor::stack(&squares.collect::<Result<Vec<_>>>()?, 0)?.sum_all()?;
        let norm = f64::from(squares.to_scalar::<f32>()?).sqrt();
        if norm.is_finite() {
            let clip = clipped(norm);
            for (group, g) in groups.zip(&gradients) {
                Update { clip, ..with_decay(&group[0]) }.together(group, g)?;
            }
        }
        return Ok(norm);
    }
    let squares = parameters.iter().map(|of| with_floats([of.g], |[g]| Ok(f64::from(dot(g, g)))));
    let norm = squares.sum::<Result<f64>>()?.sqrt();
    if norm.is_finite() {
        let clip = clipped(norm);
        parameters.iter().try_for_each(|of| Update { clip, ..with_decay(of) }.apply(of))?;
    }
    Ok(norm)
}

/// All elements of what parameters have, one after another.
fn flat<'a>(group: &[Parameter<'a>], of: impl Fn(&Parameter<'a>) -> &'a Tensor) -> Result<Tensor> {
    let parts = group.iter().map(|parameter| of(parameter).detach().flatten_all());
    Tensor::cat(&parts.collect::<Result<Vec<_>>>()?, 0)
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

impl Update {
    /// Changes a parameter and its moments in their place.
    fn apply(self, parameter: &Parameter<'_>) -> Result<()> {
        let Parameter { p, g, m, v, .. } = parameter;
        let clip = self.clip as f32;
        let (beta1, beta2) = (BETA1 as f32, BETA2 as f32);
        in_place(m, g, |m, g| *m = beta1 * *m + (1.0 - beta1) * (g * clip))?;
        in_place(v, g, |v, g| *v = beta2 * *v + (1.0 - beta2) * (g * clip) * (g * clip))?;
        p.inplace_op3(m, v, &Step(self))?;
        Ok(())
    }

    /// Changes parameters of the same decay and their moments by candle's operations, as if they were one, with all of
    /// their gradients: on a GPU, where a launch costs more than what most parameters take.
    fn together(self, group: &[Parameter<'_>], g: &Tensor) -> Result<()> {
        let [p, m, v] = [flat(group, |of| of.p)?, flat(group, |of| of.m)?, flat(group, |of| of.v)?];
        let g = (g * self.clip)?;
        let m = ((m * BETA1)? + (&g * (1.0 - BETA1))?)?;
        let v = ((v * BETA2)? + (g.sqr()? * (1.0 - BETA2))?)?;
        let deviation = ((&v * self.second)?.sqrt()? + EPSILON)?;
        let p = ((p * self.decay)? - ((&m * self.rate)? / deviation)?)?;
        let mut at = 0;
        for of in group {
            let count = of.p.elem_count();
            for (var, all) in [(of.p, &p), (of.m, &m), (of.v, &v)] {
                var.set(&all.narrow(0, at, count)?.reshape(var.shape())?)?;
            }
            at += count;
        }
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
    ) -> Result<()> {
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
    if by_formulas(sum) {
        *sum = (&*sum + gradient)?;
        return Ok(());
    }
    in_place(sum, gradient, |sum, x| *sum += x)
}

/// Changes each element of `x` by the one of `y` in its place; both on the CPU.
fn in_place(x: &Tensor, y: &Tensor, f: impl Fn(&mut f32, f32) + Sync) -> Result<()> {
    x.inplace_op2(&y.contiguous()?, &Each(f))
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
    ) -> Result<()> {
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
fn floats_mut<'a>(storage: &'a mut CpuStorage, layout: &Layout) -> Result<&'a mut [f32]> {
    match (storage, layout.contiguous_offsets()) {
        (CpuStorage::F32(data), Some((from, to))) => Ok(&mut data[from..to]),
        _ => candle_core::bail!("expected a contiguous f32 tensor of shape {:?}", layout.shape()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{close, waves};
    use crate::network::ops::operation::test::with_formulas;

    /// The norm, the parameter and its moments after an update.
    fn updated(clip_norm: f64) -> (f64, [Var; 9]) {
        let [p, g, m] = [0.0, 1.0, 2.0].map(|phase| waves(&[5, 6], phase));
        let v = Var::from_tensor(&waves(&[5, 6], 3.0).abs().unwrap().detach()).unwrap();
        let [q, h, n] = [0.5, 1.5, 2.5].map(|phase| waves(&[7], phase));
        let w = Var::from_tensor(&waves(&[7], 3.5).abs().unwrap().detach()).unwrap();
        let [r, o] = [4.0, 5.0].map(|phase| waves(&[5, 6], phase));
        let x = Var::from_tensor(&waves(&[5, 6], 6.0).abs().unwrap().detach()).unwrap();
        let all = [
            Parameter { p: &p, g: &g, m: &m, v: &v, decay: 0.1 },
            Parameter { p: &q, g: &h, m: &n, v: &w, decay: 0.1 },
            Parameter { p: &r, g: &g, m: &o, v: &x, decay: 0.0 },
        ];
        let norm = update(&all, 3, 0.01, clip_norm).unwrap();
        (norm, [p, m, v, q, n, w, r, o, x])
    }

    #[test]
    fn an_update_in_place_agrees_with_the_formula() {
        for clip_norm in [0.5, 100.0] {
            let (norm, loops) = updated(clip_norm);
            let (expected, formulas) = with_formulas(|| updated(clip_norm));
            assert!((norm - expected).abs() < 1e-5);
            for (a, b) in loops.iter().zip(&formulas) {
                close(a, b, 1e-6);
            }
        }
    }

    #[test]
    fn gradients_are_added_in_place_as_by_the_formula() {
        let sum = || {
            let mut sum = waves(&[7], 0.0).as_tensor().copy().unwrap();
            add_to(&mut sum, &waves(&[7], 1.0)).unwrap();
            sum.to_vec1::<f32>().unwrap()
        };
        assert_eq!(sum(), with_formulas(sum));
    }
}
