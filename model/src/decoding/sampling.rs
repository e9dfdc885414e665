//! Which extensions of half-written terms go on: the likeliest, or samples without repetition.

use crate::tokens::vocabulary::Token;
use rand::{Rng, RngExt};

/// A token and its log-probability.
pub(crate) type Choice = (Token, f32);

/// ln Σ exp of the given logits.
pub(crate) fn log_sum_exp(logits: impl Iterator<Item = f32> + Clone) -> f32 {
    let max = logits.clone().fold(f32::NEG_INFINITY, f32::max);
    if max == f32::NEG_INFINITY {
        return max;
    }
    max + logits.map(|x| (x - max).exp()).sum::<f32>().ln()
}

/// Makes the probabilities those of the smallest set of tokens that have probability `p`
/// together, after sharpening by `temperature` (Holtzman et al., 2020): the likeliest first, those
/// of equal probability by token, and normalised.
pub(crate) fn nucleus(choices: &mut Vec<Choice>, p: f64, temperature: f64) {
    choices.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let Some(top) = choices.first().map(|(_, log_p)| f64::from(*log_p)) else { return };
    let weight = |log_p: f32| ((f64::from(log_p) - top) / temperature).exp();
    let whole: f64 = choices.iter().map(|(_, log_p)| weight(*log_p)).sum();
    let (mut size, mut mass) = (0, 0.0);
    while size < choices.len() && (size == 0 || mass < p * whole) {
        mass += weight(choices[size].1);
        size += 1;
    }
    choices.truncate(size);
    for (_, log_p) in choices {
        *log_p = ((f64::from(*log_p) - top) / temperature - mass.ln()) as f32;
    }
}

/// Perturbed log-probabilities of the extensions of a hypothesis whose own is `parent`: Gumbel
/// noise, given that the largest is `parent`. `totals` are the log-probabilities of the extensions
/// from the beginning, and are replaced; those that `count` others exceed, and that so can't go on,
/// become −∞. Taking the k largest over all hypotheses at every step draws k different terms in one
/// pass, as if one after the other without replacement (Kool, van Hoof and Welling, *Stochastic
/// Beams and Where to Find Them*, ICML 2019).
pub(crate) fn perturb(parent: f64, totals: &mut [f64], count: usize, rng: &mut impl Rng) {
    for total in totals.iter_mut() {
        // In (0, 1): both logarithms are finite.
        let u = (rng.random::<u32>() as f64 + 0.5) / 4_294_967_296.0;
        *total -= (-u.ln()).ln();
    }
    let max = totals.iter().fold(f64::NEG_INFINITY, |max, g| max.max(*g));
    // What follows keeps their order, and is too dear for those that are left out anyhow.
    let mut least = f64::NEG_INFINITY;
    if (1..totals.len()).contains(&count) {
        let mut sorted = totals.to_vec();
        least = *sorted.select_nth_unstable_by(count - 1, |a, b| b.total_cmp(a)).1;
    }
    for g in totals {
        if *g < least {
            *g = f64::NEG_INFINITY;
            continue;
        }
        // ln(1 − exp(g − max)) is −∞ for the largest, which becomes `parent`.
        let v = parent - *g + (-(*g - max).exp_m1()).ln();
        *g = parent - v.max(0.0) - (-v.abs()).exp().ln_1p();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn the_nucleus_is_the_smallest_set_with_the_mass() {
        let kept = |p, temperature| {
            let all = [0.15f32, 0.5, 0.05, 0.3];
            let mut choices: Vec<Choice> =
                all.iter().enumerate().map(|(i, p)| (i as u32, p.ln())).collect();
            nucleus(&mut choices, p, temperature);
            let mass: f32 = choices.iter().map(|(_, log_p)| log_p.exp()).sum();
            assert!((mass - 1.0).abs() < 1e-6);
            choices
        };
        let tokens = |p, temperature| -> Vec<Token> {
            kept(p, temperature).iter().map(|(token, _)| *token).collect()
        };
        assert_eq!(tokens(0.01, 1.0), [1]);
        assert_eq!(tokens(0.6, 1.0), [1, 3]);
        assert_eq!(tokens(1.0, 1.0), [1, 3, 0, 2]);
        assert_eq!(tokens(0.6, 0.1), [1]);
        assert!((kept(0.8, 1.0)[0].1.exp() - 0.625).abs() < 1e-6); // 0.5 / 0.8
    }

    /// Two levels: the pairs that the two largest leave are drawn as without replacement.
    #[test]
    fn the_largest_perturbed_are_drawn_without_replacement() {
        let tree = [(0.6, vec![0.5, 0.5]), (0.4, vec![0.1, 0.2, 0.7])];
        let leaves: Vec<f64> =
            tree.iter().flat_map(|(p, below)| below.iter().map(move |q| p * q)).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let rounds = 40_000;
        let mut counts = vec![vec![0u32; leaves.len()]; leaves.len()];
        for _ in 0..rounds {
            let mut first: Vec<f64> = tree.iter().map(|(p, _): &(f64, Vec<f64>)| p.ln()).collect();
            perturb(0.0, &mut first, 2, &mut rng);
            assert!(first.contains(&0.0) && first.iter().all(|g| *g <= 0.0));
            let mut all = Vec::new();
            for ((p, below), parent) in tree.iter().zip(&first) {
                let mut second: Vec<f64> = below.iter().map(|q| (p * q).ln()).collect();
                perturb(*parent, &mut second, 2, &mut rng);
                all.extend(second);
            }
            let mut order: Vec<usize> = (0..all.len()).collect();
            order.sort_by(|a, b| all[*b].total_cmp(&all[*a]));
            counts[order[0]][order[1]] += 1;
        }
        for (i, p) in leaves.iter().enumerate() {
            for (j, q) in leaves.iter().enumerate() {
                let expected = if i == j { 0.0 } else { p * q / (1.0 - p) };
                let found = f64::from(counts[i][j]) / f64::from(rounds);
                assert!((found - expected).abs() < 0.01, "{i} {j}: {found} and {expected}");
            }
        }
    }
}
