//! Products of matrices in the widest vectors that the processor has.
//!
//! Every element of a product is one chain of fused multiplications and additions along the sum,
//! whatever the sizes and however the work is cut up: a row of a result does not depend on the rows
//! beside it.

use pulp::{Arch, Simd, WithSimd};
use std::cell::RefCell;

/// A matrix whose rows, or columns if it is transposed, lie `stride` apart in `data`.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    data: &'a [f32],
    stride: usize,
    transposed: bool,
}

impl<'a> Matrix<'a> {
    /// Rows that begin `stride` apart.
    pub fn rows(data: &'a [f32], stride: usize) -> Matrix<'a> {
        Matrix { data, stride, transposed: false }
    }

    /// The transpose of what [`Matrix::rows`] would be.
    pub fn transposed(data: &'a [f32], stride: usize) -> Matrix<'a> {
        Matrix { data, stride, transposed: true }
    }

    /// What begins at this row and column.
    #[inline(always)]
    fn from(self, row: usize, column: usize) -> &'a [f32] {
        let (outer, inner) = if self.transposed { (column, row) } else { (row, column) };
        &self.data[(outer * self.stride + inner).min(self.data.len())..]
    }
}

/// `c = a · b`, or `c += a · b` if `add`.
pub struct Product<'a> {
    /// n, k and m: rows of a and c, the length of the sums, columns of b and c.
    pub sizes: (usize, usize, usize),
    /// `[n, k]`
    pub a: Matrix<'a>,
    /// `[k, m]`
    pub b: Matrix<'a>,
    /// `[n, m]`: its elements, and the distance of its rows.
    pub c: (&'a mut [f32], usize),
    /// Whether c is added to.
    pub add: bool,
}

/// `c = a · b` for matrices without gaps: a `[n, k]`, b `[k, m]`. `[n, m]`
pub fn product(sizes: (usize, usize, usize), a: Matrix<'_>, b: Matrix<'_>) -> Vec<f32> {
    let (n, _, m) = sizes;
    let mut c = vec![0f32; n * m];
    Arch::new().dispatch(Product { sizes, a, b, c: (&mut c, m), add: false });
    c
}

/// The columns of the transpose of a `[columns, deep]`, whose rows are `stride` apart, in rows of
/// length `wide`, which is at least `columns`; the rest of each row is zero. `at` has them first, and
/// may have more behind them. `[deep, wide]`
#[inline(always)]
pub fn transpose(
    a: &[f32],
    stride: usize,
    (columns, deep): (usize, usize),
    wide: usize,
    at: &mut Vec<f32>,
) {
    // In squares, which are transposed in registers. Columns that are not there are zero.
    const SIDE: usize = 8;
    if at.len() < deep * wide {
        at.resize(deep * wide, 0.0);
    }
    for j in (0..wide).step_by(SIDE) {
        let side = SIDE.min(wide - j);
        let rows: [&[f32]; SIDE] =
            std::array::from_fn(
                |i| {
                    if j + i < columns { &a[(j + i) * stride..][..deep] } else { &[] }
                },
            );
        let whole = if side == SIDE { deep / SIDE * SIDE } else { 0 };
        for l in (0..whole).step_by(SIDE) {
            let square: [[f32; SIDE]; SIDE] = std::array::from_fn(|i| {
                let row = rows[i].get(l..l + SIDE).unwrap_or(&[0.0; SIDE]);
                std::array::from_fn(|i| row[i])
            });
            for i in 0..SIDE {
                let column: [f32; SIDE] = std::array::from_fn(|j| square[j][i]);
                at[(l + i) * wide + j..][..SIDE].copy_from_slice(&column);
            }
        }
        for l in whole..deep {
            for (i, row) in rows.iter().enumerate().take(side) {
                at[l * wide + j + i] = row.get(l).copied().unwrap_or(0.0);
            }
        }
    }
}

/// Rows of a from which a copy of b's columns side by side pays.
const MANY: usize = 48;
/// The part of the sums that is computed at a time: as much of four vectors of columns fits into
/// the nearest cache, with the rows of a beside it.
const DEEP: usize = 128;

thread_local! {
    static PANEL: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let mut panel = PANEL.take();
        let (_, k, m) = self.sizes;
        // An empty sum is zero all the same.
        for l in (0..k.max(1)).step_by(DEEP) {
            let mut from = 0;
            while from < m {
                // Up to four vectors of columns at a time, or two where registers are few.
                let most = if S::REGISTER_COUNT >= 32 { 4 } else { 2 };
                let vectors = (m - from).div_ceil(S::F32_LANES).min(most);
                let deep = DEEP.min(k - l);
                match vectors {
                    4 => self.columns::<S, 4>(simd, (l, deep), from, &mut panel),
                    3 => self.columns::<S, 3>(simd, (l, deep), from, &mut panel),
                    2 => self.columns::<S, 2>(simd, (l, deep), from, &mut panel),
                    _ => self.columns::<S, 1>(simd, (l, deep), from, &mut panel),
                }
                from += vectors * S::F32_LANES;
            }
        }
        PANEL.set(panel);
    }
}

impl Product<'_> {
    /// Computes V vectors of columns from column `from` on, with the part of the sums that begins
    /// at l.
    #[inline(always)]
    fn columns<S: Simd, const V: usize>(
        &mut self,
        simd: S,
        (l, deep): (usize, usize),
        from: usize,
        panel: &mut Vec<f32>,
    ) {
        let (n, _, m) = self.sizes;
        let wide = V * S::F32_LANES;
        let columns = wide.min(m - from);
        let b = self.b.from(l, from);
        let (b, b_stride) = if self.b.transposed {
            transpose(b, self.b.stride, (columns, deep), wide, panel);
            (&panel[..], wide)
        } else if n >= MANY || columns < wide {
            if panel.len() < deep * wide {
                panel.resize(deep * wide, 0.0);
            }
            for (to, row) in panel.chunks_exact_mut(wide).zip(b.chunks(self.b.stride)).take(deep) {
                to[..columns].copy_from_slice(&row[..columns]);
                to[columns..].fill(0.0);
            }
            (&panel[..], wide)
        } else {
            (b, self.b.stride)
        };
        let mut at = 0;
        while at < n {
            let t = Tile {
                a: self.a.from(at, l),
                a_stride: self.a.stride,
                b,
                b_stride,
                c: &mut self.c.0[at * self.c.1 + from..],
                c_stride: self.c.1,
                deep,
                columns,
                add: self.add || l > 0,
            };
            at += match self.a.transposed {
                false => t.rows::<S, V, false>(simd, n - at),
                true => t.rows::<S, V, true>(simd, n - at),
            };
        }
    }
}

/// A part of a product that is computed in registers: all rows that are left, and V vectors of
/// columns.
struct Tile<'a> {
    a: &'a [f32],
    a_stride: usize,
    b: &'a [f32],
    b_stride: usize,
    c: &'a mut [f32],
    c_stride: usize,
    deep: usize,
    columns: usize,
    add: bool,
}

impl Tile<'_> {
    /// Computes as many of the `left` rows as fit into the registers, and returns their number. T
    /// says whether a is transposed.
    #[inline(always)]
    fn rows<S: Simd, const V: usize, const T: bool>(self, simd: S, left: usize) -> usize {
        let many = S::REGISTER_COUNT >= 32;
        match left {
            12.. if many && V == 1 => self.compute::<S, V, 12, T>(simd),
            8.. if many && V < 4 => self.compute::<S, V, 8, T>(simd),
            6.. => self.compute::<S, V, 6, T>(simd),
            4.. => self.compute::<S, V, 4, T>(simd),
            2.. => self.compute::<S, V, 2, T>(simd),
            _ => self.compute::<S, V, 1, T>(simd),
        }
    }

    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // counted loops are what becomes registers
    fn compute<S: Simd, const V: usize, const R: usize, const T: bool>(self, simd: S) -> usize {
        let lanes = S::F32_LANES;
        let mut sums = [[simd.splat_f32s(0.0); V]; R];
        let whole = self.columns == V * lanes;
        if self.add {
            for r in 0..R {
                let c = &self.c[r * self.c_stride..][..self.columns];
                for v in 0..V {
                    sums[r][v] = if whole {
                        S::as_simd_f32s(&c[v * lanes..][..lanes]).0[0]
                    } else {
                        simd.partial_load_f32s(&c[(v * lanes).min(c.len())..])
                    };
                }
            }
        }
        let rows: [&[f32]; R] = std::array::from_fn(|r| match T {
            false => &self.a[r * self.a_stride..][..self.deep],
            true => self.a,
        });
        for l in 0..self.deep {
            let b = S::as_simd_f32s(&self.b[l * self.b_stride..][..V * lanes]).0;
            let column = if T { &self.a[l * self.a_stride..][..R] } else { &[] };
            for r in 0..R {
                let a = simd.splat_f32s(if T { column[r] } else { rows[r][l] });
                for v in 0..V {
                    sums[r][v] = simd.mul_add_e_f32s(a, b[v], sums[r][v]);
                }
            }
        }
        for r in 0..R {
            let c = &mut self.c[r * self.c_stride..][..self.columns];
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

    /// Element (i, j) of a matrix.
    fn at(m: Matrix<'_>, i: usize, j: usize) -> f32 {
        m.from(i, j)[0]
    }

    #[test]
    fn products_agree_with_the_sum_whichever_way_the_matrices_lie() {
        for (n, k, m) in [
            (1, 1, 1),
            (5, 7, 9),
            (13, 16, 33),
            (60, 3, 70),
            (2, 40, 200),
            (49, 5, 14),
            (9, 300, 48),
        ] {
            // Rows further apart than they are long.
            let (a, b) = (numbers((n + 3) * (k + 3), 1.0), numbers((k + 2) * (m + 2), 2.0));
            let before = numbers(n * (m + 1), 3.0);
            for which in 0..8 {
                let a = match which & 1 == 0 {
                    true => Matrix::rows(&a, k + 3),
                    false => Matrix::transposed(&a, n + 3),
                };
                let b = match which & 2 == 0 {
                    true => Matrix::rows(&b, m + 2),
                    false => Matrix::transposed(&b, k + 2),
                };
                let add = which & 4 == 0;
                let mut c = before.clone();
                let to = (&mut c[..], m + 1);
                Arch::new().dispatch(Product { sizes: (n, k, m), a, b, c: to, add });
                for i in 0..n {
                    for j in 0..m {
                        let sum: f32 = (0..k).map(|l| at(a, i, l) * at(b, l, j)).sum();
                        let sum = if add { before[i * (m + 1) + j] + sum } else { sum };
                        let difference = (c[i * (m + 1) + j] - sum).abs();
                        assert!(difference < 1e-4, "{which} {n} {k} {m}: {i} {j}");
                    }
                    assert_eq!(c[i * (m + 1) + m], before[i * (m + 1) + m]);
                }
            }
        }
    }

    #[test]
    fn a_row_does_not_depend_on_the_rows_beside_it() {
        let (n, k, m) = (100, 133, 70);
        let (a, b) = (numbers(n * k, 1.0), numbers(k * m, 2.0));
        let of = |rows: std::ops::Range<usize>| {
            let sizes = (rows.len(), k, m);
            product(sizes, Matrix::rows(&a[rows.start * k..], k), Matrix::rows(&b, m))
        };
        let whole = of(0..n);
        for (from, to) in [(0, 1), (3, 5), (7, 60), (50, 100)] {
            assert_eq!(of(from..to), whole[from * m..to * m]);
        }
    }

    /// The order of the sums is part of the result's definition.
    #[test]
    fn an_element_is_one_chain_of_fused_additions() {
        let (n, k, m) = (50, 300, 33);
        let (a, b) = (numbers(n * k, 1.0), numbers(k * m, 2.0));
        let c = product((n, k, m), Matrix::rows(&a, k), Matrix::rows(&b, m));
        // Without fused additions in the processor the products are rounded.
        let fused = Arch::new().dispatch(Lanes) > 1;
        for (i, j) in [(0, 0), (49, 32), (17, 20)] {
            let chain = (0..k).fold(0f32, |sum, l| a[i * k + l].mul_add(b[l * m + j], sum));
            assert!(!fused || c[i * m + j] == chain, "{i} {j}");
        }
    }

    struct Lanes;

    impl WithSimd for Lanes {
        type Output = usize;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> usize {
            S::F32_LANES
        }
    }

    #[test]
    fn the_transpose_is_padded_with_zeros() {
        let a = numbers(43 * 21, 1.0);
        let mut at = Vec::new();
        transpose(&a, 21, (43, 20), 48, &mut at);
        for i in 0..48 {
            for j in 0..20 {
                assert_eq!(at[j * 48 + i], if i < 43 { a[i * 21 + j] } else { 0.0 });
            }
        }
    }
}
