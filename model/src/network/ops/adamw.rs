//! AdamW (Loshchilov and Hutter, 2019): an update of all parameters in their place, with clipping by norm.
//!
//! With g a gradient times min(1, c / norm of all gradients), c the norm at most, in step t:
//!
//! ```text
//! m ← β₁·m + (1 − β₁)·g,  v ← β₂·v + (1 − β₂)·g²
//! p ← (1 − rate·decay)·p − rate/(1 − β₁ᵗ) · m / (√(v/(1 − β₂ᵗ)) + ε)
//! ```

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
    #[cfg(feature = "cuda")]
    if parameters.iter().any(|parameter| !parameter.p.device().is_cpu()) {
        let updates = parameters.iter().map(|of| (of, with_decay(of)));
        return cuda::update(&updates.collect::<Vec<_>>(), clip_norm);
    }
    let mut squares = 0f64;
    for Parameter { g, .. } in parameters {
        squares += with_floats([g], |[g]| Ok(f64::from(dot(g, g))))?;
    }
    let norm = squares.sqrt();
    if norm.is_finite() {
        let clip = if norm > clip_norm { clip_norm / norm } else { 1.0 };
        parameters.iter().try_for_each(|of| Update { clip, ..with_decay(of) }.apply(of))?;
    }
    Ok(norm)
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
    /// Changes a parameter and its moments in their place, on the CPU.
    fn apply(self, parameter: &Parameter<'_>) -> Result<()> {
        let Parameter { p, g, m, v, .. } = parameter;
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

/// On an NVIDIA GPU: `adamw.cu`.
#[cfg(any(test, feature = "cuda"))]
pub(super) mod cuda {
    #[cfg(feature = "cuda")]
    use super::Parameter;
    use super::{BETA1, BETA2, EPSILON, Update};
    #[cfg(feature = "cuda")]
    use crate::network::ops::cuda::device::{tensor, with};
    use crate::network::ops::cuda::{
        Address, Gpu, Launch, Memory, Number, Operand, THREADS, address_of, arguments,
        blocks_of_threads, over, room, run,
    };
    use candle_core::Result;

    /// Blocks of [`Squares`] at most.
    const BLOCKS: u64 = 256;

    arguments! {
        struct Squares {
            /// f32 `[count]`
            x: Address,
            /// f32 `[blocks(count)]`: the sums of squares of parts.
            out: Address,
            count: u64,
        }
    }

    impl Squares {
        /// Sums that come of so many elements.
        fn blocks(count: u64) -> u32 {
            count.div_ceil(u64::from(THREADS)).clamp(1, BLOCKS) as u32
        }

        fn launch(self) -> Launch<Squares> {
            blocks_of_threads("squares_f32", Squares::blocks(self.count), 4 * THREADS, self)
        }
    }

    arguments! {
        struct Clip {
            /// f32 `[count]`
            squares: Address,
            /// f32 `[2]`: the norm, and what gradients are multiplied with; 0 if the norm is no number.
            out: Address,
            count: u32,
            /// The norm at most.
            most: f32,
        }
    }

    impl Clip {
        fn launch(self) -> Launch<Clip> {
            blocks_of_threads("clip_f32", 1, 4 * THREADS, self)
        }
    }

    arguments! {
        struct AdamW {
            /// The parameter, its moments and its gradient, f32 `[count]` each.
            p: Address,
            m: Address,
            v: Address,
            g: Address,
            /// What [`Clip`] wrote.
            clip: Address,
            count: u64,
            beta1: f32,
            beta2: f32,
            rate: f32,
            second: f32,
            decay: f32,
            epsilon: f32,
        }
    }

    impl AdamW {
        fn launch(self) -> Launch<AdamW> {
            over("adamw_f32", self.count, self)
        }
    }

    /// The sums of squares of gradients.
    pub(super) struct Sums<'a> {
        device: &'a Gpu,
        sums: Memory,
        count: u32,
        /// Of these, those that are there.
        done: u32,
    }

    impl Sums<'_> {
        /// Room for those of gradients of so many elements.
        pub(super) fn of(device: &Gpu, counts: impl Iterator<Item = usize>) -> Result<Sums<'_>> {
            let count = counts.map(|count| Squares::blocks(count as u64)).sum();
            Ok(Sums { device, sums: room(device, Number::F32, count as usize)?, count, done: 0 })
        }

        pub(super) fn add(&mut self, g: Operand<'_>) -> Result<()> {
            let (count, g) = (g.count as u64, g.expect(Number::F32)?);
            let out = address_of(&self.sums)? + 4 * Address::from(self.done);
            self.done += Squares::blocks(count);
            run(self.device, Squares { x: g.address, out, count }.launch())
        }

        /// What [`Clip`] writes.
        pub(super) fn clip(self, clip_norm: f64) -> Result<Memory> {
            let clip = room(self.device, Number::F32, 2)?;
            let (squares, out, most) =
                (address_of(&self.sums)?, address_of(&clip)?, clip_norm as f32);
            run(self.device, Clip { squares, out, count: self.count, most }.launch())?;
            Ok(clip)
        }
    }

    /// Changes a parameter and its moments, clipped as `clip` says.
    pub(super) fn step(
        numbers: Update,
        clip: &Memory,
        [p, g, m, v]: [Operand<'_>; 4],
    ) -> Result<()> {
        let step = AdamW {
            p: p.address,
            m: m.address,
            v: v.address,
            g: g.address,
            clip: address_of(clip)?,
            count: p.count as u64,
            beta1: BETA1 as f32,
            beta2: BETA2 as f32,
            rate: numbers.rate as f32,
            second: numbers.second as f32,
            decay: numbers.decay as f32,
            epsilon: EPSILON as f32,
        };
        run(p.device, step.launch())
    }

    /// As on the CPU.
    #[cfg(feature = "cuda")]
    pub(super) fn update(parameters: &[(&Parameter<'_>, Update)], clip_norm: f64) -> Result<f64> {
        let Some((first, _)) = parameters.first() else { return Ok(0.0) };
        let counts = parameters.iter().map(|(of, _)| of.p.elem_count());
        let mut sums = Sums::of(first.p.device().as_cuda_device()?, counts)?;
        parameters.iter().try_for_each(|(of, _)| with([of.g], |[g]| sums.add(g)))?;
        let clip = sums.clip(clip_norm)?;
        for (Parameter { p, g, m, v, .. }, numbers) in parameters {
            with([p, g, m, v], |operands| step(*numbers, &clip, operands))?;
        }
        Ok(f64::from(tensor(clip, 2).to_vec1::<f32>()?[0]))
    }
}

#[cfg(all(test, not(feature = "cuda")))] // the twin is the device
mod tests {
    use super::*;
    use crate::network::ops::cuda::Number;
    use crate::network::ops::cuda::twin::{Host, Twin, close};
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
        update.apply(&Parameter { p: &p, g: &g, m: &m, v: &v, decay: 0.0 }).unwrap();
        for (a, b) in [&seen_elsewhere, &m, &v].into_iter().zip(&expected) {
            let difference = (a - b).unwrap().abs().unwrap().max_all().unwrap();
            assert!(difference.to_scalar::<f32>().unwrap() < 1e-6);
        }
    }

    fn values(count: usize, phase: f32) -> Vec<f32> {
        (0..count).map(|i| (i as f32 * 0.7 + phase).sin()).collect()
    }

    /// The norm, and the parameter and its moments after a step.
    fn step(twin: &Twin, p: &[f32], g: &[f32], rate: f64, decay: f64) -> (f32, [Host; 3]) {
        let [p, g, m, v] =
            [p, g, &vec![0.0; p.len()], &vec![0.0; p.len()]].map(|x| Host::new(Number::F32, x));
        let mut sums = cuda::Sums::of(twin, [p.floats().len()].into_iter()).unwrap();
        sums.add(g.operand(twin)).unwrap();
        let clip = sums.clip(1.0).unwrap();
        let numbers = Update { clip: 1.0, rate, second: 1.0 / (1.0 - BETA2), decay };
        cuda::step(numbers, &clip, [&p, &g, &m, &v].map(|x| x.operand(twin))).unwrap();
        (clip.floats()[0], [p, m, v])
    }

    #[test]
    fn a_step_is_that_of_the_cpu() {
        let count = 70_000;
        let (p, g) = (values(count, 0.0), values(count, 1.0));
        let var = Var::from_vec(p.clone(), (count / 10, 10), &Device::Cpu).unwrap();
        let gradient = Tensor::from_vec(g.clone(), (count / 10, 10), &Device::Cpu).unwrap();
        let moment =
            || Var::zeros((count / 10, 10), candle_core::DType::F32, &Device::Cpu).unwrap();
        let (first, second) = (moment(), moment());
        let of = Parameter { p: &var, g: &gradient, m: &first, v: &second, decay: 0.1 };
        let expected = update(&[of], 0, 0.01, 1.0).unwrap();
        let flat = |t: &Tensor| t.flatten_all().unwrap().to_vec1::<f32>().unwrap();
        for (_, twin) in Twin::all() {
            let (norm, [p, m, v]) = step(&twin, &p, &g, 0.01 / (1.0 - 0.9), 1.0 - 0.01 * 0.1);
            assert!((f64::from(norm) - expected).abs() < 1e-3 * expected, "{norm} {expected}");
            close(Number::F32, &p, &flat(&var));
            close(Number::F32, &m, &flat(&first));
            close(Number::F32, &v, &flat(&second));
        }
    }

    #[test]
    fn a_gradient_that_is_no_number_changes_nothing() {
        for (_, twin) in Twin::all() {
            for wrong in [f32::NAN, f32::INFINITY, f32::MAX] {
                let (norm, [p, m, v]) = step(&twin, &[3.0, -2.0], &[wrong, 1.0], 0.1, 0.9);
                assert!(!norm.is_finite());
                assert_eq!(p.floats(), [3.0, -2.0]);
                assert_eq!([m.floats(), v.floats()], [[0.0; 2], [0.0; 2]]);
            }
        }
    }
}
