//! The gradient of a ranker's loss: the hidden layers forwards, as where matches are ranked, and then backwards from the rank.
//!
//! The loss is the weighted sum over [lists](crate::fitting::lists) of −ln p, where p = eˣ / Σ eʸ is the share of the first match, the used
//! one, with its rank x and the ranks y of all in the list: the loss of ListNet's kind (Cao et al., ICML 2007).

use crate::example::Example;
use crate::fitting::lists::LIST;
use crate::layers::Layers;
use crate::numbers::{SET, VALUES};
use crate::weights::{FIRST, SECOND, Weights};
use matrices::{Matrix, Product};
use pulp::Arch;

/// The gradient of the loss of whole lists, one after the other, each example with what its list counts.
pub(crate) fn gradient(weights: &Weights, examples: &[(&Example, f32)]) -> Weights {
    let mut gradient = Weights::zeros(weights.rows());
    let n = examples.len();
    let mut layers = Layers::default();
    examples.iter().for_each(|(example, _)| layers.push(weights, &example.seen));
    layers.hide(weights);
    // No negative number is left in a hidden layer: where one was, nothing goes back.
    let Layers { values, first, second, .. } = &layers;

    // Backwards, from the rank to the second layer, the first one and the tables.
    let rank = |hidden: &[f32]| hidden.iter().zip(&weights.last).map(|(x, w)| x * w).sum();
    let mut of_ranks: Vec<f32> = second.chunks_exact(SECOND).map(rank).collect();
    of_ranks.chunks_exact_mut(LIST).for_each(of_list);
    let mut of_second = vec![0.0; n * SECOND];
    for (i, (of_rank, (_, count))) in of_ranks.into_iter().zip(examples).enumerate() {
        let (of_rank, hidden) = (count * of_rank, &second[i * SECOND..][..SECOND]);
        let of_hidden = &mut of_second[i * SECOND..][..SECOND];
        for (j, of_hidden) in of_hidden.iter_mut().enumerate() {
            gradient.last[j] += of_rank * hidden[j];
            if hidden[j] > 0.0 {
                *of_hidden = of_rank * weights.last[j];
                gradient.second_bias[j] += *of_hidden;
            }
        }
    }
    let (rows, transposed) = (Matrix::rows, Matrix::transposed);
    let of_second = rows(&of_second, SECOND);
    plus_product((FIRST, n, SECOND), transposed(first, FIRST), of_second, &mut gradient.second);
    let mut of_first = vec![0.0; n * FIRST];
    plus_product((n, SECOND, FIRST), of_second, transposed(&weights.second, SECOND), &mut of_first);
    of_first.iter_mut().zip(first).filter(|(_, x)| **x <= 0.0).for_each(|(of, _)| *of = 0.0);
    let of = rows(&of_first, FIRST);
    plus_product((VALUES, n, FIRST), transposed(values, VALUES), of, &mut gradient.values);
    for ((Example { seen, .. }, _), of) in examples.iter().zip(of_first.chunks_exact(FIRST)) {
        plus(&mut gradient.first_bias, of);
        for (table, &pick) in gradient.tables.iter_mut().zip(&seen.picks) {
            plus(&mut table[usize::from(pick) * FIRST..][..FIRST], of);
        }
        for (table, set) in gradient.sets.iter_mut().zip(seen.sets) {
            for operator in (0..SET).filter(|operator| set >> operator & 1 == 1) {
                plus(&mut table[operator * FIRST..][..FIRST], of);
            }
        }
    }
    gradient
}

/// From the ranks of a list to the derivatives of its loss by them. (A number that is added to all ranks changes nothing, so the last
/// layer's bias stays.)
fn of_list(ranks: &mut [f32]) {
    let most = ranks.iter().copied().fold(f32::MIN, f32::max);
    ranks.iter_mut().for_each(|rank| *rank = (*rank - most).exp());
    let sum: f32 = ranks.iter().sum();
    ranks.iter_mut().for_each(|share| *share /= sum);
    ranks[0] -= 1.0;
}

fn plus(sums: &mut [f32], by: &[f32]) {
    sums.iter_mut().zip(by).for_each(|(sum, by)| *sum += by);
}

/// `c += a · b`, with a `[n, k]`, b `[k, m]` and c `[n, m]`.
fn plus_product(sizes: (usize, usize, usize), a: Matrix<'_>, b: Matrix<'_>, c: &mut [f32]) {
    Arch::new().dispatch(Product { sizes, a, b, c: (c, sizes.2), add: true });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::{Numbers, PICKS, SETS};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn loss(weights: &Weights, examples: &[(&Example, f32)]) -> f64 {
        let of = |list: &[(&Example, f32)]| {
            let rank = |(example, _): &(&Example, f32)| f64::from(weights.score(&example.seen));
            let sum: f64 = list.iter().map(|example| rank(example).exp()).sum();
            f64::from(list[0].1) * (sum.ln() - rank(&list[0]))
        };
        examples.chunks(LIST).map(of).sum()
    }

    #[test]
    fn it_is_what_differences_of_the_loss_say() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let weights = Weights::random([5; PICKS], 3);
        let examples: Vec<Example> = (0..3 * LIST)
            .map(|place| Example {
                e_graph: 0,
                used: place % LIST == 0,
                seen: Numbers {
                    picks: std::array::from_fn(|_| rng.random_range(0..5)),
                    values: std::array::from_fn(|_| rng.random_range(-1.0..1.0)),
                    sets: std::array::from_fn::<u64, SETS, _>(|_| rng.random_range(0..1 << 20)),
                },
            })
            .collect();
        let examples: Vec<(&Example, f32)> = examples
            .iter()
            .zip(0..)
            .map(|(example, i)| (example, [0.2, 1.0, 1.9][i / LIST]))
            .collect();
        let (found, here) = (gradient(&weights, &examples), loss(&weights, &examples));
        let (parameters, mut bends) = (weights.parameters().count(), 0);
        for parameter in 0..parameters {
            let numbers =
                |weights: &Weights| weights.parameters().nth(parameter).unwrap().0.to_vec();
            for _ in 0..20 {
                let at = rng.random_range(0..numbers(&weights).len());
                let step = 1e-3;
                let moved = |by: f32| {
                    let mut weights = weights.clone();
                    weights.parameters_mut().nth(parameter).unwrap().0[at] += by;
                    (loss(&weights, &examples) - here) / f64::from(by)
                };
                let [left, right] = [moved(-step), moved(step)];
                let close = |a: f64, b: f64| (a - b).abs() < 1e-2 * (1.0 + a.abs());
                // Where a layer has a bend, the two sides say different things.
                if !close(left, right) {
                    bends += 1;
                    continue;
                }
                let found = f64::from(numbers(&found)[at]);
                assert!(close(found, (left + right) / 2.0), "{parameter} {at}: {found} {left}");
            }
        }
        assert!(bends < parameters, "{bends}");
    }

    #[test]
    fn shares_of_the_examples_add_up() {
        let weights = Weights::random([2; PICKS], 1);
        let example = |i: u32| Example {
            e_graph: 0,
            used: i.is_multiple_of(3),
            seen: Numbers {
                picks: [(i % 2) as u16; PICKS],
                values: [i as f32 / 48.0; VALUES],
                sets: [u64::from(i), 1],
            },
        };
        let examples: Vec<Example> = (0..3 * LIST as u32).map(example).collect();
        let counted: Vec<(&Example, f32)> = examples.iter().map(|example| (example, 1.0)).collect();
        let whole = gradient(&weights, &counted);
        let [a, b] = [gradient(&weights, &counted[..LIST]), gradient(&weights, &counted[LIST..])];
        for ((whole, _), ((a, _), (b, _))) in
            whole.parameters().zip(a.parameters().zip(b.parameters()))
        {
            for (i, &whole) in whole.iter().enumerate() {
                assert!((whole - a[i] - b[i]).abs() < 1e-4);
            }
        }
    }
}
