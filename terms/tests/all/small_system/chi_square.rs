//! Pearson's chi-square test of equal frequencies.

use egraph::TermId;
use std::collections::BTreeMap;

/// Draws `each` times as many terms as there are in `terms`; the probability that equally likely
/// terms have frequencies as uneven as theirs.
///
/// # Panics
/// A term is drawn that is not one of `terms`.
pub fn p_value(terms: &[TermId], each: u32, mut draw: impl FnMut() -> TermId) -> f64 {
    let mut frequency: BTreeMap<TermId, u32> = terms.iter().map(|&term| (term, 0)).collect();
    assert_eq!(frequency.len(), terms.len(), "the terms are distinct");
    for _ in 0..each as usize * terms.len() {
        *frequency.get_mut(&draw()).expect("a term of those that can be drawn") += 1;
    }
    let expected = f64::from(each);
    let deviation = |&n: &u32| (f64::from(n) - expected).powi(2) / expected;
    let statistic: f64 = frequency.values().map(deviation).sum();
    upper_gamma((terms.len() - 1) as f64 / 2.0, statistic / 2.0)
}

/// The regularised upper incomplete gamma function Q(a, x): by its series below a + 1, else by
/// its continued fraction (Lentz). See Press et al., *Numerical Recipes*, section 6.2.
pub fn upper_gamma(a: f64, x: f64) -> f64 {
    let factor = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-15 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return 1.0 - factor * sum;
    }
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1e300, 1.0 / b);
    let mut h = d;
    for i in 1..1_000_000 {
        let an = -f64::from(i) * (f64::from(i) - a);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        h *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    factor * h
}

/// ln Γ(x) by Stirling's series, after Γ(x) = Γ(x + n) / (x ⋯ (x + n − 1)).
fn ln_gamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 20.0 {
        shift += x.ln();
        x += 1.0;
    }
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    (x - 0.5) * x.ln() - x + (2.0 * std::f64::consts::PI).ln() / 2.0 + series - shift
}
