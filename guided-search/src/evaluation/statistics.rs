//! The few statistics that a report needs.

/// The 95 % Wilson score interval of a proportion, as fractions (Wilson, *Probable Inference*,
/// 1927). Without trials nothing is known: the whole of [0, 1].
pub fn wilson(successes: usize, trials: usize) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    const Z: f64 = 1.959_963_984_540_054;
    let n = trials as f64;
    let p = successes as f64 / n;
    let centre = p + Z * Z / (2.0 * n);
    let spread = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    (((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0))
}

/// The median; of an even number of values the mean of the middle two. `None` without values.
pub fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_agrees_with_published_values() {
        // 15 of 148: Newcombe, Statistics in Medicine 17 (1998), table I.
        let (low, high) = wilson(15, 148);
        assert!((low - 0.0624).abs() < 5e-5 && (high - 0.1605).abs() < 5e-5);
        assert_eq!(wilson(0, 0), (0.0, 1.0));
        assert_eq!(wilson(0, 20).0, 0.0);
        assert!((wilson(0, 20).1 - 0.1611).abs() < 5e-5);
        assert_eq!(wilson(20, 20).1, 1.0);
    }

    #[test]
    fn median_of_odd_and_even() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&mut []), None);
    }
}
