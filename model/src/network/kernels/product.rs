//! Products of matrices in the widest vectors that the processor has.
//!
//! Matrices are row-major slices with a row length of their own. Every element of a product is one
//! chain of fused multiplications and additions along the sum, whatever the sizes and however the
//! work is cut up: a row of a result does not depend on the rows beside it.

use pulp::{Arch, Simd, WithSimd};
use std::cell::RefCell;

/// `c = a · b`, or `c += a · b` if `add`.
pub(crate) struct Product<'a> {
    /// n, k and m: rows of a and c, the length of the sums, columns of b and c.
    pub(crate) sizes: (usize, usize, usize),
    /// `[n, k]`: its elements, and the distance of its rows.
    pub(crate) a: (&'a [f32], usize),
    /// `[k, m]`
    pub(crate) b: (&'a [f32], usize),
    /// `[n, m]`
    pub(crate) c: (&'a mut [f32], usize),
    /// Whether c is added to.
    pub(crate) add: bool,
}

/// `c = a · b` for matrices without gaps: a `[n, k]`, b `[k, m]`. `[n, m]`
pub(crate) fn product(n: usize, k: usize, m: usize, a: &[f32], b: &[f32]) -> Vec<f32> {
    let mut c = vec![0f32; n * m];
    let sizes = (n, k, m);
    Arch::new().dispatch(Product { sizes, a: (a, k), b: (b, m), c: (&mut c, m), add: false });
    c
}

/// The transpose of a `[n, m]`, whose rows are `stride` apart, in rows of length `to`, which is at
/// least n; the rest of each row is zero. `[m, to]`
pub(crate) fn transpose(
    a: &[f32],
    stride: usize,
    (n, m): (usize, usize),
    to: usize,
    at: &mut Vec<f32>,
) {
    // In squares, so that neither side is walked through in strides for long.
    const SIDE: usize = 16;
    at.clear();
    at.resize(m * to, 0.0);
    for i0 in (0..n).step_by(SIDE) {
        for j0 in (0..m).step_by(SIDE) {
            for i in i0..(i0 + SIDE).min(n) {
                let row = &a[i * stride + j0..i * stride + (j0 + SIDE).min(m)];
                for (j, x) in row.iter().enumerate() {
                    at[(j0 + j) * to + i] = *x;
                }
            }
        }
    }
}

/// Rows of a from which a copy of b's columns side by side pays.
const MANY: usize = 48;

thread_local! {
    static PANEL: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (n, k, m) = self.sizes;
        let lanes = S::F32_LANES;
        let mut panel = PANEL.take();
        let mut from = 0;
        while from < m {
            // Two vectors of columns at a time, or one where no more are left.
            let wide = if m - from > lanes { 2 * lanes } else { lanes };
            let columns = wide.min(m - from);
            let (b, ldb) = if n >= MANY || columns < wide {
                panel.clear();
                panel.resize(k * wide, 0.0);
                for (to, row) in panel.chunks_exact_mut(wide).zip(self.b.0.chunks(self.b.1)) {
                    to[..columns].copy_from_slice(&row[from..from + columns]);
                }
                (&panel[..], wide)
            } else {
                (&self.b.0[from.min(self.b.0.len())..], self.b.1)
            };
            let mut at = 0;
            while at < n {
                let a = &self.a.0[at * self.a.1..];
                let c = &mut self.c.0[at * self.c.1 + from..];
                let t =
                    Tile { a, lda: self.a.1, b, ldb, c, ldc: self.c.1, k, columns, add: self.add };
                let left = n - at;
                at += if wide == lanes {
                    t.rows::<S, 1>(simd, left)
                } else {
                    t.rows::<S, 2>(simd, left)
                };
            }
            from += wide;
        }
        PANEL.set(panel);
    }
}

/// A part of a product that is computed in registers: all rows that are left, and one or two
/// vectors of columns.
struct Tile<'a> {
    a: &'a [f32],
    lda: usize,
    b: &'a [f32],
    ldb: usize,
    c: &'a mut [f32],
    ldc: usize,
    k: usize,
    columns: usize,
    add: bool,
}

impl Tile<'_> {
    /// Computes as many of the `left` rows as fit into the registers, and returns their number.
    #[inline(always)]
    fn rows<S: Simd, const V: usize>(self, simd: S, left: usize) -> usize {
        match left {
            12.. if S::REGISTER_COUNT >= 32 => self.compute::<S, V, 12>(simd),
            6.. => self.compute::<S, V, 6>(simd),
            4.. => self.compute::<S, V, 4>(simd),
            2.. => self.compute::<S, V, 2>(simd),
            _ => self.compute::<S, V, 1>(simd),
        }
    }

    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // counted loops are what becomes registers
    fn compute<S: Simd, const V: usize, const R: usize>(self, simd: S) -> usize {
        let lanes = S::F32_LANES;
        let rows: [&[f32]; R] = std::array::from_fn(|r| &self.a[r * self.lda..][..self.k]);
        let mut sums = [[simd.splat_f32s(0.0); V]; R];
        let whole = self.columns == V * lanes;
        if self.add {
            for r in 0..R {
                let c = &self.c[r * self.ldc..][..self.columns];
                for v in 0..V {
                    sums[r][v] = if whole {
                        S::as_simd_f32s(&c[v * lanes..][..lanes]).0[0]
                    } else {
                        simd.partial_load_f32s(&c[(v * lanes).min(c.len())..])
                    };
                }
            }
        }
        for l in 0..self.k {
            let b = S::as_simd_f32s(&self.b[l * self.ldb..][..V * lanes]).0;
            for r in 0..R {
                let a = simd.splat_f32s(rows[r][l]);
                for v in 0..V {
                    sums[r][v] = simd.mul_add_e_f32s(a, b[v], sums[r][v]);
                }
            }
        }
        for r in 0..R {
            let c = &mut self.c[r * self.ldc..][..self.columns];
            for v in 0..V {
                if whole {
                    S::as_mut_simd_f32s(&mut c[v * lanes..][..lanes]).0[0] = sums[r][v];
                } else {
                    let at = (v * lanes).min(c.len());
                    simd.partial_store_f32s(&mut c[at..], sums[r][v]);
                }
            }
        }
        R
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize, step: f32) -> Vec<f32> {
        (0..n).map(|i| (i as f32 * step).sin()).collect()
    }

    #[test]
    fn products_agree_with_the_sum() {
        for (n, k, m) in
            [(1, 1, 1), (5, 7, 9), (13, 16, 33), (60, 3, 70), (2, 40, 200), (49, 5, 14)]
        {
            // Rows further apart than they are long.
            let (a, b) = (numbers(n * (k + 3), 1.0), numbers(k * (m + 2), 2.0));
            let before = numbers(n * (m + 1), 3.0);
            let mut c = before.clone();
            for add in [true, false] {
                let (a, b, c) = ((&a[..], k + 3), (&b[..], m + 2), (&mut c[..], m + 1));
                Arch::new().dispatch(Product { sizes: (n, k, m), a, b, c, add });
            }
            for i in 0..n {
                for j in 0..m {
                    let sum: f32 = (0..k).map(|l| a[i * (k + 3) + l] * b[l * (m + 2) + j]).sum();
                    assert!((c[i * (m + 1) + j] - sum).abs() < 1e-5, "{n} {k} {m}: {i} {j}");
                }
                assert_eq!(c[i * (m + 1) + m], before[i * (m + 1) + m]);
            }
            let mut c = before.clone();
            let (sizes, c2) = ((n, k, m), (&mut c[..], m + 1));
            let (a, b) = ((&a[..], k + 3), (&b[..], m + 2));
            Arch::new().dispatch(Product { sizes, a, b, c: c2, add: true });
            let sum: f32 = (0..k).map(|l| a.0[l] * b.0[l * (m + 2)]).sum();
            assert!((c[0] - before[0] - sum).abs() < 1e-5);
        }
    }

    #[test]
    fn a_row_does_not_depend_on_the_rows_beside_it() {
        let (n, k, m) = (100, 33, 70);
        let (a, b) = (numbers(n * k, 1.0), numbers(k * m, 2.0));
        let whole = product(n, k, m, &a, &b);
        for (from, to) in [(0, 1), (3, 5), (7, 60), (50, 100)] {
            let part = product(to - from, k, m, &a[from * k..to * k], &b);
            assert_eq!(part, whole[from * m..to * m]);
        }
    }

    #[test]
    fn the_transpose_is_padded_with_zeros() {
        let a = numbers(40 * 21, 1.0);
        let mut at = Vec::new();
        transpose(&a, 21, (40, 20), 48, &mut at);
        for i in 0..48 {
            for j in 0..20 {
                assert_eq!(at[j * 48 + i], if i < 40 { a[i * 21 + j] } else { 0.0 });
            }
        }
    }
}
