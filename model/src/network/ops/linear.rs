//! Products of activations with weights.

use crate::network::ops::operation::{Operation, apply_op2};
use candle_core::{D, Result, Shape, Tensor};
use matrices::{Matrix, product};

/// `x` `[…, a]` times `w` `[a, b]`, in the numbers of x. `[…, b]`
///
/// # Errors
/// Shapes that do not fit together.
pub fn linear(x: &Tensor, w: &Tensor) -> Result<Tensor> {
    let (a, b) = w.dims2()?;
    Linear { a, b, transposed: false }.apply(x, w)
}

/// `x` `[…, a]` times the transpose of `w` `[b, a]`. `[…, b]`
///
/// # Errors
/// Shapes that do not fit together.
pub fn linear_transposed(x: &Tensor, w: &Tensor) -> Result<Tensor> {
    let (b, a) = w.dims2()?;
    Linear { a, b, transposed: true }.apply(x, w)
}

/// The rows of `x` `[…, a]`, one below the other. `[n, a]`
fn rows(x: &Tensor) -> Result<Tensor> {
    let a = x.dim(D::Minus1)?;
    x.reshape((x.elem_count() / a.max(1), a))
}

/// A shape with another last axis.
fn with_last(dims: &[usize], last: usize) -> Vec<usize> {
    let others = &dims[..dims.len().saturating_sub(1)];
    others.iter().copied().chain([last]).collect()
}

/// x `[…, a]` times w `[a, b]`, or `[b, a]` if it is transposed. Of any shape, since a reshape around
/// it would cost two more passes over the gradient each.
struct Linear {
    a: usize,
    b: usize,
    transposed: bool,
}

impl Linear {
    fn apply(self, x: &Tensor, w: &Tensor) -> Result<Tensor> {
        let (a, b) = (self.a, self.b);
        apply_op2(self, x, w).map_err(|e| e.context(format!("a product with a matrix {a} × {b}")))
    }
}

impl Operation<2> for Linear {
    const NAME: &'static str = "linear";

    fn shape(&self, [x, _]: [&Shape; 2]) -> Result<Shape> {
        let width = x.dims().last().copied().unwrap_or(0);
        if width != self.a || width == 0 {
            candle_core::bail!("rows of {width} elements");
        }
        Ok(Shape::from(with_last(x.dims(), self.b)))
    }

    fn forward(&self, [x, w]: [&[f32]; 2]) -> Result<Vec<f32>> {
        let Linear { a, b, transposed } = *self;
        let w = if transposed { Matrix::transposed(w, a) } else { Matrix::rows(w, b) };
        Ok(product((x.len() / a, a, b), Matrix::rows(x, a), w))
    }

    fn backward(&self, [x, w]: [&[f32]; 2], grad: &[f32]) -> Result<[Vec<f32>; 2]> {
        let Linear { a, b, transposed } = *self;
        let (n, by_row) = (x.len() / a, Matrix::rows(grad, b));
        Ok(match transposed {
            false => [
                product((n, b, a), by_row, Matrix::transposed(w, b)),
                product((a, n, b), Matrix::transposed(x, a), by_row),
            ],
            true => [
                product((n, b, a), by_row, Matrix::rows(w, a)),
                product((b, n, a), Matrix::transposed(grad, b), Matrix::rows(x, a)),
            ],
        })
    }

    fn formula(&self, [x, w]: [&Tensor; 2]) -> Result<Tensor> {
        let shape = self.shape([x.shape(), w.shape()])?;
        let w = w.to_dtype(x.dtype())?;
        let w = if self.transposed { w.t()? } else { w }; // [a, b]
        rows(x)?.matmul(&w)?.reshape(shape)
    }

    fn formula_backward(&self, [x, w]: [&Tensor; 2], grad: &Tensor) -> Result<[Tensor; 2]> {
        let (rows, by_row) = (rows(x)?, rows(grad)?); // [n, a], [n, b]
        let w = w.to_dtype(x.dtype())?;
        let (dx, dw) = match self.transposed {
            false => (by_row.matmul(&w.t()?)?, rows.t()?.matmul(&by_row)?),
            true => (by_row.matmul(&w)?, by_row.t()?.matmul(&rows)?),
        };
        Ok([dx.reshape(x.shape())?, dw])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::formula_agrees;
    use candle_core::{Device, Var};

    fn var(shape: (usize, usize), step: f32) -> Var {
        let data: Vec<f32> = (0..shape.0 * shape.1).map(|i| (i as f32 * step).sin()).collect();
        Var::from_vec(data, shape, &Device::Cpu).unwrap()
    }

    #[test]
    fn both_forms_agree_with_matmul_and_so_do_their_gradients() {
        let flat = var((6, 19), 0.7);
        // Rows of a batch, as most of the network has them.
        let x = Var::from_tensor(&flat.reshape((2, 3, 19)).unwrap()).unwrap();
        for (w, transposed) in [(var((19, 13), 0.3), false), (var((13, 19), 0.4), true)] {
            let own = match transposed {
                false => linear(&x, &w).unwrap(),
                true => linear_transposed(&x, &w).unwrap(),
            };
            let plain = match transposed {
                false => x.broadcast_matmul(&w).unwrap(),
                true => x.broadcast_matmul(&w.t().unwrap().contiguous().unwrap()).unwrap(),
            };
            let close = |a: &Tensor, b: &Tensor| {
                let difference = (a - b).unwrap().abs().unwrap().max_all().unwrap();
                assert!(difference.to_scalar::<f32>().unwrap() < 1e-5);
            };
            close(&own, &plain);
            let loss = |y: Tensor| y.sqr().unwrap().sum_all().unwrap().backward().unwrap();
            let (own, plain) = (loss(own), loss(plain));
            for var in [&x, &w] {
                close(own.get(var).unwrap(), plain.get(var).unwrap());
            }
            formula_agrees(&[&x], &[&w], |all| match transposed {
                false => linear(all[0], all[1]),
                true => linear_transposed(all[0], all[1]),
            });
        }
        assert!(linear(&x, &var((18, 2), 0.1)).unwrap_err().to_string().contains("18 × 2"));
    }
}
