//! `adamw.cu`: the norm of all gradients, and the update of a parameter.

use crate::network::kernels::cuda::{Address, Arguments, Launch, THREADS, over};

/// Blocks of [`Squares`] at most.
const BLOCKS: u64 = 256;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Squares {
    /// f32 `[count]`
    pub(crate) x: Address,
    /// f32 `[blocks(count)]`: the sums of squares of parts.
    pub(crate) out: Address,
    pub(crate) count: u64,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for Squares {}

impl Squares {
    /// Sums that come of so many elements.
    pub(crate) fn blocks(count: u64) -> u32 {
        count.div_ceil(u64::from(THREADS)).clamp(1, BLOCKS) as u32
    }

    pub(crate) fn launch(self) -> Launch<Squares> {
        Launch {
            kernel: "squares_f32",
            blocks: [Squares::blocks(self.count), 1, 1],
            threads: THREADS,
            shared_bytes: 4 * THREADS,
            arguments: self,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clip {
    /// f32 `[count]`
    pub(crate) squares: Address,
    /// f32 `[2]`: the norm, and what gradients are multiplied with; 0 if the norm is no number.
    pub(crate) out: Address,
    pub(crate) count: u32,
    /// The norm at most.
    pub(crate) most: f32,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for Clip {}

impl Clip {
    pub(crate) fn launch(self) -> Launch<Clip> {
        Launch {
            kernel: "clip_f32",
            blocks: [1, 1, 1],
            threads: THREADS,
            shared_bytes: 4 * THREADS,
            arguments: self,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdamW {
    /// The parameter, its moments and its gradient, f32 `[count]` each.
    pub(crate) p: Address,
    pub(crate) m: Address,
    pub(crate) v: Address,
    pub(crate) g: Address,
    /// What [`Clip`] wrote.
    pub(crate) clip: Address,
    pub(crate) count: u64,
    pub(crate) beta1: f32,
    pub(crate) beta2: f32,
    pub(crate) rate: f32,
    pub(crate) second: f32,
    pub(crate) decay: f32,
    pub(crate) epsilon: f32,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for AdamW {}

impl AdamW {
    pub(crate) fn launch(self) -> Launch<AdamW> {
        over("adamw_f32", self.count, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::kernels::cuda::Number;
    use crate::network::kernels::cuda::twin::{Host, Twin, close};
    use crate::training::adamw;
    use candle_core::{Device, Tensor, Var};
    use std::collections::BTreeMap;

    fn values(count: usize, phase: f32) -> Vec<f32> {
        (0..count).map(|i| (i as f32 * 0.7 + phase).sin()).collect()
    }

    /// The norm, and the parameter and its moments after a step.
    fn step(twin: &Twin, p: &[f32], g: &[f32], rate: f32, decay: f32) -> (f32, [Host; 3]) {
        let host = |x: &[f32]| Host::new(Number::F32, x);
        let (mut p, g) = (host(p), host(g));
        let (mut m, mut v, count) = (p.like(), p.like(), p.floats().len() as u64);
        let blocks = Squares::blocks(count);
        let (mut sums, mut clip) = (host(&vec![0.0; blocks as usize]), host(&[0.0; 2]));
        let squares = Squares { x: g.address(), out: sums.address_mut(), count };
        twin.run(squares.launch());
        let (count_of_sums, out) = (blocks, clip.address_mut());
        let squares = sums.address();
        twin.run(Clip { squares, out, count: count_of_sums, most: 1.0 }.launch());
        let update = AdamW {
            p: p.address_mut(),
            m: m.address_mut(),
            v: v.address_mut(),
            g: g.address(),
            clip: clip.address(),
            count,
            beta1: 0.9,
            beta2: 0.98,
            rate,
            second: 1.0 / (1.0 - 0.98),
            decay,
            epsilon: 1e-8,
        };
        twin.run(update.launch());
        (clip.floats()[0], [p, m, v])
    }

    #[test]
    fn a_step_is_that_of_the_cpu() {
        let count = 70_000;
        let (p, g) = (values(count, 0.0), values(count, 1.0));
        let var = Var::from_vec(p.clone(), (count / 10, 10), &Device::Cpu).unwrap();
        let vars = BTreeMap::from([("x".to_owned(), var.clone())]);
        let gradient = Tensor::from_vec(g.clone(), (count / 10, 10), &Device::Cpu).unwrap();
        let gradients = BTreeMap::from([("x".to_owned(), gradient)]);
        let mut optimizer = adamw::AdamW::new(&vars, 0.1).unwrap();
        let expected = optimizer.update(&vars, &gradients, 0.01, 1.0).unwrap();
        let flat = |t: &Tensor| t.flatten_all().unwrap().to_vec1::<f32>().unwrap();
        for (_, twin) in Twin::all() {
            let (norm, [p, m, v]) = step(&twin, &p, &g, 0.01 / (1.0 - 0.9), 1.0 - 0.01 * 0.1);
            assert!((f64::from(norm) - expected).abs() < 1e-3 * expected, "{norm} {expected}");
            close(Number::F32, &p, &flat(&var));
            let moments = optimizer.moments();
            close(Number::F32, &m, &flat(&moments[0]["x"]));
            close(Number::F32, &v, &flat(&moments[1]["x"]));
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
