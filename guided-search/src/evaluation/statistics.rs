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

/// The two-sided p-value of Wilcoxon's signed-rank test: how likely chance alone makes differences as one-sided as
/// these, by their signs and the ranks of their sizes (Wilcoxon, *Individual comparisons by ranking methods*,
/// 1945). By the normal approximation with its corrections for ties and for continuity; zeros are left out.
pub fn wilcoxon(differences: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let n = sorted.len() as f64;
    let (mut positive, mut ties, mut before) = (0.0, 0.0, 0.0);
    for tied in sorted.chunk_by(|a, b| a.abs() == b.abs()) {
        let t = tied.len() as f64;
        let rank = before + f64::midpoint(1.0, t);
        positive += rank * tied.iter().filter(|d| **d > 0.0).count() as f64;
        ties += t * t * t - t;
        before += t;
    }
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    if variance <= 0.0 {
        return 1.0;
    }
    let distance = ((positive - n * (n + 1.0) / 4.0).abs() - 0.5).max(0.0);
    erfc(distance / (2.0 * variance).sqrt())
}

/// The complementary error function of x ≥ 0, with a relative error below 1.2e-7 (Numerical Recipes, 6.2).
fn erfc(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 10] = [
        0.170_872_77,
        -0.822_152_23,
        1.488_515_87,
        -1.135_203_98,
        0.278_868_07,
        -0.186_288_06,
        0.096_784_18,
        0.374_091_96,
        1.000_023_68,
        -1.265_512_23,
    ];
    let t = 1.0 / (1.0 + 0.5 * x);
    let power = COEFFICIENTS.iter().fold(0.0, |sum, c| sum * t + c);
    t * (power - x * x).exp()
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
    fn wilcoxon_agrees_with_published_values() {
        let d = [6.0, -1.0, 8.0, 2.0, 23.0, 7.0, -1.0, -4.0, 5.0, 5.0, 2.0, 1.0, 20.0, 28.0];
        // Ranks: 1 three times (2), 2 twice (4.5), 4 (6), 5 twice (7.5), 6 … : W− = 2 + 2 + 6 = 10, so W+ = 95.
        let variance: f64 = 14.0 * 15.0 * 29.0 / 24.0 - (24.0 + 6.0 + 6.0) / 48.0;
        let z = (95.0 - 52.5 - 0.5) / variance.sqrt();
        // The standard normal distribution beyond 2.6388 and -2.6388 has 0.00832.
        assert!((z - 2.6388).abs() < 2e-3, "{z}");
        assert!((wilcoxon(&d) - 0.0083).abs() < 1e-4, "{}", wilcoxon(&d));
        let turned: Vec<f64> = d.iter().map(|d| -d).collect();
        assert!((wilcoxon(&turned) - wilcoxon(&d)).abs() < 1e-12);
        assert_eq!(wilcoxon(&[]), 1.0);
        assert_eq!(wilcoxon(&[0.0, 0.0]), 1.0);
        assert!(wilcoxon(&[1.0, -1.0]) > 0.99);
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
