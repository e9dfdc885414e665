//! Rotary positions (Su et al., *RoFormer*, 2021): every pair of columns of a head is rotated by an
//! angle that grows with the node's place in pre-order, so that q·k depends on the distance.

use crate::network::ops::attention::inputs::Heads;
use crate::network::ops::operation::{Fused, Operation};
use candle_core::{Result, Tensor};

/// Rotates the first `heads.width` columns of `x` `[batch, n, w]`; row i of each batch row is the
/// node at place `first + i`.
///
/// # Errors
/// Shapes that do not fit together.
pub fn rope(x: &Tensor, heads: &Heads, first: usize) -> Result<Tensor> {
    let (_, n, w) = x.dims3()?;
    let rotation = Rotation { width: heads.width, each: heads.each(), w, first, n, sign: 1.0 };
    x.contiguous()?.apply_op1(Fused(rotation))
}

/// The angle of pair `c` of a head of width `e` at a place.
fn angle(place: usize, c: usize, e: usize) -> f32 {
    let frequency = 10_000f64.powf(-2.0 * c as f64 / e as f64);
    (place as f64 * frequency) as f32
}

/// Rotations by `sign` times the angles, of the first `width` of `w` columns in heads of `each`.
#[derive(Clone, Copy)]
struct Rotation {
    width: usize,
    each: usize,
    w: usize,
    first: usize,
    n: usize,
    sign: f32,
}

impl Rotation {
    /// The rotation that undoes this one.
    fn back(self) -> Rotation {
        Rotation { sign: -self.sign, ..self }
    }

    fn run(self, x: &[f32]) -> Vec<f32> {
        let half = self.each / 2;
        let mut turned = x.to_vec();
        for i in 0..self.n {
            let turn = |c| (self.sign * angle(self.first + i, c, self.each)).sin_cos();
            let turns: Vec<(f32, f32)> = (0..half).map(turn).collect();
            for row in turned.chunks_exact_mut(self.w).skip(i).step_by(self.n) {
                for head in row[..self.width].chunks_exact_mut(self.each) {
                    let (u, v) = head.split_at_mut(half);
                    for ((u, v), (sin, cos)) in u.iter_mut().zip(v).zip(&turns) {
                        (*u, *v) = (*u * cos - *v * sin, *u * sin + *v * cos);
                    }
                }
            }
        }
        turned
    }
}

impl Operation<1> for Rotation {
    const NAME: &'static str = "rope";

    fn forward(&self, [x]: [&[f32]; 1]) -> Result<Vec<f32>> {
        Ok(self.run(x))
    }

    fn backward(&self, _x: [&[f32]; 1], grad: &[f32]) -> Result<[Vec<f32>; 1]> {
        Ok([self.back().run(grad)])
    }
}

/// On an NVIDIA GPU: `rope.cu`.
#[cfg(any(test, feature = "cuda"))]
pub(super) mod cuda {
    use super::Rotation;
    use crate::network::ops::cuda::{
        Address, Launch, Memory, Number, Operand, address_of, arguments, over, room, run,
    };
    use crate::network::ops::operation::Kernels;
    use candle_core::Result;

    arguments! {
        struct Rope {
            /// `[rows, w]`
            x: Address,
            /// `[rows, w]`
            out: Address,
            rows: u32,
            w: u32,
            /// Columns that are turned, in heads of `each`.
            width: u32,
            each: u32,
            /// Row i is at place `first + i % places`.
            first: u32,
            places: u32,
            /// −1 in the backward pass.
            sign: f32,
        }
    }

    impl Rope {
        fn launch(self, number: Number) -> Launch<Rope> {
            let count = u64::from(self.rows) * u64::from(self.w);
            over(number.pick("rope_f32", "rope_bf16"), count, self)
        }
    }

    impl Kernels<1> for Rotation {
        fn forward_on_gpu(&self, [x]: [Operand<'_>; 1]) -> Result<Memory> {
            let out = room(x.device, x.number, x.count)?;
            let rotate = Rope {
                x: x.address,
                out: address_of(&out)?,
                rows: (x.count / self.w.max(1)) as u32,
                w: self.w as u32,
                width: self.width as u32,
                each: self.each as u32,
                first: self.first as u32,
                places: self.n as u32,
                sign: self.sign,
            };
            run(x.device, rotate.launch(x.number))?;
            Ok(out)
        }

        fn backward_on_gpu(
            &self,
            _x: [Operand<'_>; 1],
            _result: Operand<'_>,
            grad: Operand<'_>,
        ) -> Result<[Memory; 1]> {
            Ok([self.back().forward_on_gpu([grad])?])
        }
    }
}

#[cfg(all(test, not(feature = "cuda")))] // the twin is the device
mod tests {
    use super::*;
    use crate::fixtures::agree;
    use crate::geometry::relations::Buckets;
    use crate::network::ops::cuda::Number;
    use crate::network::ops::cuda::twin::{Host, Twin, close};
    use candle_core::{D, Device, Var};

    fn heads() -> Heads {
        let buckets = Buckets { k: 1 };
        Heads { width: 8, count: 2, relations: Vec::new(), buckets, rope: true }
    }

    /// The same from tensor operations.
    fn formula(x: &Tensor, heads: &Heads, first: usize) -> Result<Tensor> {
        let (b, n, w) = x.dims3()?;
        let (d, e) = (heads.width, heads.each());
        let (mut cos, mut sin) = (Vec::new(), Vec::new());
        for i in 0..n {
            let angles = (0..e / 2).map(|c| angle(first + i, c, e));
            cos.extend(angles.clone().map(f32::cos));
            sin.extend(angles.map(f32::sin));
        }
        let table = |t: Vec<f32>| Tensor::from_vec(t, (1, n, 1, e / 2), x.device());
        let (cos, sin) = (table(cos)?, table(sin)?);
        let turned = x.narrow(2, 0, d)?.contiguous()?.reshape((b, n, d / e, e))?;
        let (u, v) = (turned.narrow(3, 0, e / 2)?, turned.narrow(3, e / 2, e / 2)?); // [b, n, h, e/2]
        let first_half = (u.broadcast_mul(&cos)? - v.broadcast_mul(&sin)?)?;
        let second_half = (u.broadcast_mul(&sin)? + v.broadcast_mul(&cos)?)?;
        let turned = Tensor::cat(&[first_half, second_half], D::Minus1)?.reshape((b, n, d))?;
        if w == d {
            return Ok(turned);
        }
        Tensor::cat(&[turned, x.narrow(2, d, w - d)?.contiguous()?], D::Minus1)
    }

    fn values(t: &Tensor) -> Vec<f32> {
        t.flatten_all().unwrap().to_vec1().unwrap()
    }

    #[test]
    fn both_forms_and_their_gradients_agree() {
        let data: Vec<f32> = (0..2 * 3 * 16).map(|i| (i as f32).sin()).collect();
        let x = Var::from_vec(data, (2, 3, 16), &Device::Cpu).unwrap();
        let (own, composed) = (rope(&x, &heads(), 4).unwrap(), formula(&x, &heads(), 4).unwrap());
        close(Number::F32, &Host::new(Number::F32, &values(&own)), &values(&composed));
        // Values, behind the keys, stay as they are.
        assert_eq!(values(&own)[8..16], values(&x)[8..16]);
        let weights = (x.as_tensor() * 0.5).unwrap().cos().unwrap().detach();
        let gradient = |y: Tensor| {
            let gradients = (y * &weights).unwrap().sum_all().unwrap().backward().unwrap();
            values(gradients.get(&x).unwrap())
        };
        close(Number::F32, &Host::new(Number::F32, &gradient(own)), &gradient(composed));
    }

    #[test]
    fn products_depend_on_the_distance() {
        let row = |phase: f32, first: usize| {
            let data: Vec<f32> = (0..8).map(|i| (i as f32 + phase).sin()).collect();
            let x = Tensor::from_vec(data, (1, 1, 8), &Device::Cpu).unwrap();
            values(&rope(&x, &heads(), first).unwrap())
        };
        let product =
            |i, j| -> f32 { row(0.0, i).iter().zip(row(2.0, j)).map(|(a, b)| a * b).sum() };
        assert!((product(7, 3) - product(14, 10)).abs() < 1e-5);
        assert!((product(7, 3) - product(7, 4)).abs() > 1e-2);
    }

    #[test]
    fn turned_queries_and_keys_are_those_of_the_cpu_and_turn_back() {
        let (batch, n, width, each) = (3, 20, 24, 12);
        for (number, twin) in Twin::all() {
            for w in [width, 2 * width] {
                let [x, grad] = [0.0, 1.0].map(|phase| Host::wave(number, batch * n * w, phase));
                let turn = Rotation { width, each, w, first: 5, n, sign: 1.0 };
                agree((number, &twin), [&turn, &turn], [&x], &grad);
            }
        }
    }
}
