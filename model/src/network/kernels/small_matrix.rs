//! Products of small matrices and row-wise softmax, for the attention kernels on the CPU.
//!
//! Matrices are row-major slices. The loops run along rows without reductions, so that the
//! compiler turns them into vector code, and the result is the same for every vector width.
//! Everything is `#[inline(always)]`, because callers are compiled once per instruction set.

/// Rows that are so long that whole vectors fill them.
#[inline(always)]
pub(crate) fn padded(n: usize) -> usize {
    n.next_multiple_of(8)
}

/// `c += a · b`, with a `[n, k]` in rows of length `stride`, b `[k, p]`, c `[n, p]`.
#[inline(always)]
pub(crate) fn add_product(
    c: &mut [f32],
    a: &[f32],
    (stride, k): (usize, usize),
    b: &[f32],
    p: usize,
) {
    for (c, a) in c.chunks_exact_mut(p).zip(a.chunks_exact(stride)) {
        add_rows(c, &a[..k], b, p);
    }
}

/// `c += aᵀ · b`, with a `[n, k]` in rows of length `stride`, b `[n, p]`, c `[k, p]`; `at` is
/// room for `[k, n]`.
#[inline(always)]
pub(crate) fn add_transposed_product(
    c: &mut [f32],
    a: &[f32],
    (stride, k): (usize, usize),
    b: &[f32],
    p: usize,
    at: &mut Vec<f32>,
) {
    let n = a.len() / stride;
    transpose(a, (stride, k), n, at);
    add_product(c, at, (n, n), b, p);
}

/// `c += Σ a[i] · b[i]`, rows b[i] and c of length `p`.
#[inline(always)]
fn add_rows(c: &mut [f32], a: &[f32], b: &[f32], p: usize) {
    let c = &mut c[..p];
    let mut i = 0;
    while i + 4 <= a.len() {
        let (a0, a1, a2, a3) = (a[i], a[i + 1], a[i + 2], a[i + 3]);
        let b0 = &b[i * p..][..p];
        let b1 = &b[(i + 1) * p..][..p];
        let b2 = &b[(i + 2) * p..][..p];
        let b3 = &b[(i + 3) * p..][..p];
        for j in 0..p {
            c[j] += (a0 * b0[j] + a1 * b1[j]) + (a2 * b2[j] + a3 * b3[j]);
        }
        i += 4;
    }
    while i < a.len() {
        let (a0, b0) = (a[i], &b[i * p..][..p]);
        for j in 0..p {
            c[j] += a0 * b0[j];
        }
        i += 1;
    }
}

/// Writes the transpose of a `[n, k]`, in rows of length `stride`, to `at`, in rows of length
/// `to`, which is at least n; the rest of each row is zero.
#[inline(always)]
pub(crate) fn transpose(a: &[f32], (stride, k): (usize, usize), to: usize, at: &mut Vec<f32>) {
    at.clear();
    at.resize(k * to, 0.0);
    for (i, row) in a.chunks_exact(stride).enumerate() {
        for (j, x) in row[..k].iter().enumerate() {
            at[j * to + i] = *x;
        }
    }
}

/// Σ a·b, in eight partial sums whatever the processor.
#[inline(always)]
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0f32; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f32 = a8.remainder().iter().zip(b8.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a8.zip(b8) {
        for l in 0..8 {
            lanes[l] += a[l] * b[l];
        }
    }
    lanes.iter().sum::<f32>() + tail
}

/// Turns scores into probabilities in place.
#[inline(always)]
pub(crate) fn softmax(row: &mut [f32]) {
    let mut max = f32::NEG_INFINITY;
    for x in row.iter() {
        max = if *x > max { *x } else { max };
    }
    for x in row.iter_mut() {
        *x = exp_of_negative(*x - max);
    }
    let mut lanes = [0f32; 8];
    let eights = row.chunks_exact(8);
    let tail: f32 = eights.remainder().iter().sum();
    for x in eights {
        for l in 0..8 {
            lanes[l] += x[l];
        }
    }
    let scale = 1.0 / (lanes.iter().sum::<f32>() + tail);
    for x in row.iter_mut() {
        *x *= scale;
    }
}

/// eˣ for x ≤ 0 to within 3·10⁻⁷, as arithmetic that compiles to vector code.
#[inline(always)]
pub(crate) fn exp_of_negative(x: f32) -> f32 {
    // Adding 1.5·2²³ rounds to an integer, which then stands in the low bits.
    const ROUND: f32 = 12_582_912.0;
    let x = if x < -87.0 { -87.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    // ln 2 in two parts, the first with few bits, so that n times it is exact.
    let r = x - n * 0.693_359_4 - n * -2.121_944_4e-4;
    let p = 1.0 / 720.0;
    let p = p * r + 1.0 / 120.0;
    let p = p * r + 1.0 / 24.0;
    let p = p * r + 1.0 / 6.0;
    let p = p * r + 0.5;
    let p = p * r + 1.0;
    let p = p * r + 1.0;
    let exponent = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    p * f32::from_bits(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_is_accurate() {
        for i in 0..8_600 {
            let x = -(i as f32) / 100.0;
            let exact = f64::from(x).exp();
            let error = (f64::from(exp_of_negative(x)) - exact).abs() / exact;
            assert!(error < 3e-7, "exp({x}): relative error {error}");
        }
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert!(exp_of_negative(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn products_agree_with_the_sum() {
        let (n, k, p) = (5, 7, 9);
        let a: Vec<f32> = (0..n * k).map(|i| (i as f32).sin()).collect();
        let b: Vec<f32> = (0..k * p).map(|i| (i as f32).cos()).collect();
        let mut c = vec![1.0; n * p];
        add_product(&mut c, &a, (k, k), &b, p);
        let mut at = Vec::new();
        transpose(&a, (k, k), padded(n), &mut at);
        let mut d = vec![1.0; n * p];
        add_transposed_product(&mut d, &at, (padded(n), n), &b, p, &mut Vec::new());
        for i in 0..n {
            for j in 0..p {
                let sum: f32 = (0..k).map(|l| a[i * k + l] * b[l * p + j]).sum();
                assert!((c[i * p + j] - 1.0 - sum).abs() < 1e-5);
                assert_eq!(c[i * p + j], d[i * p + j]);
            }
        }
    }
}
