//! The few statistics that a report needs.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

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

/// The two-sided p-value of McNemar's exact test: how likely chance alone divides the tasks that only
/// one of two methods solved at least as unevenly as into these two numbers (McNemar, *Note on the
/// sampling error of the difference between correlated proportions*, 1947).
pub fn mcnemar(only_one: usize, only_other: usize) -> f64 {
    let (n, most) = (only_one + only_other, only_one.max(only_other));
    // The tail of the binomial distribution with p = 1/2, each term from the one before.
    let mut term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for k in 0..=n {
        if k >= most {
            tail += term.exp();
        }
        term += ((n - k) as f64 / (k + 1) as f64).ln();
    }
    (2.0 * tail).min(1.0)
}

/// The 95 % interval of the mean difference between two methods, as fractions, by a bootstrap over
/// seeds: tasks that come from one seed are drawn together, for they are alike. `differences` has, for each
/// seed, the sum of the differences of its tasks and their number. Without seeds nothing is known.
pub fn bootstrap(differences: &[(f64, usize)], seed: u64) -> (f64, f64) {
    const DRAWS: usize = 10_000;
    if differences.is_empty() {
        return (-1.0, 1.0);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let drawn = (0..differences.len())
                .map(|_| differences[rng.random_range(0..differences.len())])
                .fold((0.0, 0), |(sum, tasks), (d, n)| (sum + d, tasks + n));
            drawn.0 / drawn.1 as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    (means[DRAWS / 40], means[DRAWS - 1 - DRAWS / 40])
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
    fn mcnemar_agrees_with_the_binomial_distribution() {
        // 2 (1 + 6) / 2^6, and 2 (1 + 10 + 45) / 2^10.
        assert!((mcnemar(1, 5) - 14.0 / 64.0).abs() < 1e-12);
        assert!((mcnemar(8, 2) - 112.0 / 1024.0).abs() < 1e-12);
        assert_eq!(mcnemar(0, 0), 1.0);
        assert_eq!(mcnemar(7, 7), 1.0);
        assert!((mcnemar(300, 200) - 8.9e-6).abs() < 1e-6, "{}", mcnemar(300, 200));
    }

    #[test]
    fn the_bootstrap_draws_seeds_and_not_tasks() {
        // Independent tasks: near the normal interval, 0.1 and 1.96 times 0.1.
        let alone: Vec<(f64, usize)> =
            (0..100).map(|i| (if i < 55 { 1.0 } else { -1.0 }, 1)).collect();
        let (low, high) = bootstrap(&alone, 0);
        assert!((low + 0.095).abs() < 0.04 && (high - 0.295).abs() < 0.04, "{low} {high}");
        assert_eq!(bootstrap(&alone, 0), (low, high));
        // The same tasks, from four seeds: hardly anything is known.
        let together = [(25.0, 25), (25.0, 25), (-15.0, 25), (-25.0, 25)];
        let (low, high) = bootstrap(&together, 0);
        assert!(low < -0.7 && high > 0.8, "{low} {high}");
        assert_eq!(bootstrap(&[], 0), (-1.0, 1.0));
    }

    #[test]
    fn median_of_odd_and_even() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&mut []), None);
    }
}
