//! Power laws, fitted to measured points.
//!
//! The law is L = a·x^(−b) + c with a > 0 and c ≥ 0. It is the one with the least sum of the squares of
//! r = (a·x^(−b) + c)/L − 1: for a given b that is a linear problem, and b is searched for. Whether the
//! points tell c from 0 is decided by an F-test at 5 %; where they do not, the law is L = a·x^(−b).
//!
//! Intervals come from a bootstrap of the residuals with the points where they are: 2,000 times the
//! losses are drawn anew as what the law says times 1 + s·z with z normal, and the law is fitted to
//! them. The few residuals tell their own size badly, so s² is drawn, too: the sum of their squares over a
//! χ² number with as many degrees of freedom as the points have left. For a law that were linear this
//! is Student's interval, so that it holds for four points as for forty.

use rand::{Rng, RngExt};
use support::random::stream;

/// The fewest points that a law is fitted to.
pub const LEAST_POINTS: usize = 3;
/// Fits of the bootstrap.
const DRAWS: usize = 2_000;
/// Between which exponents the law is looked for, and how many of them are tried at first.
const EXPONENTS: (f64, f64) = (-1.0, 3.0);
const GRID: usize = 161;
/// The 95 % points of F with one degree of freedom and 1, 2, … further ones.
const F95: [f64; 12] =
    [161.4, 18.51, 10.13, 7.709, 6.608, 5.987, 5.591, 5.318, 5.117, 4.965, 4.844, 4.747];
/// Those of more; a little too strict.
const F95_MORE: f64 = 4.667;

/// A law L = a·x^(−b) + c.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLaw {
    /// The factor.
    pub a: f64,
    /// The exponent: positive where more of x means less loss.
    pub b: f64,
    /// What is left however large x is; 0 where the points do not tell it from 0.
    pub c: f64,
    /// Whether c was fitted.
    pub with_c: bool,
    /// The 95 % interval of b.
    pub b_interval: (f64, f64),
    /// The 95 % interval of c, where it was fitted.
    pub c_interval: Option<(f64, f64)>,
    /// Points that it was fitted to.
    pub points: usize,
}

/// Why there is no law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoFit {
    /// Too few points.
    #[error("a power law needs at least {LEAST_POINTS} points of different x, found {0}")]
    TooFew(usize),
    /// A number that has no logarithm.
    #[error("a power law needs points whose numbers are positive")]
    NotPositive,
}

impl PowerLaw {
    /// What the law says at x.
    pub fn at(&self, x: f64) -> f64 {
        self.a * x.powf(-self.b) + self.c
    }
}

/// Fits a law to points (x, L); random choices are those of `seed`.
///
/// # Errors
/// There are too few points, or a number is not positive.
pub fn fit(points: &[(f64, f64)], seed: u64) -> Result<PowerLaw, NoFit> {
    let positive = |(x, y): &(f64, f64)| *x > 0.0 && *y > 0.0 && x.is_finite() && y.is_finite();
    if !points.iter().all(positive) {
        return Err(NoFit::NotPositive);
    }
    let mut xs: Vec<f64> = points.iter().map(|point| point.0).collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    if xs.len() < LEAST_POINTS {
        return Err(NoFit::TooFew(xs.len()));
    }
    let places = Places::new(points);
    let losses: Vec<f64> = points.iter().map(|point| point.1).collect();
    let plain = places.fit(&losses, false);
    let full = places.fit(&losses, true);
    let with_c = xs.len() > LEAST_POINTS && full.c > 0.0 && {
        let left = points.len() - 3;
        let bound = F95.get(left - 1).copied().unwrap_or(F95_MORE);
        plain.squares - full.squares > bound * full.squares / left as f64
    };
    let best = if with_c { full } else { plain };
    let (b_interval, c_interval) = places.bootstrap(&best, with_c, seed);
    Ok(PowerLaw {
        a: best.a * places.scale.powf(best.b),
        b: best.b,
        c: best.c,
        with_c,
        b_interval,
        c_interval: with_c.then_some(c_interval),
        points: points.len(),
    })
}

/// A law over x divided by their scale, and the sum of the squares of its residuals.
#[derive(Clone, Copy, Debug)]
struct Found {
    a: f64,
    b: f64,
    c: f64,
    squares: f64,
}

/// The places of points, with what all fits over them share.
struct Places {
    /// The logarithms of x over their scale.
    logs: Vec<f64>,
    /// The geometric mean of the x.
    scale: f64,
    /// The exponents that are tried first, with the powers of all x.
    grid: Vec<(f64, Vec<f64>)>,
}

impl Places {
    fn new(points: &[(f64, f64)]) -> Places {
        let mean = points.iter().map(|point| point.0.ln()).sum::<f64>() / points.len() as f64;
        let logs: Vec<f64> = points.iter().map(|point| point.0.ln() - mean).collect();
        let (low, high) = EXPONENTS;
        let exponent = |i: usize| low + (high - low) * i as f64 / (GRID - 1) as f64;
        let grid = (0..GRID).map(|i| (exponent(i), powers(&logs, exponent(i)))).collect();
        Places { logs, scale: mean.exp(), grid }
    }

    /// The best law for losses at these places.
    fn fit(&self, losses: &[f64], with_c: bool) -> Found {
        let first = self.grid.iter().map(|(b, powers)| linear(*b, powers, losses, with_c));
        let first: Vec<Found> = first.collect();
        let best = (0..GRID).min_by(|i, j| first[*i].squares.total_cmp(&first[*j].squares));
        let best = best.unwrap_or(0);
        // Golden section between the neighbours of the best exponent.
        let ratio = (5f64.sqrt() - 1.0) / 2.0;
        let (mut low, mut high) = (first[best.max(1) - 1].b, first[(best + 1).min(GRID - 1)].b);
        let at = |b: f64| linear(b, &powers(&self.logs, b), losses, with_c);
        let (mut left, mut right) =
            (at(high - ratio * (high - low)), at(low + ratio * (high - low)));
        for _ in 0..25 {
            if left.squares < right.squares {
                high = right.b;
                right = left;
                left = at(high - ratio * (high - low));
            } else {
                low = left.b;
                left = right;
                right = at(low + ratio * (high - low));
            }
        }
        if left.squares < right.squares { left } else { right }
    }

    /// The 95 % intervals of b and c.
    fn bootstrap(&self, found: &Found, with_c: bool, seed: u64) -> ((f64, f64), (f64, f64)) {
        let mut random = stream(seed, 0);
        let said: Vec<f64> =
            self.logs.iter().map(|log| found.a * (-found.b * log).exp() + found.c).collect();
        let left = said.len() - if with_c { 3 } else { 2 };
        let (mut bs, mut cs) = (Vec::with_capacity(DRAWS), Vec::with_capacity(DRAWS));
        for _ in 0..DRAWS {
            let chi: f64 = (0..left.max(1)).map(|_| normal(&mut random).powi(2)).sum();
            let deviation = (found.squares / chi).sqrt();
            // A loss is positive: a draw that is not is as small as can be.
            let draw =
                |said: &f64| (said * (1.0 + deviation * normal(&mut random))).max(said * 1e-3);
            let drawn: Vec<f64> = said.iter().map(draw).collect();
            let law = self.fit(&drawn, with_c);
            bs.push(law.b);
            cs.push(law.c);
        }
        (middle(&mut bs), middle(&mut cs))
    }
}

/// The middle 95 % of values.
fn middle(values: &mut [f64]) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let tail = values.len() / 40;
    (values[tail], values[values.len() - 1 - tail])
}

fn powers(logs: &[f64], b: f64) -> Vec<f64> {
    logs.iter().map(|log| (-b * log).exp()).collect()
}

/// The best a and c for an exponent: least squares of u·a + v·c = 1 with u = x^(−b)/L and v = 1/L.
fn linear(b: f64, powers: &[f64], losses: &[f64], with_c: bool) -> Found {
    let (mut uu, mut uv, mut vv, mut u1, mut v1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (power, loss) in powers.iter().zip(losses) {
        let (u, v) = (power / loss, 1.0 / loss);
        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
    }
    let determinant = uu * vv - uv * uv;
    let (mut a, mut c) = (u1 / uu, 0.0);
    if with_c && determinant > 1e-12 * uu * vv {
        let both = ((u1 * vv - v1 * uv) / determinant, (v1 * uu - u1 * uv) / determinant);
        if both.0 > 0.0 && both.1 > 0.0 {
            (a, c) = both;
        }
    }
    let residual = |(power, loss): (&f64, &f64)| ((a * power + c) / loss - 1.0).powi(2);
    let squares = powers.iter().zip(losses).map(residual).sum();
    Found { a, b, c, squares }
}

/// Box and Muller's transform.
fn normal(random: &mut impl Rng) -> f64 {
    let (u, v): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Points of a law at x from 1e5 on, each `factor` times the one before, with relative noise.
    fn points(
        law: (f64, f64, f64),
        n: usize,
        factor: f64,
        noise: f64,
        seed: u64,
    ) -> Vec<(f64, f64)> {
        let mut random = stream(seed, 1);
        let (a, b, c) = law;
        let x = |i: usize| 1e5 * factor.powi(i as i32);
        let loss = |x: f64| a * (x / 1e5).powf(-b) + c;
        (0..n).map(|i| (x(i), loss(x(i)) * (1.0 + noise * normal(&mut random)))).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn exponents_of_points_without_noise_are_found(
            a in 0.5f64..3.0, b in 0.1f64..1.5, c in 0.2f64..2.0, n in 4usize..10,
        ) {
            let law = fit(&points((a, b, c), n, 4.0, 0.0, 0), 0).unwrap();
            prop_assert!(law.with_c && (law.b - b).abs() < 1e-3 && (law.c - c).abs() < 1e-2, "{law:?}");
            let plain = fit(&points((a, b, 0.0), n, 4.0, 0.0, 0), 0).unwrap();
            prop_assert!((plain.b - b).abs() < 1e-3 && plain.c < 1e-2, "{plain:?}");
            prop_assert!((plain.at(1e5) - a).abs() < 1e-3 * a);
        }

        #[test]
        fn exponents_of_points_with_noise_are_found_nearly(
            a in 0.5f64..3.0, b in 0.1f64..0.6, seed in 0u64..1_000,
        ) {
            let law = fit(&points((a, b, 0.0), 12, 2.5, 0.01, seed), seed).unwrap();
            let (low, high) = law.b_interval;
            prop_assert!(low <= law.b && law.b <= high, "{law:?}");
            prop_assert!(law.with_c || (law.b - b).abs() < 0.01, "{law:?}");
        }
    }

    /// How often the interval of b has the true exponent, of a hundred.
    fn covered(law: (f64, f64, f64), n: usize, factor: f64, noise: f64, trials: u64) -> f64 {
        let holds = |seed: &u64| {
            let found = fit(&points(law, n, factor, noise, *seed), *seed).unwrap();
            let (low, high) = found.b_interval;
            low <= law.1 && law.1 <= high
        };
        100.0 * (0..trials).filter(holds).count() as f64 / trials as f64
    }

    #[test]
    fn the_interval_has_the_truth_about_95_times_of_100() {
        for (law, n, factor, noise) in [
            ((2.0, 0.2, 0.0), 4, 3.5, 0.02),
            ((2.0, 0.2, 0.0), 8, 2.0, 0.05),
            ((2.0, 0.5, 0.5), 16, 2.0, 0.005),
        ] {
            let share = covered(law, n, factor, noise, 300);
            assert!((91.0..=98.7).contains(&share), "{law:?} {n}: {share} %");
        }
    }

    #[test]
    fn the_same_points_give_the_same_law() {
        let points = points((2.0, 0.3, 0.4), 6, 3.0, 0.01, 5);
        assert_eq!(fit(&points, 1), fit(&points, 1));
        assert_ne!(fit(&points, 1).unwrap().b_interval, fit(&points, 2).unwrap().b_interval);
    }

    #[test]
    fn c_is_fitted_only_where_the_points_tell_it_from_nothing() {
        let some = fit(&points((2.0, 0.5, 0.8), 8, 3.0, 0.002, 1), 0).unwrap();
        let (low, high) = some.c_interval.unwrap();
        assert!(some.with_c && low < 0.8 && 0.8 < high && low > 0.5, "{some:?}");
        let none = fit(&points((2.0, 0.1, 0.0), 4, 3.0, 0.01, 1), 0).unwrap();
        assert!(!none.with_c && none.c == 0.0 && none.c_interval.is_none(), "{none:?}");
        // Three points are on a law of three numbers, whatever they are.
        assert!(!fit(&points((2.0, 0.5, 0.8), 3, 3.0, 0.0, 1), 0).unwrap().with_c);
    }

    #[test]
    fn too_few_points_are_refused_with_words() {
        let refused = |points: &[(f64, f64)]| fit(points, 0).unwrap_err().to_string();
        let few = refused(&[(1.0, 2.0), (2.0, 1.0)]);
        assert_eq!(few, "a power law needs at least 3 points of different x, found 2");
        assert!(refused(&[(1.0, 2.0), (1.0, 1.9), (2.0, 1.0)]).contains("found 2"));
        assert!(refused(&[]).contains("found 0"));
        assert!(refused(&[(1.0, 2.0), (0.0, 1.0), (2.0, 1.0)]).contains("positive"));
        assert!(refused(&[(1.0, 2.0), (3.0, f64::NAN), (2.0, 1.0)]).contains("positive"));
    }
}
