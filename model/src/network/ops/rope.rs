//! Rotary positions (Su et al., *RoFormer*, 2021): every pair of columns of a head is rotated by an
//! angle that grows with the node's place in pre-order, so that q·k depends on the distance.

use crate::network::ops::attention::inputs::Heads;
use crate::network::ops::operation::{Operation, apply_op1};
use candle_core::{D, DType, Result, Tensor};

/// Rotates the first `heads.width` columns of `x` `[batch, n, w]`; row i of each batch row is the
/// node at place `first + i`.
///
/// # Errors
/// Shapes that do not fit together.
pub fn rope(x: &Tensor, heads: &Heads, first: usize) -> Result<Tensor> {
    let (_, n, w) = x.dims3()?;
    let rotation = Rotation { width: heads.width, each: heads.each(), w, first, n, sign: 1.0 };
    apply_op1(rotation, x)
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

    /// In f32.
    fn formula(&self, [x]: [&Tensor; 1]) -> Result<Tensor> {
        let Rotation { width: d, each: e, w, first, n, .. } = *self;
        let (b, sign) = (x.dim(0)?, self.sign);
        let angles: Vec<f32> =
            (0..n).flat_map(|i| (0..e / 2).map(move |c| sign * angle(first + i, c, e))).collect();
        let table = |f: fn(f32) -> f32| {
            let table = angles.iter().copied().map(f).collect();
            Tensor::from_vec(table, (1, n, 1, e / 2), x.device())
        };
        let (sin, cos) = (table(f32::sin)?, table(f32::cos)?);
        let heads = x.narrow(2, 0, d)?.contiguous()?.reshape((b, n, d / e, e))?;
        let heads = heads.to_dtype(DType::F32)?;
        let (u, v) = (heads.narrow(3, 0, e / 2)?, heads.narrow(3, e / 2, e / 2)?); // [b, n, h, e/2]
        let first_half = (u.broadcast_mul(&cos)? - v.broadcast_mul(&sin)?)?;
        let second_half = (u.broadcast_mul(&sin)? + v.broadcast_mul(&cos)?)?;
        let turned = Tensor::cat(&[first_half, second_half], D::Minus1)?.reshape((b, n, d))?;
        let turned = turned.to_dtype(x.dtype())?;
        if w == d {
            return Ok(turned);
        }
        Tensor::cat(&[turned, x.narrow(2, d, w - d)?.contiguous()?], D::Minus1)
    }

    fn formula_backward(&self, _x: [&Tensor; 1], grad: &Tensor) -> Result<[Tensor; 1]> {
        Ok([self.back().formula([grad])?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{formula_agrees, waves};
    use crate::geometry::relations::Buckets;
    use candle_core::Device;

    fn heads() -> Heads {
        let buckets = Buckets { k: 1 };
        Heads { width: 8, count: 2, relations: Vec::new(), buckets, rope: true }
    }

    fn values(t: &Tensor) -> Vec<f32> {
        t.flatten_all().unwrap().to_vec1().unwrap()
    }

    #[test]
    fn both_forms_and_their_gradients_agree() {
        let x = waves(&[2, 3, 16], 0.0);
        let own = rope(&x, &heads(), 4).unwrap();
        // Values, behind the keys, stay as they are.
        assert_eq!(values(&own)[8..16], values(&x)[8..16]);
        formula_agrees(&[&x], &[], |all| rope(all[0], &heads(), 4));
        formula_agrees(&[&waves(&[2, 3, 8], 1.0)], &[], |all| rope(all[0], &heads(), 0));
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
}
