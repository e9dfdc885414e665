//! Loops along rows: sums, softmax and the exponential function.
//!
//! They compile to vector code and give the same result for every vector width. Everything is
//! `#[inline(always)]`, because callers are compiled once per instruction set.

/// Rows that are so long that whole vectors fill them.
#[inline(always)]
pub(crate) fn padded(n: usize) -> usize {
    n.next_multiple_of(16)
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

/// Turns the first `seen` scores into the probabilities that they have after multiplication by
/// `scale`, which is positive; what is behind them becomes zero. The row is [`padded`], so that no
/// loop has a remainder.
#[inline(always)]
pub(crate) fn softmax(row: &mut [f32], seen: usize, scale: f32) {
    row[seen..].fill(f32::NEG_INFINITY);
    let mut max = [f32::NEG_INFINITY; 8];
    for x in row.as_chunks::<8>().0 {
        for l in 0..8 {
            max[l] = if x[l] > max[l] { x[l] } else { max[l] };
        }
    }
    // The largest is the same in any order, and halves of a vector need fewer steps.
    for half in [4, 2, 1] {
        for l in 0..half {
            max[l] = if max[l + half] > max[l] { max[l + half] } else { max[l] };
        }
    }
    let max = max[0];
    for x in row.as_chunks_mut::<8>().0 {
        for x in x {
            *x = exp_of_negative((*x - max) * scale);
        }
    }
    row[seen..].fill(0.0);
    let mut lanes = [0f32; 8];
    for x in row.as_chunks::<8>().0 {
        for l in 0..8 {
            lanes[l] += x[l];
        }
    }
    let inverse = 1.0 / lanes.iter().sum::<f32>();
    for x in row.iter_mut() {
        *x *= inverse;
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
    fn probabilities_sum_to_one_and_what_is_not_seen_has_none() {
        for seen in [1, 5, 8, 15, 16, 17, 32] {
            let mut row: Vec<f32> = (0..padded(seen)).map(|i| (i as f32).sin() * 9.0).collect();
            let scores = row.clone();
            softmax(&mut row, seen, 0.7);
            let whole: f64 = scores[..seen].iter().map(|x| (f64::from(*x) * 0.7).exp()).sum();
            for (i, p) in row.iter().enumerate() {
                let expected = (f64::from(scores[i]) * 0.7).exp() / whole;
                let expected = if i < seen { expected } else { 0.0 };
                assert!((f64::from(*p) - expected).abs() < 1e-6, "{seen} {i}");
            }
        }
    }

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
}
